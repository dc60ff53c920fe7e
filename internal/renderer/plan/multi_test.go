package plan

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

func wholeDrawsPlan(t testing.TB, change func(*renderer.Frame)) *Plan {
	f := frame(t, 5000, "multi", 0)
	f.Scene.Draws = append(f.Scene.Draws, f.Scene.Draws[0])
	change(&f)
	p := made(t)(New(f, testLimits))
	return p
}

// TestWholeDrawsPlan: one chunk at every budget, batches that cover all
// triangles and all vertices once, and queues that are exactly large enough.
func TestWholeDrawsPlan(t *testing.T) {
	for _, budget := range []int64{0, 1} {
		for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
			p := wholeDrawsPlan(t, func(f *renderer.Frame) { f.QueueBudget, f.Queue, f.VertexShare = budget, queue, 0.1 })
			const vertices, triangles = 2 * 5002, 2 * 5000
			require.Len(t, p.Chunks, 1)
			shade, assemble := p.Passes[2], p.Passes[3]
			require.Equal(t, "geometry:multi", shade.Name)
			require.Equal(t, "geometry:multi-assemble", assemble.Name)
			require.Equal(t, len(p.Batches), int(pushOf(shade).BatchCount+pushOf(assemble).BatchCount))

			triangle := uint32(0)
			for _, b := range batchesOf(p, assemble) {
				require.Equal(t, triangle, b.FirstTriangle)
				triangle += b.IndexCount / 3
			}
			require.Equal(t, uint32(triangles), triangle)
			next := make([]uint32, len(p.Frame.Scene.Draws))
			for _, b := range batchesOf(p, shade) {
				require.Equal(t, next[b.Draw], b.FirstIndex)
				next[b.Draw] += b.IndexCount
			}
			require.Equal(t, []uint32{5002, 5002}, next)

			bytes := func(b Block) int { return int(p.Buffer(b).Bytes) }
			if queue == renderer.Indexed {
				require.Equal(t, vertices, p.VertexCapacity)
				require.Equal(t, 12*triangles, bytes("Corners"))
				require.Equal(t, 16, bytes("ScratchPositions"), "one element, to be bound")
			} else {
				require.Equal(t, 3*triangles, p.VertexCapacity)
				require.Equal(t, 16*vertices, bytes("ScratchPositions"))
				require.Equal(t, 8*vertices, bytes("ScratchAttributes"))
			}
			require.Equal(t, 16*p.VertexCapacity, bytes("VertexPositions"))
			require.Equal(t, 8, bytes("Triangles"))
		}
	}
}

func batchesOf(p *Plan, pass Pass) []reuse.Batch {
	push := pushOf(pass)
	return p.Batches[push.FirstBatch : push.FirstBatch+push.BatchCount]
}

// TestWholeDrawsPassesSayWhatTheyTouch: in the indexed form neither pass waits for the other. In both forms
// they declare writes to everything that their shaders can write in that form.
func TestWholeDrawsPassesSayWhatTheyTouch(t *testing.T) {
	for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
		p := wholeDrawsPlan(t, func(f *renderer.Frame) { f.Queue = queue })
		shade, assemble := p.Passes[2], p.Passes[3]
		require.Equal(t, queue == renderer.Expanded, conflict([]Pass{shade, assemble}) != NoBuffer)
		for _, pass := range []Pass{shade, assemble} {
			checkUses(t, &pass)
			shader := must.Get(shaders.Find(pass.Pipeline().Shaders[0]))
			for _, b := range shader.Bindings {
				if b.ReadOnly || b.Uniform || slices.Contains(touching(p, pass, Write), b.Name) {
					continue
				}
				// Only multi has outputs that one form of the queue writes and the other does not.
				require.Equal(t, "geometry/multi", shader.Name)
			}
		}
	}
}

func TestWholeDrawsThatDoNotFitAreRefused(t *testing.T) {
	l := testLimits
	l.MaxBufferBytes = 100 << 10
	_, err := New(frame(t, 8000, "multi", 0), l)
	require.EqualError(t, err, "buffer VertexPositions needs 125 KiB (8002 x vec4 posClip), the device binds at most 100 KiB; multi takes the whole scene at once, the other strategies take it in windows")
}

// TestUnreferencedVerticesHaveAPlace: the queue has a slot for every vertex in the draws' ranges,
// whether or not an index names it.
func TestUnreferencedVerticesHaveAPlace(t *testing.T) {
	p := wholeDrawsPlan(t, func(f *renderer.Frame) {
		f.Scene.Draws = []geometry.Draw{f.Scene.Draws[0]}
		f.Scene.Draws[0].IndexCount = 3
	})
	require.Equal(t, 5002, p.VertexCapacity)
	require.Equal(t, 1, p.TriangleCapacity)
}
