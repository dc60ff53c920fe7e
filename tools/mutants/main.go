// Command mutants checks that the tests find plausible faults. It makes one fault at a time in a
// copy of the project, and runs the test that must fail. A fault that survives is a gap in the
// tests.
//
//	go run ./tools/mutants [WORD]...
//
// It makes the faults whose description, file and test together contain every WORD. Faulty shaders are
// compiled, which takes the shader compiler, and some tests need a Vulkan device.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// mutant is a plausible fault: a replacement in one file, and the test that must fail for it.
type mutant struct {
	what, file string // the file from the project's root
	old, new   string
	room, test string // the test's package and name
}

//go:embed faults.txt
var faults string

// mutants reads the list of faults.
func mutants() (list []mutant) {
	_, blocks, _ := strings.Cut(faults, "\n\n") // after the comment
	for block := range strings.SplitSeq(strings.TrimSpace(blocks), "\n\n") {
		lines := strings.Split(block, "\n")
		m := mutant{what: lines[0], file: lines[1]}
		var old, replacement []string
		for _, line := range lines[2 : len(lines)-1] {
			if text, removed := strings.CutPrefix(line, "- "); removed {
				old = append(old, text)
			} else {
				replacement = append(replacement, strings.TrimPrefix(line, "+ "))
			}
		}
		m.old, m.new = strings.Join(old, "\n"), strings.Join(replacement, "\n")
		m.room, m.test, _ = strings.Cut(lines[len(lines)-1], " ")
		list = append(list, m)
	}
	return list
}

func main() {
	survivors, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
	if survivors > 0 {
		fmt.Fprintf(os.Stderr, "mutants: %d survived\n", survivors)
		os.Exit(1)
	}
}

func run(words []string) (survivors int, err error) {
	defer must.Catch(&err)
	c := &project{must.Get(os.Getwd()), must.Get(os.MkdirTemp("", "shadeonce-mutants-"))}
	defer os.RemoveAll(c.folder)
	c.copyFiles()
	sound := map[string]bool{} // tests that pass without a fault
	for _, m := range mutants() {
		if !m.chosen(words) {
			continue
		}
		if test := m.room + " " + m.test; !sound[test] {
			if failed, output, err := c.fails(m); err != nil || failed {
				return survivors, fmt.Errorf("%s fails without a fault: %w\n%s", test, err, output)
			}
			sound[test] = true
		}
		killed, output, err := c.try(m)
		switch {
		case err != nil:
			return survivors, fmt.Errorf("%s: %w\n%s", m.what, err, output)
		case killed:
			fmt.Printf("seen      %s (%s %s)\n", m.what, m.room, m.test)
		default:
			fmt.Printf("SURVIVED  %s (%s %s)\n", m.what, m.room, m.test)
			survivors++
		}
	}
	return survivors, nil
}

func (m *mutant) chosen(words []string) bool {
	about := m.what + " " + m.file + " " + m.test
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(about, word) })
}

// apply returns the file with the fault. The text to replace must occur exactly once.
func (m *mutant) apply(text []byte) ([]byte, error) {
	if n := bytes.Count(text, []byte(m.old)); n != 1 {
		return nil, fmt.Errorf("%s: %q is there %d times, not once", m.file, m.old, n)
	}
	return bytes.Replace(text, []byte(m.old), []byte(m.new), 1), nil
}

// project is a copy of the project in a folder of its own.
type project struct{ root, folder string }

// copyFiles copies the files in git and those that git does not ignore.
func (p *project) copyFiles() {
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = p.root
	for _, name := range strings.Split(strings.TrimRight(string(must.Get(cmd.Output())), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(p.root, name))
		if errors.Is(err, os.ErrNotExist) { // deleted, but not yet in git
			continue
		}
		must.OK(err)
		to := filepath.Join(p.folder, name)
		must.OK(errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, data, 0o755)))
	}
}

// try makes a fault in the copy, and reports whether its test fails. Then it restores the copy.
func (p *project) try(m mutant) (killed bool, output []byte, err error) {
	defer must.Catch(&err)
	faulty := must.Get(m.apply(must.Get(os.ReadFile(filepath.Join(p.root, m.file)))))
	defer p.copyFiles() // restores compiled shaders, too
	must.OK(os.WriteFile(filepath.Join(p.folder, m.file), faulty, 0o644))
	if strings.HasPrefix(m.file, "shaders/") && !strings.HasSuffix(m.file, ".go") {
		if output, err := p.goRun("run", "./tools/spirv"); err != nil {
			return false, output, fmt.Errorf("the shaders do not compile: %w", err)
		}
	}
	return p.fails(m)
}

// fails runs the test of a fault and reports whether it fails. A test that does not build, or does
// not exist, is an error.
func (p *project) fails(m mutant) (failed bool, output []byte, err error) {
	if output, err := p.goRun("test", "-c", "-o", os.DevNull, m.room); err != nil {
		return false, output, fmt.Errorf("%s does not build: %w", m.room, err)
	}
	output, err = p.goRun("test", "-count=1", "-short", "-timeout", "30m", "-run", "^"+m.test+"$", m.room)
	if err == nil {
		if bytes.Contains(output, []byte("no tests to run")) {
			return false, output, errors.New("there is no such test")
		}
		return false, output, nil
	}
	if !bytes.Contains(output, []byte("--- FAIL: "+m.test)) {
		return false, output, err
	}
	return true, output, nil
}

func (p *project) goRun(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = p.folder
	cmd.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false -trimpath")
	return cmd.CombinedOutput()
}
