package format

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGLTFFaces: glTF's materials are one-sided unless they say otherwise, and so
// is what has none.
func TestGLTFFaces(t *testing.T) {
	m := &gltfMaker{}
	p := m.floats(gltfSquare...)
	ix := m.shorts(0, 1, 2, 2, 1, 3)
	primitive := func(material string) string {
		return fmt.Sprintf(`{"attributes":{"POSITION":%d},"indices":%d%s}`, p, ix, material)
	}
	s := gltfMustRead(t, m.text(fmt.Sprintf(`"meshes":[{"primitives":[%s,%s,%s,%s]}],"materials":[{},{"doubleSided":true},{"doubleSided":false}]`,
		primitive(""), primitive(`,"material":0`), primitive(`,"material":1`), primitive(`,"material":2`))))
	require.Len(t, s.Draws, 4)
	for i, want := range []bool{true, true, false, true} {
		require.Equal(t, want, s.Draws[i].OneSided, i)
	}
}
