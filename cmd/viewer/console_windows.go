package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// attachConsole makes what is printed appear on the console from which the program was started, if
// there is one: a program that opens no console of its own (-H windowsgui) begins without. Output
// that the caller redirects stays redirected. It reports whether errors can be read where they are
// printed.
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

// isOpen reports whether a file that the process began with leads anywhere. Stat fails for some that do.
func isOpen(file *os.File) bool {
	kind, err := windows.GetFileType(windows.Handle(file.Fd()))
	return err == nil && kind != windows.FILE_TYPE_UNKNOWN
}
