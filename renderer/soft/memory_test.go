package soft

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// checkMemory refuses a plan that does not fit the memory, and says so if its strategy keeps all vertices.
func TestMemoryIsChecked(t *testing.T) {
	t.Parallel()
	c := must.Get(reuse.Resolve("multi", 8, 0))
	p := &plan.Plan{VertexCapacity: 1 << 40, Frame: renderer.Frame{Scene: &geometry.Scene{}, Reuse: c}}
	if bytesize.FreeMemory() == 0 {
		t.Skip("the system does not say what memory it has free")
	}
	err := checkMemory(p)
	require.True(t, renderer.DoesNotFit(err), "%v", err)
	require.ErrorContains(t, err, "24 TiB of memory")
	require.ErrorContains(t, err, "strategy multi keeps the vertices of all draws in memory, other strategies do not")
	p.VertexCapacity = 1000
	require.NoError(t, checkMemory(p))
}

// If misses returns true for a triangle, addSeen adds nothing for it.
func TestMissedTriangles(t *testing.T) {
	t.Parallel()
	const n = 4000
	r := rand.New(rand.NewPCG(3, 4))
	q := &renderer.Queues{Positions: make([][4]float32, 3*n), Attributes: make([][2]uint32, 3*n)}
	for i := range n {
		w := 2 * r.Float32()
		x, y, z := 3*r.Float32()-1.5, 3*r.Float32()-1.5, 1.2*r.Float32()
		for c := range 3 {
			q.Positions[3*i+c] = [4]float32{(x + .03*r.Float32()) * w, (y + .03*r.Float32()) * w, z * w, w}
		}
	}
	s := setup{source: source{queues: q, form: renderer.Expanded, look: look{view: renderer.Shaded}}, width: 100, height: 50, guard: newGuardBand(100, 50)}
	missed := 0
	for i := range n {
		before := len(s.triangles)
		s.addSeen(i)
		if s.misses(i) {
			missed++
			require.Len(t, s.triangles, before, "triangle %d", i)
		}
	}
	require.Greater(t, missed, n/10)
	require.Greater(t, len(s.triangles), n/100)
}
