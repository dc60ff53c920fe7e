package shareddata

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TestFind searches from deep inside a project with shared data beside it.
func TestFind(t *testing.T) {
	parent := t.TempDir()
	deep := filepath.Join(parent, "project", "a", "b")
	require.NoError(t, os.MkdirAll(deep, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(parent, "project", "go.mod"), nil, 0o666))
	mesh := filepath.Join(parent, "shared", "meshes", "a.ply")
	require.NoError(t, os.MkdirAll(filepath.Dir(mesh), 0o777))
	require.NoError(t, os.WriteFile(mesh, []byte("ply"), 0o666))
	t.Chdir(deep)

	data := must.Get(os.ReadFile(Path(t, "meshes", "a.ply")))
	require.Equal(t, "ply", string(data))
	_, ok := Find("meshes", "b.ply")
	require.False(t, ok)
	skips := func(of func(testing.TB, ...string) string) {
		require.True(t, t.Run("skips", func(t *testing.T) {
			of(t, "meshes", "b.ply")
			t.Error("not skipped")
		}))
	}
	skips(Path)
	require.Equal(t, filepath.Join(parent, "project", "none"), Tree(t, "none"), "missing of a project that is there")
	t.Chdir(parent)
	skips(Path)
	skips(Tree)
}
