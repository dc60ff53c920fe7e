package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// controlFlags are the flags that set what a control of the panels sets; none
// where it does something, once.
var controlFlags = map[string][]string{
	"strategy": {"strategy"}, "lanes": {"lanes"}, "queue form": {"queue"}, "subgroups": {"subgroups"}, "load": {"load"}, "raster host": {"raster"},
	"culling": {"cull", "cull-faces"}, "view": {"view"}, "colour map": {"palette"},
	"light": {"light"}, "colours": {"smooth"}, "edges": {"edges"},
	"index order": {"order"}, "renumber vertices": {"order", "compare"}, "batch limit": {"batch"}, "unique limit": {"unique"},
	"compare": {"compare", "compare-view"}, "right strategy": {"compare"}, "right lanes": {"compare"}, "right order": {"compare"}, "divider": {"divider"},
	"without background or panels": {"transparent"}, "alone": {"draw"}, "search": {"search"},
	"row of drawLine": {"draw", "camera"}, "head of the draws": {"sort"},
	"application (A)": {"app"}, "wireframe (X)": {"wireframe"}, "before and after (B)": {"before"}, "compute the last level while drawing": {"drawn"}, "show": {"view"}, "level (, .)": {"levels"}, "level": {"levels"},
	"distance, %": {"percent"}, "side": {"side"}, "opacity": {"opacity"}, "play (Space)": {"play"}, "step": {"step"}, "steps a second": {"speed"},
	"agents": {"agents"}, "grid": {"grid"}, "seed": {"seed"}, "sort every": {"sort-every"}, "step (.)": {"step"}, "start (,)": {"step"},
	"time runs": nil, "time, s": {"camera"}, "time": {"camera"}, "row of editNumbers": {"uniforms"}, "row of editWhole": {"uniforms"},
	"up axis (Z)": {"up", "camera"}, "full screen (F11)": nil, "reset the panels": nil, "reset the settings": nil, "save (F12)": nil, "save the scene alone (Ctrl+F12)": nil, "cancel (Backspace)": nil,
	"swap sides (I)": {"strategy", "order", "lanes", "compare"}, "row of strategyLine": {"strategy", "compare"}, "all strategies (Tab)": nil,
	"dim the others": {"highlight"}, "hide": {"hide"}, "show all": {"hide", "highlight"}, "go to": nil, "number": nil, "<": nil, ">": nil, "row of slotTable": nil, "open (Ctrl+O)": nil, "row of fileLine": nil, "dismiss (Esc)": nil,
}

// takesInput are ImGui's functions that set something.
var takesInput = regexp.MustCompile(`^(\w*Button\w*|Checkbox\w*|Radio\w*|V?Slider\w*|Drag\w*|Input\w*|Combo\w*|BeginCombo\w*|ListBox\w*|Selectable\w*|MenuItem\w*|ColorEdit\w*|ColorPicker\w*)$`)

// named are the functions of ours whose first argument is a control's name, which
// the controls that they make are not asked for again.
var named = map[string]bool{"label": true, "limit": true, "number": true, "button": true, "checkbox": true, "choice": false, "slider": false, "orderChoice": false}

// controls are the names of all controls that the code makes.
func controls(t *testing.T) map[string]bool {
	found := map[string]bool{}
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				controlsOf(f, found)
			}
		}
	}
	return found
}

func controlsOf(f *ast.FuncDecl, found map[string]bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		to, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		from, _ := to.X.(*ast.Ident)
		isImgui := from != nil && from.Name == "imgui"
		if isImgui && to.Sel.Name == "TableGetSortSpecs" {
			found["head of the draws"] = true
		}
		if len(call.Args) == 0 || isImgui && !takesInput.MatchString(to.Sel.Name) || !isImgui && !named[to.Sel.Name] {
			return true
		}
		name := literal(call.Args[0])
		switch _, ours := named[f.Name.Name]; {
		case name != "":
			found[name] = true
		case ours: // it is named where this is called
		case f.Name.Name == "settingsPanel":
			for _, k := range views.Knobs {
				found[k.Name] = true
			}
		default:
			found["row of "+f.Name.Name] = true
		}
		return true
	})
}

// literal is the text that an argument begins with, without an identity's marks.
func literal(e ast.Expr) string {
	if sum, ok := e.(*ast.BinaryExpr); ok {
		e = sum.X
	}
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	text, _ := strconv.Unquote(lit.Value)
	return strings.TrimLeft(text, "#")
}

// TestEveryControlHasAFlag: what the panels set can be set from the command line.
func TestEveryControlHasAFlag(t *testing.T) {
	var f rawFlags
	cmd := &cobra.Command{}
	f.add(cmd.Flags())
	found := controls(t)
	for name := range found {
		flags, known := controlFlags[name]
		require.True(t, known, "the control %q has no flag in the table of this test", name)
		for _, flag := range flags {
			require.NotNil(t, cmd.Flags().Lookup(flag), "%s: --%s", name, flag)
		}
	}
	for name := range controlFlags {
		require.True(t, found[name], "the panels have no %q any more", name)
	}
}

// TestDrawListBeginsAsFlagsSay, and stays sorted as it is when another file comes.
func TestDrawListBeginsAsFlagsSay(t *testing.T) {
	city, err := cli.OpenScene(t.Context(), "asset:city2")
	require.NoError(t, err)
	config, err := start.Config()
	require.NoError(t, err)
	of := func(s *geometry.Scene) *views.Half {
		_, counts := reuse.Analyze(s, config)
		return &views.Half{Plan: &plan.Plan{Frame: renderer.Frame{Scene: s, Reuse: config}}, Counts: counts}
	}
	var o options
	cmd := newCommand(func(got options) error { o = got; return nil })
	cmd.SetArgs([]string{"--remember=false", "--search", "a", "--sort", "reuse"})
	require.NoError(t, cmd.Execute())
	l := drawList{start: o.draws}
	l.follow(of(city))
	require.Equal(t, "a", l.Search)
	rates := func() (list []float64) {
		for _, i := range l.Shown {
			list = append(list, l.Rows[i].Reuse())
		}
		return list
	}
	require.IsNonDecreasing(t, rates(), "the worst first")

	other := *city
	other.Name = "other"
	l.follow(of(&other))
	require.Empty(t, l.Search)
	require.Len(t, rates(), len(l.Rows))
	require.IsNonDecreasing(t, rates())

	for _, sort := range []string{"", inspect.LostColumn} {
		require.Equal(t, len(inspect.DrawColumns)-1, drawListStart{sort: sort}.column())
	}
	require.Zero(t, drawListStart{sort: "number"}.column())
	cmd.SetArgs([]string{"--remember=false", "--sort", "wasted"})
	var usage cli.UsageError
	require.ErrorAs(t, cmd.Execute(), &usage)
}
