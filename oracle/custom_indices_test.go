package oracle

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// TestCustomIndicesBeyondTheEnd reads and writes elements that do not exist, in all kinds of memory. Indices are
// clamped: the first vertex has the indices of the last elements, and the other vertices must give the same result.
func TestCustomIndicesBeyondTheEnd(t *testing.T) {
	b, cpu := backends(t)
	v := readVertex(t, "../internal/spirv/link/testdata/indices.spv", nil)
	random := rand.New(rand.NewPCG(3, 4))
	var values [][]byte
	program := link.Program{Name: "indices", Vertex: v, Inputs: []link.Input{{Location: 0, Attribute: 0}, {Location: 2, Attribute: 1}}}
	for i := range v.Blocks {
		x := &v.Blocks[i]
		content := blockContent(x, random)
		if x.Open {
			content = content[:x.Least()+2*16+7] // three elements and some bytes
		}
		values = append(values, content)
	}
	s := *asset(t, "cube")
	at := geometry.Attribute{Format: vertexformat.Array(4, 32, "SINT")}
	for i := range s.Positions {
		for k, last := range []uint32{2, 3, 3, 6} {
			if i > 0 {
				last += []uint32{1, 2, 1 << 16, 1 << 28, 1<<31 - 8, 1 << 31, 1<<32 - 1<<20, 1<<32 - 7}[(i+3*k)%8]
			}
			at.Data = binary.LittleEndian.AppendUint32(at.Data, last)
		}
	}
	s.Attributes = []geometry.Attribute{{Format: vertexformat.R32G32B32_SFLOAT, PerDraw: true, Data: make([]byte, 12*len(s.Draws))}, at}
	f := pictureFrame(t, &s, renderer.NoView)
	c := resolve(t, "naive-index", 0, 0)
	f.Reuse = c
	f.NoRaster = true
	f.Shading = shadedBy(&s, program, values)
	want := [4]float32{}
	for i, backend := range []plan.Backend{cpu, b} {
		out, _ := render(t, backend, f, renderer.CountCamera(s.Bounds()), renderer.WantQueues)
		if i == 0 {
			want = out.Queues.Positions[out.Queues.Corner(f.Queue, 0, 0)]
		}
		for triangle := range s.Triangles() {
			for corner := range 3 {
				require.Equal(t, want, out.Queues.Positions[out.Queues.Corner(f.Queue, triangle, corner)], "backend %d, vertex %d", i, s.Indices[3*triangle+corner])
			}
		}
	}
	require.NotZero(t, want)
}
