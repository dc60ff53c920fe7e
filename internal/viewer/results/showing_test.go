package results_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
)

// bench is a Maker without a window.
type bench struct {
	t *testing.T
	results.Maker
	woken   chan struct{}
	readers int
}

func (b *bench) Hold()  { b.readers++ }
func (b *bench) LetGo() { b.readers-- }

func newBench(t *testing.T) *bench {
	b := &bench{t: t, woken: make(chan struct{}, 100)}
	b.Maker = results.NewMaker(func() { b.woken <- struct{}{} }, b)
	return b
}

// end waits until no request runs, and returns the last error.
func (b *bench) end() (err error) {
	for b.Busy {
		<-b.woken
		if e, taken := b.Take(); taken {
			err = e
		}
	}
	require.Zero(b.t, b.readers)
	return err
}

// get runs a request and returns its result.
func (b *bench) get(r results.Request) *results.Result {
	b.t.Helper()
	b.Follow(time.Hour, r)
	require.NoError(b.t, b.end())
	require.NotNil(b.t, b.Get(r))
	return b.Get(r)
}

func by(t *testing.T, strategy string) reuse.Config {
	return must.Get(reuse.Resolve(strategy, 0, 0))
}

func choice(change func(*results.Choice)) results.Choice {
	c := results.Default
	change(&c)
	return c
}

// TestSubdivide compares each level's counts with those of the refining pass, whether the level is
// made from the previous one or from the scene.
func TestSubdivide(t *testing.T) {
	t.Parallel()
	b, s := newBench(t), viewtest.Scene(t, "sphere3")
	level := func(n int) results.Choice {
		return choice(func(c *results.Choice) { c.App, c.Levels = results.Subdivide, n })
	}
	mesh := must.Get(apps.NewMesh(t.Context(), s))
	zero := b.get(results.Request{Choice: level(0), Scene: s, Config: by(t, "hash")})
	require.Equal(t, mesh.Triangles, zero.Scene.Indices)
	require.Len(t, zero.Counts, len(mesh.Positions))
	coarse := 0
	for n := 1; n <= 2; n++ {
		coarse = len(mesh.Positions)
		l := must.Get(subdivide.NewLevel(t.Context(), mesh))
		for _, name := range []string{"hash", "warp", "multi"} {
			got := b.get(results.Request{Choice: level(n), Scene: s, Config: by(t, name)})
			want := must.Get(l.RefineBy(t.Context(), by(t, name)))
			fine := must.Get(l.Refined(t.Context(), want.Positions))
			require.Equal(t, fine.Positions, got.Scene.Positions, name)
			require.Equal(t, fine.Triangles, got.Scene.Indices, name)
			require.Equal(t, append(want.PerVertex, want.PerEdge...), got.Counts, name)
			require.Equal(t, want.Invocations(), got.Stats.Invocations, name)
			require.NoError(t, got.Scene.Validate(t.Context()))
			require.Len(t, got.Scene.Normals, len(fine.Positions))
		}
		mesh = must.Get(l.Refine(t.Context()))
	}
	alone := newBench(t).get(results.Request{Choice: level(2), Scene: s, Config: by(t, "hash")})
	require.Equal(t, mesh, &apps.Mesh{Positions: alone.Scene.Positions, Triangles: alone.Scene.Indices})
	require.Contains(t, alone.Words(true)[0], "edges split")
	require.Equal(t, "vertex 3 of level 1, moved", alone.Vertex(3)[1])
	require.False(t, alone.Translucent())
	require.Equal(t, "made of edge 7 of level 1", alone.Vertex(uint32(coarse + 7))[1])
}

