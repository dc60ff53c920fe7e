package reuse

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TestPlacesFitGrids: the sizes that docs/embedding.md recommends for claim's vertex queue and for
// spilled vertices hold grids of any width and length, row by row.
func TestPlacesFitGrids(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ lanes, batch, longest int }{{32, 384, 2560}, {32, 768, 1024}, {32, 30, 256}, {8, 240, 400}, {4, 120, 256}} {
		c := must.Get(Resolve("claim", size.lanes, size.batch))
		places := max(18, 16+(240+c.Batch-1)/c.Batch)
		for columns := range uint32(300) {
			for _, triangles := range []int{size.longest, 2 + int(columns), 130} {
				checkPlaces(t, c, places, columns+1, triangles)
			}
		}
	}
}

// checkPlaces requires that a grid fits. Reserved places are rounded down, wherever a draw begins.
func checkPlaces(t *testing.T, c Config, places int, columns uint32, triangles int) {
	var indices []uint32
	for v := uint32(0); len(indices) < 3*triangles; v++ {
		if v%(columns+1) < columns {
			indices = append(indices, v, v+1, v+columns+1, v+1, v+columns+2, v+columns+1)
		}
	}
	behind, spilled, batches := 0, 0, 0
	for _, it := range c.Run(indices[:3*triangles]) {
		if n := len(it.Unique); n > len(it.Slots)/3*places/16 {
			behind += n
		}
		spilled += max(0, len(it.Unique)-112*c.Lanes/32)
		batches++
	}
	require.LessOrEqual(t, behind, triangles/4+48, "%d columns, %d triangles, batches of %d", columns, triangles, c.Batch)
	room := max(triangles/4, batches*(c.Batch/3+4-112*c.Lanes/32)) + 48
	require.LessOrEqual(t, spilled, room, "%d columns, %d triangles, batches of %d, %d lanes, fused", columns, triangles, c.Batch, c.Lanes)
}
