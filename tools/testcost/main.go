// Command testcost prints the processor time of tests, by package and for the most expensive
// tests. Processor time is user plus system time, including children. It depends less than wall
// time on what else the machine does.
//
//	go run ./tools/testcost [-top N] -- [go test flags and packages]
//
// To measure time it runs go test with itself as -exec, so that it starts each test binary.
// Parallel tests share the time equally.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Environment variable for the processes that go test starts instead of test binaries.
const recordsVariable = "SHADEONCE_TESTCOST_RECORDS"

func main() {
	if folder := os.Getenv(recordsVariable); folder != "" {
		os.Exit(runBinary(folder, os.Args[1:]))
	}
	top := flag.Int("top", 20, "print this many of the dearest `tests`")
	flag.Parse()
	if err := run(*top, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "testcost:", err)
		os.Exit(1)
	}
}

func run(top int, arguments []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "shadeonce-testcost-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	command := exec.Command("go", append([]string{"test", "-count=1", "-exec", self}, arguments...)...)
	command.Env = append(os.Environ(), recordsVariable+"="+folder)
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	failed := command.Run()
	if exit := (*exec.ExitError)(nil); failed != nil && !errors.As(failed, &exit) {
		return failed
	}
	all, err := readRecords(folder)
	if err != nil {
		return err
	}
	writeTables(os.Stdout, all, childrenTime(), top)
	return failed
}

// childrenTime returns the processor time of all children that ended.
func childrenTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) != nil {
		return 0 // never happens on Linux
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// packageName returns the import path of a test binary, whose working folder is the package's,
// relative to the module.
func packageName() string {
	here, err := os.Getwd()
	if err != nil {
		return "?"
	}
	for root := here; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			name, _ := filepath.Rel(root, here)
			return filepath.ToSlash(name)
		}
		if root == filepath.Dir(root) {
			return here
		}
	}
}
