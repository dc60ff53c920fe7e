package gpu

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestMultiAssemblesBesideShading: in the indexed form no barrier lies between multi's passes. In
// the expanded form one does, since the second pass reads what the first has written. The test
// also checks that a repeated pass waits for its previous run.
func TestMultiAssemblesBesideShading(t *testing.T) {
	s := &geometry.Scene{
		Name: "quad", Positions: []mgl32.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, Indices: []uint32{0, 1, 2, 2, 1, 3},
		Draws: []geometry.Draw{{IndexCount: 6, VertexCount: 4, Transform: mgl32.Ident4(), Color: geometry.DefaultColor}},
	}
	require.NoError(t, s.MakeNormals(t.Context()))
	config := resolve(t, "multi", 0, 0)
	for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
		b := newBackend(t)
		p := must.Get(plan.New(renderer.Frame{Scene: s, Reuse: config, Queue: queue, NoRaster: true}, b.Limits()))
		_, err := b.Exec(p, renderer.FitCamera(s.Bounds(), 1), 0)
		require.NoError(t, err)
		r := b.recordings[0]
		setOf := func(pass *plan.Pass) *Set {
			return r.set(b.pipeline(p, pass), pass)
		}
		shade, assemble := setOf(&p.Passes[2]), setOf(&p.Passes[3])
		require.Equal(t, "geometry/multi", shade.pipeline.Name)
		require.Equal(t, queue == renderer.Expanded, waits(t, b.device, shade, assemble), queue)
		require.True(t, waits(t, b.device, shade, shade))
		require.True(t, waits(t, b.device, assemble, assemble))
	}
}

// waits reports whether a dispatch with the second set needs a barrier after one with the first.
func waits(t *testing.T, d *Device, first, second *Set) bool {
	c := newCommands(t, d)
	c.Begin()
	first.use(c)
	c.settle()
	second.use(c)
	needed := false
	for _, x := range c.bufferUses {
		barrier, _ := c.buffers[x.buffer].next(x.use)
		needed = needed || barrier.src != 0
	}
	c.settle()
	require.NoError(t, c.End())
	return needed
}
