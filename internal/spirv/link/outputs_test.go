package link_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	passes "github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// TestSizeOutputs: a mesh shader declares the requested sizes, in its modes and in all its arrays, and stays valid.
func TestSizeOutputs(t *testing.T) {
	for _, name := range []string{"mesh/claim", "mesh/naive-varying", "mesh/warp-subdivided"} {
		words, err := link.SizeOutputs(passes.Must(name).Words(), 96, 32)
		require.NoError(t, err)
		m := must.Get(module.Decode(words))
		lengths := map[uint32]int{}
		for _, in := range m.Globals {
			if array := m.Definition(m.Definition(in.At(0)).At(2)); in.Op == module.OpVariable && module.StorageClass(in.At(2)) == module.Output {
				lengths[m.Definition(array.At(2)).At(2)]++
			}
		}
		vertices := 3
		if name == "mesh/naive-varying" {
			vertices = 4
		}
		require.Equal(t, map[uint32]int{96: vertices, 32: 1}, lengths, name)
		needValidator(t)
		require.Empty(t, validate(t, words, "--target-env", "vulkan1.2"), name)
	}
	_, err := link.SizeOutputs(passes.Must("geometry/claim").Words(), 96, 32)
	require.EqualError(t, err, "no mesh shader that declares two numbers of outputs")
}
