package panels

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// controlFlags lists, for each control that is not in the table of settings, the flags that set the same
// value; nil for controls that need no flag, such as buttons that act once.
var controlFlags = map[string][]string{
	"renumber vertices": {"order", "compare"}, "right strategy": {"compare"}, "right lanes": {"compare"}, "right order": {"compare"},
	"alone": {"draw"}, "search": {"search"}, "row of drawLine": {"draw", "camera"}, "head of the draws": {"sort"}, "show": {"view"}, "step (.)": {"step"}, "start (,)": {"step"},
	"time runs": nil, "add what is missing": {"uniforms"}, "time, s": {"camera"}, "time": {"camera"}, "row of editNumbers": {"uniforms"}, "row of editWhole": {"uniforms"},
	"reset the panels": nil, "keep the settings": nil, "reset the settings": nil, "more": nil, "save (F12)": nil, "save the scene alone (Ctrl+F12)": nil, "cancel (Backspace)": nil,
	"swap sides (I)": {"strategy", "order", "lanes", "compare"}, "row of strategyLine": {"strategy", "compare"},
	"edges (X)": {"edges", "wireframe"}, "dim the others": {"highlight"}, "hide": {"hide"}, "show again": {"hide"}, "isolate": {"isolate"}, "show in the list": nil, "copy ": nil, "save CSV": nil, "copy CSV": nil, "show all": {"hide", "highlight"}, "go to": nil, "number": nil, "<": nil, ">": nil, "row of slotTable": nil, "open (Ctrl+O)": nil, "type a path (Ctrl+L)": nil, "path": nil, "row of pathPanel": nil, "row of fileLine": nil, "as stored": {"time"}, "dismiss (Esc)": nil,
	// Settings in the table that have no flag of their own, or that several flags set.
	"compare": {"compare", "compare-view"}, "culling": {"cull", "cull-faces"}, "full screen (F11)": nil, "all strategies (Tab)": nil,
}

// takesInput matches ImGui's functions that make a control.
var takesInput = regexp.MustCompile(`^(\w*Button\w*|Checkbox\w*|Radio\w*|V?Slider\w*|Drag\w*|Input\w*|Combo\w*|BeginCombo\w*|ListBox\w*|Selectable\w*|MenuItem\w*|ColorEdit\w*|ColorPicker\w*)$`)

// named lists our own functions that make a control. The value tells whether the first argument is the control's
// name. An unnamed control inside one of these functions has the name that the function's caller gives.
var named = map[string]bool{"label": true, "limit": true, "number": true, "button": true, "checkbox": true, "choice": true, "setting": false, "Named": true, "whole": false, "settings": true, "orderChoice": true}

// controls returns the names of all controls in the code.
func controls(t *testing.T) map[string]bool {
	found := map[string]bool{}
	entries := must.Get(os.ReadDir("."))
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file := must.Get(parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0))
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
		if l, ok := n.(*ast.CompositeLit); ok && fmt.Sprint(l.Type) == "action" && len(l.Elts) > 0 {
			found[literal(l.Elts[0])] = true
		}
		call, ok := n.(*ast.CallExpr)
		if !ok || f.Name.Name == "actions" {
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
		if to.Sel.Name == "settings" {
			for _, name := range call.Args {
				found[literal(name)] = true
			}
			return true
		}
		name := literal(call.Args[0])
		switch _, ours := named[f.Name.Name]; {
		case name != "":
			found[name] = true
		case ours: // the callers of our function give the name
		default:
			found["row of "+f.Name.Name] = true
		}
		return true
	})
}

// literal returns the text at the beginning of an argument, without the "##" that marks an ImGui identity.
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

// TestEveryControlHasAFlag: all controls are in a table that names their flags, and these flags exist.
func TestEveryControlHasAFlag(t *testing.T) {
	cmd := app.NewCommand(nil)
	found := controls(t)
	inTable := map[string]bool{}
	for _, k := range model.Controls() {
		inTable[k.Name] = k.Flag != ""
		require.True(t, found[k.Name], "the panels have no %q any more", k.Name)
	}
	for name := range found {
		flags, known := controlFlags[name]
		require.True(t, known || inTable[name], "the control %q has no flag in the table of settings, nor in that of this test", name)
		for _, flag := range flags {
			require.NotNil(t, cmd.Flags().Lookup(flag), "%s: --%s", name, flag)
		}
	}
	for name := range controlFlags {
		require.True(t, found[name], "the panels have no %q any more", name)
	}
}
