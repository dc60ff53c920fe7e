package results_test

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

var update = flag.Bool("update", false, "let testdata hold what is shown now")

// laidOut describes a Flat in words: its runs, and the colour and corners of every triangle.
func laidOut(f *results.Flat) string {
	var out strings.Builder
	for _, r := range f.Runs {
		fmt.Fprintf(&out, "run within %v: %d indices from %d\n", r.Clip, r.Indices, r.First)
	}
	for i := 0; i < len(f.Indices); i += 3 {
		fmt.Fprintf(&out, "%08x", f.Vertices[f.Indices[i]].Color)
		for _, v := range f.Indices[i : i+3] {
			fmt.Fprintf(&out, " %.1f,%.1f", f.Vertices[v].XPx, f.Vertices[v].YPx)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// TestWhatIsShown compares what is shown of each application, in words and as triangles, with
// testdata/shown.txt. go test ./internal/viewer/results -update writes the file.
func TestWhatIsShown(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	tell := func(title string, lines ...string) {
		fmt.Fprintf(&out, "== %s\n%s\n", title, strings.Join(lines, "\n"))
	}
	shows := func(title string, lay func(f *results.Flat)) {
		var f results.Flat
		lay(&f)
		tell(title, laidOut(&f))
	}
	b, cube := newBench(t), viewtest.Scene(t, "cube")
	made := func(change func(*results.Choice)) *results.Result {
		return b.get(results.Request{Choice: choice(change), Scene: cube, Config: by(t, "warp")})
	}
	for levels := range 3 {
		r := made(func(c *results.Choice) { c.App, c.Levels = results.Subdivide, levels })
		tell(fmt.Sprintf("level %d", levels), append(append(r.Words(true), r.Vertex(7)...), r.Vertex(uint32(len(r.Counts)-1))...)...)
	}
	camera := renderer.FitCamera(cube.Bounds(), 1.5)
	view := results.View{Camera: camera, Size: image.Pt(96, 64), Clip: image.Rect(4, 2, 90, 60)}
	for _, side := range []string{"inner", "outer", "both"} {
		r := made(func(c *results.Choice) { c.App, c.Side, c.Percent = results.Envelope, side, 5 })
		tell(side, append(append(r.Words(false), r.Words(true)...), r.Vertex(3)...)...)
		shows(side+" surfaces", func(f *results.Flat) { f.Surfaces(view, r.Surfaces, picture.ColorblindPalette, .5) })
		within := view
		within.Camera.Distance /= 3.4
		shows(side+" surfaces around the eye", func(f *results.Flat) { f.Surfaces(within, r.Surfaces, picture.PaperPalette, .5) })
	}

	frame := renderer.Frame{Scene: cube, Reuse: by(t, "naive"), Width: 96, Height: 64, Raster: renderer.SoftRaster}
	drawn, _ := must.Get2(plan.Render(soft.New(), frame, camera, renderer.WantDepth))
	edges := b.get(results.Request{Scene: cube, Edges: true})
	lines := func(title string, v results.View, depth []float32, width float32, c color.RGBA) {
		shows(title, func(f *results.Flat) { f.Edges(v, edges.Edges, edges.Ends, depth, width, c) })
	}
	lines("all edges", view, nil, 1, color.RGBA{A: 255})
	lines("edges that are seen", view, drawn.Depth, 2, color.RGBA{R: 9, A: 128})
	near := camera
	near.Distance /= 2 // the cube is larger than the window, and edges cross its borders
	lines("edges across borders", results.View{Camera: near, Size: view.Size, Clip: image.Rect(40, 0, 56, 64)}, nil, 1, color.RGBA{A: 255})
	near.Distance *= 30
	lines("short edges are faint", results.View{Camera: near, Size: view.Size, Clip: view.Clip}, nil, 1, color.RGBA{A: 255})

	for _, grid := range []int{8, 12} {
		r := b.get(results.Request{Config: by(t, "hash"), Choice: choice(func(c *results.Choice) {
			c.App, c.Agents, c.Grid, c.Step = results.Walk, 40, grid, 2
		})})
		tell(fmt.Sprintf("walk on %d cells", grid), append(append(append(r.Words(false), r.Words(true)...), r.Cell(3, 4)...), r.Cells.Labels()...)...)
		g := results.NewGrid(grid, image.Rect(10, 0, 51, 45))
		shows("agents", func(f *results.Flat) {
			f.Fill(image.Rect(1, 2, 3, 4), picture.Background)
			f.Cells(g, r.Cells.Agents, r.Cells.Density(picture.PaperPalette))
		})
		shows("times", func(f *results.Flat) { f.Cells(g, r.Counts, results.TimesShaded(picture.PaperPalette)) })
	}
	const path = "testdata/shown.txt"
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(out.String()), 0o666))
	}
	require.Equal(t, string(must.Get(os.ReadFile(path))), out.String())
}

// TestGridsHaveCellsAtTheirPixels: a cell is shown as one square. The square covers exactly the
// pixels of its cell or, in large grids, of a group of cells, and shows the highest of their values.
func TestGridsHaveCellsAtTheirPixels(t *testing.T) {
	const last = 1025 - 1
	for _, cells := range []int{1, 511, 512, 513, last + 1} {
		g := results.NewGrid(cells, image.Rect(10, 20, 1500, 1388))
		bundle := (cells + 511) / 512
		for _, cell := range []image.Point{{}, {cells - 1, 0}, {0, cells - 1}, {cells / 3, cells / 2}, {cells - 1, cells - 1}} {
			values := make([]uint32, cells*cells)
			values[cell.Y*cells+cell.X] = 2
			var f results.Flat
			f.Cells(g, values, func(n uint32) color.RGBA { return color.RGBA{A: uint8(n)} })
			require.Len(t, f.Indices, 6, "%d cells, %v", cells, cell)
			corner := func(i int) image.Point { return image.Pt(int(f.Vertices[i].XPx), int(f.Vertices[i].YPx)) }
			square := image.Rectangle{Min: corner(0), Max: corner(2)}
			for _, p := range []image.Point{square.Min, square.Max.Sub(image.Pt(1, 1)), square.Min.Sub(image.Pt(1, 1)), square.Max} {
				x, y, ok := g.At(p)
				require.Equal(t, p.In(g.Area), ok)
				require.Equal(t, p.In(square), ok && image.Pt(x/bundle, y/bundle) == cell.Div(bundle), "%d cells, %v: %v", cells, cell, p)
			}
		}
	}
	g := results.NewGrid(last+1, image.Rect(10, 20, 1378, 1388)) // squares of 3 cells per side, the last ones of 2
	for _, c := range []struct{ at, cell int }{{0, 0}, {4, 3}, {1363, 1022}, {1367, last}} {
		x, y, ok := g.At(g.Area.Min.Add(image.Pt(c.at, c.at)))
		require.True(t, ok)
		require.Equal(t, []int{c.cell, c.cell}, []int{x, y}, c.at)
	}
}
