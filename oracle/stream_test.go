package oracle

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/meshtest"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/stream"
	"github.com/shadeonce/shadeonce/renderer"
)

// eachConfig calls check for every strategy, lane count, static and dynamic batches, virtual subgroups and, if the device
// has that many lanes, native ones. The list is split into `turns` parts, without -short always into 3; this call does one.
// Short runs split a smaller list, in which each value occurs with some others.
func eachConfig(t *testing.T, b *gpu.Backend, turn, turns int, check func(t *testing.T, c reuse.Config, s renderer.Subgroups)) {
	type way struct {
		reuse.Config
		kind renderer.Subgroups
	}
	var all []way
	for _, strategy := range reuse.Strategies {
		for _, c := range strategy.Variants() {
			all = append(all, way{c, renderer.VirtualSubgroups})
			if c.Strategy.UsesLanes && b.Limits().Native(c.Lanes) {
				all = append(all, way{c, renderer.NativeSubgroups})
			}
		}
	}
	if !testing.Short() {
		turns = 3
	}
	for i, w := range coverEach(all, func(w way) []any { return []any{w.Strategy.Name, w.Lanes, w.Batching, w.kind} }) {
		if i%turns == turn%turns {
			t.Run(w.String()+" "+w.kind.String(), func(t *testing.T) { check(t, w.Config, w.kind) })
		}
	}
}

// onDevice makes a table, for the duration of the test.
func onDevice[T any](t testing.TB, b *gpu.Backend, name plan.Block, data []T) *gpu.Buffer {
	tables := must.Get(stream.NewTables(b, stream.Table(name, data)))
	t.Cleanup(tables.Close)
	return tables[name]
}

// runStream ends a run by a cancelled context, then shades the stream and compares the counts with those of the reference.
func runStream(t *testing.T, b *gpu.Backend, s reuse.Stream, tables stream.Tables, o stream.Options) {
	r := must.Get(stream.NewRun(b, s, tables, o))
	defer r.Close()
	given, giveUp := context.WithCancel(t.Context())
	giveUp()
	_, err := r.Do(given)
	require.ErrorIs(t, err, context.Canceled)
	_, err = r.Do(t.Context())
	require.NoError(t, err)
	st, counts, err := r.Counts()
	require.NoError(t, err)
	compareCounts(t, s, o.Reuse, st, counts)
}

// compareCounts compares counts, and their statistics, with those of the reference.
func compareCounts(t *testing.T, s reuse.Stream, c reuse.Config, st reuse.Stats, counts []uint32) {
	want, wantCounts, err := c.Count(s.Indices, s.IDs)
	require.NoError(t, err)
	require.Equal(t, wantCounts, counts)
	require.Equal(t, want.Invocations, st.Invocations)
	require.Equal(t, want.Batches, st.Batches)
}

// TestStreams runs the example of a shade function with every strategy on streams of several
// shapes: results by id and by corner equal the reference's bit for bit.
func TestStreams(t *testing.T) {
	b := openGPU(t)
	for _, wrong := range []stream.Block{stream.Result[string]("Wrong", 1), stream.Result[uint32]("Right", 1)} {
		_, err := stream.NewTables(b, stream.Result[uint32]("Right", 1), wrong)
		require.ErrorContains(t, err, "table", "and frees the first one, or the validation layer finds it at the end")
	}
	random := rand.New(rand.NewPCG(3, 4))
	for turn, mesh := range []string{"sphere3", "soup", "triangle"} {
		m := meshtest.Mesh(t, mesh)
		edges := must.Get(apps.NewEdges(t.Context(), m))
		singles := make([]uint32, 1000) // single corners in random order
		for i := range singles {
			singles[i] = random.Uint32N(uint32(len(edges.Ends)))
		}
		points := onDevice(t, b, "LengthPoints", m.Positions)
		ends := onDevice(t, b, "LengthEnds", edges.Ends)
		for _, s := range []reuse.Stream{
			{Name: "edges", Indices: edges.Triangles, IDs: len(edges.Ends)},
			{Name: "singles", Indices: reuse.Triples(singles), IDs: len(edges.Ends)},
		} {
			squared := func(e uint32) float32 {
				d := m.Positions[edges.Ends[e][0]].Sub(m.Positions[edges.Ends[e][1]])
				return float32(float32(d[0]*d[0])+float32(d[1]*d[1])) + float32(d[2]*d[2])
			}
			eachConfig(t, b, turn, 3, func(t *testing.T, c reuse.Config, kind renderer.Subgroups) {
				byID, byCorner := onDevice(t, b, "EdgeLengths", make([]float32, s.IDs)), onDevice(t, b, "CornerLengths", make([]float32, len(s.Indices)))
				tables := stream.Tables{"LengthPoints": points, "LengthEnds": ends, "EdgeLengths": byID, "CornerLengths": byCorner}
				runStream(t, b, s, tables, stream.Options{Function: plan.Function{Name: "length", Reuse: c, Subgroups: kind, Held: 4}})
				ids := must.Get(gpu.Download[float32](b.GPU(), byID, s.IDs))
				corners := must.Get(gpu.Download[float32](b.GPU(), byCorner, len(s.Indices)))
				for k, id := range s.Indices {
					require.Equal(t, squared(id), corners[k])
					require.Equal(t, squared(id), ids[id])
				}
			})
		}
	}
}
