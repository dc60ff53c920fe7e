package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

const targetEnv = "vulkan1.1"

// targetEnvs are the environments of the stages that variants.txt names.
var targetEnvs = map[string]string{"mesh": "vulkan1.2"} // mesh shaders need SPIR-V 1.4

// packages are the Debian and Ubuntu packages with the programs.
var packages = map[string]string{"glslangValidator": "glslang-tools", "spirv-val": "spirv-tools"}

func requireProgram(name string) {
	if _, err := exec.LookPath(name); err != nil {
		must.Fail("%s is not installed: apt-get install %s (Debian, Ubuntu)", name, packages[name])
	}
}

// compileAll compiles and validates variants, and returns their SPIR-V in order. The error lists
// every shader that fails.
func compileAll(dir string, variants []*variant) (_ [][]byte, err error) {
	defer must.Catch(&err)
	if len(variants) == 0 {
		return nil, nil
	}
	for _, program := range []string{"glslangValidator", "spirv-val"} {
		requireProgram(program)
	}
	scratch := must.Get(os.MkdirTemp("", "spirv-*"))
	defer os.RemoveAll(scratch)
	out := make([][]byte, len(variants))
	errs := make([]error, len(variants))
	running := make(chan struct{}, runtime.NumCPU())
	var all sync.WaitGroup
	for i, v := range variants {
		all.Go(func() {
			running <- struct{}{}
			defer func() { <-running }()
			out[i], errs[i] = compileOne(dir, filepath.Join(scratch, v.spvName()), v)
		})
	}
	all.Wait()
	return out, joinLines(errs)
}

// joinLines joins errors, each line once, since an error in an include breaks many shaders.
func joinLines(errs []error) error {
	joined := errors.Join(errs...)
	if joined == nil {
		return nil
	}
	var lines []string
	for line := range strings.SplitSeq(joined.Error(), "\n") {
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return errors.New(strings.Join(lines, "\n"))
}

var compileOne = compile // tests keep its results

// compile runs the compiler in the shaders' folder, so that its output contains no
// paths of this machine.
func compile(dir, target string, v *variant) ([]byte, error) {
	env := cmp.Or(targetEnvs[v.AsStage], targetEnv)
	args := []string{"-I.", "--target-env", env, "-o", target}
	if v.AsStage != "" {
		args = append(args, "-S", v.AsStage)
	}
	for _, define := range v.Defines {
		args = append(args, "-D"+define)
	}
	text, err := runProgram(dir, "glslangValidator", append(args, v.Path)...)
	if err != nil {
		return nil, compilerError(dir, v, text, err)
	}
	if text, err := runProgram(dir, "spirv-val", "--target-env", env, target); err != nil {
		return nil, fmt.Errorf("%s: spirv-val: %w: %s", filepath.Join(dir, v.Path), err, strings.Join(strings.Fields(text), " "))
	}
	return os.ReadFile(target)
}

func runProgram(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	return string(text), err
}

var (
	placedMessage = regexp.MustCompile(`^ERROR: (.+?):(\d+): (.*?)\s*$`)
	otherMessage  = regexp.MustCompile(`^ERROR: (.*?)\s*$`)
	compilerNoise = regexp.MustCompile(`compilation terminated|compilation errors?\.|Missing entry point`)
)

// compilerError turns the compiler's output into lines of the form
// "file:line: message".
func compilerError(dir string, v *variant, text string, err error) error {
	var placed, other, noise []string
	file := filepath.Join(dir, v.Path)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := placedMessage.FindStringSubmatch(line); m != nil && !compilerNoise.MatchString(line) {
			place := filepath.Join(dir, filepath.FromSlash(path.Clean(m[1])))
			placed = append(placed, fmt.Sprintf("%s:%s: %s", place, m[2], strings.Join(strings.Fields(strings.TrimPrefix(m[3], "'' :")), " ")))
		} else if m := otherMessage.FindStringSubmatch(line); m != nil {
			if compilerNoise.MatchString(line) {
				noise = append(noise, file+": "+m[1])
			} else {
				other = append(other, file+": "+m[1])
			}
		}
	}
	for _, lines := range [][]string{placed, other, noise} {
		if len(lines) > 0 {
			return errors.New(strings.Join(lines, "\n"))
		}
	}
	return fmt.Errorf("%s: glslangValidator: %w", file, err)
}

// change is a file to write, or to remove if Data is nil.
type change struct {
	Path string
	Data []byte
}

// applyChanges writes files, each whole or not at all, and returns how many have changed. The last
// ones have the hashes of the others, so -check notices if an error ends it early.
func applyChanges(changes []change) (changed int) {
	for _, c := range changes {
		if old := readIfThere(c.Path); (old == nil) == (c.Data == nil) && bytes.Equal(old, c.Data) {
			continue
		}
		changed++
		if c.Data == nil {
			must.OK(os.Remove(c.Path))
			continue
		}
		must.OK(errors.Join(os.MkdirAll(filepath.Dir(c.Path), 0o755), atomicfile.File(c.Path, 0o644, func(f *os.File) error {
			_, err := f.Write(c.Data)
			return err
		})))
	}
	return changed
}
