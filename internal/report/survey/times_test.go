package survey

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// someDraws returns the first draws of a game's frame, with the game's shaders.
func someDraws(t *testing.T) *geometry.Scene {
	packed := shareddata.Path(t, "captures", "stk_vulkan_zengarden_frame100.rdc.zst")
	if _, err := exec.LookPath("renderdoccmd"); err != nil {
		t.Skip("no renderdoccmd here (Debian: renderdoccmd)")
	}
	data := shareddata.Unpacked(packed)
	path := filepath.Join(t.TempDir(), "frame.rdc")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	s := must.Get(capture.Readers().Attributes().Open(t.Context(), path))
	return s.Only([]int{0, 1, 2, 3, 4, 5, 6, 7})
}

// surveyOf returns a quick survey of a frame.
func surveyOf(t *testing.T, b plan.Backend, s *geometry.Scene, budget time.Duration) *survey {
	m := surveyOn(t, map[string]*geometry.Scene{"frame.rdc": s})
	m.backend, m.Runs, m.Budget = b, 1, budget
	m.describe()
	require.NoError(t, m.countScenes([]string{"frame.rdc"}, nil, strategyCounters()))
	m.shaders()
	return m
}

// TestDrawsOfAFrame counts the draws of a frame in its own order with every streaming strategy, and
// times the game's shaders with the best one.
func TestDrawsOfAFrame(t *testing.T) {
	s := someDraws(t)
	warmUp := measure.WarmUp
	measure.WarmUp = 0
	defer func() { measure.WarmUp = warmUp }()

	on := surveyOf(t, soft.New(), s, time.Minute)
	byStrategy := map[string]int{}
	for _, d := range on.report.Draws {
		require.NotEmpty(t, d.Shader)
		require.Zero(t, d.DrawTimes, "nothing is timed without a device")
		byStrategy[d.Strategy] += d.Invocations
	}
	require.Len(t, byStrategy, 5)
	for strategy, invocations := range byStrategy {
		c := must.Get(reuse.Params{}.Resolve(strategy))
		stats, _ := must.Get2(reuse.Analyze(s, c))
		require.Equal(t, stats.Invocations, invocations, strategy)
	}
	require.Len(t, on.report.Reuse, len(strategyCounters()), "in the frame's own order")

	broken := *s
	shading := *s.Shading
	shading.Programs = slices.Clone(shading.Programs)
	for i := range shading.Programs {
		shading.Programs[i].Vertex = nil
	}
	broken.Shading = &shading
	notes := len(on.report.Notes)
	require.NoError(t, on.timeDraws(t.Context(), measure.Subject{File: "frame", Scene: &broken}, on.frames[0].counted, on.report.Draws))
	require.Len(t, on.report.Notes, notes+1)
	require.Contains(t, on.report.Notes[notes], "Times of frame with its own vertex shaders: captured: vertex shader 0 (\"pipeline")

	b := must.Get(gpu.OpenBackend(gpu.BackendOptions{}))
	defer b.Close()
	timed := surveyOf(t, b, s, time.Hour).report.Draws
	require.Len(t, timed, len(on.report.Draws))
	require.True(t, slices.ContainsFunc(timed, func(d measure.DrawAnalysis) bool { return d.Us > 0 }))
	for _, d := range timed {
		require.Positive(t, d.NaiveUs)
		require.Positive(t, d.SimpleNs)
	}

	late := surveyOf(t, b, s, time.Nanosecond)
	require.False(t, slices.ContainsFunc(late.report.Draws, func(d measure.DrawAnalysis) bool { return d.NaiveUs > 0 }))
	require.Contains(t, late.report.Notes[len(late.report.Notes)-1], "there was no room for all vertex shaders")
}

// TestPace: the warm-up of a scene of one triangle does not count as its time per triangle, and a
// small scene does not change the rate of a large one.
func TestPace(t *testing.T) {
	t.Parallel()
	var p pace
	require.Equal(t, 4*measure.WarmUp, p.estimate(4, 1e6))
	p.learn(4, 1, 4*measure.WarmUp+time.Millisecond)
	require.Equal(t, 4*measure.WarmUp+time.Second, p.estimate(4, 1000))
	p.learn(2, 1000, 2*measure.WarmUp+10*time.Millisecond)
	require.Equal(t, 4*measure.WarmUp+20*time.Millisecond, p.estimate(4, 2000))
	p.learn(4, 12, 4*measure.WarmUp+time.Second)
	require.Equal(t, 2*measure.WarmUp+20*time.Millisecond, p.estimate(2, 2000))
	p.learn(4, 5000, measure.WarmUp)
	require.Equal(t, measure.WarmUp, p.estimate(1, 1e9), "no negative rate")
}

// TestReducedKeepsRuns: a CPU device times large scenes in fewer runs, unless the user sets the number.
func TestReducedKeepsRuns(t *testing.T) {
	m := &survey{}
	require.Equal(t, runsQuick, m.reduced(measure.Geometry{Runs: 25}).Runs)
	m.Runs = 7
	require.Equal(t, 7, m.reduced(measure.Geometry{Runs: 7}).Runs)
}
