// Command testcost prints the processor time of tests, by package and for the most expensive
// tests. Processor time is user plus system time, including children. It depends less than wall
// time on what else the machine does. With -stress it runs the tests repeatedly beside busy
// loops, and prints which ones fail.
//
//	go run ./tools/testcost [-top N] [-csv FILE] -- [go test flags and packages]
//	go run ./tools/testcost -stress ROUNDS [packages]
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
	if os.Getenv(burnVariable) != "" {
		burnForever()
		return
	}
	top := flag.Int("top", 20, "print this many of the dearest `tests`")
	csv := flag.String("csv", "", "write the time of every test to `FILE`")
	rounds := flag.Int("stress", 0, "run the tests of packages this many `times` beside load")
	flag.Parse()
	err := error(nil)
	if *rounds > 0 {
		err = stress(*rounds, flag.Args())
	} else {
		err = run(*top, *csv, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testcost:", err)
		os.Exit(1)
	}
}

func run(top int, csv string, arguments []string) error {
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
	if csv != "" {
		if err := writeCSV(csv, all); err != nil {
			return err
		}
	}
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