// TestSubdivideWhileDrawn: a computed mesh equals the stored level, and has the counts of the one
// stream that is drawn.
func TestSubdivideWhileDrawn(t *testing.T) {
	t.Parallel()
	b, s := newBench(t), viewtest.Scene(t, "sphere3")
	drawn := func(n int) results.Choice {
		return choice(func(c *results.Choice) { c.App, c.Levels, c.Drawn = results.Subdivide, n, true })
	}
	for _, n := range []int{1, 2} {
		stored := drawn(n)
		stored.Drawn = false
		want := b.get(results.Request{Choice: stored, Scene: s, Config: by(t, "hash")})
		got := b.get(results.Request{Choice: drawn(n), Scene: s, Config: by(t, "hash")})
		require.NotNil(t, got.Scene.Computed)
		require.Equal(t, want.Scene.Name, got.Scene.Name)
		require.Equal(t, want.Scene.Positions, got.Scene.Stored().Positions)
		require.Equal(t, want.Scene.Indices, got.Scene.Stored().Indices)
		stats, counts := must.Get2(reuse.Analyze(want.Scene, by(t, "hash")))
		require.Equal(t, counts, got.Counts)
		require.Equal(t, stats, got.Stats)
		require.Equal(t, want.Vertex(7)[1:], got.Vertex(7)[1:])
		require.Equal(t, want.Vertex(uint32(len(counts) - 1))[1:], got.Vertex(uint32(len(counts) - 1))[1:])
	}
	require.NotNil(t, b.get(results.Request{Scene: b.get(results.Request{Choice: drawn(1), Scene: s, Config: by(t, "hash")}).Scene, Edges: true}).Edges)
	require.Nil(t, b.get(results.Request{Choice: drawn(0), Scene: s, Config: by(t, "hash")}).Scene.Computed)
	require.Equal(t, "subdivide-level2-drawn", drawn(2).InName())
	require.False(t, drawn(1).Same(choice(func(c *results.Choice) { c.App = results.Subdivide })))
}

// TestResultsAreThoseOfAFreshMaker: results do not depend on kept results that the maker continues from.
func TestResultsAreThoseOfAFreshMaker(t *testing.T) {
	t.Parallel()
	b, scenes := newBench(t), []*geometry.Scene{viewtest.Scene(t, "sphere3"), viewtest.Scene(t, "cube")}
	levels := func(of, n int, drawn bool) results.Request {
		return results.Request{Scene: scenes[of], Config: by(t, "hash"), Choice: choice(func(c *results.Choice) { c.App, c.Levels, c.Drawn = results.Subdivide, n, drawn })}
	}
	steps := func(seed uint32, n int) results.Request {
		return results.Request{Config: by(t, "hash"), Choice: choice(func(c *results.Choice) {
			c.App, c.Agents, c.Grid, c.Seed, c.Step = results.Walk, 500, 16, seed, n
		})}
	}
	for i, r := range []results.Request{
		levels(0, 1, true), levels(0, 2, false), levels(0, 1, false), levels(1, 2, false), levels(0, 0, false), levels(1, 3, true),
		steps(1, 5), steps(1, 2), steps(2, 3), steps(1, 7), steps(1, 6), levels(0, 2, false),
	} {
		got, want := b.get(r), newBench(t).get(r)
		require.Equal(t, want.Counts, got.Counts, i)
		require.Equal(t, want.Stats, got.Stats, i)
		require.Equal(t, want.Cells, got.Cells, i)
		if want.Scene != nil {
			require.Equal(t, want.Scene.Stored().Positions, got.Scene.Stored().Positions, i)
			require.Equal(t, want.Scene.Stored().Indices, got.Scene.Stored().Indices, i)
			if !r.Choice.Drawn && r.Choice.Levels > 0 {
				require.Equal(t, 4*want.Stats.Triangles, want.Scene.Triangles(), "each of them is shaded once and becomes four")
			}
		}
	}
	require.Nil(t, b.Get(steps(2, 3)), "what was not used for long makes room")
	require.NotNil(t, b.Get(steps(1, 7)))
}

// TestEnvelopes: surfaces are sorted from the inside to the outside.
func TestEnvelopes(t *testing.T) {
	t.Parallel()
	b, s := newBench(t), viewtest.Scene(t, "sphere3")
	both := results.Request{Choice: choice(func(c *results.Choice) { c.App = results.Envelope }), Scene: s, Config: by(t, "hash")}
	got := b.get(both)
	var boxes []float32
	for _, surface := range got.Surfaces {
		boxes = append(boxes, surface.Scene.Bounds().Max[0])
	}
	require.Len(t, boxes, 3)
	require.IsIncreasing(t, boxes)
	require.True(t, got.Translucent())
	require.Equal(t, []string{
		"outer envelope: level 256 at least, 256.0 on average, 0.0 % limited",
		"inner envelope: level 256 at least, 256.0 on average, 0.0 % limited",
		"level 256: moved by 2 % of the scene's size",
	}, got.Words(false))
	want, counts := must.Get2(by(t, "hash").Count(got.Scene.Indices, len(got.Scene.Positions)))
	require.Equal(t, counts, got.Counts)
	require.Equal(t, want.Histogram, got.Stats.Histogram)

	inner := both
	inner.Choice.Side = "inner"
	require.Len(t, b.get(inner).Surfaces, 2)
	require.Equal(t, "inner envelope", b.get(inner).Surfaces[0].Name)

	limited := *got
	limited.Surfaces = []results.Surface{{Name: "inner", Scene: &geometry.Scene{Indices: []uint32{3, 0, 1}}, Levels: []int32{100, 256, 9, 256}}}
	require.Equal(t, "inner: level 100 at least, 204.0 on average, 33.3 % limited", limited.Words(false)[0], "vertex 2 is not referenced")

	// Another strategy keeps the surfaces.
	other := both
	other.Config = by(t, "warp")
	require.Same(t, got.Surfaces[0].Scene, b.get(other).Surfaces[0].Scene)
	require.NotEqual(t, got.Counts, b.get(other).Counts)
}

