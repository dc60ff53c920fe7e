package format

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

const (
	lookRed   = "\x89PNG\r\n\x1a\nred"
	lookGreen = "\xff\xd8\xffgreen"
)

// looking writes an OBJ file of a grid in four materials, with colours, normals and texture
// coordinates, its library and images.
func looking(t *testing.T) string {
	const side = 5
	var b strings.Builder
	b.WriteString("mtllib .\\the look.mtl\no first\n")
	for v := range side * side {
		fmt.Fprintf(&b, "v %d %d 0 %g .5 1\nvt %g %g\n", v%side, v/side, float32(v)/32, float32((24-v)%side)/8, float32((24-v)/side)/8) // texcoords are numbered backwards
	}
	b.WriteString("vn 0 0 1\nvn 0 1 0\nl 1 2 3\np 4\np 5 6\n")
	for y := range side - 1 {
		fmt.Fprintf(&b, "usemtl %s\n", [...]string{"red stuff", "green", "plain", "gone"}[y])
		if y == 2 {
			b.WriteString("o second\n")
		}
		for x := range side - 1 {
			at := y*side + x + 1
			fmt.Fprintf(&b, "f %d/%d/1 %d/%d/1 %d/%d/%d\n", at, 26-at, at+1, 25-at, at+side, 26-at-side, 1+y%2)
		}
	}
	path := writeFile(t, "look.obj", []byte(b.String()))
	for name, text := range map[string]string{
		"the look.mtl": "newmtl red stuff\nKd 0 0 0\nKs 1 1 1\nmap_Kd red.png\nnewmtl green\nKd 1 .537099 .277301\nmap_Kd .//green.jpg\nnewmtl plain\nKd .125 .25 .5\nnewmtl gone\nmap_Kd none.png\n",
		"red.png":      lookRed, "green.jpg": lookGreen,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), name), []byte(text), 0o666))
	}
	return path
}

// lookCorners lists a scene's triangles, sorted, with their corners' positions, normals, texture coordinates
// and colours. material returns the name of a draw's material.
func lookCorners(s *geometry.Scene, upV bool, material func(draw int) string) (list []string) {
	for i := range s.Draws {
		d := &s.Draws[i]
		ids := s.DrawIndices(i)
		for k := 0; k < len(ids); k += 3 {
			text := material(i)
			for _, id := range ids[k:][:3] {
				v := int(d.VertexOffset + id)
				uv, color := attributeNumbers(attributeNamed(s, "TEXCOORD_0"), v), attributeNumbers(attributeNamed(s, "COLOR_0"), v)
				if !upV {
					uv[1] = 1 - uv[1]
				}
				text += fmt.Sprint(" ", s.Positions[v], s.Normals[v], uv[:2], color[:3])
			}
			list = append(list, text)
		}
	}
	slices.Sort(list)
	return list
}

