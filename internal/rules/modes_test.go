package rules

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostModeAsks bounds how often code outside of a mode's own files asks for a frame's mode.
const mostModeAsks = 25

// Code asks for a mode by calling a method of its name, or by reading the value of a field of its name.
// Setting a field, reading a member of it, or copying it to a field of the same name does not count.
var (
	modeMethods = []string{"Fuses", "Windowed", "Surface", "placesOnly"}
	modeFields  = []string{"Cull", "Computed", "Shading", "Raw", "WholeDraws", "Listed", "NoRaster"}
)

// modeFiles maps a mode to its own files, and "" to the resolver's files.
var modeFiles = map[string][]string{
	"":           {"internal/renderer/plan/recipe.go", "internal/renderer/plan/matrix.go", "internal/renderer/plan/auto*.go"},
	"Cull":       {"internal/renderer/plan/cull.go", "renderer/soft/cull.go"},
	"Computed":   {"internal/renderer/plan/source.go", "geometry/computed.go"},
	"Surface":    {"internal/renderer/plan/source.go"},
	"Shading":    {"internal/renderer/plan/shade*.go", "renderer/soft/shaded.go", "renderer/vertex_shader.go", "geometry/shading.go"},
	"WholeDraws": {"internal/renderer/plan/sink_draws.go", "internal/renderer/plan/sink_placed.go", "renderer/soft/multi.go", "geometry/reuse/strategy.go", "geometry/reuse/stats.go"},
	"Listed":     {"geometry/reuse/meshlet.go"},
	"Windowed":   {"internal/renderer/plan/residency*.go", "internal/renderer/plan/window_data.go", "renderer/soft/window.go"},
	"Raw":        {"internal/renderer/plan/sink_none.go"},
	"NoRaster":   {"internal/renderer/plan/raster_*.go"},
}

// named reports whether an expression selects a field with the given name.
func named(x ast.Expr, name string) bool {
	s, ok := x.(*ast.SelectorExpr)
	return ok && s.Sel.Name == name
}

// isModeFile reports whether a file may ask for a mode.
func isModeFile(name, mode string) bool {
	return slices.ContainsFunc(slices.Concat(modeFiles[""], modeFiles[mode]), func(pattern string) bool {
		ok, _ := path.Match(pattern, name)
		return ok
	})
}

func TestModesAreAskedForInTheirFiles(t *testing.T) {
	asks := map[string]int{}
	total := 0
	for name, text := range projectTexts(t, ".go") {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		lines, err := modeAsks(name, text)
		require.NoError(t, err, name)
		if len(lines) > 0 {
			asks[name] = len(lines)
			total += len(lines)
			t.Logf("%s: lines %v", name, lines)
		}
	}
	require.LessOrEqual(t, total, mostModeAsks, "asks for modes in %d files: %v", len(asks), slices.Sorted(maps.Keys(asks)))
	t.Logf("%d asks for modes in %d files", total, len(asks))
}

func TestModeAsksAreFound(t *testing.T) {
	for text, want := range map[string]int{
		"if f.Cull { }":                            1,
		"f.Cull = true":                            0,
		"f.Cull, x = f.Raw, 1":                     1,
		"_ = Frame{Cull: true}":                    0,
		"_ = Frame{Cull: f.Cull}":                  0,
		"g.Cull = f.Cull":                          0,
		"g.Cull = !f.Cull":                         1,
		"flags.BoolVar(&f.Cull)":                   0,
		"_ = p.Recipe.Sink":                        1,
		"if p.Windowed() && !p.Frame.Fuses() { }":  2,
		"_ = f.Shading.Draws[0].Program":           0,
		"if f.Shading != nil { }":                  1,
		"f.Shading = shader.Shading(f.Scene)":      0,
		"var s *renderer.Shading = f.Shading":      1,
		"for i := range f.Shading.Draws { }":       0,
		"if s := f.Scene.Computed; s != nil { }":   1,
		"_ = f.Reuse.Strategy.Listed // p.Shading": 1,
		"_, _ = c.Computed.Vertex(1), f.WholeDraw": 0,
	} {
		lines, err := modeAsks("a/a.go", []byte("package a\n\nimport \"x/renderer\"\n\nfunc _() {\n"+text+"\n}\n"))
		require.NoError(t, err, text)
		require.Len(t, lines, want, text)
	}
}

// modeAsks returns the lines of a file that ask for a mode although the file must not.
func modeAsks(name string, text []byte) (lines []int, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	packages := map[string]bool{}
	for _, i := range file.Imports {
		packages[path.Base(strings.Trim(i.Path.Value, `"`))] = true
	}
	member := map[ast.Node]bool{} // nodes of which the parent node reads a member, or to which it assigns
	called := map[ast.Node]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, x := range n.Lhs {
				member[x] = true
				to, isField := x.(*ast.SelectorExpr)
				if len(n.Lhs) == len(n.Rhs) && isField && named(n.Rhs[i], to.Sel.Name) {
					member[n.Rhs[i]] = true
				}
			}
		case *ast.KeyValueExpr:
			if to, ok := n.Key.(*ast.Ident); ok && named(n.Value, to.Name) {
				member[n.Value] = true
			}
		case *ast.UnaryExpr:
			member[n.X] = member[n.X] || n.Op == token.AND // a flag sets it
		case *ast.CallExpr:
			called[n.Fun], member[n.Fun] = true, member[n]
		case *ast.SelectorExpr:
			member[n.X] = true
			of, isName := n.X.(*ast.Ident)
			switch {
			case named(n.X, "Recipe"):
				lines = append(lines, files.Position(n.Pos()).Line)
			case isName && packages[of.Name] && n.Sel.Name != "Surface", isModeFile(name, n.Sel.Name):
			case member[n]:
			case called[n] && slices.Contains(modeMethods, n.Sel.Name), !called[n] && slices.Contains(modeFields, n.Sel.Name):
				lines = append(lines, files.Position(n.Pos()).Line)
			}
		}
		return true
	})
	return lines, nil
}
