package plan

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShownCounts: no pass counts or clears over counts that are given, and those
// of another scene are refused.
func TestShownCounts(t *testing.T) {
	f := frame(t, 5000, "warp", 8)
	f.QueueBudget = 4096 // several chunks: the frame's own counts would come first
	f.Shown = make([]uint32, f.Scene.DrawVertices())
	p, err := New(f, testLimits)
	require.NoError(t, err)
	require.Greater(t, len(p.Chunks), 1)
	for _, pass := range p.Passes {
		require.Zero(t, spec(pass, "COUNT"), pass.Name)
		if isA[*Clear](pass) {
			require.Equal(t, []string{"QueueStates", "QueueStates#2"}, touching(p, pass, Write))
		}
	}
	f.Shown = f.Shown[1:]
	_, err = New(f, testLimits)
	require.EqualError(t, err, "5001 counts to show for 5002 vertices")
}
