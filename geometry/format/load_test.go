package format

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// open opens a file, and maps it if its size is `least` or more.
func open(ctx context.Context, path string, least int64) (*geometry.Scene, error) {
	return Readers(nil).open(ctx, path, least)
}

// load reads a file from memory as Open does. With packed its size is unknown, as for a
// compressed file.
func load(name string, data []byte, packed bool) (*geometry.Scene, error) {
	return loadBy(Readers(nil), name, data, packed)
}

func loadBy(formats Formats, name string, data []byte, packed bool) (*geometry.Scene, error) {
	in := &Input{Reader: bytes.NewReader(data), Path: name, Size: int64(len(data))}
	if packed {
		in.Size = -1
	}
	reader, err := formats.pick(in, data[:min(len(data), magicBytes)])
	if err != nil {
		return nil, err
	}
	return in.read(context.Background(), reader)
}

// loadBoth loads a file with its size known and unknown, and requires the same scene twice, or two errors; a known size may
// reveal another cause.
func loadBoth(t *testing.T, name string, data []byte) (*geometry.Scene, error) {
	scene, err := load(name, data, false)
	packed, packedErr := load(name, data, true)
	require.Equal(t, err == nil, packedErr == nil, "%v, %v", err, packedErr)
	if err == nil {
		require.Equal(t, scene, packed)
	}
	return scene, err
}

// mustLoad is loadBoth for a valid file.
func mustLoad(t *testing.T, name, text string) *geometry.Scene {
	return must.Get(loadBoth(t, name, []byte(text)))
}

// mustOpen opens a valid file, and maps it if its size is `least` or more.
func mustOpen(t *testing.T, path string, least int64) *geometry.Scene {
	return must.Get(open(t.Context(), path, least))
}

// saved saves a scene under a name in a new folder, and returns its path.
func saved(t *testing.T, name string, s *geometry.Scene) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, Save(t.Context(), path, s))
	return path
}

// refusal is a change to a valid text, and the expected error.
type refusal struct{ name, from, to, cause string }

func requireRefused(t *testing.T, file, sound string, list []refusal) {
	for _, c := range list {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(sound, c.from, c.to, 1)
			require.NotEqual(t, sound, text)
			_, err := loadBoth(t, file, []byte(text))
			requireClear(t, file, err)
			require.Contains(t, err.Error(), c.cause)
		})
	}
}

// requireClear requires an *Error of one line that begins with the file's name and is not from a panic.
func requireClear(t *testing.T, name string, err error) {
	var known *Error
	require.ErrorAs(t, err, &known)
	require.Equal(t, name, known.File)
	require.True(t, strings.HasPrefix(err.Error(), name+": "), err.Error())
	require.NotContains(t, err.Error(), "\n")
	require.NotContains(t, err.Error(), "reader failed", "a panic")
}

// allocated returns how many bytes f allocates, including freed ones.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// allowance returns what reading an uncompressed file may allocate: its budget, and buffers.
func allowance(data []byte) int64 {
	return budget.MemoryFactor*int64(len(data)) + budget.MemorySlack + 32<<20
}

// The positions of a tetrahedron, and its triangles in the order of the test files.
var (
	tetraPositions = []mgl32.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	tetraIndices   = []uint32{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}
)

// quadIndices is a quad and a triangle after triangulation.
var quadIndices = []uint32{0, 1, 2, 0, 2, 3, 3, 1, 0}

