//go:build unix

package format

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

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
