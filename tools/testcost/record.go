package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// record is the processor time of one test binary.
type record struct {
	Package string
	Total   time.Duration
	Tests   map[string]time.Duration // top-level tests only; their sum is less than Total
}

// runBinary runs a test binary as go test would, and writes its record into folder.
func runBinary(folder string, arguments []string) (exitCode int) {
	os.Unsetenv(recordsVariable)
	command := exec.Command(arguments[0], append(arguments[1:], "-test.v")...)
	command.Stderr = os.Stderr
	pipe, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testcost:", err)
		return 2
	}
	r := record{Package: packageName(), Tests: map[string]time.Duration{}}
	follow(pipe, os.Stdout, func() time.Duration { return treeTime(command.Process.Pid) }, r.Tests)
	err = command.Wait()
	r.Total = childrenTime()
	if data, failed := json.Marshal(r); failed == nil {
		name := strings.ReplaceAll(r.Package, "/", "_") + ".json"
		if failed := os.WriteFile(filepath.Join(folder, name), data, 0o644); failed != nil {
			fmt.Fprintln(os.Stderr, "testcost:", failed)
			return 2
		}
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return max(exit.ExitCode(), 1)
	}
	return 0
}

// follow copies the verbose output of a test binary. It divides the time between two lines
// equally among the top-level tests that ran meanwhile.
func follow(from io.Reader, to io.Writer, used func() time.Duration, tests map[string]time.Duration) {
	running := map[string]bool{}
	last := time.Duration(0)
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		if event, test, ok := parseEvent(line); ok {
			now := max(used(), last)
			for name := range running {
				tests[name] += (now - last) / time.Duration(len(running))
			}
			last = now
			switch event {
			case "RUN", "CONT":
				running[test] = true
			default:
				delete(running, test)
			}
		}
		io.WriteString(to, line)
		if err != nil {
			return
		}
	}
}

// parseEvent reads the lines that begin, pause, continue and end a top-level test.
func parseEvent(line string) (event, test string, ok bool) {
	fields := strings.Fields(strings.TrimLeft(line, "\x16"))
	if len(fields) < 3 || strings.Contains(fields[2], "/") {
		return "", "", false
	}
	switch {
	case fields[0] == "===":
		event = fields[1]
	case fields[0] == "---" && !strings.HasPrefix(line, " "):
		event = strings.TrimSuffix(fields[1], ":")
	}
	switch event {
	case "RUN", "PAUSE", "CONT", "PASS", "FAIL", "SKIP":
		return event, fields[2], true
	}
	return "", "", false
}

// treeTime returns the processor time so far of a process, of its running descendants, and of all
// that they have waited for.
func treeTime(root int) time.Duration {
	type process struct{ parent, ticks int }
	all := map[int]process{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended meanwhile
		}
		// The name, in parentheses, may contain spaces.
		_, rest, _ := strings.Cut(string(data), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 15 {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		p := process{}
		p.parent, _ = strconv.Atoi(fields[1])
		for _, field := range fields[11:15] { // utime, stime, cutime, cstime
			ticks, _ := strconv.Atoi(field)
			p.ticks += ticks
		}
		all[pid] = p
	}
	const tick = time.Second / 100 // Linux reports hundredths, whatever its internal unit
	sum := 0
	for pid, p := range all {
		for at := pid; at != 0; at = all[at].parent {
			if at == root {
				sum += p.ticks
				break
			}
		}
	}
	return time.Duration(sum) * tick
}
