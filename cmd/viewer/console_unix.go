//go:build !windows

package main

// attachConsole reports whether the user can see printed errors.
func attachConsole() bool { return true }