// TestLooksSurvive: texture coordinates, colours and (except in PLY) materials survive from OBJ to OBJ, PLY and GLB, in the
// original order and another, and from that PLY to OBJ and PLY.
func TestLooksSurvive(t *testing.T) {
	t.Parallel()
	path := looking(t)
	readers := Readers(nil).Looks(true)
	s := must.Get(readers.Open(t.Context(), path))
	require.Equal(t, []string{"lines (1)", "points (2)"}, s.Beside)
	for i, p := range s.Positions {
		v := int(p[0]) + 5*int(p[1])
		require.Equal(t, float32(v)/32, attributeNumbers(attributeNamed(s, "COLOR_0"), i)[0])
		require.Equal(t, float32(v%5)/8, attributeNumbers(attributeNamed(s, "TEXCOORD_0"), i)[0])
	}
	named := func(s *geometry.Scene) func(int) string {
		return func(i int) string { return s.Look.Surfaces[s.Draws[i].Surface-1].Name }
	}
	none := func(int) string { return "" }
	want, wantBare := lookCorners(s, true, named(s)), lookCorners(s, true, none)
	require.Len(t, want, 16)
	folder := filepath.Dir(path)
	for _, name := range []string{"original", "random+fetch"} {
		ordered := must.Get(order.Apply(t.Context(), s, name))
		out := filepath.Join(folder, "out.obj")
		require.NoError(t, Save(t.Context(), out, ordered))
		got := must.Get(readers.Open(t.Context(), out))
		require.Equal(t, want, lookCorners(got, true, named(got)), name)
		require.Equal(t, s.Look, got.Look)
		for i := range s.Draws {
			require.Equal(t, [2]any{s.Draws[i].Name, s.Draws[i].Color}, [2]any{got.Draws[i].Name, got.Draws[i].Color})
		}

		ply := filepath.Join(folder, "out.ply")
		require.NoError(t, Save(t.Context(), ply, ordered))
		flat := must.Get(readers.Open(t.Context(), ply))
		require.Equal(t, wantBare, lookCorners(flat, true, none), name)
		for _, again := range []string{"again.obj", "again.ply"} {
			require.NoError(t, Save(t.Context(), filepath.Join(folder, again), flat))
			require.Equal(t, wantBare, lookCorners(must.Get(readers.Open(t.Context(), filepath.Join(folder, again))), true, none), again)
		}

		glb := filepath.Join(folder, "out.glb")
		require.NoError(t, Save(t.Context(), glb, must.Get(ordered.Copies(1))))
		p := parse(t, must.Get(os.ReadFile(glb)))
		material := func(i int) map[string]any {
			mesh := follow(p.doc, "nodes", i, "mesh").(float64)
			return follow(p.doc, "materials", int(follow(p.doc, "meshes", int(mesh), "primitives", 0, "material").(float64))).(map[string]any)
		}
		got = must.Get(Readers(nil).Attributes().Open(t.Context(), glb))
		require.Equal(t, want, lookCorners(got, false, func(i int) string { return material(i)["name"].(string) }), name)
		for i, image := range []string{lookRed, lookGreen, "", ""} {
			pbr := material(i)["pbrMetallicRoughness"].(map[string]any)
			require.InDeltaSlice(t, [][]any{{1., 1., 1., 1.}, {1., .25, .0625, 1.}, {.125, .25, .5, 1.}, {float64(geometry.DefaultColor[0]), float64(geometry.DefaultColor[1]), float64(geometry.DefaultColor[2]), 1.}}[i], pbr["baseColorFactor"], 1e-5)
			if texture, has := pbr["baseColorTexture"]; image == "" {
				require.False(t, has)
			} else {
				source := follow(p.doc, "textures", int(follow(texture, "index").(float64)), "source").(float64)
				x := follow(p.doc, "images", int(source))
				view := follow(p.doc, "bufferViews", int(follow(x, "bufferView").(float64)))
				require.Equal(t, image, string(p.bin[int(follow(view, "byteOffset").(float64)):][:int(follow(view, "byteLength").(float64))]))
				require.Equal(t, imageType([]byte(image)), follow(x, "mimeType"))
			}
		}
		// A GLB of ours that contains more than a Scene is copied like any other.
		data, c := copied(t, glb, "random+fetch")
		require.True(t, c.Saved)
		require.Contains(t, string(data), lookGreen)
	}
	lost, outside := Lacks(filepath.Join(folder, "a.obj"), s)
	require.Empty(t, append(lost, outside...))
	// Saved in another folder, the OBJ names its library outside that folder, which readers do not open.
	elsewhere := filepath.Join(t.TempDir(), "sub", "a.obj")
	require.NoError(t, os.Mkdir(filepath.Dir(elsewhere), 0o700))
	require.NoError(t, Save(t.Context(), elsewhere, s))
	moved := must.Get(readers.Open(t.Context(), elsewhere))
	require.Equal(t, s.Look.Libraries, moved.Look.Libraries)
	require.Equal(t, want, lookCorners(moved, true, named(moved)))
	_, outside = Lacks(filepath.Join(t.TempDir(), "a.obj"), s)
	require.Len(t, outside, 1)
	require.Contains(t, outside[0], "/the look.mtl")
	require.Equal(t, "green.jpg", newMtlMap([]byte(`-s 1 1 1 .\x\..\green.jpg `)).name, "one name for a file, which is read once")
	lost, _ = Lacks("a.ply", s)
	require.Equal(t, []string{"materials (4)"}, lost)
	lost, _ = Lacks("a.glb", s)
	require.Equal(t, []string{"materials but for names, colours and map_Kd without its options", `texture none.png: no such file or directory`}, lost)
}

