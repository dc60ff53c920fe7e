package oracle

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/envelope"
	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/meshtest"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/stream"
	"github.com/shadeonce/shadeonce/internal/shaders"
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
	must.Get(r.Do(t.Context()))
	st, counts := must.Get2(r.Counts())
	compareCounts(t, s, o.Reuse, st, counts)
}

// compareCounts compares counts, and their statistics, with those of the reference.
func compareCounts(t *testing.T, s reuse.Stream, c reuse.Config, st reuse.Stats, counts []uint32) {
	want, wantCounts := must.Get2(c.Count(s.Indices, s.IDs))
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

// envelopeOnDevice makes an envelope's tables on a device, and frees them after the test.
func envelopeOnDevice(t *testing.T, b *gpu.Backend, mesh string, side envelope.Side, percent float64) (*envelope.Envelope, *envelope.Device) {
	e := must.Get(envelope.New(t.Context(), meshtest.Mesh(t, mesh), side, percent))
	device := must.Get(envelope.NewDevice(b, e))
	t.Cleanup(device.Close)
	return e, device
}

// envelopeBy shades an envelope on a device and compares the counts with the reference's.
func envelopeBy(t *testing.T, e *envelope.Envelope, device *envelope.Device, o stream.Options) []envelope.Shaded {
	made := must.Get(device.ShadeBy(t.Context(), o))
	compareCounts(t, e.Stream(), o.Reuse, made.Stats, made.Counts)
	return made.Vertices
}

// TestEnvelopes makes envelopes with every strategy: positions and levels equal the reference's bit for bit. One
// mesh has intersecting triangles, two have triangles with three common vertices, and one has unreferenced vertices.
func TestEnvelopes(t *testing.T) {
	b := openGPU(t)
	for turn, c := range []struct {
		mesh    string
		side    envelope.Side
		percent float64
	}{{"sphere2", envelope.Outer, 2}, {"terrain4", envelope.Inner, 30}, {"soup", envelope.Outer, 2}, {"triangle", envelope.Outer, 2}} {
		e, device := envelopeOnDevice(t, b, c.mesh, c.side, c.percent)
		want := must.Get(e.Shade(t.Context()))
		eachConfig(t, b, turn, 4, func(t *testing.T, c reuse.Config, kind renderer.Subgroups) {
			require.Equal(t, want, envelopeBy(t, e, device, device.Options(c, kind)))
		})
	}
}

// TestPapersEnvelope makes the paper's envelope, the outer one of 2 %, with every strategy.
func TestPapersEnvelope(t *testing.T) {
	scene := must.Get(assets.Make("sphere2"))
	rows := must.Get(envelope.Paper(t.Context(), openGPU(t), measure.Subject{File: "sphere2", Order: "original", Scene: scene}))
	require.Len(t, rows, len(reuse.Strategies))
	for _, r := range rows {
		require.Equal(t, []string{"outer", "sphere2"}, []string{r.Part, r.File})
		require.Positive(t, r.Milliseconds)
	}
}

// TestEnvelopeOutOfRounds: if the device runs out of loop iterations, as Mesa's CPU driver does,
// the host finishes with the exact result.
func TestEnvelopeOutOfRounds(t *testing.T) {
	b := openGPU(t)
	e, device := envelopeOnDevice(t, b, "sphere2", envelope.Outer, 2)
	want := must.Get(e.Shade(t.Context()))
	claim := must.Get(reuse.Params{}.Resolve("claim"))
	o := device.Options(claim, renderer.AutoSubgroups)
	for _, rounds := range []uint32{o.Spec["ENVELOPE_ROUNDS"], 1000} {
		o.Spec["ENVELOPE_ROUNDS"] = rounds
		require.Equal(t, want, envelopeBy(t, e, device, o))
		results := must.Get(gpu.Download[shaders.EnvelopeResult](b.GPU(), device.Tables["EnvelopeMoved"], len(want)))
		given := slices.ContainsFunc(results, func(r shaders.EnvelopeResult) bool { return r.Moved[3] < 0 })
		require.Equal(t, rounds == 1000, given, "%d rounds", rounds)
	}
}

// TestEnvelopesOfOthers compares the device's positions and levels of further meshes with the reference's, and the levels'
// checksum with the published one if there is one.
func TestEnvelopesOfOthers(t *testing.T) {
	b := openGPU(t)
	claim := must.Get(reuse.Params{}.Resolve("claim"))
	for _, c := range []struct {
		mesh string
		side envelope.Side
		sum  string // empty if none is published
		long bool
	}{
		{"spot.obj", envelope.Outer, "bfab37ffc8c32dc8", false},
		{"suzanne.obj", envelope.Inner, "", false},
		{"sphere4", envelope.Outer, "", true},
		{"spot.obj", envelope.Inner, "619bce0e369731d8", true},
		{"kitten.obj", envelope.Outer, "", true},
		{"camelhead.off.zst", envelope.Inner, "", true},
		{"bun_zipper.ply", envelope.Outer, "e0c8cd7f63931d9f", true},
	} {
		t.Run(fmt.Sprint(c.mesh, " ", c.side), func(t *testing.T) {
			if c.long && testing.Short() {
				t.Skip("takes seconds: left out of short runs")
			}
			e, device := envelopeOnDevice(t, b, c.mesh, c.side, 2)
			want := must.Get(e.Shade(t.Context()))
			got := envelopeBy(t, e, device, device.Options(claim, renderer.AutoSubgroups))
			require.True(t, len(want) == len(got))
			for v := range want {
				require.True(t, want[v] == got[v], "vertex %d: %v, not %v", v, got[v], want[v])
			}
			if c.sum != "" {
				require.Equal(t, c.sum, fmt.Sprintf("%016x", e.Sum(got)))
			}
		})
	}
}

// loopLevel returns a level of a mesh, and the refined mesh.
func loopLevel(t *testing.T, m *apps.Mesh) (*subdivide.Level, *apps.Mesh) {
	level := must.Get(subdivide.NewLevel(t.Context(), m))
	fine := must.Get(level.Refine(t.Context()))
	return level, fine
}

// TestLoop refines meshes with every strategy; its modes and the meshes take turns. Vertices equal the reference's bit for
// bit, and so do the counts of both streams. The soup has sharp edges of one, three and more triangles.
func TestLoop(t *testing.T) {
	b := openGPU(t)
	for turn, name := range []string{"sphere3", "soup", "grid8"} {
		level, fine := loopLevel(t, meshtest.Mesh(t, name))
		loop := must.Get(subdivide.NewDevice(b, level))
		defer loop.Close()
		eachConfig(t, b, turn, 3, func(t *testing.T, c reuse.Config, kind renderer.Subgroups) {
			r := must.Get(loop.RefineBy(t.Context(), c, kind))
			require.NoError(t, r.Check(level, c, fine.Positions))
			require.Positive(t, r.Cutting)
		})
	}
}

// TestLoopFigures refines meshes twice with every strategy; the results must have the hashes, if known, that two other
// programs give.
func TestLoopFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("half a million triangles")
	}
	b := openGPU(t)
	for name, hashes := range map[string][]string{
		"sphere4":  {"ff35999d60552afa", "0e9a66039637466e"},
		"spot.obj": {"d65de0d1f0b582d6", "e9ded3f79116171d"}, "kitten.obj": {"", "9f3522f7a9c214b5"},
	} {
		for _, strategy := range reuse.Names() {
			c := resolve(t, strategy, 0, 0)
			m := meshtest.Mesh(t, name)
			for n, hash := range hashes {
				level, fine := loopLevel(t, m)
				limits := b.Limits()
				require.NoError(t, level.Fits(&limits, n+1, len(hashes)))
				loop := must.Get(subdivide.NewDevice(b, level))
				r, err := loop.RefineBy(t.Context(), c, renderer.AutoSubgroups)
				loop.Close()
				require.NoError(t, err)
				require.NoError(t, r.Check(level, c, fine.Positions))
				m = must.Get(level.Refined(t.Context(), r.Positions))
				if hash != "" {
					require.Equal(t, hash, m.Sum(), "%s, level %d, %s", name, n+1, c)
				}
			}
		}
	}
}

// TestLoopCheckFails: the comparison finds one wrong bit of a vertex, and one wrong count.
func TestLoopCheckFails(t *testing.T) {
	b := openGPU(t)
	level, fine := loopLevel(t, meshtest.Mesh(t, "cube"))
	loop := must.Get(subdivide.NewDevice(b, level))
	defer loop.Close()
	c := resolve(t, "hash", 0, 0)
	r := must.Get(loop.RefineBy(t.Context(), c, renderer.AutoSubgroups))
	require.NoError(t, r.Check(level, c, fine.Positions))
	r.PerEdge[3]++
	require.ErrorContains(t, r.Check(level, c, fine.Positions), "did not shade edges as often")
	r.Positions[5][1] *= 1.0000002
	require.ErrorContains(t, r.Check(level, c, fine.Positions), "the vertices are not the reference's")
}
