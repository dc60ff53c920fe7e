package main

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/cli"
)

// What a picture is made for decides its background and its edges.
func TestRenderLooks(t *testing.T) {
	const cpu = "--backend=cpu"
	small := []string{"asset:sphere4", cpu, "--size", "90x60", "--no-legend"}
	with := func(args ...string) (image.Image, string) { return draw(t, append(args, small...)...) }

	plain, text := with()
	require.Contains(t, text, "% of ")
	white, _ := with("--background", "#ffffff")
	require.Equal(t, color.RGBA{255, 255, 255, 255}, color.RGBAModel.Convert(white.At(0, 0)))

	clear, _ := with("--transparent")
	require.Equal(t, color.NRGBA{}, clear.At(0, 0))
	require.Equal(t, plain.At(45, 30), color.RGBAModel.Convert(clear.At(45, 30)))

	smooth, text := with("--transparent", "--samples", "4")
	require.Equal(t, plain.Bounds(), smooth.Bounds())
	require.Contains(t, text, ": 90x60, ")
	require.Contains(t, text, " samples\n")
	alphas := map[uint8]bool{}
	for y := range 60 {
		for x := range 90 {
			alphas[smooth.(*image.NRGBA).NRGBAAt(x, y).A] = true
		}
	}
	require.Len(t, alphas, 5, "a pixel is covered by none to all of four samples")

	for _, l := range []string{"--smooth", "--edges", "--light=on", "--light=off"} {
		other, _ := with(l, "--camera=zoom=4")
		plain, _ := with("--camera=zoom=4")
		require.NotEqual(t, plain, other, l)
	}
	for says, args := range map[string][]string{
		"want 1, 4, 9 or 16":               {"--samples", "3"},
		"each side at most 16384":          {"--samples", "4", "--size", "9000x10"},
		"excludes --samples":               {"--samples", "4", "--repeat", "2"},
		"want #RRGGBB":                     {"--background", "#12345g"},
		"excludes --background":            {"--transparent", "--background", "#ffffff"},
		`unknown light "of": did you mean`: {"--light", "of"},
	} {
		requireFailure(t, cli.ExitUsage, says, call(append([]string{"render", "asset:cube", "-o", "x.png"}, args...)...))
	}
}