// TestLooksOfPLY: vertex properties keep their types, but texture coordinates become floats; the texture keeps its name.
func TestLooksOfPLY(t *testing.T) {
	t.Parallel()
	const vertex = "property float x\nproperty float y\nproperty float z\n"
	const further = "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\nproperty float s\nproperty float t\nproperty short id\nproperty float confidence\n"
	path := writeFile(t, "a.ply", []byte("ply\nformat ascii 1.0\ncomment TextureFile red.png\nelement vertex 3\n"+vertex+strings.NewReplacer("float s", "double texture_u", "float t", "double texture_v").Replace(further)+
		"element face 1\nproperty list uchar int vertex_indices\nproperty list uchar float texcoord\nend_header\n"+
		"0 0 0 1 2 3 4 .25 .75 -5 .1\n1 0 0 5 6 7 8 1 0 9 .2\n0 1 0 9 9 9 9 0 1 300 .3\n3 0 1 2 0\n"))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(path), "red.png"), []byte(lookRed), 0o666))
	readers := Readers(nil).Looks(true)
	s := must.Get(readers.Open(t.Context(), path))
	require.Equal(t, []string{"properties of faces texcoord"}, s.Beside)
	out := filepath.Join(filepath.Dir(path), "b.ply")
	require.NoError(t, Save(t.Context(), out, s))
	text := must.Get(os.ReadFile(out))
	require.Contains(t, string(text), "comment TextureFile red.png\nelement vertex 3\n"+vertex+further, "no normals: the file has none")
	got := must.Get(readers.Open(t.Context(), out))
	require.Equal(t, s.Attributes, got.Attributes)
	require.Equal(t, s.Look, got.Look)

	var glb bytes.Buffer
	require.NoError(t, WriteGLB(&glb, s))
	p := parse(t, glb.Bytes())
	require.Contains(t, string(p.bin), lookRed)
	attributes := follow(p.doc, "meshes", 0, "primitives", 0, "attributes").(map[string]any)
	for _, name := range []string{"POSITION", "TEXCOORD_0", "COLOR_0", "_id", "_confidence"} {
		require.Contains(t, attributes, name)
	}
	require.Equal(t, []byte{5, 6, 7, 8}, p.element(attributes["COLOR_0"], 1))
	lost, _ := Lacks("a.obj", s)
	require.Equal(t, []string{"alpha of vertex colours", "attributes id confidence"}, lost[:2])
	require.Contains(t, lost[2], "red.png")
}

// TestOBJColors: a vertex without a colour is white, whichever block of text it is in.
func TestOBJColors(t *testing.T) {
	t.Parallel()
	const n = 40000
	var b strings.Builder
	for v := range n {
		b.WriteString("v 0 0 0")
		if v%7000 == 6999 {
			fmt.Fprintf(&b, " .25 .5 %g", float32(v)/65536)
		}
		if v%9000 == 0 {
			b.WriteString(" 1 red") // a weight, followed by a word that is no number
		}
		b.WriteString("\n")
	}
	require.Greater(t, b.Len(), objBlockBytes)
	b.WriteString("f 1 2 3\n")
	s := must.Get(Readers(nil).Looks(true).Open(t.Context(), writeFile(t, "a.obj", []byte(b.String()))))
	colors := attributeNamed(s, "COLOR_0")
	for v := range n {
		want := mgl32.Vec4{1, 1, 1}
		if v%7000 == 6999 {
			want = mgl32.Vec4{.25, .5, float32(v) / 65536}
		}
		if got := mgl32.Vec4(attributeNumbers(colors, v)); got.Vec3() != want.Vec3() {
			require.Equal(t, want, got, v)
		}
	}
	var glb bytes.Buffer
	require.NoError(t, WriteGLB(&glb, s))
	_, c := copied(t, writeFile(t, "a.glb", glb.Bytes()), "original")
	require.True(t, c.Saved, "ours, and holds more than a Scene")

	text := "v 0 0 0 1 0 0\nv 1 0 0\nv 0 1 0\nvt 1 1\nusemtl a\nf 1/1 2/1 3/1\nusemtl b\nf 1 2 3\n"
	s = must.Get(Readers(nil).Looks(true).Open(t.Context(), writeFile(t, "b.obj", []byte(text))))
	require.Equal(t, 3, attributeNamed(s, "TEXCOORD_0").Missing)
	require.Zero(t, attributeNamed(s, "COLOR_0").Missing)
}

// TestSaveTurnsV: OBJ and PLY files get 1 - v if v points down in the scene, as in glTF.
func TestSaveTurnsV(t *testing.T) {
	t.Parallel()
	s := grid(1)
	a := geometry.Attribute{Name: "TEXCOORD_0", Format: vertexformat.R32G32_SFLOAT}
	for _, f := range []float32{float32(math.NaN()), .25, .5, .75, 0, 0, 1, 1} {
		a.Data = binary.LittleEndian.AppendUint32(a.Data, math.Float32bits(f))
	}
	s.Attributes = []geometry.Attribute{a}
	for _, name := range []string{"a.obj", "a.ply"} {
		uvs := attributeNamed(must.Get(Readers(nil).Attributes().Open(t.Context(), saved(t, name, s))), "TEXCOORD_0")
		for i, want := range [][]float32{{0, .75}, {.5, .25}, {0, 1}, {1, 0}} {
			got := attributeNumbers(uvs, i)
			require.Equal(t, want, got[:2], name)
		}
	}
}

