//go:build !windows

package main

// attachConsole reports whether errors can be read where they are printed.
func attachConsole() bool { return true }
