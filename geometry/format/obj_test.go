package format

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

const objVerts = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"

// draw holds the expected values of a geometry.Draw.
type draw struct {
	name            string
	indices         []uint32
	vertices, start int
}

func requireDraws(t *testing.T, s *geometry.Scene, want ...draw) {
	got := []draw{}
	for i, d := range s.Draws {
		got = append(got, draw{d.Name, s.DrawIndices(i), int(d.VertexCount), int(d.VertexOffset)})
		require.Equal(t, mgl32.Ident4(), d.Transform)
	}
	require.Equal(t, want, got)
}

// TestOBJFileNumbering reads files whose faces need no new vertices: the scene keeps the file's order of
// positions, unused ones included.
func TestOBJFileNumbering(t *testing.T) {
	more := objVerts + "v 9 9 9\n"
	with := func(word string) string { return strings.ReplaceAll(more, "v ", word+" ") }
	for name, text := range map[string]string{
		"plain":            more + "f 1 2 3 4\nf 4 2 1\n",
		"no last end":      more + "f 1 2 3 4\nf 4 2 1",
		"CRLF":             strings.ReplaceAll(more+"f 1 2 3 4\nf 4 2 1\n", "\n", "\r\n"),
		"negative":         more + "f -5 -4 -3 -2\nf -2 -4 -5\n",
		"negative earlier": objVerts + "f -4 -3 -2 -1\nv 9 9 9\nf -2 -4 -5\n",
		"comments":         "# a\n\n" + more + "f 1 2 3 4 # a quad\n  # b\nf 4 2 1 #c\n",
		"joined":           strings.Replace(more, "v 0 1 0", "v 0\\\n \\\n1 0", 1) + "f 1 2 \\\n 3 4\nf 4 2 1 \\\r\n",
		"blanks":           "  " + strings.ReplaceAll(more, " ", "\t ") + "\tf  1\t2  3 4  \nf 4 2 1 \n",
		"ignored": "mtllib\nvp 1 2\ncstype bezier\n" + strings.ReplaceAll(more, "\n", " 0.5 0.5 1\n") +
			"s off\nl 1 2\np 1\nusemap x\nmg 1 2\nf 1 2 3 4\nf 4 2 1\ncall x\n",
		"texcoords":    more + with("vt") + "f 1/1 2/2 3/3 4/4\nf 4/4 2/2 1/1\n",
		"slash":        more + "f 1/ 2/ 3/ 4/\nf 4// 2// 1//\n",
		"same triples": more + with("vt") + with("vn") + "f 1/1/1 2/2/2 3/3/3 4/4/4\nf -2/-2/-2 2/2/2 1/1/1\n",
		"same normals": more + with("vn") + "f 1//1 2//2 3//3 4//4\nf 4//4 2//2 1//1\n",
		"few normals":  more + "vn 1 0 0\nvn 1 0 0\nvn 1 0 0\nvn 1 0 0\nf 1//1 2//2 3//3 4//4\nf 4//4 2//2 1//1\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := mustLoad(t, "a.obj", text)
			require.Equal(t, append(append([]mgl32.Vec3{}, tetraPositions...), mgl32.Vec3{9, 9, 9}), s.Positions)
			requireDraws(t, s, draw{"", quadIndices, 5, 0})
			require.Len(t, s.Normals, 5)
		})
	}
}

