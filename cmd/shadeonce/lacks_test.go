package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// TestDoctorSaysWhatDoesNotRun on a device like SwiftShader.
func TestDoctorSaysWhatDoesNotRun(t *testing.T) {
	f := examineFeatures(gpu.Features{})
	require.False(t, f.ok)
	require.True(t, f.optional)
	for _, text := range []string{"no --raster compute and no --cull", "no stores from vertex shaders", "other lane counts run in shared memory"} {
		require.Contains(t, f.remedy, text)
	}
	require.NotContains(t, f.remedy, "64-bit atomics", "without integers they are no matter")
	f = examineFeatures(gpu.Features{Int64: true, VertexStores: true, SubgroupSizeControl: true})
	require.Regexp(t, "^no 64-bit atomics[^;]*$", f.remedy)
}

// TestRasterAuto: the choice is the default, and left to the plan.
func TestRasterAuto(t *testing.T) {
	raster, err := cli.ParseRaster(newRender(nil).Flags().Lookup("raster").DefValue)
	require.NoError(t, err)
	require.Equal(t, renderer.AutoRaster, raster)
	raster, err = cli.ParseRaster("compute")
	require.NoError(t, err)
	require.Equal(t, renderer.ComputeRaster, raster)
	_, err = cli.ParseRaster("software")
	require.Error(t, err)
	requireFine(t, call("render", "asset:cube", "--backend", "cpu", "--raster", "auto", "--plan"))
}
