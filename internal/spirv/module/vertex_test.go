package module_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

func vertex(t *testing.T, name, entry string, specialization map[uint32]uint32) (*module.Vertex, error) {
	data := must.Get(os.ReadFile("../link/testdata/" + name + ".spv"))
	words := must.Get(module.Words(data))
	return module.ReadVertex(words, entry, specialization)
}

// described returns a shader's interface, one line for each input, output and block.
func described(v *module.Vertex) string {
	var b strings.Builder
	for _, in := range v.Inputs {
		fmt.Fprintf(&b, "in %s %s at %d.%d\n", in.Type, in.Name, in.Location, in.Component)
	}
	for _, in := range v.BuiltIns {
		fmt.Fprintf(&b, "in %s %s\n", in.Type, in.BuiltIn)
	}
	for _, out := range v.Outputs {
		fmt.Fprintf(&b, "out %s %s at %d.%d\n", out.Type, out.Name, out.Location, out.Component)
	}
	for _, block := range v.Blocks {
		fmt.Fprintf(&b, "%s %s %d.%d[%d] %d bytes, align %d\n", block.Kind, block.Name, block.Set, block.Binding, block.Element, block.Size, block.Align)
		describeMembers(&b, block.Type, " ")
	}
	for _, s := range v.Specializations {
		fmt.Fprintf(&b, "constant %s %d = %#x\n", s.Name, s.ID, s.Default)
	}
	return b.String()
}

func describeMembers(b *strings.Builder, t *module.Type, indent string) {
	for _, m := range t.Members {
		fmt.Fprintf(b, "%s%d: %s %s, %d bytes", indent, m.Offset, m.Type, m.Name, m.Size)
		inner := m.Type
		for ; inner.Kind == module.Array || inner.Kind == module.RuntimeArray; inner = inner.Elem {
			fmt.Fprintf(b, ", stride %d", inner.Stride)
		}
		if m.MatrixStride > 0 {
			fmt.Fprintf(b, ", matrix stride %d %v", m.MatrixStride, m.RowMajor)
		}
		b.WriteString("\n")
		if inner.Kind == module.Struct {
			describeMembers(b, inner, indent+" ")
		}
	}
}

// TestVertex compares interfaces with descriptions written by hand from the sources in ../link/testdata.
func TestVertex(t *testing.T) {
	for name, want := range map[string]string{
		"transform": `in vec3 position at 0.0
in vec3 normal at 1.0
out vec3 shade at 0.0
uniform block camera 0.0[0] 112 bytes, align 16
 0: mat4 modelViewProjection, 64 bytes, matrix stride 16 false
 64: mat3 normalMatrix, 48 bytes, matrix stride 16 false
push constants push 0.0[0] 4 bytes, align 16
 0: float scale, 4 bytes
`,
		"rowmajor": `in vec3 position at 0.0
out vec4 column at 0.0
uniform block rows 0.0[0] 308 bytes, align 16
 0: mat4 matrix, 64 bytes, matrix stride 16 true
 64: mat4x3[4] bones, 192 bytes, stride 48, matrix stride 16 true
 256: mat3 plain, 48 bytes, matrix stride 16 false
 304: float last, 4 bytes
`,
		"nested": `in vec3 position at 0.0
out vec3 lit at 0.0
uniform block lights 0.0[0] 480 bytes, align 16
 0: Group[2] groups, 416 bytes, stride 208
  0: Light[3] lights, 144 bytes, stride 48
   0: vec3 direction, 12 bytes
   12: float power, 4 bytes
   16: vec2[2] range, 32 bytes, stride 16
  144: mat3 turn, 48 bytes, matrix stride 16 false
  192: uint count, 4 bytes
 416: mat4 matrix, 64 bytes, matrix stride 16 false
storage block more 0.4[0] 172 bytes, align 16
 0: Group group, 148 bytes
  0: Light[3] lights, 96 bytes, stride 32
   0: vec3 direction, 12 bytes
   12: float power, 4 bytes
   16: vec2[2] range, 16 bytes, stride 8
  96: mat3 turn, 48 bytes, matrix stride 16 false
  144: uint count, 4 bytes
 160: vec3 ambient, 12 bytes
`,
		"skin4": `in vec3 position at 0.0
in vec3 normal at 1.0
in uvec4 joints at 2.0
in vec4 weights at 3.0
out vec3 shade at 0.0
uniform block Camera 0.0[0] 64 bytes, align 16
 0: mat4 viewProjection, 64 bytes, matrix stride 16 false
storage block skin 0.1[0] 16 bytes, align 16
 0: uint first, 4 bytes
 16: mat4[] bones, 0 bytes, stride 64, matrix stride 16 false
`,
		"components": `in vec3 position at 0.0
in float size at 0.3
in float age at 1.0
in vec2 uv at 1.1
in ivec3 offset at 2.0
in uvec2 packedColour at 3.0
in float[2] curve at 4.0
out vec2 shifted at 0.0
out float aged at 0.2
out uint flags at 1.0
`,
		"arrays": `in vec3 position at 0.0
out vec3 surface.normal at 1.0
out vec2[2] surface.uv at 2.0
out float surface.fog at 4.0
uniform block views 0.0[0] 80 bytes, align 16
 0: mat4 matrix, 64 bytes, matrix stride 16 false
 64: vec4 fog, 16 bytes
uniform block views 0.0[2] 80 bytes, align 16
 0: mat4 matrix, 64 bytes, matrix stride 16 false
 64: vec4 fog, 16 bytes
storage block offsets 0.1[0] 16 bytes, align 16
 0: vec3 offset, 12 bytes
 12: float factor, 4 bytes
storage block offsets 0.1[1] 16 bytes, align 16
 0: vec3 offset, 12 bytes
 12: float factor, 4 bytes
`,
		"halves": `in f16vec3 position at 0.0
in i16vec2 offset at 1.0
in uint16_t weight at 2.0
out f16vec2 uv at 0.0
out uint folded at 1.0
storage block small 0.0[0] 24 bytes, align 16
 0: float16_t scale, 2 bytes
 2: uint16_t count, 2 bytes
 8: f16vec4 shift, 8 bytes
 16: uint64_t key, 8 bytes
`,
		"doubles": `in vec3 position at 0.0
out vec3 relative at 0.0
uniform block planet 0.0[0] 208 bytes, align 32
 0: dvec3 centre, 24 bytes
 32: dmat3 turn, 96 bytes, matrix stride 32 false
 128: double radius, 8 bytes
 144: mat4 matrix, 64 bytes, matrix stride 16 false
`,
		"drawid": `in vec3 position at 0.0
in int VertexIndex
in int InstanceIndex
in int BaseVertex
in int BaseInstance
in int DrawIndex
out ivec4 numbers at 0.0
uniform block Camera 0.0[0] 64 bytes, align 16
 0: mat4 matrix, 64 bytes, matrix stride 16 false
`,
	} {
		t.Run(name, func(t *testing.T) {
			v, err := vertex(t, name, "", nil)
			require.NoError(t, err)
			require.Equal(t, want, described(v))
		})
	}
}

