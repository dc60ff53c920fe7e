package oracle

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/geometry/vertexformat"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
	"github.com/shadeonce/shadeonce/shaders/module"
)

// TestCustomIndicesBeyondTheEnd reads and writes elements that are not there, in all kinds of
// memory. The first vertex names the last elements, which the others get on each backend.
func TestCustomIndicesBeyondTheEnd(t *testing.T) {
	b := openGPU(t)
	cpu := soft.New()
	defer cpu.Close()
	words := readWords(t, "../shaders/link/testdata/indices.spv")
	m, err := module.Decode(words)
	require.NoError(t, err)
	v, err := m.Vertex("", nil)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(3, 4))
	var values [][]byte
	program := geometry.ShaderProgram{Name: "indices", Code: words, Entry: "main", Inputs: []geometry.ShaderInput{{Location: 0, Attribute: 0}, {Location: 2, Attribute: 1}}}
	for i := range v.Blocks {
		x := &v.Blocks[i]
		content := blockContent(x, random)
		if x.Open {
			content = content[:x.Least()+2*16+7] // three elements and some bytes
		}
		values = append(values, content)
		program.Blocks = append(program.Blocks, geometry.ShaderBlock{Kind: geometry.BlockKind(x.Kind), Set: x.Set, Binding: x.Binding})
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
	f.Reuse, err = reuse.Resolve("naive-index", 0, 0)
	require.NoError(t, err)
	f.NoRaster = true
	f.Shading = shadedBy(&s, program, values)
	want := [4]float32{}
	for i, backend := range []plan.Backend{cpu, b} {
		out, _, err := plan.Render(backend, f, renderer.CountCamera(s.Bounds()), renderer.WantQueues)
		require.NoError(t, err)
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
