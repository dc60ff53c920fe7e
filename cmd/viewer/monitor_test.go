package main

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMonitorOfAWindow: of several monitors, the one with the window's middle shows the window.
func TestMonitorOfAWindow(t *testing.T) {
	monitors := []image.Rectangle{image.Rect(0, 0, 1920, 1080), image.Rect(1920, 200, 3200, 1224), image.Rect(-800, -600, 0, 0)}
	for i, window := range []image.Rectangle{image.Rect(1000, 100, 2600, 900), image.Rect(1800, 100, 3200, 900), image.Rect(-500, -300, 100, 100)} {
		for k, m := range monitors {
			require.Equal(t, i == k, showsMiddle(window, m.Min.X, m.Min.Y, m.Dx(), m.Dy()), "window %d, monitor %d", i, k)
		}
	}
}
