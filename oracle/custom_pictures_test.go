package oracle

import (
	"bytes"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
)

// TestCustomPictures draws with our skin shader loaded as a user's, fused, culled and expanded, which
// shade vertices in different passes: pictures and depths equal those of the built-in shader.
func TestCustomPictures(t *testing.T) {
	b := openGPU(t)
	f := pictureFrame(t, asset(t, "knot24"), renderer.Counts)
	f.Raster, f.VertexShader, f.Look.Light = renderer.ComputeRaster, renderer.Skin, renderer.NoLight
	f.Shown = make([]uint32, f.Scene.DrawVertices()) // the same for all strategies
	for i := range f.Shown {
		f.Shown[i] = uint32(i % 5)
	}
	want := renderPicture(t, b, f)
	f = customLike(t, f)
	for strategy, change := range map[string]func(f *renderer.Frame){
		"claim": func(f *renderer.Frame) { f.Raster, f.QueueBudget = renderer.FusedRaster, 16<<10 }, // in chunks
		"hash":  func(f *renderer.Frame) { f.Cull = true },
		"multi": func(f *renderer.Frame) { f.Queue = renderer.Expanded },
	} {
		way := f
		way.Reuse = resolve(t, strategy, 8, 0)
		change(&way)
		got := renderPicture(t, b, way)
		require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix), strategy)
		require.Equal(t, want.Depth, got.Depth, strategy)
	}
}

// TestCustomVarying: compute and fused show an output of a user's shader equally, and hardware nearly so.
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
			continue
		}
		r := compared(t, first, got)
		t.Log(host, r)
		if host == renderer.FusedRaster {
			require.True(t, bytes.Equal(first.Color.Pix, got.Color.Pix))
		}
		require.NoError(t, r.Check(equalShare), host)
	}
}

// TestCustomPrograms draws a scene whose draws have different programs or none, and different
// values, and compares it with our built-in shaders.
func TestCustomPrograms(t *testing.T) {
	b := openGPU(t)
	f := pictureFrame(t, asset(t, "city6"), renderer.Counts)
	f.Look.Light = renderer.NoLight
	want := renderPicture(t, b, f)
	s := customTransform(t, f.Scene)
	second := s.Programs[0]
	second.Name = "second"
	second.Vertex = customFile(t, "displace", nil) // displaces by 0, the default of its constant
	s.Programs = append(s.Programs, second)
	camera := renderer.FitCamera(f.Scene.Bounds(), 1)
	for i := range s.Draws {
		switch d := &s.Draws[i]; i % 3 {
		case 1:
			d.Program = -1
		case 2: // values of its own: the matrix also halves positions, and Clip doubles them again
			half := mgl32.Scale3D(.5, .5, .5)
			d.Program, d.Clip = 1, half.Inv()
			d.Values = []int{len(s.Values)}
			s.Values = append(s.Values, appendMatrix(half.Mul4(camera.ViewProj(1)).Mul4(f.Scene.Draws[i].Transform)))
		}
	}
	f.Shading = s
	got := renderPicture(t, b, f)
	r := compared(t, want, got)
	require.NoError(t, r.Check(equalShare))
}

func appendMatrix(m mgl32.Mat4) []byte { return appendFloats(nil, m[:]) }
