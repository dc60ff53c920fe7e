package interpret

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// imageOf returns an image in the form of a block.
func imageOf(width, height uint32, texels ...any) contents {
	b := blockOf(0, width, height)
	b.put(16, texels...)
	return b
}

// TestTexels fetches texels inside and outside of images; those outside are zeros.
func TestTexels(t *testing.T) {
	p := program(t, "images")
	heights := imageOf(2, 2, f(1, 0, 0, 0), f(2, 0, 0, 0), f(3, 0, 0, 0), f(4, 5, 6, 7))
	kinds := imageOf(1, 2, []uint32{1, 10, 100, 0}, []uint32{2, 20, 200, 0})
	ramp := imageOf(3, 1, f(10, 0, 0, 0), f(20, 0, 0, 0), f(30, 0, 0, 0))
	places := []int32{
		1, 1, 0, 0, // kind of (0, 0); heights of (-1, -1), (0, 0), (1, 1)
		1, 2, -1, 0, // kind of (0, 1); of (-2, -1), (-1, 0), (0, 1)
		2, 1, 1, 1, // kind of (1, 0), which is outside
	}
	positions, out := ran(t, p, 3, &Draw{
		Inputs: []Input{of(0, 4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1), whole(1, 4, places...)},
		Blocks: blocks(p, map[[2]uint32]contents{{0, 0}: heights, {0, 1}: kinds, {0, 2}: ramp}),
	}, "colour", "size")
	require.Equal(t, [4]float32{10*1 + 100*4, 500, 600, 701}, positions[0])
	require.Equal(t, [4]float32{200 * 3, 0, 0, 1}, positions[1])
	require.Equal(t, [4]float32{0, 0, 0, 1}, positions[2])
	require.Equal(t, [4]float32{20 + 4, 5, 6, 7}, floats(out["colour"][0]))
	require.Equal(t, [4]float32{4, 5, 6, 7}, floats(out["colour"][2]), "beyond the ramp")
	require.Equal(t, [4]uint32{1 + 3, 2 + 3}, out["size"][0])
}

// TestImagesThatAreTooShort: an image shorter than its header says has no texels.
func TestImagesThatAreTooShort(t *testing.T) {
	for _, image := range []contents{nil, blockOf(0, uint32(1)), imageOf(2, 1, f(1, 1, 1, 1)), imageOf(1<<31, 1<<31, f(1, 1, 1, 1)), imageOf(0, 7)} {
		width, height, _, _ := module.ImageSize(image)
		require.Zero(t, width*height)
		texel := []uint32{1, 2, 3, 4}
		fetchTexel(texel, image, 0, 0)
		require.Equal(t, make([]uint32, 4), texel)
	}
}

// TestSampledTexels filters two texels, 10 and 20, within and outside of the image.
func TestSampledTexels(t *testing.T) {
	for _, c := range []struct {
		nearest, clamps uint32
		want            []float32 // at -.25, 0, .5 and 1.25
	}{{0, 0, []float32{20, 15, 15, 10}}, {0, 1, []float32{10, 10, 15, 20}}, {1, 0, []float32{20, 10, 20, 10}}, {1, 1, []float32{10, 10, 20, 20}}} {
		image := imageOf(2, 1, f(10, 0, 0, 0), f(20, 0, 0, 0))
		image.put(8, []uint32{c.nearest, c.clamps})
		var got []float32
		for _, u := range []float32{-.25, 0, .5, 1.25} {
			var texel [4]uint32
			sampleTexels(&texel, image, [2]float32{u, .5})
			got = append(got, float(texel[0]))
		}
		require.Equal(t, c.want, got, c)
	}
}
