package format

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"
)

// TestGLTFInstances: a node with EXT_mesh_gpu_instancing draws its mesh once for each element.
func TestGLTFInstances(t *testing.T) {
	t.Parallel()
	read := func(attributes string) (found []mgl32.Mat4, err error) {
		var m gltfMaker
		m.floats(gltfSquare...)
		m.shorts(0, 1, 2, 2, 1, 3)
		m.floats(1, 2, 3, 4, 5, 6, 7, 8, 9)
		m.accessor(m.view([]int16{0, 0, 0, 32767, 0, 0, 32767, 0, 0, 0, 0, 32767}, ""), gltfShort, "VEC4", 3, `,"normalized":true`)
		m.floats(1, 1, 1, 2, 2, 2, 3, 4, 5)
		m.accessors = append(m.accessors, `{"componentType":5126,"type":"VEC3","count":2000000000}`)
		m.accessor(m.view([]int16{1, 1, 1, 0}, ""), gltfShort, "VEC3", 1, "")
		text := m.text(`"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],"extensionsRequired":["EXT_mesh_gpu_instancing"],
			"nodes":[{"mesh":0},{"mesh":0,"translation":[10,0,0],"children":[2],"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{` + attributes + `}}}},{"mesh":0}],"scenes":[{"nodes":[0,1]}]`)
		s, err := Open(t.Context(), writeFile(t, "instances.gltf", []byte(text)))
		if err == nil {
			for i := range s.Draws {
				require.Equal(t, s.Draws[0].FirstIndex, s.Draws[i].FirstIndex)
				found = append(found, s.Draws[i].Transform)
			}
		}
		return found, err
	}
	turn := mgl32.Scale3D(-1, -1, 1) // rotation by half a turn
	found, err := read(`"TRANSLATION":2,"ROTATION":3,"SCALE":4`)
	require.NoError(t, err)
	for i, want := range []mgl32.Mat4{
		mgl32.Ident4(),
		mgl32.Translate3D(11, 2, 3),
		mgl32.Translate3D(14, 5, 6).Mul4(turn).Mul4(mgl32.Scale3D(2, 2, 2)),
		mgl32.Translate3D(17, 8, 9).Mul4(mgl32.Scale3D(3, 4, 5)),
		mgl32.Translate3D(10, 0, 0), // the node's child is drawn once
	} {
		require.True(t, want.ApproxEqualThreshold(found[i], 1e-5), "%d: %v", i, found[i])
	}
	require.Len(t, found, 5)
	for attributes, cause := range map[string]string{
		`"TRANSLATION":2,"SCALE":0`:    "instancing: attributes have 3 and 4 elements",
		`"TRANSLATION":9`:              "instancing: accessor is 9, but the document has 7",
		`"TRANSLATION":-1`:             "accessor is -1",
		`"ROTATION":2`:                 `instancing: "VEC3" of component type 5126 (normalized: false) is not allowed`,
		`"SCALE":5`:                    "instancing: needs more than 64",
		`"SCALE":3`:                    `instancing: "VEC4" of component type 5122 (normalized: true) is not allowed`,
		`"SCALE":6`:                    `instancing: "VEC3" of component type 5122 (normalized: false) is not allowed`,
		`"TRANSLATION":2,"ROTATION":5`: `"VEC3" of component type 5126`,
	} {
		_, err := read(attributes)
		require.ErrorContains(t, err, "node 1 EXT_mesh_gpu_", attributes)
		require.ErrorContains(t, err, cause, attributes)
	}
}
