package main

import (
	"fmt"
	"image"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// windowedPlan is a plan in windows, and the same of a device that holds the scene.
func windowedPlan(t *testing.T, scene *geometry.Scene, p reuse.Params, strategy string) (windows, whole *plan.Plan) {
	t.Helper()
	config, err := p.Resolve(strategy)
	require.NoError(t, err)
	f := renderer.Frame{Scene: scene, Reuse: config, Raster: renderer.SoftRaster, Width: 8, Height: 8, QueueBudget: 64 << 10}
	whole, err = plan.New(f, soft.New().Limits())
	require.NoError(t, err)
	require.False(t, whole.Windowed())
	for f.DeviceBudget = 33 << 20; ; f.DeviceBudget -= 1 << 10 {
		windows, err = plan.New(f, soft.New().Limits())
		require.NoError(t, err, "no budget brings several windows")
		if len(windows.Windows) > 2 {
			return windows, whole
		}
	}
}

// Under the cursor and by a click, a scene in windows tells what one does that the
// device holds.
func TestWindowsAreInspected(t *testing.T) {
	scene, err := assets.Make("terrain100")
	require.NoError(t, err)
	scene = inOrderOf(t, scene, "forsyth+fetch")
	windows, whole := windowedPlan(t, scene, reuse.Params{Lanes: 8}, "warp")
	_, counts := reuse.Analyze(scene, windows.Frame.Reuse)
	woken := make(chan struct{}, 10)
	wake := func() { woken <- struct{}{} }
	made := func(p *plan.Plan) *app {
		a := &app{inspector: newInspector(wake)}
		a.Shown.Left.Plan, a.Shown.Left.Counts = p, counts
		a.Shown.Left.Camera = renderer.FitCamera(scene.Bounds(), 1.5)
		a.searches.Limit = time.Hour
		return a
	}
	a, b := made(windows), made(whole)
	size, at := image.Pt(300, 200), image.Pt(150, 110)
	a.clicked(at, size)
	b.clicked(at, size)
	require.Equal(t, -1, a.selection.batch, "it is looked for")
	require.GreaterOrEqual(t, b.selection.batch, 0)
	found, ok := b.pickers.Of(whole).Pick(b.Shown.Left.Camera, size, at)
	require.True(t, ok)
	a.hover = hover{side: &a.Shown.Left, plan: windows, scene: scene, found: found, text: a.describeHit(&a.Shown.Left, &found)}
	require.Contains(t, a.hover.text, "its batches are looked for")
	<-woken
	a.followSearch()
	require.Equal(t, b.describeHit(&b.Shown.Left, &found), a.hover.text)
	require.Contains(t, a.hover.text[2], "by batch")
	require.Contains(t, a.hover.text[0], fmt.Sprintf(", in the file %d", scene.Origin[found.Vertex()]))
	require.Same(t, windows, a.selection.plan)
	a.selection.plan, a.selection.scene = b.selection.plan, b.selection.scene
	require.Equal(t, b.selection, a.selection)
	require.NotEmpty(t, a.selection.uses)
	require.Nil(t, a.searches.Clicked())
}
