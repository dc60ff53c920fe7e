package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// generatedName is the Go file that this tool writes.
const generatedName = "layout_gen.go"

// constant is a constant of an include file that is also generated for Go.
type constant struct {
	Name  string // UPPER_SNAKE
	Kind  string // uint, int or float
	Value string // in Go's syntax
	Place string // file:line
}

var constantPattern = regexp.MustCompile(`^const (uint|int|float) ([A-Z][A-Z0-9_]*) *= *([^;]+);`)

// findConstants reads the numeric constants of the include files. Constants that are expressions
// are not generated for Go.
func findConstants(dir string) []constant {
	files := must.Get(filepath.Glob(filepath.Join(dir, "include", "*.glsl")))
	var all []constant
	for _, file := range files { // sorted by Glob
		text := must.Get(os.ReadFile(file))
		for i, line := range strings.Split(string(text), "\n") {
			m := constantPattern.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			if value, ok := literal(m[1], strings.TrimSpace(m[3])); ok {
				all = append(all, constant{Name: m[2], Kind: m[1], Value: value, Place: fmt.Sprintf("%s:%d", file, i+1)})
			}
		}
	}
	return all
}

// literal converts a GLSL number to Go's syntax.
func literal(kind, text string) (string, bool) {
	if kind == "float" {
		f, err := strconv.ParseFloat(strings.TrimRight(text, "fF"), 32)
		return strconv.FormatFloat(f, 'g', -1, 32), err == nil
	}
	text = strings.TrimRight(text, "uU")
	n, err := strconv.ParseInt(text, 0, 64)
	if kind == "uint" && (n < 0 || n > 0xffffffff) || kind == "int" && int64(int32(n)) != n {
		return "", false
	}
	return strconv.FormatInt(n, 10), err == nil
}

// record is a shader's hashes in the generated file.
type record struct{ Source, SPIRV string }

// recordPattern finds a shader's name and hashes in the generated file.
var recordPattern = regexp.MustCompile(`(?s)\bName: +"([^"]*)", Source: .*?\bSourceHash: +"([^"]*)",\s+SPIRVHash: +"([^"]*)"`)

// readRecords reads the hashes from the generated file, by shader name. A missing file has none.
func readRecords(dir string) map[string]record {
	records := map[string]record{}
	for _, m := range recordPattern.FindAllSubmatch(readIfThere(filepath.Join(dir, generatedName)), -1) {
		records[string(m[1])] = record{Source: string(m[2]), SPIRV: string(m[3])}
	}
	return records
}

// orphans lists the files of spirv/ that belong to no variant.
func orphans(dir string, variants []*variant) []string {
	names := must.Get(filepath.Glob(filepath.Join(dir, "spirv", "*.spv")))
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return slices.ContainsFunc(variants, func(v *variant) bool { return v.spvName() == name })
	})
}