// shuffled is a scene of three draws: two instances of a mesh, one transformed, and a triangle with the first one's name.
func shuffled() *geometry.Scene {
	s := &geometry.Scene{
		Positions: append(append([]mgl32.Vec3{}, tetraPositions...), mgl32.Vec3{-1, 0.1, 1e-7}, mgl32.Vec3{2, 3, 4}, mgl32.Vec3{5, 6, 8}),
		Indices:   append(append([]uint32{}, tetraIndices...), 2, 1, 0),
	}
	s.Normals = make([]mgl32.Vec3, len(s.Positions))
	for i := range s.Normals {
		s.Normals[i] = mgl32.Vec3{float32(i + 1), 2, -3}.Normalize()
	}
	s.Draws = []geometry.Draw{
		{Name: "one", IndexCount: 12, VertexCount: 4, Transform: mgl32.Ident4(), Color: geometry.DefaultColor},
		{Name: "two", IndexCount: 12, VertexCount: 4, Transform: mgl32.Translate3D(1, 2, 3).Mul4(mgl32.Scale3D(2, 1, -4)), Color: geometry.DefaultColor},
		{Name: "one", FirstIndex: 12, IndexCount: 3, VertexOffset: 4, VertexCount: 3, Transform: mgl32.Ident4(), Color: geometry.DefaultColor},
	}
	return s
}

func gzipped(t *testing.T, data []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_ = must.Get(w.Write(data))
	require.NoError(t, w.Close())
	return out.Bytes()
}

func zstded(t *testing.T, data []byte) []byte {
	w := must.Get(zstd.NewWriter(nil))
	return w.EncodeAll(data, nil)
}

func writeFile(t *testing.T, name string, data []byte) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

func TestOpenPicksReader(t *testing.T) {
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"a.ply", []byte(plyPlain)},
		{"A.PLY", []byte(plyPlain)},
		{"no extension", []byte(plyPlain)},
		{"liar.obj", []byte(plyPlain)},
		{"a.off", []byte(offPlain)},
		{"off", []byte(offPlain)},
		{"a.OBJ", []byte(objVerts + "f 1 2 3 4\nf 4 2 1\n")},
		{"a.obj.gz", gzipped(t, []byte(objVerts+"f 1 2 3 4\nf 4 2 1\n"))},
		{"a.Obj.Zst", zstded(t, []byte(objVerts+"f 1 2 3 4\nf 4 2 1\n"))},
		{"a.obj", zstded(t, []byte(objVerts+"f 1 2 3 4\nf 4 2 1\n"))},
		{"a.obj.zst", []byte(objVerts + "f 1 2 3 4\nf 4 2 1\n")},
		{"a.ply.gz", gzipped(t, []byte(plyPlain))},
		{"a.bin", zstded(t, []byte(offPlain))},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := must.Get(Open(t.Context(), writeFile(t, c.name, c.data)))
			require.Equal(t, c.name, s.Name)
			require.Equal(t, tetraPositions, s.Positions)
			require.Equal(t, quadIndices, s.Indices)
			require.Len(t, s.Normals, 4, "made")
		})
	}
}

func TestOpenRefusesBombs(t *testing.T) {
	// Endless blank lines would keep an OBJ reader reading for ever.
	blanks := bytes.Repeat([]byte{'\n'}, 200<<20)
	for name, data := range map[string][]byte{"a.obj.zst": zstded(t, blanks), "a.obj.gz": gzipped(t, blanks)} {
		require.Less(t, len(data), len(blanks)/900)
		path := writeFile(t, name, data)
		_, err := Open(t.Context(), path)
		requireClear(t, path, err)
		if strings.HasSuffix(name, ".zst") {
			require.Contains(t, err.Error(), "unpacks to far more")
		}
	}
	// The window is 2 GiB, all of which the decoder would have to keep in memory.
	path := writeFile(t, "a.ply.zst", []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00})
	var err error
	taken := allocated(func() { _, err = Open(t.Context(), path) })
	requireClear(t, path, err)
	require.Less(t, taken, int64(64<<20))
}

func TestReaderPanicIsAnError(t *testing.T) {
	in := &Input{Path: "a.x"}
	_, err := in.read(t.Context(), &Reader{Name: "x", Read: func(context.Context, *Input) (*geometry.Scene, error) { panic(errors.New("two\nlines")) }})
	require.EqualError(t, err, "a.x: the x reader failed on it: two lines")
	// read also recovers panics of the scene's own checks.
	_, err = in.read(t.Context(), &Reader{Name: "x", Read: func(context.Context, *Input) (*geometry.Scene, error) { return nil, nil }})
	require.Error(t, err)
}
