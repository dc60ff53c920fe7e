package rules

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

var updateExported = flag.Bool("update-exported", false, "write exported.txt again")

// public are the packages for other projects. Their exported names change only together with exported.txt.
var public = []string{
	".", "apps", "apps/envelope", "apps/subdivide", "apps/walk", "assets", "geometry", "geometry/capture", "geometry/format", "geometry/order",
	"geometry/reuse", "renderer", "renderer/soft", "shaders/vertexformat",
}

// TestPublicIsChosen: every package that can be imported is in public, or is part of a program or a test.
func TestPublicIsChosen(t *testing.T) {
	parts := []string{"oracle/feedback", "web/session"}
	for file, text := range projectTexts(t, ".go") {
		folder := path.Dir(file)
		hidden := strings.Contains("/"+folder+"/", "/internal/") || strings.Contains("/"+folder+"/", "/testdata/")
		if !hidden && !strings.HasSuffix(file, "_test.go") && !bytes.Contains(append([]byte("\n"), text...), []byte("\npackage main\n")) {
			require.True(t, slices.Contains(public, folder) || slices.Contains(parts, folder), "%s can be imported, and is not public: move it below internal", folder)
		}
	}
}

// TestExported compares what public packages export with exported.txt. A change of exported.txt may break
// users' programs: write it into CHANGELOG.md, and run the test with -update-exported.
func TestExported(t *testing.T) {
	var list []string
	for _, folder := range public {
		list = append(list, exportedBy(t, folder)...)
	}
	text := strings.Join(list, "\n") + "\n"
	if *updateExported {
		require.NoError(t, os.WriteFile("exported.txt", []byte(text), 0o600))
	}
	committed := strings.Split(strings.TrimSpace(string(must.Get(os.ReadFile("exported.txt")))), "\n")
	for _, line := range list {
		if !slices.Contains(committed, line) {
			t.Errorf("exported, and not in exported.txt: %s", line)
		}
	}
	for _, line := range committed {
		if !slices.Contains(list, line) {
			t.Errorf("in exported.txt, and not exported: %s", line)
		}
	}
}

// exportedBy returns a line for each exported name, method and field of a package.
func exportedBy(t *testing.T, folder string) (list []string) {
	files := token.NewFileSet()
	sources := must.Get(filepath.Glob(filepath.Join(projectRoot(t), folder, "*.go")))
	require.NotEmpty(t, sources, folder)
	add := func(text string) { list = append(list, path.Clean(folder)+": "+text) }
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		file := must.Get(parser.ParseFile(files, source, nil, parser.SkipObjectResolution))
		if !ast.FileExports(file) {
			continue
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				d.Body = nil
				add(oneLine(files, d))
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					exportedSpec(files, d.Tok, spec, add)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

func exportedSpec(files *token.FileSet, kind token.Token, spec ast.Spec, add func(string)) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			if text := fmt.Sprintf("%s %s", kind, name.Name); s.Type != nil {
				add(text + " " + oneLine(files, s.Type))
			} else {
				add(text)
			}
		}
	case *ast.TypeSpec:
		fields, ok := s.Type.(*ast.StructType)
		if !ok {
			add("type " + oneLine(files, s))
			return
		}
		add("type " + s.Name.Name + " struct")
		for _, f := range fields.Fields.List {
			names := f.Names
			if len(names) == 0 {
				names = []*ast.Ident{{Name: "(embedded)"}}
			}
			for _, n := range names {
				add(fmt.Sprintf("type %s, %s %s", s.Name.Name, n.Name, oneLine(files, f.Type)))
			}
		}
	}
}

// oneLine returns a declaration without comments, in one line.
func oneLine(files *token.FileSet, node ast.Node) string {
	switch n := node.(type) {
	case *ast.FuncDecl:
		n.Doc = nil
	case *ast.TypeSpec:
		n.Doc, n.Comment = nil, nil
	}
	var text bytes.Buffer
	must.OK(printer.Fprint(&text, files, node))
	return strings.Join(strings.Fields(text.String()), " ")
}
