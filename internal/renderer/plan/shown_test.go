package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/shape"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestShownCounts: no pass writes or clears the counts in Frame.Shown, and counts of another scene are refused.
func TestShownCounts(t *testing.T) {
	f := frame(t, 5000, "warp", 8)
	f.QueueBudget = 4096 // several chunks, whose own counts would need a counting round first
	f.Shown = make([]uint32, f.Scene.DrawVertices())
	p := made(t)(New(f, testLimits))
	require.Greater(t, len(p.Chunks), 1)
	for _, pass := range p.Passes {
		require.Zero(t, spec(pass, "COUNT"), pass.Name)
		if isA[*Clear](pass) {
			require.Equal(t, []string{"QueueStates", "QueueStates#2"}, touching(p, pass, Write))
		}
	}
	f.Shown = f.Shown[1:]
	_, err := New(f, testLimits)
	require.EqualError(t, err, "5001 counts to show for 5002 vertices")
}

// TestCountsByShapeLeaveTheRasterOpen: auto chooses the same host as for other counts.
func TestCountsByShapeLeaveTheRasterOpen(t *testing.T) {
	f, l := frame(t, 5000, "claim", 32), testLimits
	f.Raster, l.Multiprocessors = renderer.AutoRaster, GPUCosts.Multiprocessors
	own := made(t)(New(f, l))
	_, counts := shape.Offsets(f.Scene)
	f.Shown, f.ShownByShape = make([]uint32, counts), true
	p := made(t)(New(f, l))
	require.Equal(t, own.Choice, p.Choice)
	require.NotEqual(t, renderer.HardwareRaster, p.Frame.Raster)
}
