package results_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// The grid lies on the floor around the box, with lines a round distance apart. Sizes are written beside
// the edges along their axes.
func TestGuidesMeasureTheScene(t *testing.T) {
	t.Parallel()
	box := geometry.Box{Min: mgl32.Vec3{-1, 0, 3}, Max: mgl32.Vec3{3, 20, 7.5}}
	size := image.Pt(400, 300)
	camera := renderer.FitCamera(box, 4./3)
	view := results.View{Camera: camera, Size: size, Clip: image.Rectangle{Max: size}}
	for up, want := range map[renderer.UpAxis]float32{renderer.UpY: .5, renderer.UpX: 2, renderer.DownZ: 2} {
		g := results.Guides{Around: box, Up: up, Grid: true}
		require.Equal(t, want, g.Step())
	}
	g := results.Guides{Around: box, Box: true, Grid: true}
	indices := func(g results.Guides, depth []float32) int {
		var f results.Flat
		f.Guides(view, g, depth, 1, color.RGBA{A: 255})
		return f.Runs[0].Indices
	}
	const across, along, edges = 9, 10, 12
	for _, view.Camera.Orthographic = range []bool{true, false} {
		require.Equal(t, 6*(across+along+edges), indices(g, nil), "two triangles a line")
	}
	labels := g.Labels(view)
	require.Len(t, labels, 4)
	texts := map[string]results.Label{}
	for _, l := range labels {
		texts[l.Text] = l
	}
	require.Contains(t, texts, "x 4")
	require.Contains(t, texts, "y 20")
	require.Contains(t, texts, "z 4.5")
	require.Less(t, texts["y 20"].X, texts["x 4"].X, "the height is at the left")
	require.Greater(t, texts["grid 0.5"].Y, texts["y 20"].Y, "the floor is below")
	floors := map[renderer.UpAxis]float32{}
	for _, up := range []renderer.UpAxis{renderer.UpX, renderer.DownX} {
		l := (&results.Guides{Around: box, Up: up, Grid: true}).Labels(view)
		floors[up] = l[len(l)-1].X
	}
	require.Less(t, floors[renderer.UpX], floors[renderer.DownX], "the grid lies at the lower end of the axis, or at the upper one if that points down")

	// Lines that begin behind the eye are clipped to the part before it.
	inside := camera
	inside.Target, inside.Distance, inside.Azimuth = mgl32.Vec3{1, 1, 5}, .01, 0
	inside.Near, inside.Far = .001, 100
	for _, inside.Azimuth = range []float32{0, 180} { // one end of some lines is behind the eye
		view.Camera = inside
		require.Greater(t, indices(results.Guides{Around: box, Grid: true}, nil), 6*across/2)
	}
	behind := inside
	behind.Elevation = -60 // the camera looks up, away from the floor
	view.Camera = behind
	require.Zero(t, indices(results.Guides{Around: box, Grid: true}, nil))
	view.Camera = camera
	depth := make([]float32, size.X*size.Y) // depth 0 everywhere: the picture hides all lines
	require.Zero(t, indices(g, depth))
	flat := results.Guides{Grid: true}
	require.Zero(t, flat.Step())
	require.Empty(t, flat.Labels(view))
}
