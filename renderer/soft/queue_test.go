package soft

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestCountsEqualTheReference(t *testing.T) {
	for _, s := range []*geometry.Scene{balls(9), ball(17, true)} {
		for _, name := range reuse.Names() {
			for _, lanes := range reuse.LaneCounts {
				for _, budget := range []int64{0, 28 << 10} {
					f := frameOf(t, s, name, lanes, renderer.Counts)
					f.QueueBudget = budget
					wantStats, wantCounts := must.Get2(reuse.Analyze(s, f.Reuse))
					got, p := render(t, New(), f)
					require.Equal(t, wantCounts, got.Counts)
					require.Equal(t, wantStats, got.Stats)
					require.Equal(t, budget != 0 && !f.Reuse.Strategy.WholeDraws, len(p.Chunks) > 1)
				}
			}
		}
	}
}

func TestQueuesHoldTheStream(t *testing.T) {
	s := balls(7)
	f := frameOf(t, s, "naive", 4, renderer.Counts)
	f.Queue = renderer.Expanded
	want, _ := render(t, New(), f)
	require.Len(t, want.Queues.Positions, s.IndexStreamLen())
	for _, name := range reuse.Names() {
		f := frameOf(t, s, name, 32, renderer.Counts)
		got, _ := render(t, New(), f)
		if f.Reuse.Strategy.WholeDraws {
			require.Len(t, got.Queues.Corners, s.IndexStreamLen())
		} else {
			require.Len(t, got.Queues.Triangles, s.Triangles())
		}
		require.Len(t, got.Queues.Positions, got.Stats.Invocations)
		for k := range s.IndexStreamLen() {
			v := got.Queues.Corner(renderer.Indexed, k/3, k%3)
			if name == "naive" {
				require.Equal(t, k, v, "naive has no holes")
			}
			require.Equal(t, want.Queues.Positions[k], got.Queues.Positions[v])
			require.Equal(t, want.Queues.Attributes[k], got.Queues.Attributes[v])
		}
	}
}

func shrink(p *plan.Plan, vertices, triangles int) {
	p.VertexCapacity, p.TriangleCapacity = min(p.VertexCapacity, vertices), min(p.TriangleCapacity, triangles)
	for i := range p.Passes {
		if op, ok := p.Passes[i].Op.(*plan.Dispatch); ok {
			op.Push.VertexCapacity, op.Push.TriangleCapacity = uint32(p.VertexCapacity), uint32(p.TriangleCapacity)
		}
	}
}

func TestOverflowStatesTheNeed(t *testing.T) {
	s := balls(11)
	for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
		for _, name := range reuse.Names() {
			f := frameOf(t, s, name, 8, renderer.Shaded)
			if f.Reuse.Strategy.WholeDraws {
				continue // its queues are exact, and no shader checks their sizes: see TestWholeDrawsPlan
			}
			f.Queue = queue
			stats, _ := must.Get2(reuse.Analyze(s, f.Reuse))
			need := s.IndexStreamLen()
			if queue == renderer.Indexed {
				need = stats.Invocations
			}
			exec := func(vertices, triangles int) error {
				p := must.Get(plan.New(f, New().Limits()))
				shrink(p, vertices, triangles)
				_, err := New().Exec(p, fit(f), wantAll)
				return err
			}
			f.VertexShare = 1
			require.NoError(t, exec(need, s.Triangles()))
			for _, have := range []int{need - 1, need / 2, 1} {
				require.Equal(t, &renderer.OverflowError{Stage: renderer.VertexQueue, Need: need, Have: have}, exec(have, s.Triangles()))
			}
			require.Equal(t, &renderer.OverflowError{Stage: renderer.TriangleQueue, Need: s.Triangles(), Have: 100},
				exec(need, 100))
		}
	}
}

func TestOverflowOfTheWorstChunkIsReported(t *testing.T) {
	f := frameOf(t, ball(30, true), "warp", 32, renderer.Shaded)
	f.QueueBudget, f.VertexShare = 24<<10, 0.1
	p := must.Get(plan.New(f, New().Limits()))
	require.Greater(t, len(p.Chunks), 1)
	need := 0
	for _, c := range p.Chunks {
		sum := 0
		for _, b := range p.Batches[c.FirstBatch : c.FirstBatch+c.BatchCount] {
			f.Reuse.Strategy.Reference(f.Reuse, f.Scene.Indices[b.FirstIndex:b.FirstIndex+b.IndexCount], func(it *reuse.Iteration) { sum += len(it.Unique) })
		}
		need = max(need, sum)
	}
	_, err := New().Exec(p, fit(f), wantAll)
	require.Equal(t, &renderer.OverflowError{Stage: renderer.VertexQueue, Need: need, Have: p.VertexCapacity}, err)
}

func TestRenderPlansAgain(t *testing.T) {
	for _, view := range []renderer.View{renderer.Counts, renderer.Shaded} {
		f := frameOf(t, ball(40, true), "warp", 32, view)
		want, _ := render(t, New(), f)
		f.QueueBudget, f.VertexShare = 48<<10, 0.2
		p := must.Get(plan.New(f, New().Limits()))
		_, err := New().Exec(p, fit(f), 0)
		var overflow *renderer.OverflowError
		require.ErrorAs(t, err, &overflow)
		got, p := render(t, New(), f)
		require.Greater(t, len(p.Chunks), 1)
		samePicture(t, want, got, view.String())
		require.Equal(t, want.Counts, got.Counts)
		require.Equal(t, want.Stats, got.Stats)
	}
}

// checkMemory refuses a plan that does not fit the memory, and says so if its strategy keeps all vertices.
func TestMemoryIsChecked(t *testing.T) {
	t.Parallel()
	c := must.Get(reuse.Resolve("multi", 8, 0))
	p := &plan.Plan{VertexCapacity: 1 << 40, Frame: renderer.Frame{Scene: &geometry.Scene{}, Reuse: c}}
	if bytesize.FreeMemory() == 0 {
		t.Skip("the system does not say what memory it has free")
	}
	err := checkMemory(p)
	require.True(t, renderer.DoesNotFit(err), "%v", err)
	require.ErrorContains(t, err, "24 TiB of memory")
	require.ErrorContains(t, err, "strategy multi keeps the vertices of all draws in memory, other strategies do not")
	p.VertexCapacity = 1000
	require.NoError(t, checkMemory(p))
}

// If misses returns true for a triangle, addSeen adds nothing for it.
func TestMissedTriangles(t *testing.T) {
	t.Parallel()
	const n = 4000
	r := rand.New(rand.NewPCG(3, 4))
	q := &renderer.Queues{Positions: make([][4]float32, 3*n), Attributes: make([][2]uint32, 3*n)}
	for i := range n {
		w := 2 * r.Float32()
		x, y, z := 3*r.Float32()-1.5, 3*r.Float32()-1.5, 1.2*r.Float32()
		for c := range 3 {
			q.Positions[3*i+c] = [4]float32{(x + .03*r.Float32()) * w, (y + .03*r.Float32()) * w, z * w, w}
		}
	}
	s := setup{source: source{queues: q, form: renderer.Expanded, look: look{view: renderer.Shaded}}, width: 100, height: 50, guard: newGuardBand(100, 50)}
	missed := 0
	for i := range n {
		before := len(s.triangles)
		s.addSeen(i)
		if s.misses(i) {
			missed++
			require.Len(t, s.triangles, before, "triangle %d", i)
		}
	}
	require.Greater(t, missed, n/10)
	require.Greater(t, len(s.triangles), n/100)
}
