package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// clocked is a backend whose passes take a known time.
type clocked struct{ *soft.Backend }

func (clocked) Exec(*plan.Plan, renderer.Camera, renderer.Want) (*renderer.Output, error) {
	return &renderer.Output{Timings: []renderer.Timing{
		{Pass: "clear", Duration: 64 * time.Millisecond}, {Pass: "geometry:claim", Duration: time.Millisecond}, {Pass: "geometry:claim", Duration: 2 * time.Millisecond},
		{Pass: "cull:triangles", Duration: 4 * time.Millisecond}, {Pass: "cull:shade", Duration: 8 * time.Millisecond}, {Pass: "raster:hardware", Duration: 128 * time.Millisecond},
	}}, nil
}

// TestPassTimeIsThatOfGeometryAndCulling: a row's time is the sum of these passes over all chunks,
// without other passes.
func TestPassTimeIsThatOfGeometryAndCulling(t *testing.T) {
	s := must.Get(assets.Make("cube"))
	c := must.Get(reuse.Resolve("claim", 0, 0))
	b := clocked{soft.New()}
	defer b.Close()
	frame := GeometryFrame()
	frame.Scene = s
	rows := timeLoad(t.Context(), b, frame, renderer.CountCamera(s.Bounds()), "simple", []reuse.Config{c}, []GeometryRow{{Triangles: 12}}, 3)
	require.Len(t, rows, 1)
	require.Equal(t, []float64{15, 15, 15}, []float64{rows[0].MsMin, rows[0].MsMedian, rows[0].MsMax})
	require.InEpsilon(t, 12/15./1e3, rows[0].TrianglesMsS, 1e-12)
}

// timed returns the rows of two files at two loads, with speeds set file by file as in
// Geometry.Time.
func timed() []GeometryRow {
	var rows []GeometryRow
	add := func(file string, ms map[string][3]float64) {
		var own []GeometryRow
		for _, load := range []string{"simple", "1024"} {
			for i, strategy := range []string{"naive", "naive-index", "hash"} {
				batch := 384
				if file == "b" && strategy == "hash" {
					batch = 96
				}
				own = append(own, GeometryRow{
					Kind: KindTime, Files: 1, Source: Source{File: file, Order: "original"}, Strategy: strategy, Load: load, MsMedian: ms[load][i],
					Sizes:     Sizes{Batches: Batches{Batch: batch, Unique: batch}},
					Triangles: 10, Invocations: 15,
				})
			}
		}
		setSpeeds(own)
		rows = append(rows, own...)
	}
	add("a", map[string][3]float64{"simple": {8, 4, 2}, "1024": {6, 12, 6}})
	add("b", map[string][3]float64{"simple": {4, 8, 8}, "1024": {4, 8, 1}})
	return rows
}

func TestMeans(t *testing.T) {
	t.Parallel()
	means := Means(timed())
	require.Len(t, means, 6)
	for i, want := range []struct {
		load, strategy string
		speed          float64
		worst          string
		worstSpeed     float64
		batch          int
	}{
		// Speeds at load simple, in files a and b: naive .5 and 1, naive-index 1 and .5, hash 2 and .5.
		{"simple", "naive", .7071067811865476, "a", .5, 384},
		{"simple", "naive-index", .7071067811865476, "b", .5, 384},
		{"simple", "hash", 1, "b", .5, 0},
		{"1024", "naive", 1, "a", 1, 384},
		{"1024", "naive-index", .5, "a", .5, 384},
		{"1024", "hash", 2, "a", 1, 0},
	} {
		m := means[i]
		require.Equal(t, KindMean, m.Kind)
		require.Equal(t, [2]string{want.load, want.strategy}, [2]string{m.Load, m.Strategy})
		require.Equal(t, [2]string{"", "original"}, [2]string{m.File, m.Order})
		require.InDelta(t, want.speed, m.Speed, 1e-12, "%s, %s", m.Load, m.Strategy)
		require.Equal(t, want.worst, m.WorstFile, "%s, %s", m.Load, m.Strategy)
		require.InDelta(t, want.worstSpeed, m.WorstSpeed, 1e-12)
		require.Equal(t, [4]int{2, 20, 30, want.batch}, [4]int{m.Files, m.Triangles, m.Invocations, m.Batch}, "%s, %s", m.Load, m.Strategy)
		require.InDelta(t, .5, m.Reuse, 1e-12)
	}

	both := timed()
	for _, r := range timed() {
		r.Order, r.Speed = "forsyth", 3*r.Speed
		both = append(both, r)
	}
	both = Means(both)
	require.Len(t, both, 2*len(means), "each order has means of its own")
	require.Equal(t, "forsyth", both[len(means)].Order)
	require.InDelta(t, 3*means[0].Speed, both[len(means)].Speed, 1e-12)
}

// TestNoMeans: there are no means for a single file, nor if no strategy without reuse was timed.
func TestNoMeans(t *testing.T) {
	t.Parallel()
	rows := timed()
	require.Empty(t, Means(rows[:6]))
	require.Empty(t, Means(nil))
	var hash []GeometryRow
	for _, r := range rows {
		if r.Strategy == "hash" {
			hash = append(hash, r)
		}
	}
	for i := range hash {
		hash[i].Speed = 0
	}
	setSpeeds(hash)
	require.Empty(t, Means(hash))
}
