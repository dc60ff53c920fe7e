//go:build unix

package format

import (
	"os/exec"
	"syscall"
)

// killWhole has a program that is not wanted any more ended with those that it has
// started itself: what is installed as renderdoccmd may be a script around it.
func killWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
