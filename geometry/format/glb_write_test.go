package format

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// never is a size that no file reaches, so that none is mapped.
const never = math.MaxInt64

// overlapping is a scene whose draws' ranges overlap, leave gaps in the pools, and are not in
// pool order.
func overlapping(t *testing.T) *geometry.Scene {
	s := grid(9)
	require.NoError(t, s.MakeNormals(t.Context()))
	s.NormalsMade = false
	n := uint32(len(s.Positions))
	draw := func(name string, first, count, offset uint32, m mgl32.Mat4, color mgl32.Vec4) {
		s.Draws = append(s.Draws, geometry.Draw{Name: name, FirstIndex: first, IndexCount: count, VertexOffset: offset, VertexCount: n - offset, Transform: m, Color: color})
	}
	s.Draws = nil
	draw("late", 60, 30, 4, mgl32.Translate3D(0.1, -3e20, 1e-7), mgl32.Vec4{0.1, 1, 0, 0.3})
	draw("nothing", 3, 0, 0, mgl32.Ident4(), geometry.DefaultColor)
	draw("early \"quoted\" <ä>", 6, 90, 0, mgl32.HomogRotate3D(1, mgl32.Vec3{1, 2, 3}.Normalize()), geometry.DefaultColor)
	draw("late", 60, 30, 4, mgl32.Ident4(), mgl32.Vec4{0.1, 1, 0, 0.3})
	draw("late, red", 60, 30, 4, mgl32.Ident4(), mgl32.Vec4{1, 0, 0, 1})
	s.Draws[len(s.Draws)-1].OneSided = true
	for k := range 90 {
		s.Indices[6+k] %= n - 4
	}
	return s
}

// requireSame requires a scene equal to the written one, bit for bit, except for empty draws.
func requireSame(t *testing.T, want, got *geometry.Scene) {
	require.Equal(t, want.Positions, got.Positions)
	require.Equal(t, want.Normals, got.Normals)
	require.Equal(t, want.Indices, got.Indices)
	var draws []geometry.Draw
	for _, d := range want.Draws {
		if d.IndexCount > 0 {
			draws = append(draws, d)
		}
	}
	require.Equal(t, draws, got.Draws)
}

func TestGLBRoundTrip(t *testing.T) {
	scenes := map[string]*geometry.Scene{"overlapping": overlapping(t), "shuffled": shuffled()}
	for _, name := range []string{"soup", "city4", "tree2", "terrain20", "triangle"} {
		s := must.Get(assets.Make(name))
		scenes[name] = s
	}
	for name, s := range scenes {
		require.NoError(t, unitNormals(t.Context(), s.Normals))
		path := saved(t, "a.glb", s)
		heap := mustOpen(t, path, never)
		require.Nil(t, heap.Backing)
		requireSame(t, s, heap)
		mapped := mustOpen(t, path, 1)
		require.NotNil(t, mapped.Backing, name)
		requireSame(t, s, mapped)
		mapped.Release()
		mapped.Release()
		require.Empty(t, mapped.Positions)
		heap.Release()
		requireSame(t, s, heap)
	}
}

// TestGLBWithoutNormals: a file without normals gets them in memory.
func TestGLBWithoutNormals(t *testing.T) {
	path := saved(t, "a.glb", grid(5))
	want := grid(5)
	require.NoError(t, want.MakeNormals(t.Context()))
	for _, least := range []int64{1, never} {
		got := mustOpen(t, path, least)
		require.Equal(t, least == 1, got.Backing != nil)
		requireSame(t, want, &geometry.Scene{Positions: got.Positions, Normals: got.Normals, Indices: got.Indices, Draws: want.Draws})
		got.Release()
	}
}

// TestGLBSharesMeshes: instances are nodes that share a mesh, however small it is; a draw of another colour has a
// mesh of its own.
func TestGLBSharesMeshes(t *testing.T) {
	s := must.Get(shuffled().Copies(50))
	doc := glbDescribe(s)
	require.Len(t, doc["nodes"], 150)
	require.Len(t, doc["meshes"], 2)
	require.Len(t, doc["materials"], 1)
	doc = glbDescribe(overlapping(t))
	require.Len(t, doc["meshes"], 3, "one of another colour")
}

// TestGLBOfManyDraws reads back the most draws that Copies makes, with the shortest and the
// longest transform.
func TestGLBOfManyDraws(t *testing.T) {
	s := grid(1)
	require.NoError(t, s.MakeNormals(t.Context()))
	turned := mgl32.HomogRotate3D(1, mgl32.Vec3{1, 2, 3}.Normalize())
	for _, m := range []mgl32.Mat4{turned, mgl32.Ident4()} {
		if testing.Short() && m != turned {
			continue // takes seconds for each
		}
		s.Draws[0].Transform = m
		many := must.Get(s.Copies(geometry.MaxCopiedDraws))
		path := saved(t, "a.glb", many)
		got := must.Get(Open(t.Context(), path))
		require.Equal(t, len(many.Draws), len(got.Draws))
		require.Equal(t, many.Draws[777].Transform, got.Draws[777].Transform)
	}
}

func TestGLBRefuses(t *testing.T) {
	projected := grid(2)
	projected.Draws[0].Transform = mgl32.Perspective(1, 1, 1, 2)
	require.ErrorContains(t, WriteGLB(&bytes.Buffer{}, projected), "transform is not affine, which a GLB cannot hold")
	// The memory is never touched, and so never allocated by the system.
	huge := &geometry.Scene{Positions: make([]mgl32.Vec3, glbMost/12+1)}
	require.EqualError(t, WriteGLB(&bytes.Buffer{}, huge), "it needs 4.0 GiB, and a GLB holds at most 4 GiB")
	require.Error(t, glbFits(1<<32))
	require.NoError(t, glbFits(1<<32-1))
}

