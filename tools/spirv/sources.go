package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// generatorVersion is part of every source hash. Increase it when this tool calls the compiler
// differently, so that everything is compiled again.
const generatorVersion = "1"

var stageExtensions = []string{".comp", ".vert", ".frag"}

// variant is one shader to compile.
type variant struct {
	Name    string   // "geometry/warp"
	Path    string   // "geometry/warp.comp", below the shaders' folder
	AsStage string   // as the compiler calls it; "" for that of the file's extension
	Defines []string // "NAME=VALUE"
	Hash    string   // of its sources
	Also    bool     // in addition to the stage file's own shader, not instead of it

	SpecNames map[uint32]string // names of specialization constants, by id
}

// spvName returns the variant's file name in spirv/.
func (v *variant) spvName() string { return strings.ReplaceAll(v.Name, "/", "_") + ".spv" }

// place returns the stage file, with the variant's name if that is different.
func (v *variant) place() string {
	if strings.TrimSuffix(v.Path, path.Ext(v.Path)) == v.Name {
		return v.Path
	}
	return fmt.Sprintf("%s (%s)", v.Path, v.Name)
}

var (
	namePattern   = regexp.MustCompile(`^[a-z][a-z0-9]*([/_-][a-z0-9]+)*$`)
	definePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(=[A-Za-z0-9_.+-]*)?$`)
	// includePattern matches every line that may be an include, even in a comment: hashing too
	// many files only makes a shader stale too early.
	includePattern    = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]*)[">]`)
	constantIDPattern = regexp.MustCompile(`(?m)^[ \t]*layout[ \t]*\([ \t]*constant_id[ \t]*=[ \t]*([0-9]+)[ \t]*\)[ \t]*const[ \t]+\w+[ \t]+(\w+)`)
)

// findVariants lists the variants to compile below dir, by name, with hashes.
func findVariants(dir string) (_ []*variant, err error) {
	defer must.Catch(&err)
	stages := findStages(dir)
	all := readVariants(dir, stages)
	for _, v := range all {
		if !slices.Contains(stages, v.Path) {
			return nil, fmt.Errorf("%s: %s: no such stage file", filepath.Join(dir, "variants.txt"), v.Path)
		}
	}
	listed := slices.Clone(all)
	for _, stage := range stages {
		if !slices.ContainsFunc(listed, func(v *variant) bool { return v.Path == stage && !v.Also }) {
			all = append(all, &variant{Name: strings.TrimSuffix(stage, path.Ext(stage)), Path: stage})
		}
	}
	slices.SortFunc(all, func(a, b *variant) int { return strings.Compare(a.Name, b.Name) })
	files := map[string]string{}
	for _, v := range all {
		if !namePattern.MatchString(v.Name) {
			return nil, fmt.Errorf("%s: shader name %q: use lower-case words, digits, / _ and -", filepath.Join(dir, v.Path), v.Name)
		}
		if other, taken := files[v.spvName()]; taken {
			return nil, fmt.Errorf("%s: shader %s would overwrite that of %s: name one of them in variants.txt", filepath.Join(dir, v.Path), v.Name, other)
		}
		files[v.spvName()] = v.Path
		readSources(dir, v)
	}
	return all, nil
}

// findStages lists the stage files below dir, by slash-separated path. Folders called testdata
// are for tests and left out.
func findStages(dir string) []string {
	var stages []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", dir, err)
		case entry.IsDir() && (file == "include" || file == "spirv" || entry.Name() == "testdata"):
			return fs.SkipDir
		case entry.Type().IsRegular() && slices.Contains(stageExtensions, path.Ext(file)):
			stages = append(stages, file)
		}
		return nil
	})
	if err == nil && len(stages) == 0 {
		err = fmt.Errorf("%s: no stage files (%s)", dir, strings.Join(stageExtensions, ", "))
	}
	must.OK(err)
	return stages
}

