package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
)

// TestWindowsTellVertexOffsetsApart: draws of one window that share their indices, but have other
// vertex offsets or fewer vertices, each get their own vertices.
func TestWindowsTellVertexOffsetsApart(t *testing.T) {
	s := scattered(rand.New(rand.NewPCG(3, 4)))
	first := s.Draws[1] // 5,000 triangles over 2,600 vertices
	first.IndexCount = 3 * 100
	for i := range 60 {
		first.VertexOffset = uint32(100 + 3000*(i%5))
		part := first
		part.IndexCount -= uint32(3 * (i % 50)) // without its last triangles
		s.Draws = append(s.Draws, part, first)
	}
	f := windowFrame(t, s, reuse.StaticBatching)
	whole := made(t)(New(f, testLimits))
	f.DeviceBudget = budgets(s, f)[2]
	p := made(t)(New(f, testLimits))
	require.True(t, p.Gathered)

	var data WindowData
	batch, together := 0, 0
	for w := range p.Windows {
		offsets := map[uint32]bool{} // of whole draws with the shared indices
		for _, piece := range p.Windows[w].Pieces {
			if d := &s.Draws[piece.Draw]; d.FirstIndex == first.FirstIndex && piece.First == 0 && piece.Count == first.IndexCount {
				offsets[d.VertexOffset] = true
			}
		}
		together = max(together, len(offsets))
		data.Fill(p, w)
		checkWindow(t, p, &data, whole.Batches[batch:batch+len(data.Batches)])
		batch += len(data.Batches)
	}
	require.Greater(t, together, 1, "no window has draws of one range of indices at several offsets")
}
