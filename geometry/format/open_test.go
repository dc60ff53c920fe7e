package format

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
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
