package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestPace: the warm-up of a triangle does not count as what a triangle takes, and
// a small scene does not change what a large one has shown.
func TestPace(t *testing.T) {
	var p pace
	require.Equal(t, 4*warmUp, p.estimate(4, 1e6))
	p.learn(4, 1, 4*warmUp+time.Millisecond)
	require.Equal(t, 4*warmUp+time.Second, p.estimate(4, 1000))
	p.learn(2, 1000, 2*warmUp+10*time.Millisecond)
	require.Equal(t, 4*warmUp+20*time.Millisecond, p.estimate(4, 2000))
	p.learn(4, 12, 4*warmUp+time.Second)
	require.Equal(t, 2*warmUp+20*time.Millisecond, p.estimate(2, 2000))
	p.learn(4, 5000, warmUp)
	require.Equal(t, warmUp, p.estimate(1, 1e9), "no negative rate")
}
