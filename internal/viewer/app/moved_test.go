package app

import (
	"image"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// A skinned vertex is found, and its batch marked, at its moved position, even if the cursor rests there
// before the moved positions are known.
func TestHoverFollowsTheVertexShader(t *testing.T) {
	scene := viewtest.Scene(t, "knot16")
	var looks model.State
	size := image.Pt(1000, 700)
	looks.Within = renderer.PartOf(image.Rect(Margin+panelWidth, 0, 1000, 700), size)
	require.NoError(t, looks.Look(scene.Bounds(), 1000.0/700))
	var none atomic.Bool
	posed := *scene
	posed.Positions = soft.Moved(viewtest.Moved(t, scene, renderer.Skin), &none)
	still, moved := inspect.NewPicker(scene), inspect.NewPicker(&posed)
	// A pixel beside the panels that shows the knot only when it is posed.
	var at image.Point
	for y := 150; y < 550 && at == (image.Point{}); y++ {
		for x := 380; x < 900; x++ {
			p := image.Pt(x, y)
			_, unposed := still.Pick(looks.Camera, size, p)
			if _, ok := moved.Pick(looks.Camera, size, p); ok && !unposed {
				at = p
				break
			}
		}
	}
	require.NotEqual(t, image.Point{}, at)
	hit, ok := moved.Pick(looks.Camera, size, at)
	require.True(t, ok)
	projection := inspect.NewProjector(looks.Camera, &posed, hit.Draw, size)
	x, y, ok := projection.Place(hit.Vertex())
	require.True(t, ok)
	mark := image.Pt(Floor(x), Floor(y))

	onStage(t, func(t *testing.T, s *stage) {
		s.start("--size", "1000x700", "--remember=false", "--load", "skin", "asset:knot16")
		blue := func() bool {
			c := s.window().RGBAAt(mark.X, mark.Y)
			return c.R < 60 && c.G > 70 && c.G < 110 && c.B > 180
		}
		require.False(t, blue())
		s.move(at.X, at.Y)
		require.True(t, blue(), "the vertex is marked where it is drawn")
		s.click(at.X, at.Y)
		s.move(980, 20)
		require.True(t, s.covered(image.Rectangle{at, at.Add(image.Pt(1, 1))}), "its batch is marked")
		require.True(t, s.covered(image.Rect(760, 380, 980, 560)), "its vertices are listed")
	})
}

// Bounding boxes of a large scene are made off the frame loop. A click waits for the boxes. Another click, or
// another camera, cancels the waiting click.
func TestLargeScenesArePickedOnceTheirBoxesAreThere(t *testing.T) {
	scene := viewtest.Scene(t, "terrain400")
	config := must.Get(start.Config())
	p := &plan.Plan{Frame: renderer.Frame{Scene: scene, Reuse: config}, Batches: reuse.Batches(scene, config)}
	woken := make(chan struct{}, 10)
	wake := func() { woken <- struct{}{} }
	size, at := image.Pt(300, 200), image.Pt(150, 110)
	for between, do := range map[string]func(*App){
		"nothing": func(*App) {}, "a turn": func(a *App) { a.Shown.Left.Camera.Azimuth++ },
		"a click where nothing is picked": func(a *App) {
			a.Shown.Left.Applied = &results.Result{}
			a.clicked(at, size)
			a.Shown.Left.Applied = nil
		},
	} {
		a := &App{ui: bare{}, Inspector: newInspector(wake), painter: &model.Painter{}}
		a.Shown.Left.Plan = p
		a.Shown.Left.Camera = renderer.FitCamera(scene.Bounds(), 1.5)
		a.clicked(at, size)
		require.Nil(t, a.Selection.Plan)
		do(a)
		<-woken
		a.followPickers(size)
		require.Equal(t, between == "nothing", a.Selection.Plan != nil, between)
		if between == "nothing" {
			found, ok := a.Pickers.Of(p).Pick(a.Shown.Left.Camera, size, at)
			require.True(t, ok)
			require.Equal(t, inspect.BatchOf(p, found.Draw, found.Triangle), a.Selection.Batch)
		}
	}
}
