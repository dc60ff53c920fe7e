package shaders

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

func TestEveryShaderIsWhole(t *testing.T) {
	require.NotEmpty(t, All)
	for _, s := range All {
		t.Run(s.Name, func(t *testing.T) {
			sum := sha256.Sum256(s.SPIRV)
			require.Equal(t, s.SPIRVHash, hex.EncodeToString(sum[:]))
			require.Equal(t, uint32(0x07230203), s.Words()[0])
			require.Len(t, s.Words(), len(s.SPIRV)/4)
			found, err := Find(s.Name)
			require.NoError(t, err)
			require.Same(t, s, found)
			for _, b := range s.Bindings {
				require.Equal(t, b.Name, s.Binding(b.Name).Name)
			}
			require.LessOrEqual(t, s.PushConstantSize, 128, "what every device has")
		})
	}
	require.True(t, slices.IsSortedFunc(All, func(a, b *Shader) int { return strings.Compare(a.Name, b.Name) }))
}

func TestFindNamesWhatIsMissing(t *testing.T) {
	_, err := Find("geometry/absent")
	require.EqualError(t, err, `shaders: no shader is called "geometry/absent"`)
}

// sample is a shader with an unsigned, a bool and a float constant and its own local size.
var sample = &Shader{
	Name: "sample", LocalSize: [3]uint32{1, 2, 3}, LocalSizeSpec: [3]string{"LANES", "", ""},
	SpecConstants: []SpecConstant{
		{ID: 3, Name: "LANES", Kind: module.Uint}, {ID: 5, Name: "NATIVE", Kind: module.Bool}, {ID: 9, Name: "GAIN", Kind: module.Float},
	},
}

func TestSpec(t *testing.T) {
	spec, err := sample.Spec(map[string]uint32{"GAIN": 0x3fc00000, "LANES": 8})
	require.NoError(t, err)
	require.Equal(t, []SpecEntry{{3, 0, 4}, {9, 4, 4}}, spec.Entries)
	require.Equal(t, uint32(8), binary.NativeEndian.Uint32(spec.Data))
	require.Equal(t, uint32(0x3fc00000), binary.NativeEndian.Uint32(spec.Data[4:]))

	spec, err = sample.Spec(nil)
	require.NoError(t, err)
	require.Empty(t, spec.Entries)

	_, err = sample.Spec(map[string]uint32{"LANES": 8, "LANSE": 8})
	require.EqualError(t, err, "shaders: sample: no shader has a specialization constant LANSE")
	_, err = sample.Spec(map[string]uint32{"NATIVE": 2})
	require.EqualError(t, err, "shaders: sample: specialization constant NATIVE is a bool, not 2")
}

func TestSpecSkipsTheConstantsOfOtherShaders(t *testing.T) {
	others := slices.DeleteFunc(slices.Collect(func(yield func(string) bool) {
		for _, s := range All {
			for _, c := range s.SpecConstants {
				if !yield(c.Name) {
					return
				}
			}
		}
	}), func(name string) bool { return sample.SpecConstant(name) != nil })
	require.NotEmpty(t, others)
	spec, err := sample.Spec(map[string]uint32{others[0]: 1, "LANES": 4})
	require.NoError(t, err)
	require.Equal(t, []SpecEntry{{3, 0, 4}}, spec.Entries)
}

func TestWorkgroupSize(t *testing.T) {
	require.Equal(t, [3]uint32{64, 2, 3}, sample.WorkgroupSize(map[string]uint32{"LANES": 64, "GAIN": 7, "": 9}))
	require.Equal(t, [3]uint32{1, 2, 3}, sample.WorkgroupSize(nil))
}
