package subdivide_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/meshtest"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestLevelsFitTheDevice compares what levels are said to take with the tables of levels that are made.
func TestLevelsFitTheDevice(t *testing.T) {
	t.Parallel()
	m := meshtest.Mesh(t, "terrain16") // it has a border
	first := must.Get(subdivide.NewLevel(t.Context(), m))
	level := first
	for n := 1; n <= 3; n++ {
		vertices, edges, corners := len(level.Mesh.Positions), len(level.Edges.Ends), 3*level.Mesh.Faces()
		fine := 12 * (vertices + edges)
		total := int64(12*vertices + fine + 2*8*edges + 4*len(level.RingOffset) + 4*len(level.Ring) + 4*corners + 4*max(vertices, edges))
		fits := func(device, binds int64) error {
			return first.Fits(&renderer.Limits{DeviceBytes: device, MaxBufferBytes: binds}, 1, n)
		}
		require.NoError(t, fits(total, int64(max(fine, 4*corners))))
		need, have := bytesize.Texts(total, total-1)
		require.EqualError(t, fits(total-1, math.MaxInt64), fmt.Sprintf("level %d takes %s on the device, which has %s", n, need, have))
		need, have = bytesize.Texts(int64(fine), int64(fine)-1)
		require.EqualError(t, fits(total, int64(fine)-1), fmt.Sprintf("level %d: its table FinePositions takes %s, the device binds at most %s", n, need, have))
		require.ErrorContains(t, first.Fits(&renderer.Limits{DeviceBytes: math.MaxInt64, MaxBufferBytes: int64(fine) - 1}, 1, 20), fmt.Sprintf("level %d: its table FinePositions takes ", n))
		level = must.Get(subdivide.NewLevel(t.Context(), must.Get(level.Refine(t.Context()))))
	}
}
