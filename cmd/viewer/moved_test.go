package main

import (
	"image"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// movedPlan is a plan of a scene with a load.
func movedPlan(t *testing.T, scene *geometry.Scene, load string) *plan.Plan {
	t.Helper()
	s := start
	s.load = load
	frame, err := s.frame(scene, 64, 48)
	require.NoError(t, err)
	frame.Raster = renderer.SoftRaster
	p, err := plan.New(frame, soft.New().Limits())
	require.NoError(t, err)
	return p
}

func TestMoverKeepsWhatIsShown(t *testing.T) {
	scene, err := assets.Make("knot4")
	require.NoError(t, err)
	woken := make(chan struct{}, 10)
	wake := func() { woken <- struct{}{} }
	m, s := newMover(wake), newSurveyor(wake)
	skin, displace := movedPlan(t, scene, "skin"), movedPlan(t, scene, "displace")
	wait := func(plans ...*plan.Plan) {
		select {
		case <-woken:
		case <-time.After(patience):
			t.Fatal("nothing ends")
		}
		require.True(t, m.take(s, plans...))
	}
	require.Nil(t, m.picker(s, skin))
	require.Nil(t, m.picker(s, displace), "one after the other")
	freed := false
	old := &geometry.Scene{Backing: geometry.NewBacking(func() { freed = true })}
	s.retire(old)
	require.False(t, freed, "scenes are being read")
	wait(skin, displace)
	require.True(t, freed)
	require.False(t, m.take(s, skin, displace), "once")
	got := m.picker(s, skin)
	require.NotNil(t, got)
	var none atomic.Bool
	require.Equal(t, soft.Moved(skin, &none), got.scene.Positions)
	require.NotEqual(t, scene.Positions, got.scene.Positions)
	require.Equal(t, scene.Indices, got.scene.Indices)

	require.Nil(t, m.picker(s, displace))
	wait(skin, displace)
	require.NotSame(t, got, m.picker(s, displace))
	require.Same(t, got, m.picker(s, skin), "both are kept")
	again := movedPlan(t, scene, "skin")
	require.Same(t, got, m.picker(s, again), "another plan of the same scene has the same places")
	m.take(s, again, nil)
	require.Len(t, m.kept, 1, "what is not shown any more goes")

	// What nobody waits for any more is given up.
	require.Nil(t, m.picker(s, displace))
	m.take(s, skin)
	wait(skin)
	require.Len(t, m.kept, 1)
	none.Store(true)
	require.Nil(t, soft.Moved(skin, &none))
	require.Equal(t, scene.Positions, soft.Moved(movedPlan(t, scene, simpleLoad), &none), "nothing moves")
}

func TestTooManyVerticesAreNotFollowed(t *testing.T) {
	p := &plan.Plan{Frame: renderer.Frame{Scene: &geometry.Scene{}}}
	require.Empty(t, unfollowed(p))
	p.Frame.VertexShader = renderer.Displace
	require.Empty(t, unfollowed(p))
	p.Frame.Scene.Positions = make([]mgl32.Vec3, maxMovedVertices+1) // never touched
	require.Contains(t, unfollowed(p), "67,108,865 vertices that displace moves")
	p.Frame.VertexShader = renderer.Transform
	require.Empty(t, unfollowed(p))
}

// A vertex that skinning moves is found where it is drawn, and its batch is marked there.
func TestHoverFollowsTheVertexShader(t *testing.T) {
	d := newDesktop(t)
	d.start("--size", "1000x700", "--remember=false", "--load", "skin", "asset:knot16")
	d.titled("knot16")
	d.do("mousemove", "--window", d.window, "980", "20")
	plain := d.settled("the knot is shown", func(img *image.RGBA) bool { return colorful(img) > changed })

	scene, err := assets.Make("knot16")
	require.NoError(t, err)
	var s state
	require.NoError(t, s.look(scene.Bounds(), 1000.0/700))
	size := image.Pt(1000, 700)
	var none atomic.Bool
	var still, moved picker
	still.follow(scene)
	posed := *scene
	posed.Positions = soft.Moved(movedPlan(t, scene, "skin"), &none)
	moved.follow(&posed)
	// A pixel that shows the knot only because it is posed, beside the panels.
	var at image.Point
	for y := 150; y < 550 && at == (image.Point{}); y++ {
		for x := 380; x < 700; x++ {
			p := image.Pt(x, y)
			_, unposed := still.pick(s.camera, size, p)
			if _, ok := moved.pick(s.camera, size, p); ok && !unposed {
				at = p
				break
			}
		}
	}
	require.NotEqual(t, image.Point{}, at)
	hit, ok := moved.pick(s.camera, size, at)
	require.True(t, ok)
	projection := newProjector(s.camera, &posed, hit.draw, size)
	x, y, ok := projection.place(hit.vertex())
	require.True(t, ok)
	mark := image.Pt(floor(x), floor(y))

	d.do("mousemove", "--window", d.window, strconv.Itoa(at.X), strconv.Itoa(at.Y))
	blue := func(img *image.RGBA) bool {
		c := img.RGBAAt(mark.X, mark.Y)
		return c.R < 60 && c.G > 70 && c.G < 110 && c.B > 180
	}
	require.False(t, blue(plain))
	d.settled("the vertex is marked where it is drawn", blue)

	d.click(at.X, at.Y)
	d.do("mousemove", "--window", d.window, "980", "20")
	marked := d.settled("its batch is marked", func(img *image.RGBA) bool { return img.RGBAAt(at.X, at.Y) != plain.RGBAAt(at.X, at.Y) })
	require.False(t, agree(plain, marked, image.Rect(760, 380, 980, 560)), "its vertices are listed")
	d.key("q")
	d.end()
}

// Boxes of a large scene are made beside the frame loop; a click waits for them, but
// for no other camera's picture.
func TestLargeScenesArePickedOnceTheirBoxesAreThere(t *testing.T) {
	scene, err := assets.Make("terrain400")
	require.NoError(t, err)
	require.Greater(t, scene.Triangles(), pickedAtOnce)
	config, err := start.config()
	require.NoError(t, err)
	p := &plan.Plan{Frame: renderer.Frame{Scene: scene, Reuse: config}, Batches: reuse.Batches(scene, config)}
	woken := make(chan struct{}, 10)
	wake := func() { woken <- struct{}{} }
	size, at := image.Pt(300, 200), image.Pt(150, 110)
	for _, moved := range []bool{false, true} {
		a := &app{mover: newMover(wake), searcher: newSearcher(wake), surveyor: newSurveyor(wake), side: side{plan: p}}
		a.seen = renderer.FitCamera(scene.Bounds(), 1.5)
		a.clicked(at, size)
		require.Nil(t, a.selection.plan)
		if moved {
			a.seen.Azimuth++
		}
		<-woken
		a.followMover(size)
		require.Equal(t, !moved, a.selection.plan != nil)
		require.Same(t, &scene.Positions[0], &a.mover.picker(a.surveyor, p).scene.Positions[0], "vertices stay where they are")
		require.Nil(t, a.picker.scene)
		if !moved {
			found, ok := a.pickerOf(&a.side).pick(a.seen, size, at)
			require.True(t, ok)
			require.Equal(t, batchOf(p, found.draw, found.triangle), a.selection.batch)
		}
	}
}
