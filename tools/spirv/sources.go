package main

import (
	"bytes"
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
	AsStage string   // the compiler's name of the stage; "" means the stage of the file's extension
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

// readVariants reads variants.txt, which need not exist. A line is "name = path @STAGE DEFINE=VALUE ..."; # begins
// a comment. Without @STAGE the file's extension names the stage. A line whose path has a * stands for one variant of
// each stage file that the path matches; the file's base name replaces the * in the name. "-PATTERN" after the path leaves files out.
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
// then in the shaders' folder. It returns "" if there is no such file, or only one outside the
// folder.
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

// headerName is the C header that this tool writes.
const headerName = "layout.h"

const headerTop = `// Code generated by tools/spirv from the GLSL beside it. DO NOT EDIT.
//
// What a renderer in C11 or C++ binds and fills to run these shaders: specialization
// constants, bindings (all of descriptor set 0), constants and structs. docs/embedding.md
// says how.
#ifndef SHADEONCE_LAYOUT_H
#define SHADEONCE_LAYOUT_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

`

// numbered is a specialization constant or a binding of the include files.
type numbered struct{ Name, Number, Comment string }

var (
	specPattern    = regexp.MustCompile(`(?m)^layout\(constant_id = ([0-9]+)\) const (\w+) (\w+) = ([^;]+);(?: *// *(.*))?$`)
	bindingPattern = regexp.MustCompile(`(?m)^#define BINDING_(\w+) ([0-9]+)()$`)
)

// findNumbers reads the specialization constants and the bindings that the include
// files number.
func findNumbers(dir string) (specs, bindings []numbered) {
	files := must.Get(filepath.Glob(filepath.Join(dir, "include", "*.glsl")))
	for _, file := range files {
		text := must.Get(os.ReadFile(file))
		for _, m := range specPattern.FindAllSubmatch(text, -1) {
			comment := strings.TrimSuffix(fmt.Sprintf("%s, by default %s: %s", m[2], m[4], m[5]), ": ")
			specs = append(specs, numbered{string(m[3]), string(m[1]), comment})
		}
		for _, m := range bindingPattern.FindAllSubmatch(text, -1) {
			bindings = append(bindings, numbered{Name: string(m[1]), Number: string(m[2])})
		}
	}
	return specs, bindings
}

// header returns the C header.
func header(dir string, shaders []*shader, constants []constant) []byte {
	structs := mergeStructs(shaders)
	specs, bindings := findNumbers(dir)
	contents := map[string]string{} // by number of a binding: a comment on its contents
	for _, s := range shaders {
		for _, x := range slices.Concat(s.Bindings, s.Open) {
			number, text := fmt.Sprint(x.Binding), x.contents()
			if before, known := contents[number]; known && before != text {
				text = "" // shaders put different contents there
			}
			contents[number] = text
		}
	}
	var b bytes.Buffer
	b.WriteString(headerTop)
	for _, s := range specs {
		fmt.Fprintf(&b, "#define SHADEONCE_SPEC_%s %s // %s\n", s.Name, s.Number, s.Comment)
	}
	b.WriteString("\n")
	for _, x := range bindings {
		fmt.Fprintf(&b, "#define SHADEONCE_BINDING_%s %s%s\n", x.Name, x.Number, contents[x.Number])
	}
	b.WriteString("\n")
	for _, c := range constants {
		fmt.Fprintf(&b, "#define SHADEONCE_%s %s\n", c.Name, cLiteral(c))
	}
	written := map[string]bool{}
	for _, s := range structs {
		writeHeaderStruct(&b, s, structs, written)
	}
	b.WriteString("\n#endif\n")
	return b.Bytes()
}

// cLiteral returns a constant's value in C.
func cLiteral(c constant) string {
	switch {
	case c.Kind == "uint":
		return c.Value + "u"
	case c.Kind == "int":
		return c.Value
	case strings.ContainsAny(c.Value, ".e"):
		return c.Value + "f"
	}
	return c.Value + ".0f"
}

// contents returns a comment that says what a descriptor holds.
func (b binding) contents() string {
	var of []string
	if b.Struct != "" {
		of = append(of, cDeclaration("", b.Struct))
	}
	if b.Element != "" {
		of = append(of, cDeclaration("", b.Element)+"[]")
	}
	return " // " + strings.Join(of, ", then ")
}

var goTypePattern = regexp.MustCompile(`^((?:\[[0-9]+\])*)(\w+)$`)

// cDeclaration declares in C a member that has the given Go type: [4]float32 becomes float name[4].
func cDeclaration(name, goText string) string {
	m := goTypePattern.FindStringSubmatch(goText)
	base, known := map[string]string{"float32": "float", "float64": "double"}[m[2]]
	switch {
	case known:
	case strings.ToLower(m[2]) == m[2]: // a number
		base = m[2] + "_t"
	default:
		base = "Shadeonce" + m[2]
	}
	return strings.TrimSpace(base+" "+name) + m[1]
}

// writeHeaderStruct writes a struct, after the structs that its members use. It writes each struct once.
func writeHeaderStruct(b *bytes.Buffer, s *structLayout, all []*structLayout, written map[string]bool) {
	if written[s.Name] {
		return
	}
	written[s.Name] = true
	for _, f := range s.Fields {
		for _, other := range all {
			if goTypePattern.FindStringSubmatch(f.Type)[2] == other.Name {
				writeHeaderStruct(b, other, all, written)
			}
		}
	}
	fmt.Fprintf(b, "\ntypedef struct {\n")
	end, padded := 0, 0
	pad := func(n int) {
		if n > 0 {
			fmt.Fprintf(b, "    uint8_t padding%d[%d];\n", padded, n)
			padded++
		}
	}
	for _, f := range s.Fields {
		pad(f.Offset - end)
		fmt.Fprintf(b, "    %s; // %s\n", cDeclaration(f.Member, f.Type), f.GLSL)
		end = f.Offset + f.Size
	}
	pad(s.Size - end)
	fmt.Fprintf(b, "} Shadeonce%s;\n", s.Name)
	fmt.Fprintf(b, "static_assert(sizeof(Shadeonce%s) == %d, \"%s\");\n", s.Name, s.Size, s.Name)
	for _, f := range s.Fields {
		fmt.Fprintf(b, "static_assert(offsetof(Shadeonce%s, %s) == %d, \"%s.%s\");\n", s.Name, f.Member, f.Offset, s.Name, f.Member)
	}
}
