// Command spirv compiles the shaders and describes them to Go. It writes internal/shaders/spirv/*.spv,
// internal/shaders/layout_gen.go and, for C, shaders/layout.h.
//
//	go run ./tools/spirv          compile what changed since the last run
//	go run ./tools/spirv -force   compile everything
//	go run ./tools/spirv -check   compare only; needs no shader compiler
//
// The compiler is glslangValidator, without optimization, so that names stay in the SPIR-V.
// spirv-val validates its output, and a small reflector in this package describes it. If one
// shader has an error, nothing is written. The exit status is 1 for errors and stale shaders, 2
// for wrong usage.
//
// None of the project's packages that the command imports depends on the command's output.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

type options struct {
	dir          string
	out          string // "" is dir
	check, force bool
}

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "shaders", "folder of the shaders")
	flag.StringVar(&o.out, "out", "internal/shaders", "folder of the package that embeds them")
	flag.BoolVar(&o.check, "check", false, "write nothing; fail where something is stale")
	flag.BoolVar(&o.force, "force", false, "compile what is up to date too")
	flag.Parse()
	if flag.NArg() > 0 || o.check && o.force {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(o options, out io.Writer) (err error) {
	defer must.Catch(&err)
	work := inspect(o.dir, cmp.Or(o.out, o.dir), must.Get(findVariants(o.dir)))
	if o.check {
		work.check(out)
	} else {
		work.update(o.force, out)
	}
	return nil
}

// state holds the result of comparing the committed files with the sources.
type state struct {
	dir, out string
	variants []*variant
	spirv    [][]byte // the committed SPIR-V; nil if it is stale
	stale    []string // what is stale about each variant, or ""
	orphans  []string // files of spirv/ without a source
}

// inspect compares the hashes in the generated file with those of the sources and of the SPIR-V.
func inspect(dir, out string, variants []*variant) *state {
	s := &state{dir: dir, out: out, variants: variants, spirv: make([][]byte, len(variants)), stale: make([]string, len(variants))}
	records := readRecords(out)
	for i, v := range variants {
		data := readIfThere(s.spvPath(v.spvName()))
		switch record, known := records[v.Name]; {
		case !known:
			s.stale[i] = "never compiled"
		case record.Source != v.Hash:
			s.stale[i] = "its sources changed"
		case data == nil:
			s.stale[i] = "spirv/" + v.spvName() + " is missing"
		case record.SPIRV != hashBytes(data):
			s.stale[i] = "spirv/" + v.spvName() + " is not what was generated"
		default:
			s.spirv[i] = data
		}
	}
	s.orphans = orphans(out, variants)
	return s
}

// readIfThere returns a file's contents; nil if it does not exist.
func readIfThere(file string) []byte {
	data, err := os.ReadFile(file)
	if !errors.Is(err, os.ErrNotExist) {
		must.OK(err)
	}
	return data
}

func (s *state) spvPath(name string) string { return filepath.Join(s.out, "spirv", name) }

// check fails, and lists what is stale: shaders or, if no shader is, the files generated from them.
func (s *state) check(out io.Writer) {
	var errs []error
	for i, v := range s.variants {
		if s.stale[i] != "" {
			errs = append(errs, fmt.Errorf("%s: stale: %s", filepath.Join(s.dir, v.place()), s.stale[i]))
		}
	}
	for _, name := range s.orphans {
		errs = append(errs, fmt.Errorf("%s: stale: its source is gone", s.spvPath(name)))
	}
	if len(errs) == 0 { // comparing the generated files needs the SPIR-V, but no compiler
		_, files := s.generated()
		for _, want := range files {
			if have := readIfThere(want.Path); have == nil {
				errs = append(errs, fmt.Errorf("%s: no such file", want.Path))
			} else if !slices.Equal(have, want.Data) {
				errs = append(errs, fmt.Errorf("%s: stale: differs from what the SPIR-V and the includes give", want.Path))
			}
		}
	}
	if len(errs) > 0 {
		must.OK(errors.Join(append(errs, errors.New("run: go run ./tools/spirv"))...))
	}
	fmt.Fprintf(out, "%d shaders up to date\n", len(s.variants))
}

// generated returns the reflected shaders, and the files generated from them: the Go file and the C header.
func (s *state) generated() ([]*shader, []change) {
	shaders := must.Get(reflectAll(s.variants, s.spirv))
	constants := findConstants(s.dir)
	text := must.Get(generate(shaders, constants))
	head := header(s.dir, shaders, constants)
	return shaders, []change{{filepath.Join(s.out, generatedName), text}, {filepath.Join(s.dir, headerName), head}}
}

// update compiles what is stale, and writes everything if all of it compiles.
func (s *state) update(force bool, out io.Writer) {
	var todo []*variant
	for i, v := range s.variants {
		if force || s.stale[i] != "" {
			todo = append(todo, v)
		}
	}
	compiled := must.Get(compileAll(s.dir, todo))
	for i, v := range s.variants {
		if at := slices.Index(todo, v); at >= 0 {
			s.spirv[i] = compiled[at]
		}
	}
	shaders, files := s.generated()
	var changes []change
	for _, sh := range shaders {
		changes = append(changes, change{s.spvPath(sh.spvName()), sh.SPIRV})
	}
	for _, name := range s.orphans {
		changes = append(changes, change{Path: s.spvPath(name)})
	}
	n := applyChanges(append(changes, files...))
	fmt.Fprintf(out, "%d shaders, %d compiled, %d files changed\n", len(shaders), len(todo), n)
}

const targetEnv = "vulkan1.1"

// targetEnvs maps the stages that variants.txt may name to the compiler's target environments.
var targetEnvs = map[string]string{"mesh": "vulkan1.2"} // mesh shaders need SPIR-V 1.4

// packages maps the programs to the Debian and Ubuntu packages that contain them.
var packages = map[string]string{"glslangValidator": "glslang-tools", "spirv-val": "spirv-tools"}

// compileAll compiles and validates variants, and returns their SPIR-V in order. The error lists
// every shader that fails.
func compileAll(dir string, variants []*variant) (_ [][]byte, err error) {
	defer must.Catch(&err)
	if len(variants) == 0 {
		return nil, nil
	}
	for _, program := range []string{"glslangValidator", "spirv-val"} {
		if _, err := exec.LookPath(program); err != nil {
			must.Fail("%s is not installed: apt-get install %s (Debian, Ubuntu)", program, packages[program])
		}
	}
	scratch := must.Get(os.MkdirTemp("", "spirv-*"))
	defer os.RemoveAll(scratch)
	out := make([][]byte, len(variants))
	errs := make([]error, len(variants))
	var all errgroup.Group
	all.SetLimit(runtime.NumCPU())
	for i, v := range variants {
		all.Go(func() error {
			out[i], errs[i] = compileOne(dir, filepath.Join(scratch, v.spvName()), v)
			return nil
		})
	}
	return out, cmp.Or(all.Wait(), joinLines(errs))
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

var compileOne = compile // tests set compiledOnce, which keeps the results

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

// applyChanges writes files, each whole or not at all, and returns how many have changed. The Go file comes after the SPIR-V and
// has its hashes, so -check notices if an error has ended applyChanges early.
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
