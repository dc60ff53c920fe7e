package oracle

import (
	"bytes"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// customWays are ways to draw that shade vertices in different shaders.
var customWays = []struct {
	strategy string
	change   func(f *renderer.Frame)
}{
	{"claim", func(f *renderer.Frame) { f.Raster = renderer.FusedRaster }},
	{"naive-index", func(f *renderer.Frame) { f.Raster, f.QueueBudget = renderer.FusedRaster, 16<<10 }},
	{"meshlet", func(f *renderer.Frame) { f.Raster = renderer.FusedRaster }},
	{"hash", func(f *renderer.Frame) { f.Raster, f.Cull = renderer.ComputeRaster, true }},
	{"warp", func(f *renderer.Frame) { f.Raster, f.QueueBudget = renderer.ComputeRaster, 128<<10 }},
	{"sort", func(f *renderer.Frame) { f.Raster, f.NarrowAtomics = renderer.ComputeRaster, true }},
	{"multi", func(f *renderer.Frame) { f.Raster, f.Queue = renderer.ComputeRaster, renderer.Expanded }},
	{"phash", func(f *renderer.Frame) { f.Raster = renderer.HardwareRaster }},
}

// TestCustomPictures draws by our own vertex shaders as a user's: pictures, depths and
// counts are those that ours give.
func TestCustomPictures(t *testing.T) {
	b := openGPU(t)
	for i, way := range customWays {
		f := pictureFrame(t, asset(t, "knot24"), renderer.Counts)
		var err error
		f.Reuse, err = reuse.Resolve(way.strategy, 8, 0)
		require.NoError(t, err)
		f.VertexShader, f.Look.Light = renderer.VertexShader(i%len(renderer.VertexShaderNames)), renderer.NoLight
		way.change(&f)
		want, got := renderPicture(t, b, f), renderPicture(t, b, customLike(t, f))
		require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix), "%s, %s", way.strategy, f.VertexShader)
		require.Equal(t, want.Depth, got.Depth, "%s, %s", way.strategy, f.VertexShader)
	}
}

// TestCustomVarying shows an output by all raster hosts.
func TestCustomVarying(t *testing.T) {
	b := openGPU(t)
	f := customLike(t, pictureFrame(t, asset(t, "knot24"), renderer.Varying))
	f.Shading.Shown = "color"
	var first *renderer.Output
	for _, host := range []renderer.RasterHost{renderer.ComputeRaster, renderer.FusedRaster, renderer.HardwareRaster} {
		f.Raster = host
		got := renderPicture(t, b, f)
		if first == nil {
			first = got
			writePNG(t, "/tmp/h-custom/varying.png", got.Color)
			continue
		}
		r, err := picture.Compare(first.Color, got.Color, picture.CompareOptions{DepthA: first.Depth, DepthB: got.Depth, DepthStep: edgeDepth})
		require.NoError(t, err)
		t.Log(host, r)
		if host == renderer.FusedRaster {
			require.True(t, bytes.Equal(first.Color.Pix, got.Color.Pix))
		}
		require.NoError(t, r.Check(equalShare), host)
	}
}

// TestCustomPrograms draws a scene whose draws have different programs, or none, and
// different values, beside the same with ours.
func TestCustomPrograms(t *testing.T) {
	b := openGPU(t)
	f := pictureFrame(t, asset(t, "city6"), renderer.Counts)
	f.Raster, f.Look.Light = renderer.FusedRaster, renderer.NoLight
	want := renderPicture(t, b, f)
	s := customTransform(t, f.Scene)
	second := s.Programs[0]
	second.Name = "second"
	second.Code = customFile(t, "displace") // by nothing, as its constants say
	second.Blocks = []geometry.ShaderBlock{{Kind: geometry.UniformBlock}}
	s.Programs = append(s.Programs, second)
	camera := renderer.FitCamera(f.Scene.Bounds(), 1)
	for i := range s.Draws {
		switch d := &s.Draws[i]; i % 3 {
		case 1:
			d.Program = -1
		case 2: // values of its own, and half of the placing left to Clip
			half := mgl32.Scale3D(.5, .5, .5)
			d.Program, d.Clip = 1, half.Inv()
			d.Values = []int{len(s.Values)}
			s.Values = append(s.Values, appendMatrix(half.Mul4(camera.ViewProj(1)).Mul4(f.Scene.Draws[i].Transform)))
		}
	}
	f.Shading = s
	got := renderPicture(t, b, f)
	r, err := picture.Compare(want.Color, got.Color, picture.CompareOptions{DepthA: want.Depth, DepthB: got.Depth, DepthStep: edgeDepth})
	require.NoError(t, err)
	require.NoError(t, r.Check(equalShare))
}

func appendMatrix(m mgl32.Mat4) []byte { return appendFloats(nil, m[:]) }
