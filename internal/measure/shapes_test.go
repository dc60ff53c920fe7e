package measure

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shape"
)

// Draws over the same ranges are counted once. Their statistics and sums equal those of counting
// each draw, and the counts are those of one draw per shape.
func TestAnalyzeShapes(t *testing.T) {
	s := &geometry.Scene{Indices: []uint32{0, 1, 2, 2, 1, 3, 0, 2, 4, 4, 2, 5}}
	for i := range 7 {
		s.Draws = append(s.Draws, geometry.Draw{FirstIndex: uint32(i % 2 * 6), IndexCount: 6, VertexOffset: uint32(3 * i), VertexCount: 6})
	}
	for _, name := range reuse.Names() {
		c := must.Get(reuse.Resolve(name, 8, 0))
		want, all := must.Get2(reuse.Analyze(s, c))
		_, wantSums := must.Get2(reuse.Summarize(s, c))
		got, sums, counts := analyzeShapes(s, c)
		require.Equal(t, want, got, name)
		require.Equal(t, wantSums, sums, name)
		require.Equal(t, s.Draws[:2], shape.Scene(s).Draws)
		require.Equal(t, all[:12], counts, name)
	}
	require.Equal(t, 12, shape.Indices(s))
}
