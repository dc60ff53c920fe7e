package measure

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

func TestMain(m *testing.M) {
	WarmUp = 0 // no test looks at how long anything took
	os.Exit(m.Run())
}

// TestFramesDiffer: the comparison of pictures fails if they differ.
func TestFramesDiffer(t *testing.T) {
	s := must.Get(assets.Make("sphere3"))
	b := must.Get(gpu.OpenBackend(gpu.BackendOptions{}))
	defer b.Close()
	fs := &Frames{Rasters: []renderer.RasterHost{renderer.ComputeRaster, renderer.HardwareRaster}}
	for _, name := range []string{"naive", "hash"} {
		fs.Configs = append(fs.Configs, must.Get(reuse.Params{}.Resolve(name)))
	}
	camera := renderer.FitCamera(s.Bounds(), 1)
	planned := func(s *geometry.Scene) []*wholeFrame {
		return fs.plan(b, renderer.Frame{Scene: s, Width: 96, Height: 96, View: renderer.Shaded, NoCounts: true}, camera)
	}
	const share = 0.995
	frames := planned(s)
	require.NoError(t, compareFrames(b, frames, camera, share))

	// The frames of the other scene lack 400 triangles.
	smaller := *s
	smaller.Draws = slices.Clone(s.Draws)
	smaller.Draws[0].IndexCount -= 3 * 400
	other := planned(&smaller)
	require.ErrorContains(t, compareFrames(b, []*wholeFrame{frames[0], other[2]}, camera, share), "hash/compute against naive/compute: picture: ")
	require.ErrorContains(t, compareFrames(b, []*wholeFrame{frames[0], other[1]}, camera, share), "naive/hardware against naive/compute: picture: ")
	smaller.Draws[0].IndexCount = s.Draws[0].IndexCount - 3 // one triangle, which may be invisible
	other = planned(&smaller)
	back := camera
	back.Azimuth, back.Elevation = 210, -20
	back.Fit(s.Bounds(), 1)
	require.True(t, slices.ContainsFunc([]renderer.Camera{camera, back}, func(c renderer.Camera) bool {
		return compareFrames(b, []*wholeFrame{frames[0], other[2]}, c, 0) != nil
	}), "one triangle less shows from one side")
}

// sizes notes the sizes of the pictures that a backend draws.
type sizes struct {
	plan.Backend
	drawn map[[2]int]bool
}

func (s *sizes) Exec(p *plan.Plan, c renderer.Camera, want renderer.Want) (*renderer.Output, error) {
	s.drawn[[2]int{p.Frame.Width, p.Frame.Height}] = true
	return s.Backend.Exec(p, c, want)
}

// TestShotsAreDrawnAtTheirSizes: only shots of the same width and height share plans.
func TestShotsAreDrawnAtTheirSizes(t *testing.T) {
	b := &sizes{soft.New(), map[[2]int]bool{}}
	fs := &Frames{Configs: []reuse.Config{must.Get(reuse.Params{}.Resolve("hash"))}, Rasters: []renderer.RasterHost{renderer.SoftRaster}, Runs: 1}
	for _, size := range [][2]int{{32, 24}, {32, 48}, {64, 48}} {
		fs.Shots = append(fs.Shots, Shot{"fit", size[0], size[1], func(f *renderer.Frame) (renderer.Camera, error) {
			return renderer.FitCamera(f.Scene.Bounds(), float32(f.Width)/float32(f.Height)), nil
		}})
	}
	require.NotEmpty(t, must.Get(fs.Time(t.Context(), b, Subject{File: "sphere3", Scene: must.Get(assets.Make("sphere3"))})))
	require.Equal(t, map[[2]int]bool{{32, 24}: true, {32, 48}: true, {64, 48}: true}, b.drawn)
}

// noWideAtomics is a device without 64-bit atomics.
type noWideAtomics struct{ plan.Backend }

func (n noWideAtomics) Limits() renderer.Limits {
	l := n.Backend.Limits()
	l.Missing = append(slices.Clone(l.Missing), "Int64Atomics")
	return l
}

// TestFittingLeavesOutFused: with Fitting, the fused rasterizer is left out where the device cannot run it.
func TestFittingLeavesOutFused(t *testing.T) {
	b := must.Get(gpu.OpenBackend(gpu.BackendOptions{}))
	defer b.Close()
	f := renderer.Frame{Scene: must.Get(assets.Make("cube")), Width: 32, Height: 32, View: renderer.Shaded, NoCounts: true}
	fs := &Frames{
		Configs: []reuse.Config{must.Get(reuse.Params{}.Resolve("naive-index"))},
		Rasters: []renderer.RasterHost{renderer.ComputeRaster, renderer.FusedRaster}, Fitting: true,
	}
	planned := func(b plan.Backend) (names []string, err error) {
		defer must.Catch(&err)
		for _, w := range fs.plan(b, f, renderer.FitCamera(f.Scene.Bounds(), 1)) {
			names = append(names, w.name())
		}
		return names, nil
	}
	require.Equal(t, []string{"naive-index/compute", "naive-index/fused"}, must.Get(planned(b)))
	require.Equal(t, []string{"naive-index/compute"}, must.Get(planned(noWideAtomics{b})))
	fs.Fitting = false
	_, err := planned(noWideAtomics{b})
	require.ErrorContains(t, err, "fused")
}

