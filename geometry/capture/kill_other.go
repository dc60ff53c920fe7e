//go:build !unix

package capture

import "os/exec"

// killWhole does nothing: only the program itself is killed, not what it has started.
func killWhole(*exec.Cmd) {}
