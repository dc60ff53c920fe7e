package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFoldersStandForTheirFiles(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"b.PLY", "a.obj.gz", "frame.zip.xml.zst", "frame.zip", "notes.txt", "below.ply/x.obj"} {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	in := func(name string) string { return filepath.Join(folder, name) }
	files, err := Files([]string{"asset:cube", folder, "absent.ply", in("notes.txt")})
	require.NoError(t, err)
	require.Equal(t, []string{"asset:cube", in("a.obj.gz"), in("b.PLY"), in("frame.zip.xml.zst"), "absent.ply", in("notes.txt")}, files)
	_, err = Files([]string{t.TempDir()})
	require.ErrorContains(t, err, "has no file that can be read: .glb ")
}
