package reuse

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
)

// TestClaimMultiplier: for grids of any width it finds a factor with which hardly any batch needs
// a second round.
func TestClaimMultiplier(t *testing.T) {
	c := must.Get(Resolve("claim", 32, 0))
	for _, wide := range []uint32{100, 256, 257, 1024, 1025, 1898} {
		s := indextest.Scene(indextest.Grid(wide-1, 199, 4))
		factor := claimMultiplier(SampleBatches(s, c), c)
		require.Equal(t, uint32(1), factor&1, "odd")
		require.Equal(t, factor, claimMultiplier(SampleBatches(s, c), c), "the same each time")
		sample := SampleBatches(s, c)
		require.Len(t, sample, sampledBatches)
		entries := uint32(claimTable(c))
		require.LessOrEqual(t, claimLosers(sample, entries, factor), claimLosers(sample, entries, goldenMultiplier))
		require.Less(t, claimLosers(sample, entries, factor), sampledBatches*32/4, "%d wide: fewer than a quarter of the batches", wide)
	}
}

// TestClaimLosers counts by hand: two ids that differ by the table's size collide with the factor
// that keeps neighbours together, and with no other.
func TestClaimLosers(t *testing.T) {
	together := uint32(1<<31/256) | 1
	require.Zero(t, claimLosers([][]uint32{{0, 1, 2, 2, 1, 0}}, 256, together))
	require.Equal(t, 32+2, claimLosers([][]uint32{{0, 256, 256}}, 256, together))
	require.Zero(t, claimLosers([][]uint32{{0, 256, 256}}, 256, goldenMultiplier))
}

func TestSampleBatchesOfSmallScenes(t *testing.T) {
	c := must.Get(Resolve("claim", 4, 0))
	s := &geometry.Scene{Positions: make([]mgl32.Vec3, 3), Indices: []uint32{0, 1, 2, 2, 1, 0}}
	for _, n := range []uint32{0, 3, 0, 6} {
		s.Draws = append(s.Draws, geometry.Draw{IndexCount: n, VertexCount: 3})
	}
	for _, batch := range SampleBatches(s, c) {
		require.NotEmpty(t, batch)
		require.Zero(t, len(batch)%3)
	}
	require.NotEmpty(t, SampleBatches(s, c))
	require.Equal(t, uint32(1), claimMultiplier(SampleBatches(s, c), c)&1)
}
