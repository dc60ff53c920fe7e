package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

type testCost struct {
	pkg, test string
	time      time.Duration
}

func readRecords(folder string) ([]record, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []record
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var r record
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b record) int { return cmp.Compare(b.Total, a.Total) })
	return all, nil
}

// dearest lists every test, the most expensive first.
func dearest(all []record) []testCost {
	var tests []testCost
	for _, r := range all {
		for name, used := range r.Tests {
			tests = append(tests, testCost{r.Package, name, used})
		}
	}
	slices.SortFunc(tests, func(a, b testCost) int {
		return cmp.Or(cmp.Compare(b.time, a.time), cmp.Compare(a.pkg+a.test, b.pkg+b.test))
	})
	return tests
}

// writeTables prints seconds of processor time. total is the time of go test and of everything
// that it started.
func writeTables(w io.Writer, all []record, total time.Duration, top int) {
	fmt.Fprintf(w, "\nprocessor time, s   package\n")
	sum, small := time.Duration(0), time.Duration(0)
	for _, r := range all {
		if sum += r.Total; r.Total < time.Second {
			small += r.Total
		} else {
			fmt.Fprintf(w, "%17.1f   %s\n", r.Total.Seconds(), r.Package)
		}
	}
	fmt.Fprintf(w, "%17.1f   packages below 1 s\n", small.Seconds())
	fmt.Fprintf(w, "%17.1f   compiling and linking\n", (total - sum).Seconds())
	fmt.Fprintf(w, "%17.1f   in all\n", total.Seconds())
	fmt.Fprintf(w, "\nprocessor time, s   test\n")
	tests := dearest(all)
	for _, t := range tests[:min(top, len(tests))] {
		fmt.Fprintf(w, "%17.1f   %s %s\n", t.time.Seconds(), t.pkg, t.test)
	}
}
