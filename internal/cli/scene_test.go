package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFoldersAreSearched: hidden folders within one are left out, but not the one asked for.
func TestFoldersAreSearched(t *testing.T) {
	folder := filepath.Join(t.TempDir(), ".meshes")
	for _, name := range []string{"a.ply", "below/b.obj", ".git/c.ply", "notes.md"} {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
	}
	found, err := filesBelow(folder)
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(folder, "a.ply"), filepath.Join(folder, "below", "b.obj")}, found)
}