// TestSaveOverNoFile: Save refuses to replace a file that is not a regular one. The test uses a socket, since a
// faulty Save would replace a device.
func TestSaveOverNoFile(t *testing.T) {
	folder := t.TempDir()
	link, socket := filepath.Join(folder, "a.glb"), filepath.Join(folder, "socket")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	defer listener.Close()
	require.NoError(t, os.Symlink(socket, link))
	err = Save(t.Context(), link, grid(3))
	requireClear(t, link, err)
	require.Contains(t, err.Error(), "is not a regular file")
}

func TestCanSave(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, CanSave(filepath.Join(folder, "a.glb")))
	plain := writeFile(t, "plain", nil)
	for name, cause := range map[string]string{
		"none/a.glb": "no such file", "a.off": "is not of a format", filepath.Join("..", filepath.Base(folder)): "is not of a format",
	} {
		requireClear(t, filepath.Join(folder, name), CanSave(filepath.Join(folder, name)))
		require.ErrorContains(t, CanSave(filepath.Join(folder, name)), cause)
	}
	require.ErrorContains(t, CanSave(filepath.Join(plain, "a.glb")), "not a directory")
	locked := writeFile(t, "a.ply", nil)
	require.NoError(t, os.Chmod(locked, 0o444))
	require.EqualError(t, CanSave(locked), locked+": cannot write: it is read-only")
}

// TestGLBText: the document has the parts that strict glTF readers require, such as targets, strides and bounds.
func TestGLBText(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WriteGLB(&out, shuffled()))
	require.Zero(t, out.Len()%4)
	text := out.String()
	for _, part := range []string{
		`"asset":{"generator":"shadeonce","version":"2.0"}`, `"scene":0,"scenes":[{"nodes":[0,1,2]}]`,
		`"byteStride":12,"target":34962`, `"target":34963`, `"min":[0,0,0],"max":[1,1,1]`,
		fmt.Sprintf(`"buffers":[{"byteLength":%d}]`, shuffled().Bytes()),
	} {
		require.True(t, strings.Contains(text, part), part)
	}
}

// TestGLBTransforms: a matrix is written only if Khronos's validator accepts it, as translation, rotation and scale
// without zeros; every transform is read back.
func TestGLBTransforms(t *testing.T) {
	t.Parallel()
	turned := mgl32.HomogRotate3D(1, mgl32.Vec3{1, 2, 3}.Normalize())
	sheared := mgl32.Mat4{1, 0, 0, 0, .5, 1, 0, 0, 0, .25, 2, 0, 4, 5, 6, 1}
	for _, c := range []struct {
		m      mgl32.Mat4
		fields string // of its nodes
	}{
		{mgl32.Ident4(), ""},
		{mgl32.Translate3D(1, 2, 3), "translation"},
		{turned.Mul4(mgl32.Scale3D(3, 1, .5)), "matrix"},
		{turned.Mul4(mgl32.Scale3D(-1, 2, 3)), "matrix"},
		{mgl32.Mat4{15: 1}, "scale translation"},
		{mgl32.Translate3D(1, 2, 3).Mul4(mgl32.Scale3D(0, 0, 0)), "scale translation"},
		{sheared, "children rotation scale translation rotation"},
		{sheared.Mul4(mgl32.Scale3D(-1, 1, 1)), "children rotation scale translation rotation"},
		{turned.Mul4(mgl32.Scale3D(0, 3, 2)).Mul4(sheared), "children rotation scale translation rotation"},
		{turned.Mul4(mgl32.Scale3D(0, 0, 2)).Mul4(sheared), "children rotation scale translation rotation"},
		{mgl32.Scale3D(0, 1, 1), "children rotation scale translation rotation"},
		{mgl32.Mat4{1, 0, 0, 0, 0, 1, 0, 0, 2e-4, 0, 1, 0, 0, 0, 0, 1}, "children rotation scale translation rotation"},
		{turned.Mul4(mgl32.Scale3D(1e-20, 1e20, 1)), "children rotation scale translation rotation"},
	} {
		s := grid(1)
		s.Draws[0].Transform, s.Draws[0].Name = c.m, "it"
		var out bytes.Buffer
		require.NoError(t, WriteGLB(&out, s))
		var fields []string
		for _, node := range parse(t, out.Bytes()).list("nodes") {
			for _, name := range slices.Sorted(maps.Keys(node.(map[string]any))) {
				if name != "mesh" && name != "name" {
					fields = append(fields, name)
				}
			}
		}
		require.Equal(t, c.fields, strings.Join(fields, " "), "%v", c.m)
		got := must.Get(Open(t.Context(), writeFile(t, "a.glb", out.Bytes())))
		require.Len(t, got.Draws, 1)
		require.Equal(t, "it", got.Draws[0].Name)
		largest := float32(0)
		for _, f := range c.m {
			largest = max(largest, f, -f)
		}
		for k, f := range c.m {
			require.InDelta(t, f, got.Draws[0].Transform[k], 1e-6*float64(largest), "%v\n%v", c.m, got.Draws[0].Transform)
		}
	}
}

func TestGLTFText(t *testing.T) {
	var out bytes.Buffer
	text := `{"asset":{},"buffers":[{"byteLength":4}],"extras":{"buffers":[]}}`
	require.NoError(t, gltfWriteFile(&out, []byte(text), 4, func(w io.Writer) error {
		_, err := io.WriteString(w, "abcd")
		return err
	}))
	require.Equal(t, `{"buffers":[{"byteLength":4,"uri":"data:application/octet-stream;base64,YWJjZA=="}],"asset":{},"extras":{"buffers":[]}}`, out.String())
}
