package clock

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStart(t *testing.T) {
	sum := 0
	for range 1000 {
		took := Start()
		for i := range 20_000 {
			sum ^= i * sum
		}
		require.Positive(t, took(), "work takes time")
	}
	require.Zero(t, sum, "it is not left out")

	const step = 20 * time.Millisecond // more than a step of Go's clock
	before := time.Now()
	took := Start()
	within := time.Now()
	time.Sleep(3 * step)
	inner := time.Since(within)
	measured := took()
	require.GreaterOrEqual(t, measured+step, inner)
	require.LessOrEqual(t, measured, time.Since(before)+step)
}
