package model

import (
	"errors"
	"image"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestMedianRun(t *testing.T) {
	runs := [][]renderer.Timing{{{Duration: 9}, {Duration: 1}}, {{Duration: 2}}, {{Duration: 5}, {Duration: 2}}}
	require.Equal(t, []renderer.Timing{{Duration: 5}, {Duration: 2}}, medianRun(runs))
}

func TestSettlePassesOverWhatDoesNotWork(t *testing.T) {
	start := Settings{Strategy: "warp", Lanes: 32, Load: renderer.SimpleLoad}
	native := start
	native.Subgroups = renderer.NativeSubgroups
	native.Lanes = 8
	only8 := func(s Settings) error {
		if s.Subgroups == renderer.NativeSubgroups && s.Lanes != 8 {
			return errors.New("not native here")
		}
		return nil
	}
	for name, c := range map[string]struct {
		good, want Settings
		knob       *Setting
		step       int
		found      Settings
		notice     string
	}{
		"works at once": {native, ByFlag("view").Turned(native, 1), ByFlag("view"), 1, ByFlag("view").Turned(native, 1), ""},
		"the only value that works is where it was": {
			native, ByFlag("lanes").Turned(native, 1), ByFlag("lanes"), 1, native, "lanes 16: not native here",
		},
		"the next value works": {
			start, ByFlag("subgroups").Turned(start, 1), ByFlag("subgroups"), 1, ByFlag("subgroups").Turned(start, 2),
			"subgroups native: not native here",
		},
		"no knob": {start, ByFlag("subgroups").Turned(start, 1), nil, 0, start, "warp, 32 lanes, indexed queue, counts view: not native here"},
	} {
		t.Run(name, func(t *testing.T) {
			found, notice := settle(c.good, c.want, c.knob, c.step, only8)
			require.Equal(t, c.found, found)
			if c.notice == "" {
				require.NoError(t, notice)
				return
			}
			require.EqualError(t, notice, c.notice)
		})
	}
}

// TestOursShowsAnOutputThatOursHave: returning to our vertex shader ends the varying view, since our
// shader lacks the output that the view shows; other views stay.
func TestOursShowsAnOutputThatOursHave(t *testing.T) {
	user := Settings{Load: "512", View: renderer.Varying, Shader: shade.Captured, Shown: "tint"}
	require.Equal(t, Settings{Load: "512", View: renderer.Shaded}, user.Ours())
	user.View = renderer.Batches
	require.Equal(t, Settings{Load: "512", View: renderer.Batches}, user.Ours())
	user.View = renderer.Varying
	var s State
	s.Want = user
	require.NoError(t, ByFlag("view").value.set(&s, "shaded"))
	require.Equal(t, Settings{Load: "512", View: renderer.Shaded, Shader: shade.Captured}, s.Want)
	s.Want = user
	ByFlag("load").Choose(&s, 0)
	user = s.Want
	require.Equal(t, Settings{Load: renderer.SimpleLoad, View: renderer.Shaded}, user)
}

// TestOtherSideHasItsOwnSizes: the right side does not take over the left side's batch limits.
func TestOtherSideHasItsOwnSizes(t *testing.T) {
	left := Settings{Strategy: "hash", Lanes: 8, Batch: 192, Unique: 64, View: renderer.Batches, Load: "512"}
	o := must.Get(ParseOther("claim//16", left, "forsyth"))
	require.Equal(t, OtherSide{"claim", 16, "forsyth"}, o)
	require.Equal(t, Settings{Strategy: "claim", Lanes: 16, View: renderer.Batches, Load: "512"}, o.Settings(left))
}

// TestFrameOfSettings: a frame leaves out sizes that its strategy does not have, and each setting sets its own field.
func TestFrameOfSettings(t *testing.T) {
	s := Settings{Strategy: "hash", Lanes: 8, Batch: 192, Unique: 64, Cull: Culling(renderer.AllFaces) + 1, Budgets: Budgets{Queue: 1 << 20, Device: 1 << 30}}
	f := must.Get(s.Frame(nil, 48, 160))
	require.Equal(t, []int{192, 64, 48, 160}, []int{f.Reuse.Batch, f.Reuse.Unique, f.Width, f.Height})
	require.Equal(t, []int64{1 << 20, 1 << 30}, []int64{f.QueueBudget, f.DeviceBudget})
	require.Equal(t, []any{true, renderer.AllFaces}, []any{f.Cull, f.CullFaces})
	two := &geometry.Scene{Draws: []geometry.Draw{{IndexCount: 3}, {IndexCount: 3}}}
	s.Marks.Hide = "1"
	f = must.Get(s.Frame(two, 48, 160))
	require.Equal(t, []renderer.Mark{renderer.Plain, renderer.Hidden}, f.Marks)
	s.Shader = shade.Captured
	_, err := s.Frame(two, 48, 160)
	require.ErrorContains(t, err, "captured", "the scene has no shaders")
	s.Strategy, s.Cull, s.Shader = "warp", 0, nil
	f = must.Get(s.Frame(nil, 48, 160))
	require.Equal(t, []any{192, 0, false}, []any{f.Reuse.Batch, f.Reuse.Unique, f.Cull})
	s.Strategy = reuse.Auto
	c := must.Get(s.Config())
	s.Batch, s.Unique = 0, 0
	require.Equal(t, must.Get(s.Config()), c, "auto picks all sizes")
}

// TestOnlyDevicesWithMeshShadersOfferThem: devices without mesh shaders offer all other raster hosts.
func TestOnlyDevicesWithMeshShadersOfferThem(t *testing.T) {
	raster := ByFlag("raster")
	for _, has := range []bool{false, true} {
		s := State{MeshShaders: has}
		s.Want.Raster = renderer.FusedRaster
		raster.turn(&s, 1)
		require.Equal(t, has, s.Want.Raster == renderer.MeshRaster)
		require.Equal(t, has, slices.Contains(raster.Offered(&s), "mesh"))
	}
}

// TestFramingFollows: a moved camera keeps its distance. Unless it was shifted, it stays in the middle of the part that
// panels leave free. A camera that fits the scene fits it again.
func TestFramingFollows(t *testing.T) {
	w := &Wanted{}
	box := geometry.Box{Min: mgl32.Vec3{-1, -1, -1}, Max: mgl32.Vec3{1, 1, 1}}
	require.NoError(t, w.Look(box, 1))
	part := renderer.Part{Center: mgl32.Vec2{.25, 0}, Half: mgl32.Vec2{.5, 1}}
	near := w.Camera.Distance
	w.Frame(part, 1)
	require.Greater(t, w.Camera.Distance, near, "half of the window is left")
	w.Move(func(c *renderer.Camera) { c.Distance *= 2 })
	moved := w.Camera
	w.Frame(renderer.Part{}, 1)
	require.Equal(t, mgl32.Vec2{}, mgl32.Vec2(w.Camera.Center))
	require.Equal(t, moved.Distance, w.Camera.Distance)
	w.Move(func(c *renderer.Camera) { c.Center[0] = .125 })
	w.Frame(part, 1)
	require.Equal(t, float32(.125), w.Camera.Center[0], "it was shifted")
	w.Frame(part, 2)
	require.Equal(t, float32(2), w.Aspect, "the window alone is another")
	w.Time, w.AllEdges = 3, true
	wishes := w.Wishes()
	require.Equal(t, []any{float32(3), false}, []any{wishes.Camera.Time, wishes.AllEdges})
	w.View = "time=7"
	timed := must.Get(w.CameraOf(box, &geometry.View{FovY: 80, Near: 1, Far: 9}, 1))
	require.Zero(t, timed.Time, "it goes on by itself")
	require.NotEqual(t, float32(80), timed.FovY, "not the scene's own view")
	camera := w.Camera
	w.View = "zoom=nothing"
	require.Error(t, w.Look(box, 1))
	require.Equal(t, camera, w.Camera)
	whole := &geometry.Scene{Draws: make([]geometry.Draw, 4)}
	require.Equal(t, 3, (&Half{Look: Look{Whole: whole, Alone: 4}}).DrawNumber(0))
	require.Equal(t, 3, (&Half{Look: Look{Whole: whole}}).DrawNumber(3))
	require.Equal(t, "warp 16", (&Half{Plan: viewtest.Titled(t, "")}).Name())
}

// TestWhatIsGivenUpIsTakenBack: after a job was cancelled, each requested setting but the pass equals the shown one.
func TestWhatIsGivenUpIsTakenBack(t *testing.T) {
	var v Views
	side := func(strategy, order string) Half {
		return Half{Plan: &plan.Plan{}, Camera: renderer.Camera{Azimuth: 7, Time: 9}, Look: Look{
			Order: order, Pose: 2.5, Clip: "run", Alone: 3, Settings: Settings{Strategy: strategy, Lanes: 8}, Size: image.Pt(8, 8),
		}}
	}
	v.Shown = Shown{Left: side("hash", "random"), Right: side("sort", "tipsify"), Compare: CompareSplit}
	s := Wanted{Choices: Choices{Want: start, IndexOrder: "forsyth", Doing: results.Choice{App: results.Envelope}, Pass: "its own"}, Turned: Named("view"), Pose: 1, Clip: "walk", Time: 1}
	size := image.Pt(9, 9)
	require.Empty(t, v.Adopt(Outcome{GivenUp: true, shown: v.Shown, Job: Job{Asked: Asked{Size: size}}}, &s))
	require.Equal(t, Wanted{
		Choices: Choices{Want: Settings{Strategy: "hash", Lanes: 8}, IndexOrder: "random", Compare: CompareSplit, Other: OtherSide{"sort", 8, "tipsify"}, Alone: 3, Pass: "its own"},
		Camera:  renderer.Camera{Azimuth: 7}, Time: 9, Pose: 2.5, Clip: "run",
	}, s)
	require.Equal(t, size, v.Stuck)
	require.Nil(t, v.Drawing)
	made := &results.Result{Request: results.Request{Choice: results.Choice{App: results.Subdivide, Levels: 3}}}
	for _, v.Shown.Left.Applied = range []*results.Result{made, nil} {
		out := Outcome{shown: v.Shown, Refused: errors.New("no"), Job: Job{Change: NewApplied, Asked: Asked{Wishes: Wishes{Choices: s.Choices}}}}
		v.Adopt(out, &s)
		require.Equal(t, v.Shown.Left.Applied != nil, s.Doing == made.Choice)
	}
	s.Compare = CompareOff // since the refused job began
	require.Len(t, v.Adopt(Outcome{shown: v.Shown, refusedDifference: errors.New("no")}, &s), 1)
	require.Equal(t, CompareOff, s.Compare)
}
