package format

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/hschendel/stl"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// stlBytes writes a scene with the library that is our oracle.
func stlBytes(t testing.TB, s *geometry.Scene, ascii bool) []byte {
	solid := stl.Solid{Name: "test", IsAscii: ascii}
	for k := 0; k < len(s.Indices); k += 3 {
		var tri stl.Triangle
		for c := range 3 {
			tri.Vertices[c] = stl.Vec3(s.Positions[s.Indices[k+c]])
		}
		solid.AppendTriangle(tri)
	}
	var out bytes.Buffer
	require.NoError(t, solid.WriteAll(&out))
	return out.Bytes()
}

func stlTetra(t testing.TB, ascii bool) []byte {
	return stlBytes(t, &geometry.Scene{Positions: tetraPositions, Indices: tetraIndices}, ascii)
}

// TestSTLOracle reads files written by github.com/hschendel/stl, in both forms, and compares the
// result corner by corner with what that library reads.
func TestSTLOracle(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		for _, source := range []*geometry.Scene{{Positions: tetraPositions, Indices: tetraIndices}, grid(40)} {
			data := stlBytes(t, source, ascii)
			oracle := must.Get(stl.ReadAll(bytes.NewReader(data)))
			require.Equal(t, ascii, oracle.IsAscii)
			s := mustLoad(t, "a.stl", string(data))
			require.Equal(t, len(oracle.Triangles), s.Triangles())
			for k, id := range s.Indices {
				if p := mgl32.Vec3(oracle.Triangles[k/3].Vertices[k%3]); p != s.Positions[id] {
					t.Fatalf("corner %d: %v, want %v", k, s.Positions[id], p)
				}
			}
			require.Equal(t, len(source.Positions), len(s.Positions), "welded")
		}
	}
}

// TestSTLNormals: a saved file has facets whose normals follow their corners counter-clockwise, as another library reads it.
func TestSTLNormals(t *testing.T) {
	solid := must.Get(stl.ReadFile(saved(t, "a.stl", mustLoad(t, "b.stl", string(stlTetra(t, false))))))
	require.Len(t, solid.Triangles, 4)
	for _, f := range solid.Triangles {
		a, b, c := mgl32.Vec3(f.Vertices[0]), mgl32.Vec3(f.Vertices[1]), mgl32.Vec3(f.Vertices[2])
		want := b.Sub(a).Cross(c.Sub(a)).Normalize()
		require.InDeltaSlice(t, want[:], []float32{f.Normal[0], f.Normal[1], f.Normal[2]}, 1e-6)
	}
}

func TestSTLWeld(t *testing.T) {
	minus := float32(math.Copysign(0, -1))
	tiny := math.Nextafter32(1, 2)
	s := mustLoad(t, "a.stl", string(stlBytes(t, &geometry.Scene{
		Positions: []mgl32.Vec3{{minus, 1, 0}, {1, 0, 0}, {0, 1, minus}, {tiny, 0, 0}},
		Indices:   []uint32{0, 1, 3, 1, 2, 0},
	}, false)))
	require.Equal(t, []uint32{0, 1, 2, 1, 0, 0}, s.Indices, "by first use; -0 is 0; close is not equal")
	require.Equal(t, []mgl32.Vec3{{0, 1, 0}, {1, 0, 0}, {tiny, 0, 0}}, s.Positions)
	require.Equal(t, uint32(0), math.Float32bits(s.Positions[0][0]))
}

func TestSTLForms(t *testing.T) {
	text := string(stlTetra(t, true))
	binaryWithSolid := stlTetra(t, false)
	copy(binaryWithSolid, "solid by a careless program\n")
	for name, data := range map[string]string{
		"ascii":             text,
		"CRLF":              strings.ReplaceAll(text, "\n", "\r\n"),
		"upper case":        strings.ToUpper(text),
		"one line":          strings.Replace(strings.ReplaceAll(text, "\n", " "), "solid test", "solid test\n", 1),
		"nan normals":       strings.ReplaceAll(text, "facet normal 0 0 0", "facet normal nan -nan(ind) inf"),
		"no name":           strings.ReplaceAll(text, " test", ""),
		"binary with solid": string(binaryWithSolid),
	} {
		t.Run(name, func(t *testing.T) {
			s := mustLoad(t, "a.stl", data)
			require.Equal(t, []mgl32.Vec3{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}}, s.Positions)
			require.Equal(t, []uint32{0, 1, 2, 0, 2, 3, 0, 3, 1, 2, 1, 3}, s.Indices)
		})
	}
	require.Equal(t, 8, mustLoad(t, "a.stl", text+text).Triangles(), "two solids")
	s := must.Get(load("a.unknown", []byte(text), false))
	require.Equal(t, 4, s.Triangles())
}

func TestSTLRefuses(t *testing.T) {
	text, raw := string(stlTetra(t, true)), string(stlTetra(t, false))
	count := func(n uint32) string { return raw[:80] + string(binary.LittleEndian.AppendUint32(nil, n)) + raw[84:] }
	nan := []byte(raw)
	binary.LittleEndian.PutUint32(nan[84+50+12:], 0x7fc00000)
	requireRefused(t, "bad.stl", "", []refusal{
		{"short", "", raw[:83], "neither"},
		{"text", "", "this is not a mesh", `text that begins with "this is not a mesh", not with`},
		{"an OBJ file", "", "\n# made by x\r\n" + strings.Repeat("v 1 2 3\n", 99), `text that begins with "# made by x", not with`},
		{"no triangles", "", count(0)[:84], "no triangles"},
		{"more triangles", "", count(5), ""},
		{"far more triangles", "", count(1 << 26), ""},
		{"most triangles", "", count(math.MaxUint32), "are supported"},
		{"fewer triangles", "", count(3), "goes on after"},
		{"nan", "", string(nan), "triangle 1: position is not finite"},
		{"empty solid", "", "solid a\nendsolid a\n", "no triangles"},
		{"no endsolid", "", strings.Replace(text, "endsolid", "", 1), ""},
		{"end of the file in a solid", "", text[:strings.LastIndex(text, "endsolid")], "the file ends early"},
		{"no facet", "", strings.Replace(text, "facet", "face", 1), "line 2: expected facet"},
		{"two vertices", "", strings.Replace(text, "endloop", "", 1), "expected endloop"},
		{"four vertices", "", strings.Replace(text, "endloop", "vertex 0 0 0 endloop", 1), "expected endloop"},
		{"ascii nan", "", strings.Replace(text, "vertex 0", "vertex nan", 1), "line 4"},
		{"ascii overflow", "", strings.Replace(text, "vertex 0", "vertex 1e999", 1), "line 4"},
		{"ascii tail", "", text + "more\n", "expected solid"},
	})
}