// readVariants reads variants.txt, which need not exist. A line is "name = path @STAGE DEFINE=VALUE
// ..."; # begins a comment. Without @STAGE the file's extension names the stage. A * in name and path represents the base name of every stage file
// that the path matches, except those that "-PATTERN" after the path leaves out.
func readVariants(dir string, stages []string) []*variant {
	file := filepath.Join(dir, "variants.txt")
	var all []*variant
	for i, line := range strings.Split(string(readIfThere(file)), "\n") {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, rest, ok := strings.Cut(line, "=")
		words := strings.Fields(rest)
		if !ok || len(words) == 0 {
			must.Fail("%s:%d: expected `name = path DEFINE=VALUE ...`", file, i+1)
		}
		v := variant{Name: strings.TrimSpace(name), Path: words[0], Defines: words[1:]}
		var without []string
		for len(v.Defines) > 0 && strings.HasPrefix(v.Defines[0], "-") && strings.Contains(v.Path, "*") {
			without, v.Defines = append(without, v.Defines[0][1:]), v.Defines[1:]
		}
		if len(v.Defines) > 0 && strings.HasPrefix(v.Defines[0], "@") {
			if v.AsStage, v.Defines = v.Defines[0][1:], v.Defines[1:]; targetEnvs[v.AsStage] == "" {
				must.Fail("%s:%d: @%s: no such stage", file, i+1, v.AsStage)
			}
		}
		for _, define := range v.Defines {
			if !definePattern.MatchString(define) {
				must.Fail("%s:%d: %q is not of the form DEFINE=VALUE", file, i+1, define)
			}
		}
		if !strings.Contains(v.Path, "*") {
			all = append(all, &v)
			continue
		}
		for _, stage := range stages {
			if ok, _ := path.Match(v.Path, stage); ok { // a bad pattern matches nothing
				base := strings.TrimSuffix(path.Base(stage), path.Ext(stage))
				if slices.ContainsFunc(without, func(pattern string) bool { out, _ := path.Match(pattern, base); return out }) {
					continue
				}
				all = append(all, &variant{Name: strings.ReplaceAll(v.Name, "*", base), Path: stage, AsStage: v.AsStage, Defines: v.Defines, Also: true})
			}
		}
	}
	return all
}

// readSources hashes a variant's stage file, everything that it includes, and its defines, and
// records the names of its specialization constants.
func readSources(dir string, v *variant) {
	h := sha256.New()
	v.SpecNames = map[uint32]string{}
	fmt.Fprintf(h, "generator %s\n%s\n%q\n", generatorVersion, v.Path, v.Defines)
	if v.AsStage != "" {
		fmt.Fprintln(h, v.AsStage)
	}
	seen := map[string]bool{}
	var visit func(file string)
	visit = func(file string) {
		if seen[file] {
			return
		}
		seen[file] = true
		text := must.Get(os.ReadFile(filepath.Join(dir, filepath.FromSlash(file))))
		fmt.Fprintf(h, "%q %d\n%s\n", file, len(text), text)
		for _, match := range constantIDPattern.FindAllSubmatch(text, -1) {
			if id, err := strconv.ParseUint(string(match[1]), 10, 32); err == nil {
				v.SpecNames[uint32(id)] = string(match[2])
			}
		}
		for _, match := range includePattern.FindAllSubmatch(text, -1) {
			included := string(match[1])
			if target := resolveInclude(dir, file, included); target != "" {
				visit(target)
			} else {
				fmt.Fprintf(h, "missing %q\n", included) // the compiler reports it
			}
		}
	}
	visit(v.Path)
	v.Hash = hex.EncodeToString(h.Sum(nil))
}

// resolveInclude finds an included file as the compiler does: beside the file that includes it,
// then in the shaders' folder. It does not find files outside the folder; it returns "" if there
// is none.
func resolveInclude(dir, from, included string) string {
	for _, candidate := range []string{path.Join(path.Dir(from), included), path.Clean(included)} {
		if !filepath.IsLocal(candidate) {
			continue
		}
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(candidate))); err == nil && info.Mode().IsRegular() {
			return candidate
		}
	}
	return ""
}