// TestOBJTriples reads files whose vertices are triples of indices.
func TestOBJTriples(t *testing.T) {
	text := objVerts + "vn 1 0 0\nvn 0 2 0\nvt 0 0\nvt 1 1\n"
	for _, c := range []struct {
		name, faces string
		positions   []int // by vertex: its number in the file
		indices     []uint32
	}{
		{"normals", "f 3//1 2//1 1//1\nf 3//2 2//1 4//2\n", []int{2, 1, 0, 2, 3}, []uint32{0, 1, 2, 3, 1, 4}},
		{"texcoords", "f 3/1 2/1 1/1\nf 3/2 2/1 4/1\n", []int{2, 1, 0, 2, 3}, []uint32{0, 1, 2, 3, 1, 4}},
		{"all", "f 3/1/1 2/1/1 1/1/1\nf 3/1/2 2/1/1 3/2/1\n", []int{2, 1, 0, 2, 2}, []uint32{0, 1, 2, 3, 1, 4}},
		{"polygon", "f 4//1 3//1 2//1 1//2\n", []int{3, 2, 1, 0}, []uint32{0, 1, 2, 0, 2, 3}},
		{"form changes", "f 3 2 1\nf 3//1 2//1 1//1\nf 3 1 2\n", []int{2, 1, 0, 2, 1, 0}, []uint32{0, 1, 2, 3, 4, 5, 0, 2, 1}},
		{"same, then not", "f 1//1 2//2 1//1\nf 2//2 1//1 1//1 1//2\n", []int{0, 1, 0}, []uint32{0, 1, 0, 1, 0, 0, 1, 0, 2}},
		{"same, then not, in one fan", "f 2//2 1//1 2//2 4//1\n", []int{1, 0, 3}, []uint32{0, 1, 0, 0, 0, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustLoad(t, "a.obj", text+c.faces)
			want := []mgl32.Vec3{}
			for _, p := range c.positions {
				want = append(want, tetraPositions[p])
			}
			require.Equal(t, want, s.Positions)
			requireDraws(t, s, draw{"", c.indices, len(want), 0})
			for _, n := range s.Normals {
				require.InDelta(t, 1, n.Len(), 1e-6)
			}
		})
	}
	s := mustLoad(t, "a.obj", text+"f 3//2 2//1 1//1\nf 3 2 1\n")
	require.Equal(t, []mgl32.Vec3{{0, 1, 0}, {1, 0, 0}, {1, 0, 0}}, s.Normals[:3], "those of the file")
	require.Equal(t, mgl32.Vec3{0, 0, -1}, s.Normals[3], "made for the vertices without")
}

// TestOBJCrowdedPosition reads one position with more normals than a chain holds.
func TestOBJCrowdedPosition(t *testing.T) {
	text, want := objVerts, []uint32{}
	for i := range 40 {
		text += fmt.Sprintf("vn 0 1 %d\n", i)
	}
	for range 2 {
		for i := range 40 {
			text += fmt.Sprintf("f 1//%d 2//1 3//2\n", i+1)
			id := uint32(0)
			if i > 0 {
				id = uint32(i + 2)
			}
			want = append(want, id, 1, 2)
		}
	}
	s := mustLoad(t, "a.obj", text)
	require.Equal(t, want, s.Indices)
	require.Len(t, s.Positions, 42)
}

func TestOBJDraws(t *testing.T) {
	for _, c := range []struct {
		name, faces string
		draws       []draw
	}{
		{"one of many names", "o none\ng a\nusemtl x\nf 1 2 3\nusemtl x\nf 3 2 1\ng b\n", []draw{{"a", []uint32{0, 1, 2, 2, 1, 0}, 4, 0}}},
		{"groups", "g a\nf 4 2 3\nf 3 2 4\ng b\nf 2 3 4\n", []draw{{"a", []uint32{0, 1, 2, 2, 1, 0}, 3, 0}, {"b", []uint32{0, 1, 2}, 3, 3}}},
		{"come back", "g a\nf 4 2 3\ng b\nf 2 3 4\ng a\nf 1 2 4\n", []draw{{"a", []uint32{0, 1, 2, 3, 1, 0}, 4, 0}, {"b", []uint32{0, 1, 2}, 3, 4}}},
		{"materials", "g a\nusemtl x\nf 4 2 3\nusemtl y\nf 2 3 4\n", []draw{{"a", []uint32{0, 1, 2}, 3, 0}, {"a", []uint32{0, 1, 2}, 3, 3}}},
		{"material's name", "usemtl x\nf 4 2 3\nusemtl y\nf 2 3 4\n", []draw{{"x", []uint32{0, 1, 2}, 3, 0}, {"y", []uint32{0, 1, 2}, 3, 3}}},
		{"default, then group", "f 4 2 3\ng a b\nf 2 3 4\n", []draw{{"", []uint32{0, 1, 2}, 3, 0}, {"a b", []uint32{0, 1, 2}, 3, 3}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mustLoad(t, "a.obj", objVerts+c.faces)
			requireDraws(t, s, c.draws...)
			if len(c.draws) > 1 {
				require.Equal(t, tetraPositions[3], s.Positions[0])
				require.Equal(t, tetraPositions[1], s.Positions[c.draws[1].start])
			}
		})
	}
}

