package oracle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestSpills: batches that shade more vertices than they have fixed slots spill the rest. If spill
// space runs out, the frame is planned again.
func TestSpills(t *testing.T) {
	b := openGPU(t)
	c := resolve(t, "claim", 8, 0)
	s := asset(t, "terrain96")
	// Every sixtieth batch has vertices from all over the mesh.
	mixed := shuffled(s)
	for i := range len(s.Indices) / c.Batch {
		if i%60 != 3 {
			copy(mixed.Indices[i*c.Batch:(i+1)*c.Batch], s.Indices[i*c.Batch:(i+1)*c.Batch])
		}
	}
	camera := renderer.FitCamera(s.Bounds(), 1)
	const want = renderer.WantColor | renderer.WantCounts | renderer.WantDepth
	for _, budget := range []int64{0, 200 << 10} {
		f := renderer.Frame{Scene: mixed, Reuse: c, Raster: renderer.ComputeRaster, View: renderer.Shaded, Width: 128, Height: 128, QueueBudget: budget}
		f.VertexShare = 1
		whole, p := render(t, b, f, camera, want)
		require.Equal(t, 3*p.Chunks[0].TriangleCount, p.SpillFirst(0))
		_, counts := must.Get2(reuse.Analyze(mixed, c))
		require.Equal(t, counts, whole.Counts)
		worst := p.VertexCapacity

		overflows := 0
		for _, share := range []float64{0.7, 0.5, 0.4, 0.3, 0.1, 0} {
			f.VertexShare = share
			p := planned(t, b, f)
			if share == 0.5 {
				require.Less(t, p.SpillFirst(0), 2*p.Chunks[0].TriangleCount)
				require.Less(t, p.VertexCapacity, worst)
			}
			_, err := b.Exec(p, camera, 0)
			if err != nil {
				var overflow *renderer.OverflowError
				require.ErrorAs(t, err, &overflow)
				require.Greater(t, overflow.Need, overflow.Have)
				overflows++
			}
			out, _ := render(t, b, f, camera, want)
			require.Equal(t, whole.Counts, out.Counts)
			require.Equal(t, whole.Color.Pix, out.Color.Pix)
			require.Equal(t, whole.Depth, out.Depth)
		}
		require.NotZero(t, overflows)
		require.Less(t, overflows, 6)
	}
}
