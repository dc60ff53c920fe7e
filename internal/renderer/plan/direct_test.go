package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestDirectPlan(t *testing.T) {
	l := testLimits
	l.VertexCounters, l.PipelineStatistics = true, true
	p := made(t)(NewDirect(strip(100), l))
	require.Equal(t, []string{"clear", "raster:direct"}, []string{p.Passes[0].Name, p.Passes[1].Name})
	require.Equal(t, int64(4*102), p.Buffer("Counts").Bytes)
	require.Equal(t, []string{"raster/direct-count"}, p.Passes[1].Pipeline().Shaders)
	require.Nil(t, p.Buffer("QueueStates"))
	require.NoError(t, p.CheckExec(renderer.FitCamera(p.Frame.Scene.Bounds(), 1), renderer.WantCounts))
	require.Contains(t, p.String(), "frame  strip, direct,")
	require.Contains(t, p.String(), "pass   raster:direct    direct   1 indexed draw\n")
	require.Zero(t, p.GeometryBytes(reuse.Stats{Invocations: 7}))

	l.VertexCounters = false
	p = made(t)(NewDirect(strip(100), l))
	require.Len(t, p.Passes, 1)
	require.Equal(t, []string{"raster/direct"}, p.Passes[0].Pipeline().Shaders)
	require.Nil(t, p.Buffer("Counts"))
	require.ErrorContains(t, p.CheckExec(renderer.FitCamera(p.Frame.Scene.Bounds(), 1), renderer.WantCounts), "a frame that keeps none")
}

func TestDirectPlanRefuses(t *testing.T) {
	able := testLimits
	able.VertexCounters = true
	small := able
	small.MaxBufferBytes = 1000
	bare := strip(100)
	bare.Normals = nil
	for want, tt := range map[string]struct {
		scene  *geometry.Scene
		limits renderer.Limits
	}{
		"direct plan without a scene":             {nil, able},
		"scene with 0 normals for 102 vertices":   {bare, able},
		"neither a query of pipeline statistics":  {strip(100), testLimits},
		"buffer Positions needs 1.195 KiB (102 x": {strip(100), small},
	} {
		_, err := NewDirect(tt.scene, tt.limits)
		require.ErrorContains(t, err, want)
	}
}
