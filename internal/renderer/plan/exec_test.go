package plan

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestCameraOfNarrowPicture: CheckExec checks the camera's matrix for the shape of the plan's picture.
func TestCameraOfNarrowPicture(t *testing.T) {
	f := frame(t, 4, "naive", 8)
	f.Width, f.Height = 1, 4096
	plan := made(t)(New(f, testLimits))
	c := renderer.FitCamera(f.Scene.Bounds(), 1)
	require.NoError(t, plan.CheckExec(c, 0))
	c.FovY = 1e-36
	require.NoError(t, c.Check())
	require.EqualError(t, plan.CheckExec(c, 0), "the camera's matrix is not finite: the scene is too large or too far away to be drawn in single precision")
}

// TestPlanningEnds: if the context ends during a step that reads indices, planning fails with the context's cause.
func TestPlanningEnds(t *testing.T) {
	cause := errors.New("not wanted")
	ctx, stop := context.WithCancelCause(t.Context())
	for _, strategy := range []string{"claim", "meshlet"} {
		f := frame(t, 4, strategy, 8)
		_, err := newIn(ctx, f, testLimits)
		require.NoError(t, err)
		p := newPlanner(f, testLimits)
		p.ctx = ctx
		require.NoError(t, p.cutBatches())
		require.Equal(t, reuse.Batches(f.Scene, f.Reuse), p.Batches)
	}
	stop(cause)
	f := frame(t, 4, "meshlet", 8)
	_, err := newIn(ctx, f, testLimits)
	require.Equal(t, cause, err)
	require.Empty(t, reuse.MakeMeshlets(ctx, f.Scene, f.Reuse, reuse.Batches(f.Scene, f.Reuse)))
	p := newPlanner(frame(t, 4, "claim", 8), testLimits)
	p.ctx = ctx
	require.Equal(t, cause, p.cutBatches())
	require.Empty(t, p.Batches)
}
