package oracle

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/apps/meshtest"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/stream"
)

// eachConfig calls check for strategies at all lane counts, in static and dynamic
// batches, on virtual subgroups and, where the device has such lanes, native ones: for
// a third of them, so that three turns take all. In a short run as many as have every
// strategy, lane count, kind of batches and kind of subgroups among them are dealt out to
// all turns.
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

// onDevice makes a table that lives as long as the test.
func onDevice[T any](t testing.TB, b *gpu.Backend, name string, data []T) *gpu.Buffer {
	t.Helper()
	buffer, err := stream.NewTable(b, name, data)
	require.NoError(t, err)
	t.Cleanup(buffer.Close)
	return buffer
}

// runStream shades a stream and holds the counts against those of the reference.
func runStream(t *testing.T, b *gpu.Backend, s apps.Stream, tables map[string]*gpu.Buffer, arguments [4]uint32, o stream.Options) {
	t.Helper()
	r, err := stream.NewRun(b, s, tables, arguments, o)
	require.NoError(t, err)
	defer r.Close()
	_, err = r.Do(t.Context())
	require.NoError(t, err)
	st, counts, err := r.Counts()
	require.NoError(t, err)
	want, wantCounts := o.Reuse.Count(s.Indices, s.IDs)
	require.Equal(t, wantCounts, counts)
	require.Equal(t, want.Invocations, st.Invocations)
	require.Equal(t, want.Batches, st.Batches)
}

// TestStreams runs the example of a shade function by every strategy on streams of
// several shapes: results by id and by corner have the reference's bits.
func TestStreams(t *testing.T) {
	b := openGPU(t)
	random := rand.New(rand.NewPCG(3, 4))
	for turn, mesh := range []string{"sphere3", "soup", "triangle"} {
		m := meshtest.Mesh(t, mesh)
		edges, err := apps.NewEdges(t.Context(), m)
		require.NoError(t, err)
		singles := make([]uint32, 1000) // of single corners, in no order
		for i := range singles {
			singles[i] = random.Uint32N(uint32(len(edges.Ends)))
		}
		points := onDevice(t, b, "LengthPoints", m.Positions)
		ends := onDevice(t, b, "LengthEnds", edges.Ends)
		for _, s := range []apps.Stream{
			{Name: "edges", Indices: edges.Triangles, IDs: len(edges.Ends)},
			{Name: "singles", Indices: apps.Triples(singles), IDs: len(edges.Ends)},
		} {
			squared := func(e uint32) float32 {
				d := m.Positions[edges.Ends[e][0]].Sub(m.Positions[edges.Ends[e][1]])
				return float32(float32(d[0]*d[0])+float32(d[1]*d[1])) + float32(d[2]*d[2])
			}
			eachConfig(t, b, turn, 3, func(t *testing.T, c reuse.Config, kind renderer.Subgroups) {
				byID, byCorner := onDevice(t, b, "EdgeLengths", make([]float32, s.IDs)), onDevice(t, b, "CornerLengths", make([]float32, len(s.Indices)))
				tables := map[string]*gpu.Buffer{"LengthPoints": points, "LengthEnds": ends, "EdgeLengths": byID, "CornerLengths": byCorner}
				runStream(t, b, s, tables, [4]uint32{}, stream.Options{Function: "length", Reuse: c, Subgroups: kind, Held: 4})
				ids, err := gpu.Download[float32](b.GPU(), byID, s.IDs)
				require.NoError(t, err)
				corners, err := gpu.Download[float32](b.GPU(), byCorner, len(s.Indices))
				require.NoError(t, err)
				for k, id := range s.Indices {
					require.Equal(t, squared(id), corners[k])
					require.Equal(t, squared(id), ids[id])
				}
			})
		}
	}
}
