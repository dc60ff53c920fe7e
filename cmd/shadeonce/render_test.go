package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer"
)

// draw renders into a new file, and returns the picture and the output.
func draw(t testing.TB, args ...string) (image.Image, string) {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "x.png")
	r := fine(t, append([]string{"render", "-o", path}, args...)...)
	requireEmpty(t, folder, "x.png")
	return readPicture(t, path), r.out
}

func readPicture(t testing.TB, path string) image.Image {
	t.Helper()
	file := must.Get(os.Open(path))
	defer file.Close()
	return must.Get(png.Decode(file))
}

// colors counts the pixels of each colour.
func colors(img image.Image) map[color.RGBA]int {
	count := map[color.RGBA]int{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)]++
		}
	}
	return count
}

// covered is the share of pixels that were drawn.
func covered(img image.Image) float64 {
	size := img.Bounds().Size()
	return 1 - float64(colors(img)[picture.Background])/float64(size.X*size.Y)
}

// hosts maps each backend that every test machine has to a function that adds its flags.
var hosts = map[string]func(args ...string) []string{
	"cpu": func(args ...string) []string { return append(args, "--backend", "cpu") },
	"gpu": onGPU,
}

func TestRenderSizesAndViews(t *testing.T) {
	for host, on := range hosts {
		for _, size := range []image.Point{{1, 1}, {1, 300}, {300, 1}, {333, 217}} {
			img, text := draw(t, on("asset:sphere3", "--size", fmt.Sprintf("%dx%d", size.X, size.Y))...)
			require.Equal(t, size, img.Bounds().Size(), host)
			require.Contains(t, text, fmt.Sprintf("x.png: %dx%d, counts of sphere3, claim on ", size.X, size.Y))
			require.Regexp(t, `(?m)^reuse 0\.\d{4} of 0\.\d{4} ideal, \d+ invocations for 1280 triangles$`, text)
			require.Regexp(t, `(?m)^  geometry:claim +\d+\.\d{3} ms$`, text)
		}
		seen := map[string]bool{}
		for _, view := range renderer.ViewNames {
			img, _ := draw(t, on("asset:knot16", "--size", "96x96", "--view", view)...)
			require.Greater(t, covered(img), 0.1, "%s, %s", host, view)
			require.Less(t, covered(img), 0.9, "%s, %s", host, view)
			seen[fmt.Sprint(colors(img))] = true
		}
		require.Len(t, seen, len(renderer.ViewNames), "views differ")
	}
}

func TestRenderLegend(t *testing.T) {
	args := []string{"asset:sphere3", "--backend", "cpu", "--size", "640x400"}
	with, _ := draw(t, args...)
	without, _ := draw(t, append(args, "--no-legend")...)
	darkRed := color.RGBA{128, 5, 15, 255} // the legend's colour for 6 times and more
	require.Positive(t, colors(with)[darkRed])
	require.Zero(t, colors(without)[darkRed])
	small := []string{"asset:sphere3", "--backend", "cpu", "--size", "64x64"}
	with, _ = draw(t, small...)
	without, _ = draw(t, append(small, "--no-legend")...)
	require.Equal(t, without, with, "a legend that does not fit is left out")
}

func TestRenderCameras(t *testing.T) {
	for host, on := range hosts {
		cover := func(camera string) float64 {
			img, _ := draw(t, on("asset:knot16", "--no-legend", "--size", "96x96", "--camera", camera)...)
			return covered(img)
		}
		fit := cover("")
		require.Equal(t, fit, cover("az=30,el=20"), host)
		require.Greater(t, cover("zoom=1.5"), 1.3*fit, host)
		require.Less(t, cover("zoom=0.5"), 0.5*fit, host)
		seen := map[float64]bool{}
		for _, camera := range []string{"front", "top", "right", "az=10,el=-40", "front,ortho", "front,fov=90"} {
			c := cover(camera)
			require.Greater(t, c, 0.02, "%s, %s", host, camera)
			seen[c] = true
		}
		require.Len(t, seen, 6, "cameras differ")
		block, _ := draw(t, on("asset:city2", "--no-legend", "--size", "96x96", "--isolate", "4")...)
		require.Greater(t, covered(block), 0.25, "%s: the camera fits what is not hidden", host)
	}
}

// Bounded queues do not change the picture.
func TestRenderQueueBudget(t *testing.T) {
	for host, on := range hosts {
		for _, view := range renderer.ViewNames {
			args := on("asset:terrain96", "--size", "128x96", "--view", view)
			whole, _ := draw(t, args...)
			for _, flags := range [][]string{{"--queue-budget", "1MiB"}, {"--queue-budget", "64KiB"}, {"--queue-budget", "100000", "--queue", "expanded"}} {
				cut, _ := draw(t, append(args, flags...)...)
				require.Equal(t, whole, cut, "%s, %s, %v", host, view, flags)
			}
		}
		plan := fine(t, on("render", "asset:terrain96", "--plan", "--queue-budget", "64KiB")...)
		require.Regexp(t, `\d\d+ chunks`, plan.out, "the budget was meant to cut the stream")
	}
}

func TestRenderStrategiesDrawTheSame(t *testing.T) {
	args := onGPU("asset:soup", "--size", "128x96", "--view", "shaded", "--no-legend")
	want, _ := draw(t, args...)
	for _, flags := range [][]string{{"--strategy", "naive"}, {"--lanes", "8"}, {"--lanes", "64", "--batch", "30"}, {"--queue", "expanded"}} {
		got, _ := draw(t, append(args, flags...)...)
		require.Equal(t, want, got, flags)
	}
}

