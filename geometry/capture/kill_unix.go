//go:build unix

package capture

import (
	"os/exec"
	"syscall"
)

// killWhole makes the end of the command's context kill the program and all that it has started:
// renderdoccmd may be a wrapper script.
func killWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