func TestChangesFromZero(t *testing.T) {
	changed := func(before, after float64) []Change {
		return Changes(Rows{{"file": "a", "invocations": before}}, Rows{{"file": "a", "invocations": after}}, Matching{Counts: 90})
	}
	require.Zero(t, changed(0, 5)[0].Percent)
	require.Equal(t, 150., changed(2, 5)[0].Percent)
	require.Empty(t, changed(2, 3))
	require.Equal(t, -100., changed(-2, -4)[0].Percent, "it falls, although it is negative")
	require.Empty(t, changed(-2, -3))
}

func TestSpread(t *testing.T) {
	t.Parallel()
	ms := func(values ...int) (times []time.Duration) {
		for _, v := range values {
			times = append(times, time.Duration(v)*time.Millisecond)
		}
		return times
	}
	for _, c := range []struct {
		times                   []time.Duration
		least, median, greatest float64
	}{
		{ms(7), 7, 7, 7},
		{ms(9, 1), 1, 5, 9},
		{ms(9, 1, 2), 1, 2, 9},
		{ms(4, 9, 1, 2), 1, 3, 9},
	} {
		require.Equal(t, Spread{c.least, c.median, c.greatest, len(c.times)}, spread(c.times))
	}
}

// scripted returns the next output of a list per call.
type scripted struct {
	plan.Backend
	outputs []*renderer.Output
	wants   []renderer.Want
}

func (s *scripted) Exec(_ *plan.Plan, _ renderer.Camera, want renderer.Want) (*renderer.Output, error) {
	s.wants = append(s.wants, want)
	if len(s.outputs) == 0 {
		return nil, errors.New("device lost")
	}
	out := s.outputs[0]
	s.outputs = s.outputs[1:]
	return out, nil
}

func TestRepeatGathersPassesByName(t *testing.T) {
	t.Parallel()
	output := func(a, b time.Duration) *renderer.Output {
		return &renderer.Output{Timings: []renderer.Timing{{Pass: "a", Duration: a}, {Pass: "b", Duration: b}}}
	}
	s := &scripted{outputs: []*renderer.Output{output(1, 2), output(3, 4)}}
	one := &contestant{run: frameRun(s, nil, renderer.Camera{})}
	require.NoError(t, race(t.Context(), []*contestant{one}, 0, 2))
	require.Len(t, one.times, 3)
	require.Equal(t, series{"a", []time.Duration{1, 3}}, one.times[0])
	require.Equal(t, series{"b", []time.Duration{2, 4}}, one.times[1])
	require.Equal(t, WholeFrame, one.times[2].name)
	require.Len(t, one.times[2].times, 2)
	require.Equal(t, []renderer.Want{0, 0}, s.wants, "reading back is no part of a frame")
	require.EqualError(t, race(t.Context(), []*contestant{one}, 0, 1), "device lost")
}

// TestRaceTakesTurns: every round runs the whole field, and the warm-up leaves no times.
func TestRaceTakesTurns(t *testing.T) {
	t.Parallel()
	var ran []string
	field := make([]*contestant, 2)
	for i, name := range []string{"a", "b"} {
		field[i] = &contestant{run: func(record func(string, time.Duration)) error {
			ran = append(ran, name)
			record(name, time.Second)
			return nil
		}}
	}
	require.NoError(t, race(t.Context(), field, time.Millisecond, 3))
	require.Greater(t, len(ran), 2*3, "the warm-up has rounds of its own")
	require.Zero(t, len(ran)%2)
	for i, name := range ran {
		require.Equal(t, []string{"a", "b"}[i%2], name)
	}
	for _, c := range field {
		require.Len(t, c.times, 1)
		require.Len(t, c.times[0].times, 3)
	}
}

// told is a backend that records, at each execution, the progress reported before.
type told struct {
	*soft.Backend
	done *float64
	at   *[]float64
}

func (b told) Exec(p *plan.Plan, c renderer.Camera, want renderer.Want) (*renderer.Output, error) {
	*b.at = append(*b.at, *b.done)
	return b.Backend.Exec(p, c, want)
}

// Progress grows with the executions, over all shots and loads.
func TestProgressFollowsTheWork(t *testing.T) {
	s := must.Get(assets.Make("cube"))
	configs := []reuse.Config{must.Get(reuse.Resolve("naive", 0, 0)), must.Get(reuse.Resolve("claim", 0, 0))}
	camera := func(f *renderer.Frame) (renderer.Camera, error) { return renderer.FitCamera(f.Scene.Bounds(), 1), nil }
	whole := &Frames{Frame: renderer.Frame{View: renderer.Shaded}, Configs: configs, Rasters: []renderer.RasterHost{renderer.SoftRaster}, Runs: 20}
	passes := &Geometry{Frame: GeometryFrame(), Configs: configs, Runs: 20}
	for i := range 4 {
		whole.Shots = append(whole.Shots, Shot{Width: 8 + i, Height: 8, Camera: camera})
		passes.Loads = append(passes.Loads, Load{Cycles: i})
	}
	for name, time := range map[string]func(context.Context, plan.Backend) error{
		"frames": func(ctx context.Context, b plan.Backend) error {
			_, err := whole.Time(ctx, b, Subject{Scene: s})
			return err
		},
		"geometry": func(ctx context.Context, b plan.Backend) error {
			_, err := passes.Time(ctx, b, Subject{Scene: s})
			return err
		},
	} {
		var done float64
		var at []float64
		b := told{soft.New(), &done, &at}
		require.NoError(t, time(progress.With(t.Context(), func(now float64) { done = now }), b), name)
		for i, got := range at {
			require.InDelta(t, float64(i)/float64(len(at)), got, .08, "%s, execution %d of %d", name, i, len(at))
		}
		b.Close()
	}
}
