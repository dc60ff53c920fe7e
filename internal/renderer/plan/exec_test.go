package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
)

// TestCameraOfNarrowPicture: the picture's shape counts, too.
func TestCameraOfNarrowPicture(t *testing.T) {
	f := frame(t, 4, "naive", 8)
	f.Width, f.Height = 1, 4096
	plan, err := New(f, testLimits)
	require.NoError(t, err)
	c := renderer.FitCamera(f.Scene.Bounds(), 1)
	require.NoError(t, plan.CheckExec(c, 0))
	c.FovY = 1e-36
	require.NoError(t, c.Check())
	require.EqualError(t, plan.CheckExec(c, 0), "the camera's matrix is not finite: the scene is too large or too far away to be drawn in single precision")
}