func TestOBJMaterials(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	write("two words.mtl", "newmtl x\n  Kd 0.5 0.25 2 # blue\nnewmtl y\nKd 0.1\nnewmtl z\nKd spectral file\nKd nan 0 0\n")
	write("b.mtl", "Kd 1 1 1\r\nnewmtl w\r\nKd 1 0 0\r\n")
	write("a.obj", "mtllib two words.mtl\nmtllib missing.mtl ..\\b.mtl b.mtl /etc/passwd\n"+objVerts+
		"usemtl x\nf 1 2 3\nusemtl y\nf 1 2 3\nusemtl z\nf 1 2 3\nusemtl w\nf 1 2 3\nusemtl other\nf 1 2 3\n")
	s := must.Get(Open(t.Context(), filepath.Join(folder, "a.obj")))
	want := []mgl32.Vec4{{0.5, 0.25, 1, 1}, {0.1, 0.1, 0.1, 1}, geometry.DefaultColor, {1, 0, 0, 1}, geometry.DefaultColor}
	for i, d := range s.Draws {
		require.Equal(t, want[i], d.Color, d.Name)
	}
}

func TestOBJRefuses(t *testing.T) {
	requireRefused(t, "bad.obj", "", []refusal{
		{"empty", "", "\n", "no faces"},
		{"no faces", "", objVerts, "no faces"},
		{"no vertices", "", "f 1 2 3\n", "line 1: face names vertex 1, but 0 stand above"},
		{"binary", "", "v 0 0 0\x00\n", "not text"},
		{"short vertex", "", "v 0 0\n", "line 1: vertex needs 3 numbers, has 2"},
		{"word", "", objVerts + "v 0 x 0\n", `line 5: "x" is not a finite number`},
		{"nan", "", objVerts + "v 0 nan 0\n", "line 5"},
		{"inf", "", objVerts + "v 0 0 -inf\n", "line 5"},
		{"overflow", "", objVerts + "v 0 1e999 0\n", "line 5"},
		{"glued", "", objVerts + "v 0 1.2.3 0\n", "line 5"},
		{"normal", "", objVerts + "vn 0 nan 0\n", "line 5"},
		{"index", "", objVerts + "\nf 1 2 5\n", "line 6: face names vertex 5, but 4 stand above it"},
		{"later index", "", objVerts + "f 1 2 3\nf 1 2 3\n# c\nf 1 2 5\nv 1 2 3\n", "line 8: face names vertex 5"},
		{"negative index", "", objVerts + "f 1 2 3\nf 1 -5 3\n", "line 6: face names vertex 0"},
		{"very negative index", "", objVerts + "f 1 2 -3000000000\n", "line 5"},
		{"large index", "", objVerts + "f 1 2 3000000000\n", "line 5"},
		{"index 3 + 1<<32", "", objVerts + "f 1 2 4294967299\n", "line 5"},
		{"larger index", "", objVerts + "f 1 2 30000000000000000000\n", "line 5"},
		{"index 0", "", objVerts + "f 1 0 3\n", "line 5"},
		{"texcoord", "", objVerts + "f 1/1 2/1 3/1\n", "line 5: face names texcoord 1, but 0"},
		{"normal index", "", objVerts + "vn 0 0 1\nf 1//1 2//1 3//2\n", "line 6: face names normal 2, but 1"},
		{"two corners", "", objVerts + "f 1 2\n", "line 5: face of 2 vertices"},
		{"mixed", "", objVerts + "vt 0 0\nf 1/1 2 3\n", "line 6: \"2\" differs in form"},
		{"word in face", "", objVerts + "f 1 2 three\n", "line 5"},
		{"fraction in face", "", objVerts + "f 1 2 3.5\n", "line 5"},
		{"four parts", "", objVerts + "f 1/1/1/1 2 3\n", "line 5"},
		{"long line", "", objVerts + "f" + strings.Repeat(" 1", 4<<20), "line 5: line is longer"},
		{"joined for ever", "", objVerts + strings.Repeat("\\\n", 3<<20), "line is longer"},
	})
}

