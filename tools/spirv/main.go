// Command spirv compiles the shaders and describes them to Go. It writes shaders/spirv/*.spv,
// shaders/layout_gen.go and, for C, shaders/layout.h.
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
// The command imports only one package of the project, shaders/module, which reads SPIR-V and
// does not depend on the command's own output.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

type options struct {
	dir          string
	check, force bool
}

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "shaders", "folder of the shaders")
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

func run(o options, out io.Writer) error {
	variants, err := findVariants(o.dir)
	if err != nil {
		return err
	}
	work, err := inspect(o.dir, variants)
	if err != nil {
		return err
	}
	if o.check {
		return work.check(out)
	}
	return work.update(o.force, out)
}

// state compares the committed files with the sources.
type state struct {
	dir      string
	variants []*variant
	spirv    [][]byte // the committed SPIR-V; nil if it is stale
	stale    []string // what is stale about each variant, or ""
	orphans  []string // files of spirv/ without a source
}

// inspect compares the hashes in the generated file with those of the sources and of the SPIR-V.
func inspect(dir string, variants []*variant) (*state, error) {
	s := &state{dir: dir, variants: variants, spirv: make([][]byte, len(variants)), stale: make([]string, len(variants))}
	records, err := readRecords(dir)
	if err != nil {
		return nil, err
	}
	for i, v := range variants {
		data, err := os.ReadFile(s.spvPath(v.spvName()))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
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
	s.orphans, err = orphans(dir, variants)
	return s, err
}

func (s *state) spvPath(name string) string { return filepath.Join(s.dir, "spirv", name) }

// check lists everything that is stale.
func (s *state) check(out io.Writer) error {
	var errs []error
	for i, v := range s.variants {
		if s.stale[i] != "" {
			errs = append(errs, fmt.Errorf("%s: stale: %s", filepath.Join(s.dir, v.place()), s.stale[i]))
		}
	}
	for _, name := range s.orphans {
		errs = append(errs, fmt.Errorf("%s: stale: its source is gone", s.spvPath(name)))
	}
	if len(errs) == 0 {
		if err := s.checkGenerated(); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return errors.Join(append(errs, errors.New("run: go run ./tools/spirv"))...)
	}
	fmt.Fprintf(out, "%d shaders up to date\n", len(s.variants))
	return nil
}

// checkGenerated compares the generated files; that needs the SPIR-V but no compiler.
func (s *state) checkGenerated() error {
	_, files, err := s.generated()
	if err != nil {
		return err
	}
	for _, want := range files {
		have, err := os.ReadFile(want.Path)
		if err != nil {
			return err
		}
		if !slices.Equal(have, want.Data) {
			return fmt.Errorf("%s: stale: differs from what the SPIR-V and the includes give", want.Path)
		}
	}
	return nil
}

// generated returns what follows from the SPIR-V: the Go file and the C header.
func (s *state) generated() ([]*shader, []change, error) {
	shaders, err := reflectAll(s.variants, s.spirv)
	if err != nil {
		return nil, nil, err
	}
	constants, err := findConstants(s.dir)
	if err != nil {
		return nil, nil, err
	}
	taken, err := declaredNames(s.dir)
	if err != nil {
		return nil, nil, err
	}
	text, err := generate(shaders, constants, taken)
	if err != nil {
		return nil, nil, err
	}
	head, err := header(s.dir, shaders, constants)
	return shaders, []change{{filepath.Join(s.dir, generatedName), text}, {filepath.Join(s.dir, headerName), head}}, err
}

// update compiles what is stale and writes everything at once.
func (s *state) update(force bool, out io.Writer) error {
	var todo []*variant
	for i, v := range s.variants {
		if force || s.stale[i] != "" {
			todo = append(todo, v)
		}
	}
	compiled, err := compileAll(s.dir, todo)
	if err != nil {
		return err
	}
	if err := s.unchanged(); err != nil {
		return err
	}
	for i, v := range s.variants {
		if at := slices.Index(todo, v); at >= 0 {
			s.spirv[i] = compiled[at]
		}
	}
	shaders, changes, err := s.generated()
	if err != nil {
		return err
	}
	for _, sh := range shaders {
		changes = append(changes, change{s.spvPath(sh.spvName()), sh.SPIRV})
	}
	for _, name := range s.orphans {
		changes = append(changes, change{Path: s.spvPath(name)})
	}
	n, err := applyChanges(changes)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d shaders, %d compiled, %d files changed\n", len(shaders), len(todo), n)
	return nil
}

// unchanged reports whether the sources still have their hashes, since someone may save a file
// while the compiler runs.
func (s *state) unchanged() error {
	now, err := findVariants(s.dir)
	if err != nil {
		return err
	}
	same := func(a, b *variant) bool { return a.Name == b.Name && a.Hash == b.Hash }
	if !slices.EqualFunc(s.variants, now, same) {
		return fmt.Errorf("%s: sources changed while they were compiled: run again", s.dir)
	}
	return nil
}
