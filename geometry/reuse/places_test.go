package reuse

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TestPlacesFitGrids: the vertex queue that docs/embedding.md recommends for claim holds grids of
// any width, row by row, in batches of 384 indices.
func TestPlacesFitGrids(t *testing.T) {
	t.Parallel()
	c := must.Get(Resolve("claim", 32, 384))
	for columns := range uint32(300) {
		columns++
		var indices []uint32
		for v := uint32(0); len(indices) < 20*c.Batch; v++ {
			if v%(columns+1) < columns {
				indices = append(indices, v, v+1, v+columns+1, v+1, v+columns+2, v+columns+1)
			}
		}
		triangles, spilled, unplaced := len(indices)/3, 0, 0
		first := 0
		for _, it := range c.Run(indices) {
			n, end := len(it.Unique), first+len(it.Slots)/3
			if n > end*18/16-first*18/16 {
				spilled += n
			}
			unplaced += max(0, n-112)
			first = end
		}
		require.LessOrEqual(t, spilled, triangles/4, "%d columns", columns)
		require.LessOrEqual(t, unplaced, triangles/4, "%d columns, fused", columns)
	}
}