// TestSpecialization freezes constants: the length of an array depends on one.
func TestSpecialization(t *testing.T) {
	v, err := vertex(t, "specialized", "", nil)
	require.NoError(t, err)
	require.Equal(t, "float[3]", v.Outputs[0].Type.String())
	text := described(v)
	require.Contains(t, text, "constant COUNT 0 = 0x3\nconstant FLIP 1 = 0x0\nconstant SCALE 2 = 0x3fc00000\nconstant SHIFT 7 = 0xfffffffe\n")
	v, err = vertex(t, "specialized", "", map[uint32]uint32{0: 5, 1: 7, 99: 1})
	require.NoError(t, err)
	require.Equal(t, "float[5]", v.Outputs[0].Type.String())
	_, err = vertex(t, "specialized", "", map[uint32]uint32{0: 0})
	require.EqualError(t, err, "sums: an array of float without a length")
}

// TestEntryPoints selects entry points of a module that has several.
func TestEntryPoints(t *testing.T) {
	v, err := vertex(t, "boxes", "", nil)
	require.NoError(t, err)
	require.Equal(t, "box", v.Entry.Name)
	_, err = vertex(t, "boxes", "paint", nil)
	require.EqualError(t, err, `entry point "paint" is a fragment shader, not a vertex shader`)
	_, err = vertex(t, "boxes", "none", nil)
	require.EqualError(t, err, `no entry point "none"`)
}

// TestDistances: only distances that a shader writes count, although compilers declare both arrays
// in every block of built-in outputs.
func TestDistances(t *testing.T) {
	v := must.Get(vertex(t, "clipped", "", nil))
	require.Equal(t, module.Distances{Clip: 2, CullPlanes: 1}, v.Distances())
	p, ok := v.Part("gl_ClipDistance[1]")
	require.True(t, ok)
	require.Equal(t, "float", p.Of.String())
	_, ok = v.Part("gl_ClipDistance[2]")
	require.False(t, ok, "there are two")
	for _, name := range []string{"transform", "skin4", "sky"} {
		require.Zero(t, must.Get(vertex(t, name, "", nil)).Distances(), name)
	}
}

// TestStorageSize: a number may follow a vec3 in its 16 bytes, but a struct and a matrix's column fill theirs.
func TestStorageSize(t *testing.T) {
	number := &module.Type{Kind: module.Float, Width: 32}
	vec3 := &module.Type{Kind: module.Vector, Count: 3, Elem: number}
	structure := func(types ...*module.Type) *module.Type {
		s := &module.Type{Kind: module.Struct}
		for _, m := range types {
			s.Members = append(s.Members, module.Member{Type: m})
		}
		return s
	}
	for want, x := range map[int]*module.Type{
		4: structure(&module.Type{Kind: module.Bool, Width: 32}), 12: {Kind: module.Array, Count: 3, Elem: number}, 16: structure(vec3, number), 32: structure(number, vec3),
		48: structure(structure(number, vec3), number), 64: structure(&module.Type{Kind: module.Matrix, Count: 3, Elem: vec3}, number), 24: structure(number, &module.Type{Kind: module.Float, Width: 64}, number),
	} {
		require.Equal(t, want, x.StorageSize())
	}
}