// TestWalk takes steps one by one and all at once, sorted and unsorted.
func TestWalk(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	walk := func(step, sortEvery int) results.Request {
		return results.Request{Config: by(t, "sort"), Choice: choice(func(c *results.Choice) {
			c.App, c.Agents, c.Grid, c.Step, c.SortEvery = results.Walk, 2000, 16, step, sortEvery
		})}
	}
	var last *results.Result
	for step := range 4 {
		last = b.get(walk(step, 3))
	}
	atOnce := newBench(t).get(walk(3, 3))
	require.Equal(t, atOnce.Cells, last.Cells)
	require.Equal(t, atOnce.Counts, last.Counts)
	unsorted := b.get(walk(3, 0))
	require.Equal(t, unsorted.Cells.Agents, last.Cells.Agents)
	require.Less(t, last.Stats.Invocations, unsorted.Stats.Invocations)
	require.NotEqual(t, newBench(t).get(walk(0, 0)).Stats, newBench(t).get(walk(0, 3)).Stats, "the first sort is at the start")
	sum := uint32(0)
	for _, n := range last.Cells.Agents {
		sum += n
	}
	require.EqualValues(t, 2000, sum)
	require.Equal(t, "2,000 agents on 16 x 16 cells, step 3", last.Words(false)[0])
	require.Len(t, last.Cells.Labels(), 4)
	require.Equal(t, "cell 2, 1", last.Cell(2, 1)[0])
}

// TestRequestsOvertake: a new request cancels the running one, whose result is dropped.
func TestRequestsOvertake(t *testing.T) {
	t.Parallel()
	b, s := newBench(t), viewtest.Scene(t, "sphere5")
	slow := results.Request{Choice: choice(func(c *results.Choice) { c.App, c.Levels = results.Subdivide, 4 }), Scene: s, Config: by(t, "hash")}
	quick := slow
	quick.Choice.Levels = 0
	b.Follow(time.Hour, slow)
	require.Positive(t, b.BusyFor())
	b.Follow(time.Hour, quick)
	require.True(t, b.Busy)
	require.Zero(t, b.BusyFor())
	require.False(t, b.GiveUp(), "it is given up")
	require.NoError(t, b.end())
	require.Nil(t, b.Get(slow))
	require.NotNil(t, b.get(quick))
	b.Follow(time.Hour, quick)
	require.False(t, b.Busy, "it is there")
	b.Forget()
	require.Nil(t, b.Get(quick))
}

// TestTooMuch: a request that takes too much memory is refused, and so are choices out of range.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.Follow(time.Hour, results.Request{Config: by(t, "hash"), Choice: choice(func(c *results.Choice) { c.App, c.Agents = results.Walk, 1<<40 })})
	require.ErrorContains(t, b.end(), "which take about 40 TiB of memory")
	b.Follow(time.Hour, results.Request{Scene: viewtest.Scene(t, "cube"), Config: by(t, "hash"), Choice: choice(func(c *results.Choice) { c.App, c.Levels, c.Drawn = results.Subdivide, 20, true })})
	require.Error(t, b.end())
	for _, change := range []func(*results.Choice){
		func(c *results.Choice) { c.Levels = 5 }, func(c *results.Choice) { c.Percent = 0 }, func(c *results.Choice) { c.Percent = 1e6 }, func(c *results.Choice) { c.Percent = math.NaN() }, func(c *results.Choice) { c.Side = "left" },
		func(c *results.Choice) { c.Agents = 0 }, func(c *results.Choice) { c.Grid = 5000 }, func(c *results.Choice) { c.Step = -1 },
	} {
		require.Error(t, choice(change).Check())
	}
	require.NoError(t, results.Default.Check())
	require.NoError(t, choice(func(c *results.Choice) {
		c.Levels, c.Agents, c.Grid, c.SortEvery, c.Step = results.MaxLevels, walk.MaxAgents, walk.MaxGrid, walk.MaxSteps, walk.MaxSteps
	}).Check())
}
