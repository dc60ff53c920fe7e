package main

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// The colour map changes colours alone, and the same way on every raster host.
func TestRenderPalette(t *testing.T) {
	common := []string{"asset:knot16", "--size", "64x64", "--no-legend"}
	with := func(args ...string) []string { return append(append([]string(nil), common...), args...) }
	paper, _ := draw(t, with("--raster", "soft")...)
	soft, _ := draw(t, with("--raster", "soft", "--palette", "colorblind")...)
	require.NotEqual(t, colors(paper), colors(soft))
	require.Equal(t, covered(paper), covered(soft))
	for _, host := range []string{"hardware", "compute"} {
		got, _ := draw(t, onGPU(with("--raster", host, "--palette", "colorblind")...)...)
		r, err := picture.Compare(soft.(*image.RGBA), got.(*image.RGBA), picture.CompareOptions{})
		require.NoError(t, err)
		require.GreaterOrEqual(t, r.Equal(), 0.95, host)
	}
	legend, _ := draw(t, "asset:knot", "--size", "640x480", "--palette", "colorblind", "--backend", "cpu")
	for _, c := range picture.ColorblindPalette.Colors() {
		require.Contains(t, colors(legend), c)
	}
	requireFailure(t, cli.ExitUsage, `unknown palette "colourblind": did you mean colorblind?`, call("render", "asset:cube", "-o", "x.png", "--palette", "colourblind"))
	requireFailure(t, cli.ExitUsage, `unknown palette "difference"`, call("render", "asset:cube", "-o", "x.png", "--palette", "difference"))
}
