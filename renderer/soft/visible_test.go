package soft

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestExecRefusesTheComputeRasterizer(t *testing.T) {
	b := New()
	f := frameOf(t, ball(4, false), "warp", 32, renderer.Shaded)
	f.Raster = renderer.ComputeRaster
	p := must.Get(plan.New(f, b.Limits()))
	_, err := b.Exec(p, fit(f), renderer.WantColor)
	require.EqualError(t, err, "soft: the compute rasterizer runs on the gpu backend; soft draws the same triangles")
}

// TestVisibleTriangles: chunks and threads do not change which triangle a pixel shows, and exactly
// the pixels that were drawn show one.
func TestVisibleTriangles(t *testing.T) {
	f := frameOf(t, balls(16), "warp", 32, renderer.Shaded)
	whole, _ := must.Get2(plan.Render(New(), f, fit(f), renderer.WantVisible|renderer.WantDepth))
	f.QueueBudget = 20 << 10
	cut, p := must.Get2(plan.Render(withThreads(3), f, fit(f), renderer.WantVisible))
	require.Greater(t, len(p.Chunks), 2)
	require.Equal(t, whole.Visible, cut.Visible)
	for i, v := range whole.Visible {
		require.Equal(t, v != 0, whole.Depth[i] < 1, "pixel %d", i)
		require.LessOrEqual(t, int(v), f.Scene.Triangles())
	}
}

// TestDepthPlane compares the depth computed in integers with floating point.
func TestDepthPlane(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for range 100000 {
		tri := triangle{z: [3]uint32{r.Uint32N(farDepth + 1), r.Uint32N(farDepth + 1), r.Uint32N(farDepth + 1)}}
		area := int64(1) << r.IntN(51)
		area += r.Int64N(area)
		p := newDepthPlane(&tri, area)
		e1 := r.Int64N(area + 1)
		e2 := r.Int64N(area - e1 + 1)
		b1, b2 := float64(e1)/float64(area), float64(e2)/float64(area)
		want := (1-b1-b2)*float64(tri.z[0]) + b1*float64(tri.z[1]) + b2*float64(tri.z[2])
		got := p.at(e1, e2)
		require.InDelta(t, want, float64(got), 16, "area %d, edges %d, %d, depths %v", area, e1, e2, tri.z)
		require.GreaterOrEqual(t, got, min(tri.z[0], tri.z[1], tri.z[2]))
		require.LessOrEqual(t, got, max(tri.z[0], tri.z[1], tri.z[2]))
	}
	require.Equal(t, uint32(farDepth), fixDepth(1))
	depths := (&raster{depth: []uint32{farDepth, farDepth - 1}}).depths()
	require.Equal(t, float32(1), depths[0])
	require.Less(t, depths[1], float32(1))
	require.Equal(t, uint32(0), fixDepth(float32(math.Copysign(1e-20, -1))))
}
