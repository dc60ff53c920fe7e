package oracle

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps/envelope"
	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/meshtest"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/stream"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// envelopeOnDevice makes an envelope's tables on a device, and frees them after the test.
func envelopeOnDevice(t *testing.T, b *gpu.Backend, mesh string, side envelope.Side, percent float64) (*envelope.Envelope, *envelope.Device) {
	e := must.Get(envelope.New(t.Context(), meshtest.Mesh(t, mesh), side, percent))
	device := must.Get(envelope.NewDevice(b, e))
	t.Cleanup(device.Close)
	return e, device
}

// envelopeBy shades an envelope on a device and compares the counts with the reference's.
func envelopeBy(t *testing.T, e *envelope.Envelope, device *envelope.Device, o stream.Options) []envelope.Shaded {
	made, err := device.ShadeBy(t.Context(), o)
	require.NoError(t, err)
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
	rows, err := envelope.Paper(t.Context(), openGPU(t), measure.Subject{File: "sphere2", Order: "original", Scene: scene})
	require.NoError(t, err)
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
