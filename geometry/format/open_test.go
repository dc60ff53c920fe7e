package format

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

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

func TestOpenRefuses(t *testing.T) {
	folder := t.TempDir()
	fifo := filepath.Join(folder, "a.obj")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	packed := zstded(t, bytes.Repeat([]byte(plyPlain), 100))
	for _, c := range []struct{ name, path, cause string }{
		{"missing", filepath.Join(folder, "none.ply"), "no such file"},
		{"folder", folder, "is a folder"},
		{"fifo", fifo, "not a regular file"},
		{"device", "/dev/zero", "not a regular file"},
		{"empty", writeFile(t, "a.ply", nil), "is empty"},
		{"empty inside", writeFile(t, "a.ply.gz", gzipped(t, nil)), "is empty"},
		{"unknown", writeFile(t, "a.png", []byte("\x89PNG\r\n")), "is not of a format that can be read: .glb .ply .off"},
		{"twice", writeFile(t, "a.ply.gz.zst", zstded(t, gzipped(t, []byte(plyPlain)))), "compressed twice"},
		{"cut zst", writeFile(t, "a.ply.zst", packed[:len(packed)-8]), "cannot be unpacked (.zst)"},
		{"cut gz", writeFile(t, "a.ply.gz", gzipped(t, []byte(plyPlain))[:60]), "cannot be unpacked (.gz): the file ends early"},
		{"short gz", writeFile(t, "a.ply.gz", []byte{0x1f, 0x8b}), "cannot be unpacked (.gz)"},
		{"bad gz", writeFile(t, "a.ply.gz", append([]byte{0x1f, 0x8b, 9}, make([]byte, 50)...)), "cannot be unpacked (.gz)"},
		{"something else", writeFile(t, "a.obj", []byte("\x89PNG\r\n\x1a\n\x00\x00")), "not text"},
		{"wrong", writeFile(t, "a.ply", []byte(strings.Replace(plyPlain, "3 3 1 0", "3 9 1 0", 1))), "line 16"},
		{"validated", writeFile(t, "a.ply", bytes.Replace(plyTetra(binary.LittleEndian), []byte{0x80, 0x3f}, []byte{0x80, 0x7f}, 1)), "vertex 1: position is not finite"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(t.Context(), c.path)
			requireClear(t, c.path, err)
			require.Contains(t, err.Error(), c.cause)
			require.Equal(t, 1, strings.Count(err.Error(), c.path))
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

func TestSibling(t *testing.T) {
	outside := t.TempDir()
	folder := filepath.Join(outside, "in")
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "sub"), 0o700))
	write := func(path string) { require.NoError(t, os.WriteFile(path, []byte("data"), 0o600)) }
	write(filepath.Join(outside, "secret"))
	write(filepath.Join(folder, "a.bin"))
	write(filepath.Join(folder, "sub", "b c.bin"))
	require.NoError(t, os.Symlink("a.bin", filepath.Join(folder, "link")))
	require.NoError(t, os.Symlink("../secret", filepath.Join(folder, "escape")))
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "up")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(folder, "fifo"), 0o600))
	open := siblings(t.Context(), filepath.Join(folder, "scene.gltf"))
	for _, name := range []string{"a.bin", "./a.bin", "sub/b c.bin", "sub/../a.bin", "link"} {
		file, size, err := open(name)
		require.NoError(t, err, name)
		data := must.Get(io.ReadAll(file))
		require.Equal(t, "data", string(data))
		require.Equal(t, int64(4), size)
		require.NoError(t, file.Close())
	}
	for _, name := range []string{
		"", ".", "..", "sub", "none", "../secret", "sub/../../secret", "../in/a.bin", filepath.Join(folder, "a.bin"), "/etc/passwd",
		"escape", "up/secret", "fifo", "http://host/a.bin", "file:///etc/passwd", "data:text/plain,x", "C:a.bin", "a.bin\x00",
	} {
		_, _, err := open(name)
		require.Error(t, err, "%q", name)
		require.NotContains(t, err.Error(), "\n")
	}
}
