package app

import (
	"fmt"
	"image"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
)

// In a scene drawn in windows, hovering and clicking show the same as in a scene that the device holds whole.
func TestWindowsAreInspected(t *testing.T) {
	scene := viewtest.Scene(t, "terrain100")
	scene = viewtest.InOrder(t, scene, "forsyth+fetch")
	windows, whole := viewtest.Windowed(t, scene, reuse.Params{Lanes: 8}, "warp")
	_, counts := must.Get2(reuse.Analyze(scene, windows.Frame.Reuse))
	woken := make(chan struct{}, 10)
	wake := func() { woken <- struct{}{} }
	made := func(p *plan.Plan) *App {
		a := &App{ui: bare{}, Inspector: newInspector(wake)}
		a.Shown.Left.Plan, a.Shown.Left.Counts, a.Shown.Left.Whole = p, counts, scene
		a.Shown.Left.Camera = renderer.FitCamera(scene.Bounds(), 1.5)
		a.searches.Limit = time.Hour
		return a
	}
	a, b := made(windows), made(whole)
	size, at := image.Pt(300, 200), image.Pt(150, 110)
	a.clicked(at, size)
	b.clicked(at, size)
	require.Equal(t, -1, a.Selection.Batch, "it is looked for")
	require.GreaterOrEqual(t, b.Selection.Batch, 0)
	found, ok := b.Pickers.Of(whole).Pick(b.Shown.Left.Camera, size, at)
	require.True(t, ok)
	a.Hover = Hover{Side: &a.Shown.Left, Plan: windows, Scene: scene, Found: found, Text: a.describeHit(&a.Shown.Left, &found)}
	require.Contains(t, a.Hover.Text, "its batches are looked for")
	<-woken
	a.followSearch()
	require.Equal(t, b.describeHit(&b.Shown.Left, &found), a.Hover.Text)
	require.Contains(t, a.Hover.Text[2], "by batch")
	require.Contains(t, a.Hover.Text[0], fmt.Sprintf(", in the file %d", scene.Origin[found.Vertex()]))
	require.Same(t, windows, a.Selection.Plan)
	a.Selection.Plan, a.Selection.Scene = b.Selection.Plan, b.Selection.Scene
	require.Equal(t, b.Selection, a.Selection)
	require.NotEmpty(t, a.Selection.Uses)
	require.Nil(t, a.searches.Clicked())
}

// TestVerticesAreNumberedAsInTheFile: if an order renumbers vertices, the text about a vertex also gives its number in the file's draw.
func TestVerticesAreNumberedAsInTheFile(t *testing.T) {
	file := viewtest.Scene(t, "city2")
	scene := viewtest.InOrder(t, file, "tipsify+fetch")
	a := &App{ui: bare{}, Inspector: newInspector(func() {})}
	d := &a.Shown.Left
	d.Plan, d.Whole, d.Scene = viewtest.Moved(t, scene, renderer.Transform), scene, scene
	_, d.Counts = must.Get2(reuse.Analyze(scene, d.Plan.Frame.Reuse))
	moved := 0
	for draw := range scene.Draws {
		h := inspect.Hit{Draw: draw, Corners: [3]uint32(scene.DrawIndices(draw)), Nearest: 2}
		var number, inFile uint32
		must.Get(fmt.Sscanf(a.describeHit(d, &h)[0], "vertex %d, in the file %d", &number, &inFile))
		require.Equal(t, h.Vertex(), number)
		require.Equal(t, scene.Positions[scene.Draws[draw].VertexOffset+number], file.Positions[file.Draws[draw].VertexOffset+inFile], "draw %d", draw)
		moved += int(inFile ^ number)
	}
	require.Positive(t, moved)
}

// TestDrawListBeginsAsFlagsSay: flags search and sort the list of draws. When another file is opened, it stays sorted,
// and the search ends.
func TestDrawListBeginsAsFlagsSay(t *testing.T) {
	city := must.Get(cli.OpenPass(false, "")(t.Context(), "asset:city2"))
	config := must.Get(start.Config())
	_, sums := must.Get2(reuse.Summarize(city, config))
	follow := func(l *DrawList, s *geometry.Scene) {
		l.follow(&model.Half{}, inspect.Survey{Scene: s, Config: config}, inspect.Surveyed{Draws: sums})
	}
	l := DrawList{Start: must.Get(parse("--search", "a", "--sort", "reuse")).Listed}
	follow(&l, city)
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
	follow(&l, &other)
	require.Empty(t, l.Search)
	require.Len(t, rates(), len(l.Rows))
	require.IsNonDecreasing(t, rates())

	for _, sort := range []string{"", inspect.LostColumn} {
		require.Equal(t, len(inspect.DrawColumns)-1, ListColumn(sort))
	}
	require.Zero(t, ListColumn("number"))
	_, err := parse("--sort", "wasted")
	require.ErrorAs(t, err, new(cli.UsageError))
}