// TestOBJParallel reads a file of many blocks on one thread and on several, with and without an
// error in it.
func TestOBJParallel(t *testing.T) {
	text := *bytes.NewBufferString("l 1 2\n")
	require.NoError(t, objWrite(&text, grid(300)))
	require.Greater(t, text.Len(), 8*objBlockBytes)
	// Negative indices in a block far from the first vertices.
	text.WriteString("usemtl second\nf -1 -2 -300\nf 1 2 3\n")
	bad := bytes.Replace(text.Bytes(), []byte("f 20 "), []byte("f 2o "), 1)
	badLine := fmt.Sprintf("line %d:", 1+bytes.Count(bad[:bytes.Index(bad, []byte("f 2o "))], []byte{'\n'}))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	serial := must.Get(load("a.obj", text.Bytes(), false))
	require.Len(t, serial.Draws, 2)
	require.Equal(t, []string{"lines (1)"}, serial.Beside)
	for _, threads := range []int{2, 4, 8} {
		runtime.GOMAXPROCS(threads)
		parallel := must.Get(load("a.obj", text.Bytes(), false))
		require.True(t, slices.Equal(serial.Positions, parallel.Positions))
		require.True(t, slices.Equal(serial.Indices, parallel.Indices))
		require.True(t, slices.Equal(serial.Draws, parallel.Draws))
		_, err := load("a.obj", bad, false)
		requireClear(t, "a.obj", err)
		require.Contains(t, err.Error(), badLine)
	}
}

// TestOBJNegativeAcrossBlocks reads a file of several blocks whose faces count back from their own
// place, with different numbers of positions, texture coordinates and normals above them. Each face
// must find its own position and normal.
func TestOBJNegativeAcrossBlocks(t *testing.T) {
	for name, form := range map[string]struct {
		texcoords           int // number of vt lines above each face
		first, corner, last string
	}{
		"normals":               {0, "f 1//1 2//2 3//2\n", "f -3//-1 -2//-1 -1//-1\n", "f -%[1]d//-%[3]d -%[4]d//-%[6]d -%[7]d//-%[6]d\n"},
		"texcoords and normals": {2, "f 1/1/1 2/2/2 3/1/2\n", "f -3/-2/-1 -2/-1/-1 -1/-2/-1\n", "f -%[1]d/-%[2]d/-%[3]d -%[4]d/-%[5]d/-%[6]d -%[7]d/-%[2]d/-%[6]d\n"},
	} {
		var text strings.Builder
		text.WriteString("v 9 9 9\nv 9 9 8\nv 9 9 7\nvn 0 1 0\nvn 0 -1 0\nvt 0 0\nvt 0 1\n" + form.first)
		v, vt, vn, faces := 3, 2, 2, 1
		for ; text.Len() < 3*objBlockBytes; faces++ {
			// The position encodes the face's number, the normal whether that is even.
			fmt.Fprintf(&text, "v %d 0 0\nv %d 1 0\nv %d 0 1\nvn %d 0 %d\n", faces, faces, faces, faces%2, 1-faces%2)
			text.WriteString(strings.Repeat("vt 0.5 0.5\n", form.texcoords))
			text.WriteString(form.corner)
			v, vt, vn = v+3, vt+form.texcoords, vn+1
		}
		fmt.Fprintf(&text, form.last, v, vt, vn, v-1, vt-1, vn-1, v-2)
		s := mustLoad(t, "a.obj", text.String())
		require.Equal(t, faces+1, s.Triangles(), name)
		require.Len(t, s.Positions, 3*faces, "%s: the last face has the vertices of the first", name)
		require.Equal(t, s.Indices[:3], s.Indices[3*faces:], name)
		for k := 3; k < 3*faces; k++ {
			id, face := s.Indices[k], k/3
			corner := [3]mgl32.Vec3{{float32(face), 0, 0}, {float32(face), 1, 0}, {float32(face), 0, 1}}[k%3]
			normal := mgl32.Vec3{float32(face % 2), 0, float32(1 - face%2)}
			if s.Positions[id] != corner || s.Normals[id] != normal {
				t.Fatalf("%s: index %d is of position %v and normal %v, not %v and %v", name, k, s.Positions[id], s.Normals[id], corner, normal)
			}
		}
	}
}

// TestShapes opens a file of two groups, with texture seams, for its shape only.
func TestShapes(t *testing.T) {
	path := writeFile(t, "seams.obj", []byte("mtllib none.mtl\nv 9 9 9\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 1\nvn 0 0 1\n"+
		"g a\nusemtl red\nf 2/1/1 3/2/1 4/1/1\ng b\nf 2/2 4/2 5/1\nf -3 -2 -1\n"))
	s := must.Get(Readers(nil).Shapes().Open(t.Context(), path))
	require.Len(t, s.Draws, 1)
	require.Equal(t, []uint32{1, 2, 3, 1, 3, 4, 2, 3, 4}, s.Indices)
	require.Equal(t, mgl32.Vec3{9, 9, 9}, s.Positions[0], "no face names it")
	require.Empty(t, s.Skipped)
	s = must.Get(Open(t.Context(), path))
	require.Len(t, s.Draws, 2)
}