func TestRenderPlan(t *testing.T) {
	for host, on := range hosts {
		r := fine(t, on("render", "asset:sphere3", "--plan")...)
		require.Contains(t, r.out, "frame  sphere3, claim, 32 lanes, batch 384", host)
		require.Contains(t, r.out, "stream 1280 triangles in 1 draw, 10 batches, 1 chunk\n")
		require.Contains(t, r.out, "buffer Indices")
		require.Contains(t, r.out, map[string]string{"cpu": "raster:soft", "gpu": "raster:hardware"}[host])
	}
}

func TestRenderSoftIsTheCPU(t *testing.T) {
	soft, text := draw(t, "asset:knot16", "--size", "64x64", "--raster", "soft")
	onCPU, _ := draw(t, "asset:knot16", "--size", "64x64", "--backend", "cpu")
	require.Equal(t, onCPU, soft)
	require.Contains(t, text, "raster:soft")
}

// compute draws the same picture as soft, except for the rounding of light.
func TestRenderCompute(t *testing.T) {
	soft, _ := draw(t, "asset:knot16", "--size", "64x64", "--raster", "soft", "--view", "batches", "--no-legend")
	compute, text := draw(t, onGPU("asset:knot16", "--size", "64x64", "--raster", "compute", "--view", "batches", "--no-legend")...)
	require.GreaterOrEqual(t, must.Get(picture.Compare(soft.(*image.RGBA), compute.(*image.RGBA), picture.CompareOptions{})).Equal(), 0.999)
	require.Contains(t, text, "raster:resolve")
	plan := fine(t, onGPU("render", "asset:knot16", "--raster", "compute", "--plan")...)
	require.Regexp(t, `raster:setup(?s:.*)raster:small(?s:.*)raster:resolve`, plan.out)
}

// A picture too large for the device is refused, and no file is written.
func TestRenderTooLargeForTheDevice(t *testing.T) {
	args := onGPU("asset:cube", "--size", "16384x16384")
	folder := t.TempDir()
	r := call(append([]string{"render", "-o", filepath.Join(folder, "x.png"), "--plan"}, args...)...)
	if r.status == 0 {
		t.Skip("this device has room for 16384x16384 pixels")
	}
	r = call(append([]string{"render", "-o", filepath.Join(folder, "x.png")}, args...)...)
	requireFailure(t, cli.ExitFailure, "asset:cube: ", r)
	require.Regexp(t, `the device has|each side must be`, r.errors)
	requireEmpty(t, folder)
}

func TestRenderAutoIsTheGPU(t *testing.T) {
	args := onGPU("asset:cube", "--size", "32x32")
	for i, a := range args {
		if a == "gpu" {
			args[i] = "auto"
		}
	}
	_, text := draw(t, args...)
	require.True(t, strings.Contains(text, "raster:hardware"), text)
}

// TestRenderHardware draws with the graphics pipeline alone: the shaded picture equals a strategy's, and the picture of
// counts differs from that of naive.
func TestRenderHardware(t *testing.T) {
	folder := t.TempDir()
	pixels := func(args ...string) []byte {
		path := filepath.Join(folder, "picture.png")
		fine(t, append([]string{"render", "asset:city4", "-o", path, "--no-legend", "--size", "200x150"}, args...)...)
		return must.Get(os.ReadFile(path))
	}
	require.Equal(t, pixels("--strategy", "hash", "--view", "shaded"), pixels("--strategy", "hardware", "--view", "shaded"))
	require.NotEqual(t, pixels("--strategy", "naive"), pixels("--strategy", "hardware"))
	fine(t, "render", "asset:city4", "--strategy", "hardware", "-o", filepath.Join(folder, "legend.png"))
	plan := fine(t, "render", "asset:city4", "--strategy", "hardware", "--plan")
	require.Regexp(t, `(?s)raster:direct.*raster:raw`, plan.out)
	times := fine(t, "render", "asset:cube", "--strategy", "hardware", "--view", "shaded", "--repeat", "2")
	require.Contains(t, times.out, "the graphics pipeline alone")
}

// TestRenderPlanDrawing: -o out.svg with --plan draws the plan, and overwrites an SVG.
func TestRenderPlanDrawing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.svg")
	args := []string{"render", "asset:sphere3", "--backend", "cpu", "--plan", "-o", path}
	for range 2 { // the second run replaces the first one's file
		fine(t, args...)
		require.Contains(t, string(must.Get(os.ReadFile(path))), "geometry:claim 0</text>")
	}
}

// Flags set a picture's background and edges.
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
}

// The palette changes only colours, and nearly equally with the raster hosts soft, hardware and compute.
func TestRenderPalette(t *testing.T) {
	common := []string{"asset:knot16", "--size", "64x64", "--no-legend"}
	with := func(args ...string) []string { return append(append([]string(nil), common...), args...) }
	paper, _ := draw(t, with("--raster", "soft")...)
	soft, _ := draw(t, with("--raster", "soft", "--palette", "colorblind")...)
	require.NotEqual(t, colors(paper), colors(soft))
	require.Equal(t, covered(paper), covered(soft))
	for _, host := range []string{"hardware", "compute"} {
		got, _ := draw(t, onGPU(with("--raster", host, "--palette", "colorblind")...)...)
		r := must.Get(picture.Compare(soft.(*image.RGBA), got.(*image.RGBA), picture.CompareOptions{}))
		require.GreaterOrEqual(t, r.Equal(), 0.95, host)
	}
	legend, _ := draw(t, "asset:knot", "--size", "640x480", "--palette", "colorblind", "--backend", "cpu")
	for _, c := range picture.ColorblindPalette.Colors() {
		require.Contains(t, colors(legend), c)
	}
}