// TestGLBKeepsFurtherSets: texture coordinates and colours keep names that count from 0 without a gap.
func TestGLBKeepsFurtherSets(t *testing.T) {
	t.Parallel()
	s := grid(1)
	for _, name := range []string{"TEXCOORD_1", "TEXCOORD_0", "TEXCOORD_1", "TEXCOORD_3", "COLOR_0", "COLOR_2"} {
		format := vertexformat.R32G32_SFLOAT
		if name[0] == 'C' {
			format = vertexformat.R32G32B32_SFLOAT
		}
		s.Attributes = append(s.Attributes, geometry.Attribute{Name: name, Format: format, Data: make([]byte, 4*format.Size())})
	}
	var glb bytes.Buffer
	require.NoError(t, WriteGLB(&glb, s))
	attributes := follow(parse(t, glb.Bytes()).doc, "meshes", 0, "primitives", 0, "attributes").(map[string]any)
	names := slices.Sorted(maps.Keys(attributes))
	require.Equal(t, []string{"COLOR_0", "POSITION", "TEXCOORD_0", "TEXCOORD_1", "_COLOR_2", "_TEXCOORD_1", "_TEXCOORD_3"}, names)
}

// TestNormalsAreTheFilesOwn: normals that a file lacks are made for pictures but not written; normals that it has in
// part are written.
func TestNormalsAreTheFilesOwn(t *testing.T) {
	const normals = "vn 0 0 1\n"
	for text, has := range map[string]bool{
		objVerts + "f 1 2 3\n": false,
		objVerts + "vt 0 0\nvt 1 0\nf 1/1 2/1 3/1\nf 1/2 3/2 2/1\n": false,
		objVerts + normals + "f 1//1 2//1 3//1\nf 1 3 2\n":          true,
	} {
		s := must.Get(Readers(nil).Looks(true).Open(t.Context(), writeFile(t, "a.obj", []byte(text))))
		require.Len(t, s.Normals, len(s.Positions))
		for name, word := range map[string]string{"b.obj": "vn ", "b.ply": "property float nx", "b.glb": "NORMAL"} {
			require.Equal(t, has, strings.Contains(string(must.Get(os.ReadFile(saved(t, name, s)))), word), "%s of %s", name, text)
		}
	}
}

// TestLossesAreNamed: Scene.Beside and Lacks name what is left out, loses precision or cannot be read.
func TestLossesAreNamed(t *testing.T) {
	open := func(name, text string) []string {
		return must.Get(Readers(nil).Looks(true).Open(t.Context(), writeFile(t, name, []byte(text)))).Beside
	}
	ply := "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty float y\nproperty double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
	require.Equal(t, []string{"double precision of x z"}, open("a.ply", ply))
	require.Empty(t, open("a.ply", strings.ReplaceAll(ply, "double", "float")))
	stl := "solid\nfacet normal 1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid\n"
	require.Equal(t, []string{"normals of facets"}, open("a.stl", stl))
	require.Empty(t, open("a.stl", strings.ReplaceAll(stl, "normal 1", "normal -0.0e0")))
	path := writeFile(t, "a.obj", []byte("mtllib gone.mtl\n"+objVerts+"usemtl a\nf 1 2 3\n"))
	s := must.Get(Readers(nil).Looks(true).Open(t.Context(), path))
	require.Empty(t, s.Beside)
	for _, library := range []string{"gone.mtl", "../a.mtl"} {
		path := writeFile(t, "t.obj", []byte("mtllib "+library+"\n"+objVerts+"usemtl a\nf 1 2 3\n"))
		require.Equal(t, []string{"materials of " + library + ", which cannot be read"}, must.Get(Readers(nil).Textures().Open(t.Context(), path)).Skipped)
		require.Empty(t, must.Get(Readers(nil).Open(t.Context(), path)).Skipped, "who shows no colours misses none")
	}
	for out, want := range map[string][]string{"b.obj": nil, "b.ply": {"materials (1)"}, "b.glb": {"materials but for names, colours and map_Kd without its options", "materials of gone.mtl, which cannot be read"}} {
		lost, outside := Lacks(filepath.Join(t.TempDir(), out), s)
		require.Equal(t, want, lost, "an OBJ keeps what it names")
		require.Empty(t, outside, "there is no such file")
	}
}
