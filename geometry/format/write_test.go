package format

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TestSaveRoundTrip saves a scene covered by one draw, and requires the same scene back.
func TestSaveRoundTrip(t *testing.T) {
	for _, name := range []string{"a.ply", "a.obj", "B.PLY", "a.ply.gz", "a.gltf", "a.glb.ZST"} {
		for _, normals := range []bool{false, true} {
			s := grid(20)
			s.Positions = append(s.Positions, mgl32.Vec3{1e-38, -3.4e38, 0.1}) // unreferenced
			s.Draws[0].VertexCount++
			want := *s
			require.NoError(t, want.MakeNormals(t.Context()))
			require.NoError(t, unitNormals(t.Context(), want.Normals))
			if normals {
				s = &want
			}
			path := saved(t, name, s)
			got := must.Get(Open(t.Context(), path))
			require.Equal(t, want.Positions, got.Positions)
			require.Equal(t, want.Indices, got.Indices)
			require.Len(t, got.Draws, 1)
			for i := range want.Normals {
				require.InDeltaSlice(t, want.Normals[i][:], got.Normals[i][:], 1e-6)
			}
		}
	}
}

// TestSaveBakes saves draws with transforms, instances and equal names.
func TestSaveBakes(t *testing.T) {
	s := shuffled()
	for _, name := range []string{"a.ply", "a.obj", "a.stl", "a.stl.zst", "a.gltf.gz"} {
		path := saved(t, name, s)
		got := must.Get(Open(t.Context(), path))
		require.Equal(t, s.Triangles(), got.Triangles())
		if name == "a.obj" {
			require.Equal(t, []string{"one", "two", "one.2"}, []string{got.Draws[0].Name, got.Draws[1].Name, got.Draws[2].Name})
		} else if name == "a.ply" {
			require.Len(t, got.Positions, s.DrawVertices())
		}
		require.Equal(t, corners(s), corners(got))
	}
	require.Equal(t, mgl32.Vec3{1, 2, -1}, corners(s)[len(tetraIndices)+5], "scaled, then moved")
}

// corners lists the world positions of the index stream.
func corners(s *geometry.Scene) (list []mgl32.Vec3) {
	for i := range s.Draws {
		b := bake(s, i)
		for _, id := range s.DrawIndices(i) {
			list = append(list, b.position(int(id)))
		}
	}
	return list
}

// TestBakedNormals tests the definition: a normal stays perpendicular to the vectors to which it
// was perpendicular, and on the same side.
func TestBakedNormals(t *testing.T) {
	n, along := mgl32.Vec3{1, 2, 2}.Normalize(), mgl32.Vec3{2, -1, 0}
	for _, m := range []mgl32.Mat4{
		mgl32.HomogRotate3D(1, mgl32.Vec3{1, 2, 3}.Normalize()), mgl32.Scale3D(3, 1, 0.5), mgl32.Scale3D(-1, 2, 1), mgl32.Translate3D(4, 5, 6),
		mgl32.Scale3D(-.125, 2, 2), mgl32.Scale3D(-1, -2, -3).Mul4(mgl32.HomogRotate3DX(0.3)),
	} {
		s := &geometry.Scene{Positions: []mgl32.Vec3{{}}, Normals: []mgl32.Vec3{n}, Draws: []geometry.Draw{{VertexCount: 1, Transform: m}}}
		b := bake(s, 0)
		got := b.normal(0)
		require.InDelta(t, 1, got.Len(), 1e-6)
		require.InDelta(t, 0, got.Dot(m.Mat3().Mul3x1(along)), 1e-5)
		require.Positive(t, got.Dot(m.Mat3().Mul3x1(n)))
	}
}

func TestOBJNames(t *testing.T) {
	used := map[[2]string]bool{}
	for i, c := range []struct{ name, want string }{
		{"", "draw0"}, {"a", "a"}, {"a", "a.2"}, {" b\nv 1\\ ", "b_v 1_"}, {"draw0", "draw0.4"}, {"a.2", "a.2.5"},
	} {
		require.Equal(t, c.want, objName(c.name, i, "", used))
	}
	require.Equal(t, "a", objName("a", 9, "red", used), "another material")
	require.Equal(t, `a\b_c`, lineName("a\\b\nc\\\\"))
	require.Equal(t, "a.9", objName("a", 9, "red", used))
}

func TestSaveRefuses(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "dir.ply"), 0o700))
	broken := grid(2)
	broken.Indices[3] = 99
	for _, c := range []struct {
		name, cause string
		scene       *geometry.Scene
	}{
		{"a.off", "is not of a format that can be saved: .ply .obj", grid(2)},
		{"a", "is not of a format that can be saved", grid(2)},
		{"a.ply", "index 3 is 99", broken},
		{"dir.ply", "is a folder", grid(2)},
		{"none/a.ply", "no such file", grid(2)},
	} {
		err := Save(t.Context(), filepath.Join(folder, c.name), c.scene)
		requireClear(t, filepath.Join(folder, c.name), err)
		require.Contains(t, err.Error(), c.cause)
	}
	left := must.Get(os.ReadDir(folder))
	require.Len(t, left, 1, "nothing but the folder made above")
}

// TestSaveReplaces: saving to a link replaces the file that it leads to, and keeps the link.
func TestSaveReplaces(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.ply")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.NoError(t, os.Symlink("a.ply", filepath.Join(folder, "link.ply")))
	require.NoError(t, Save(t.Context(), filepath.Join(folder, "link.ply"), grid(2)))
	require.True(t, bytes.HasPrefix(must.Get(os.ReadFile(path)), []byte("ply\n")))
	require.Len(t, must.Get(os.ReadDir(folder)), 2, "file and link")
}

// failingWriter fails after a number of bytes.
type failingWriter struct{ left int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestWritersReportErrors(t *testing.T) {
	s := grid(200)
	for _, writer := range Writers() {
		var whole bytes.Buffer
		require.NoError(t, writer.Write(&whole, s))
		for _, n := range []int{0, writeBuffer, whole.Len() - 1} {
			require.EqualError(t, writer.Write(&failingWriter{n}, s), "disk full", writer.Name)
		}
		for _, p := range packings {
			require.EqualError(t, writePacked("a"+p.extension, &failingWriter{}, func(w io.Writer) error { return writer.Write(w, grid(2)) }), "disk full")
		}
	}
}

// A writer stops at its first error. The scene's second draw cannot be written.
func TestWritersEndWithErrors(t *testing.T) {
	t.Parallel()
	const n = writeBuffer / 8
	s := &geometry.Scene{Positions: make([]mgl32.Vec3, n), Indices: []uint32{0, 1, 2}, Draws: []geometry.Draw{
		{IndexCount: 3, VertexCount: n, Transform: mgl32.Ident4()}, {VertexCount: 2 * n},
	}}
	for _, w := range []Writer{plyWriter, objWriter} {
		require.EqualError(t, w.Write(&failingWriter{}, s), "disk full", w.Name)
	}
}
