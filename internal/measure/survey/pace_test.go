package survey

import (
	"testing"
	"time"

	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/stretchr/testify/require"
)

// TestPace: the warm-up of a triangle does not count as what a triangle takes, and
// a small scene does not change what a large one has shown.
func TestPace(t *testing.T) {
	t.Parallel()
	var p pace
	require.Equal(t, 4*measure.WarmUp, p.estimate(4, 1e6))
	p.learn(4, 1, 4*measure.WarmUp+time.Millisecond)
	require.Equal(t, 4*measure.WarmUp+time.Second, p.estimate(4, 1000))
	p.learn(2, 1000, 2*measure.WarmUp+10*time.Millisecond)
	require.Equal(t, 4*measure.WarmUp+20*time.Millisecond, p.estimate(4, 2000))
	p.learn(4, 12, 4*measure.WarmUp+time.Second)
	require.Equal(t, 2*measure.WarmUp+20*time.Millisecond, p.estimate(2, 2000))
	p.learn(4, 5000, measure.WarmUp)
	require.Equal(t, measure.WarmUp, p.estimate(1, 1e9), "no negative rate")
}
