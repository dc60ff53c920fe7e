package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// hung is the time after which a run counts as hung. It is wall time, unlike mostTime,
// and long enough for a busy machine.
const hung = 3 * time.Minute

// result is how a run of the program ended.
type result struct {
	Status int // -1 if a signal ended it
	Hung   bool
	Said   string        // standard error
	Time   time.Duration // of all processors
	Memory int64         // peak
}

// runnerFlag makes this program run one command and print its result. A process's memory includes
// that of the process that started it; this way that one is small.
const runnerFlag = "-run-one"

func (c *campaign) run(args ...string) (r result) {
	self, err := os.Executable()
	check(err)
	out, err := exec.Command(self, append([]string{runnerFlag, c.program}, args...)...).Output()
	check(err)
	check(json.Unmarshal(out, &r))
	return r
}

// runOne runs a program in this process, which run has started.
func runOne(program string, args ...string) (r result) {
	ctx, cancel := context.WithTimeout(context.Background(), hung)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	if cmd.ProcessState == nil {
		check(err)
	}
	r.Status, r.Hung, r.Said = cmd.ProcessState.ExitCode(), ctx.Err() != nil, said.String()
	r.Time = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.Memory = usage.Maxrss << 10
	}
	return r
}

// wrong returns what is wrong with a run on a file of that size (meshBombs), or "".
func (r *result) wrong(size int) string {
	lines := strings.Count(r.Said, "\n")
	switch {
	case r.Hung:
		return "hung"
	case r.Status != 0 && r.Status != 1:
		return fmt.Sprintf("status %d", r.Status)
	case strings.Contains(r.Said, "goroutine ") || strings.Contains(r.Said, "reader failed"):
		return "a panic"
	case r.Status == 1 && (lines != 1 || !strings.HasPrefix(r.Said, "shadeonce: ")):
		return fmt.Sprintf("%d lines instead of one", lines)
	case r.Time > mostTime*time.Duration(max(size, 1)):
		return fmt.Sprintf("%.1f s of processor time", r.Time.Seconds())
	case r.Memory > mostMemory:
		return fmt.Sprintf("%d MiB", r.Memory>>20)
	}
	return ""
}

// first returns the first line of a text, shortened.
func first(said string) string {
	line, _, _ := strings.Cut(said, "\n")
	return line[:min(len(line), 160)]
}
