package plan

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// TestTexCoordData: the texture coordinate sets of a vertex are adjacent, whatever other attributes the scene has.
func TestTexCoordData(t *testing.T) {
	s := &geometry.Scene{Positions: make([]mgl32.Vec3, 2)}
	for _, data := range []string{"another one", "a at 0..a at 1..", "b at 0..b at 1.."} {
		s.Attributes = append(s.Attributes, geometry.Attribute{Format: vertexformat.R32G32_SFLOAT, Data: []byte(data)})
	}
	for want, sets := range map[string][]int{"a at 0..a at 1..": {1}, "b at 0..a at 0..b at 1..a at 1..": {2, 1}} {
		s.Textures = &geometry.Textures{Sets: sets}
		require.Equal(t, want, string(TexCoordData(s)))
	}
	var window geometry.Scene
	beginTexCoords(&window, s)
	gatherTexCoords(&window, s, 1)
	require.Equal(t, "a at 0..a at 1..", string(s.Attributes[1].Data), "a window has memory of its own")
}

// TestLeastAlpha: a sample, in 1/TextureOne, passes an alpha test if it is at least the cutoff. Most cutoffs lie between two samples.
func TestLeastAlpha(t *testing.T) {
	const one = shaders.TextureOne
	for cutoff, want := range map[float64]uint32{-1: 0, 0: 0, 1e-9: 1, .3 / one: 1, .5: one / 2, 5.01 / one: 6, 5.99 / one: 6, 1: one, (one + .1) / one: one + 1, 9: 2 * one} {
		require.Equal(t, want, leastAlpha(cutoff), "%g", cutoff)
	}
}

// TestNormalRowsDoNotDependOnScale: normals of a model in microns equal those of one in kilometres,
// and a flattened model has finite rows.
func TestNormalRowsDoNotDependOnScale(t *testing.T) {
	turn := mgl32.HomogRotate3DY(0.7).Mul4(mgl32.Scale3D(1, 2, 3))
	want := normalRows(turn)
	for _, scale := range []float32{1e-12, 1e-3, 1e3, 1e12} {
		got := normalRows(turn.Mul4(mgl32.Scale3D(scale, scale, scale)))
		for r := range got {
			require.InDeltaSlice(t, want[r][:], got[r][:], 1e-5, "scale %g", scale)
		}
	}
	flat := normalRows(mgl32.Scale3D(1, 0, 1))
	require.Equal(t, [4]float32{0, 1, 0, 0}, flat[1], "a flattened model's normals point along the lost axis")
	require.Equal(t, [3][4]float32{}, normalRows(mgl32.Mat4{}))
}
