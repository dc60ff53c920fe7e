//go:build !unix

package format

import "os/exec"

// killWhole leaves it at ending the program alone.
func killWhole(*exec.Cmd) {}
