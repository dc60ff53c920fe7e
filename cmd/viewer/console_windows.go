package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// attachConsole connects output to the console from which the program was started, if there is one:
// programs built with -H windowsgui are not connected to it. Redirected output stays redirected.
// attachConsole reports whether the user can see printed errors.
func attachConsole() bool {
	if isOpen(os.Stderr) {
		return true
	}
	const parent = ^uintptr(0) // ATTACH_PARENT_PROCESS
	attach := windows.NewLazySystemDLL("kernel32.dll").NewProc("AttachConsole")
	if ok, _, _ := attach.Call(parent); ok == 0 {
		return false
	}
	console, err := os.OpenFile("CONOUT$", os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	os.Stderr = console
	if !isOpen(os.Stdout) {
		os.Stdout = console
	}
	return true
}

// isOpen reports whether a file that the process started with is usable. Stat fails for some usable files.
func isOpen(file *os.File) bool {
	kind, err := windows.GetFileType(windows.Handle(file.Fd()))
	return err == nil && kind != windows.FILE_TYPE_UNKNOWN
}
