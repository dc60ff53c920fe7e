package oracle

import (
	"bytes"
	"flag"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

var update = flag.Bool("update", false, "write the goldens anew, by the CPU backend")

// equalShare is the share of pixels in which hardware and soft must be equal. In the others,
// coverage may differ only within a pixel of an edge.
const equalShare = 0.995

// coarseShare is equalShare for devices whose subpixel grid is coarser than soft's 8 bits.
// SwiftShader's has 4 bits; at least 0.979 of its pixels agree.
const coarseShare = 0.975

// hardwareShare returns the share of equal pixels required of a device.
func hardwareShare(b *gpu.Backend) float64 {
	if b.GPU().Info.Limits.SubPixelPrecisionBits < 8 {
		return coarseShare
	}
	return equalShare
}

// edgeDepth is the depth difference that makes an edge between two surfaces.
const edgeDepth = 0.002

func pictureFrame(t testing.TB, s *geometry.Scene, view renderer.View) renderer.Frame {
	c := resolve(t, "warp", 8, 0)
	return renderer.Frame{Scene: s, Reuse: c, View: view, Width: 128, Height: 128}
}

func renderPicture(t testing.TB, b plan.Backend, f renderer.Frame) *renderer.Output {
	if b.Info().Name == "cpu" {
		f.Raster = renderer.SoftRaster
	}
	out, _ := render(t, b, f, renderer.FitCamera(f.Scene.Bounds(), 1), renderer.WantColor|renderer.WantDepth)
	return out
}

// byHardware compares a graphics pipeline's picture with soft's. In views that interpolate colours a difference of one of
// the 256 levels counts as equal: a device interpolates in its own arithmetic, and a value midway between two levels may
// round to either. On a coarse subpixel grid, vertices move by up to 1/32 pixel and colours with them: there differences of
// up to 4 levels count as equal.
func byHardware(t testing.TB, b *gpu.Backend, view renderer.View, want, got *renderer.Output) *picture.Comparison {
	if view.Interpolates() {
		most := 1
		if hardwareShare(b) == coarseShare {
			most = 4
		}
		rounded := *got
		rounded.Color = &image.RGBA{Pix: slices.Clone(got.Color.Pix), Stride: got.Color.Stride, Rect: got.Color.Rect}
		for i, c := range want.Color.Pix {
			if d := int(c) - int(got.Color.Pix[i]); max(d, -d) <= most {
				rounded.Color.Pix[i] = c
			}
		}
		got = &rounded
	}
	return compared(t, want, got)
}

// TestHardwareAgainstSoft compares the pictures of both rasterizers.
func TestHardwareAgainstSoft(t *testing.T) {
	b, cpu := backends(t)
	worst := 1.0
	for _, name := range smallAssets {
		s := asset(t, name)
		for view := range renderer.View(len(renderer.ViewNames)) {
			t.Run(name+"/"+view.String(), func(t *testing.T) {
				f := pictureFrame(t, s, view)
				want, got := renderPicture(t, cpu, f), renderPicture(t, b, f)
				r := byHardware(t, b, view, want, got)
				t.Log(r)
				worst = min(worst, r.Equal())
				require.NoError(t, r.Check(hardwareShare(b)))
				require.NotZero(t, r.Drawn)
			})
		}
	}
	t.Logf("%s: at least %.4f of the pixels of each picture are equal", b.Info().Device, worst)
}

// TestNearPlaneClipping looks from inside the scene, where triangles cross the near plane and
// extend far beyond the picture.
func TestNearPlaneClipping(t *testing.T) {
	b, cpu := backends(t)
	for _, name := range []string{"sphere4", "terrain48", "city6", "cube"} {
		for _, text := range []string{"zoom=4", "front,zoom=10", "az=77,el=-15,zoom=6,fov=100", "ortho,zoom=5"} {
			s := asset(t, name)
			camera := cameraOf(t, text, s.Bounds(), 1)
			f := pictureFrame(t, s, renderer.Shaded)
			got, _ := render(t, b, f, camera, renderer.WantColor|renderer.WantDepth)
			f.Raster = renderer.SoftRaster
			want, _ := render(t, cpu, f, camera, renderer.WantColor|renderer.WantDepth)
			r := compared(t, want, got)
			t.Logf("%s, %s: %v", name, text, r)
			require.NoError(t, r.Check(hardwareShare(b)), "%s, %s", name, text)
			require.NotZero(t, r.Drawn)
		}
	}
}

// TestGoldens draws every asset on the CPU, and twice on the GPU, and compares with the pictures in testdata: the CPU's bit
// for bit, the GPU's as closely as the two rasterizers agree. Drawing twice finds state that leaks between frames.
func TestGoldens(t *testing.T) {
	cpu := soft.New()
	defer cpu.Close()
	for _, name := range smallAssets {
		want := renderPicture(t, cpu, pictureFrame(t, asset(t, name), renderer.Counts)).Color
		if *update {
			writePNG(t, goldenPath(name), want)
		}
		require.Equal(t, readPNG(t, goldenPath(name)).Pix, want.Pix, "%s: make golden, if this is meant", name)
	}
	b := openGPU(t)
	for round := range 2 {
		for _, name := range smallAssets {
			got := renderPicture(t, b, pictureFrame(t, asset(t, name), renderer.Counts)).Color
			r := must.Get(picture.Compare(readPNG(t, goldenPath(name)), got, picture.CompareOptions{}))
			require.GreaterOrEqual(t, r.Equal(), hardwareShare(b), "%s, round %d: %v", name, round, r)
		}
	}
}

func goldenPath(name string) string { return filepath.Join("testdata", name+".png") }

func readPNG(t testing.TB, path string) *image.RGBA {
	file := must.Get(os.Open(path))
	defer file.Close()
	decoded := must.Get(png.Decode(file))
	out := image.NewRGBA(decoded.Bounds())
	draw.Draw(out, out.Rect, decoded, image.Point{}, draw.Src)
	return out
}

func writePNG(t testing.TB, path string, m image.Image) {
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, m))
	require.NoError(t, os.WriteFile(path, file.Bytes(), 0o644))
}
