package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// This environment variable makes the process a busy loop, as load for the tests.
const burnVariable = "SHADEONCE_TESTCOST_BURN"

// loads are the numbers of busy loops in each round, and processors are Go's -cpu. Their lengths
// have no common factor, so all pairs occur.
var (
	loads      = []int{0, 2, 4, 8}
	processors = []string{"1", "2", "1,2"}
)

// testBinary is a package's tests, compiled.
type testBinary struct{ name, folder, path string }

// stress runs all tests repeatedly, shuffled, beside busy loops. It prints the failures of every
// round, and finally how often each test failed.
func stress(rounds int, packages []string) error {
	folder, err := os.MkdirTemp("", "shadeonce-stress-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	binaries, err := compileTests(folder, packages)
	if err != nil {
		return err
	}
	failures := map[string]int{}
	for round := range rounds {
		load, processor := loads[round%len(loads)], processors[round%len(processors)]
		stop, err := burn(load)
		if err != nil {
			return err
		}
		begin, before := time.Now(), childrenTime()
		failed := runRound(binaries, []string{"-test.short", "-test.shuffle=on", "-test.timeout=60m", "-test.cpu=" + processor})
		used := childrenTime() - before
		stop()
		fmt.Printf("round %d of %d: %d busy loops, -cpu %s: %.0f s, %.0f s of processor time, %d failures\n",
			round+1, rounds, load, processor, time.Since(begin).Seconds(), used.Seconds(), len(failed))
		for _, f := range failed {
			fmt.Print(f.output)
			for _, test := range f.tests {
				failures[f.name+" "+test]++
			}
		}
	}
	for _, test := range slices.Sorted(maps.Keys(failures)) {
		fmt.Printf("failed %d times: %s\n", failures[test], test)
	}
	if len(failures) > 0 {
		return errors.New("tests failed")
	}
	fmt.Printf("%d rounds of %d packages, none failed\n", rounds, len(binaries))
	return nil
}

// compileTests compiles the tests of packages once.
func compileTests(folder string, packages []string) ([]testBinary, error) {
	out, err := exec.Command("go", append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}"}, packages...)...).Output()
	if err != nil {
		return nil, err
	}
	var all []testBinary
	for line := range strings.Lines(string(out)) {
		name, dir, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found {
			continue
		}
		b := testBinary{name, dir, filepath.Join(folder, fmt.Sprintf("%d.test", len(all)))}
		compile := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", b.path, name)
		compile.Stderr = os.Stderr
		if err := compile.Run(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, b)
	}
	return all, nil
}

// failure is a failed test binary, with the names of the failed tests.
type failure struct {
	name, output string
	tests        []string
}

// runRound runs all test binaries, two at a time.
func runRound(binaries []testBinary, arguments []string) (failed []failure) {
	var lock sync.Mutex
	var wait sync.WaitGroup
	next := make(chan testBinary)
	for range 2 {
		wait.Go(func() {
			for b := range next {
				command := exec.Command(b.path, arguments...)
				command.Dir = b.folder
				output, err := command.CombinedOutput()
				if err != nil {
					lock.Lock()
					failed = append(failed, failure{b.name, fmt.Sprintf("%s: %v\n%s", b.name, err, output), failedTests(output)})
					lock.Unlock()
				}
			}
		})
	}
	for _, b := range binaries {
		next <- b
	}
	close(next)
	wait.Wait()
	return failed
}

// failedTests returns the tests that a binary's output names, or a line that says that it ended
// differently.
func failedTests(output []byte) (tests []string) {
	for line := range bytes.Lines(output) {
		if event, test, ok := parseEvent(string(line)); ok && event == "FAIL" {
			tests = append(tests, test)
		}
	}
	if tests == nil {
		tests = []string{"(ended without the name of a test)"}
	}
	return tests
}

// burn starts busy loops.
func burn(n int) (stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var loops []*exec.Cmd
	stop = func() {
		for _, c := range loops {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	}
	for range n {
		c := exec.Command(self)
		c.Env = append(os.Environ(), burnVariable+"=1")
		if err := c.Start(); err != nil {
			stop()
			return nil, err
		}
		loops = append(loops, c)
	}
	return stop, nil
}

// burnForever is a busy loop that ends with the process that started it.
func burnForever() {
	for parent := os.Getppid(); os.Getppid() == parent; {
		for begin := time.Now(); time.Since(begin) < time.Second; {
		}
	}
}
