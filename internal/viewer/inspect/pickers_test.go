package inspect

import (
	"image"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// patience is a guard against hangs.
const patience = time.Minute

func TestPickersKeepWhatIsShown(t *testing.T) {
	t.Parallel()
	scene := viewtest.Scene(t, "knot4")
	woken := make(chan struct{}, 10)
	wake := func() { woken <- struct{}{} }
	keeper := &Keeper{}
	m := NewPickers(keeper, wake)
	skin, displace := viewtest.Moved(t, scene, renderer.Skin), viewtest.Moved(t, scene, renderer.Displace)
	wait := func(plans ...*plan.Plan) {
		select {
		case <-woken:
		case <-time.After(patience):
			t.Fatal("nothing ends")
		}
		require.True(t, m.Take(plans...))
	}
	require.Nil(t, m.Of(skin))
	require.Nil(t, m.Of(displace), "one after the other")
	freed := false
	old := &geometry.Scene{Backing: geometry.NewBacking(func() { freed = true }, nil)}
	keeper.Retire(old)
	require.False(t, freed, "scenes are being read")
	wait(skin, displace)
	require.True(t, freed)
	require.Empty(t, keeper.retired)
	require.False(t, m.Take(skin, displace), "once")
	got := m.Of(skin)
	require.NotNil(t, got)
	var none atomic.Bool
	require.Equal(t, soft.Moved(skin, &none), got.Scene.Positions)
	require.NotEqual(t, scene.Positions, got.Scene.Positions)
	require.Equal(t, scene.Indices, got.Scene.Indices)

	require.Nil(t, m.Of(displace))
	wait(skin, displace)
	require.NotSame(t, got, m.Of(displace))
	require.Same(t, got, m.Of(skin), "both are kept")
	again := viewtest.Moved(t, scene, renderer.Skin)
	require.Same(t, got, m.Of(again), "another plan of the same scene has the same places")
	m.Take(again, nil)
	require.Len(t, m.kept, 1, "what is not shown any more goes")

	// A picker that nobody waits for is cancelled.
	require.Nil(t, m.Of(displace))
	m.Take(skin)
	wait(skin)
	require.Len(t, m.kept, 1)
	none.Store(true)
	require.Nil(t, soft.Moved(skin, &none))
	require.Equal(t, scene.Positions, soft.Moved(viewtest.Moved(t, scene, renderer.Transform), &none), "nothing moves")
}

func TestTooManyVerticesAreNotFollowed(t *testing.T) {
	t.Parallel()
	p := &plan.Plan{Frame: renderer.Frame{Scene: &geometry.Scene{}}}
	require.True(t, Followable(p))
	p.Frame.VertexShader = renderer.Displace
	require.True(t, Followable(p))
	p.Frame.Scene.Positions = make([]mgl32.Vec3, maxMovedVertices+1) // never written, so that they take no memory
	require.False(t, Followable(p))
	p.Frame.VertexShader = renderer.Transform
	require.True(t, Followable(p))
}

// Boxes of a large scene are made in the background.
func TestLargeScenesAreNotBoxedAtOnce(t *testing.T) {
	t.Parallel()
	scene := viewtest.Scene(t, "terrain400")
	require.Greater(t, scene.Triangles(), pickedAtOnce)
	woken := make(chan struct{}, 1)
	m := NewPickers(&Keeper{}, func() { woken <- struct{}{} })
	p := &plan.Plan{Frame: renderer.Frame{Scene: scene}}
	require.Nil(t, m.Of(p))
	require.Nil(t, m.small)
	<-woken
	require.True(t, m.Take(p))
	require.Same(t, &scene.Positions[0], &m.Of(p).Scene.Positions[0], "vertices stay where they are")
}

// TestPickersOfComputedMeshes: pickers find triangles of a computed mesh, which no pool stores.
func TestPickersOfComputedMeshes(t *testing.T) {
	t.Parallel()
	from := viewtest.Scene(t, "knot4")
	scene := must.Get(subdivide.NewScene(t.Context(), from, 1))
	woken := make(chan struct{}, 1)
	m := NewPickers(&Keeper{}, func() { woken <- struct{}{} })
	p := viewtest.Moved(t, scene, renderer.Transform)
	require.True(t, Followable(p))
	require.Nil(t, m.Of(p))
	<-woken
	require.True(t, m.Take(p))
	stored, camera, size := NewPicker(scene.Stored()), renderer.FitCamera(scene.Bounds(), 64./48), image.Pt(64, 48)
	hits := 0
	for y := range size.Y {
		for x := range size.X {
			want, found := stored.Pick(camera, size, image.Pt(x, y))
			got, also := m.Of(p).Pick(camera, size, image.Pt(x, y))
			require.Equal(t, found, also)
			require.Equal(t, want, got)
			if found {
				hits++
				require.NotEqual(t, -1, BatchOf(p, got.Draw, got.Triangle))
			}
		}
	}
	require.Greater(t, hits, 100)
	require.Equal(t, scene.DrawIndices(0)[:p.Batches[0].IndexCount], Indices(p, p.Batches[0]))
}

// TestSurveysKeepWhatIsWanted: surveys run one at a time, and unwanted ones are dropped.
func TestSurveysKeepWhatIsWanted(t *testing.T) {
	t.Parallel()
	var wanted []Survey
	for _, name := range []string{"cube", "city1", "sphere3"} {
		scene := viewtest.Scene(t, name)
		wanted = append(wanted, SurveyOf(viewtest.Moved(t, scene, renderer.Transform)))
	}
	woken := make(chan struct{}, 10)
	keeper := &Keeper{}
	s := NewSurveys(keeper, func() { woken <- struct{}{} })
	require.False(t, s.Follow(wanted...))
	for i, of := range wanted {
		require.Equal(t, 1, keeper.readers)
		<-woken
		require.Equal(t, i < 2, s.Follow(wanted[:2+i/2]...) && i < 2, "a survey has ended")
		if i == 1 {
			s.Follow(wanted...) // the third is asked for again
		}
		found, known := s.Get(of)
		require.True(t, known)
		stats, draws := must.Get2(reuse.Summarize(of.Scene, of.Config))
		require.Equal(t, Surveyed{stats, draws}, found)
	}
	s.Follow(wanted[0])
	for i, of := range wanted {
		_, known := s.Get(of)
		require.Equal(t, i == 0, known)
	}
	s.Follow(wanted[1])
	<-woken
	require.False(t, s.Follow(wanted[0]), "it is not wanted any more")
	require.Len(t, s.done, 0)
}
