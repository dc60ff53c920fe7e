package survey

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/model"
	"github.com/shadeonce/shadeonce/internal/report"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

func TestSceneName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path, want string
		frame      bool
	}{
		{"a/bunny.ply", "bunny.ply", false}, {"a/bunny.PLY.gz", "bunny.PLY", false}, {"asset:knot32", "knot32", false},
		{"a/oa.draws.zst", "oa", true}, {"a/oa.geo.zip.xml.zst", "oa.geo", true}, {"frame.12.rdc", "frame.12", true},
		{".draws", ".draws", true}, {"asset:x.draws", "x.draws", true},
	} {
		require.Equal(t, c.want, sceneName(c.path, c.frame), c.path)
	}
}

// TestSweeps: a line has the limit of unique vertices that its name says, and the first of the batch sizes.
func TestSweeps(t *testing.T) {
	t.Parallel()
	for series, unique := range map[string]int{"hash, static": 0, "dynamic, 256": 256} {
		batches := []int{}
		for _, c := range sweepCounters().batches {
			if c.row.Series == series {
				require.Equal(t, unique, c.row.Unique, series)
				batches = append(batches, c.row.Batch)
			}
		}
		require.Greater(t, len(batches), 5, series)
		require.Equal(t, batchSizes[:len(batches)], batches, series)
	}
	lanes := []int{}
	for _, c := range sweepCounters().lanes {
		if c.row.Series == "warp" {
			lanes = append(lanes, c.row.Lanes)
		}
	}
	require.Equal(t, reuse.LaneCounts, lanes)
}

// TestCountersOfTheTables: each strategy is counted at its default sizes once, and each column of the paper in each of
// its readings.
func TestCountersOfTheTables(t *testing.T) {
	t.Parallel()
	var plain []string
	columns := map[string]int{}
	for _, c := range slices.Concat(strategyCounters(), modelCounters()) {
		if columns[c.row.Column+" "+c.row.Reading]++; c.row.Kind == report.Strategy && c.row.Flags == "" {
			plain = append(plain, c.row.Counter)
		}
	}
	require.ElementsMatch(t, reuse.Names(), plain)
	for _, column := range report.PaperColumns {
		require.Equal(t, 1, columns[column+" "], column)
		require.Equal(t, strings.HasPrefix(column, "cache"), columns[column+" dealt"] == 1 && columns[column+" one multiprocessor"] == 1, column)
	}
}

// surveyOn returns a quick survey on the CPU of scenes by their paths, which leaves out paths that have none.
func surveyOn(t *testing.T, scenes map[string]*geometry.Scene) *survey {
	open := func(path string) (*geometry.Scene, error) {
		if s := scenes[path]; s != nil {
			return s, nil
		}
		return nil, errors.New("lost")
	}
	return &survey{
		Options: Options{
			Quick: true, Shown: func(path string) string { return path }, Open: open, OpenShaded: open, Failed: func(error) error { return nil },
			Stage: func(float64, float64, string, ...any) context.Context { return t.Context() },
		},
		backend: soft.New(), report: &report.Report{Sets: &report.Report{}}, paths: map[string]string{},
	}
}

// TestFramesAreCounted: a frame's draws are counted with the streaming strategies, and those of low reuse apart, unless
// all are. A frame that has changed when it is opened again is an error.
func TestFramesAreCounted(t *testing.T) {
	t.Parallel()
	s := &geometry.Scene{
		Positions: make([]mgl32.Vec3, 3), Indices: []uint32{0, 1, 2, 0, 1, 2}, Capture: &geometry.Capture{},
		Draws: []geometry.Draw{{Name: "a", IndexCount: 3, VertexCount: 3}, {Name: "b", IndexCount: 6, VertexCount: 3}},
	}
	scenes := map[string]*geometry.Scene{"s.rdc": s, "low.rdc": s.Only([]int{0})}
	m := surveyOn(t, scenes)
	require.NoError(t, m.countScenes([]string{"s.rdc", "low.rdc"}, strategyCounters()[:1], strategyCounters()))
	require.Equal(t, []report.Scene{{Name: report.SetName("s"), Of: "s", Draws: 1, Vertices: 3, Referenced: 3, Triangles: 1}}, m.report.Sets.Scenes)
	require.Equal(t, []int{1, 2, 5}, []int{len(m.report.Sets.Reuse), len(m.frames), len(m.frames[0].counted)})
	scenes["s.rdc"] = scenes["low.rdc"]
	require.ErrorIs(t, m.listDraws(t.Context(), &m.frames[0]), geometry.ErrChanged)
}

// TestCountScenes: a scene has separate numbers of vertices and of referenced vertices. Files of one name get different
// names; those that cannot be opened are left out, with a note.
func TestCountScenes(t *testing.T) {
	t.Parallel()
	scene := &geometry.Scene{
		Name: "a", Positions: make([]mgl32.Vec3, 9), Indices: []uint32{0, 1, 2, 0, 2, 3},
		Draws: []geometry.Draw{{IndexCount: 6, VertexCount: 9}},
	}
	m := surveyOn(t, map[string]*geometry.Scene{"dir/a.obj": scene, "b/a.obj": scene})
	ideal := must.Get(model.Lookup("ideal"))
	require.NoError(t, m.countScenes([]string{"none.obj", "dir/a.obj", "b/a.obj"}, []counter{modelCounter(ideal, ideal.Variants[0])}, nil))
	require.Equal(t, []report.Scene{
		{Name: "a.obj", Path: "dir/a.obj", Draws: 1, Vertices: 9, Referenced: 4, Triangles: 2},
		{Name: "a.obj (2)", Path: "b/a.obj", Draws: 1, Vertices: 9, Referenced: 4, Triangles: 2},
	}, m.report.Scenes)
	require.Equal(t, []string{"none.obj: it could not be opened."}, m.report.Notes)
	require.Len(t, m.report.Reuse, 2)
	require.Equal(t, 4, m.report.Reuse[0].Stats.Invocations)
}

// TestCountsAreOfTheirOrder: the sweeps, and the orders of a quick survey, are counted in the order
// that their rows name.
func TestCountsAreOfTheirOrder(t *testing.T) {
	t.Parallel()
	scene := must.Get(order.Apply(t.Context(), must.Get(assets.Make("sphere2")), "random"))
	m := &survey{Options: Options{Quick: true, Open: func(string) (*geometry.Scene, error) { return scene, nil }}, backend: soft.New(), report: &report.Report{}}
	fifo := must.Get(model.Lookup("fifo"))
	others := []counter{modelCounter(fifo, fifo.Variants[0])}
	m.countFocus("ball", others)
	all := sweepCounters()
	require.Len(t, m.report.Reuse, len(report.CallOrders)-len(m.orders()))
	require.Equal(t, []int{len(all.lanes), len(all.batches), len(all.uniques)}, []int{len(m.report.Lanes), len(m.report.Batches), len(m.report.Uniques)})
	counters := slices.Concat(all.lanes, all.batches, all.uniques)
	for i, row := range slices.Concat(m.report.Lanes, m.report.Batches, m.report.Uniques, m.report.Reuse) {
		by := others[0]
		if i < len(counters) {
			by = counters[i]
			require.Equal(t, report.PaperOrder, row.Order)
		}
		want := must.Get(by.Count(m.backend, must.Get(order.Apply(t.Context(), scene, row.Order))))
		require.Equal(t, want.Stats, row.Stats, "%s in %s order", row.Counter, row.Order)
		require.Equal(t, by.row.Counter, row.Counter)
	}
}
