package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

var errEnough = errors.New("enough")

// entries returns the names in a folder.
func entries(t *testing.T, folder string) (names []string) {
	list := must.Get(os.ReadDir(folder))
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	for _, text := range []string{"first", "second"} {
		require.NoError(t, File(path, 0o640, func(f *os.File) error {
			_, err := f.WriteString(text)
			return err
		}))
		data := must.Get(os.ReadFile(path))
		require.Equal(t, text, string(data))
		info := must.Get(os.Stat(path))
		require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	}
	require.ErrorIs(t, File(path, 0, func(f *os.File) error { return errEnough }), errEnough)
	require.Panics(t, func() { _ = File(path, 0, func(f *os.File) error { panic("lost") }) })
	require.Error(t, File(filepath.Join(folder, "none", "a"), 0, func(f *os.File) error { return nil }))
	require.Equal(t, []string{"a"}, entries(t, folder))
	data := must.Get(os.ReadFile(path))
	require.Equal(t, "second", string(data))
}

func TestFolder(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	path := filepath.Join(parent, "a")
	for _, name := range []string{"first", "second"} {
		require.NoError(t, Folder(path, func(folder string) error {
			return os.WriteFile(filepath.Join(folder, name), nil, 0o666)
		}))
		require.Equal(t, []string{name}, entries(t, path))
	}
	require.ErrorIs(t, Folder(path, func(string) error { return errEnough }), errEnough)
	require.Equal(t, []string{"second"}, entries(t, path))
	require.Equal(t, []string{"a"}, entries(t, parent))
}

// TestStatRefusesWhatMayNotBeWritten: Stat refuses a read-only file and the running program's own file, even for root.
func TestStatRefusesWhatMayNotBeWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(path, nil, 0o444))
	_, err := Stat(path)
	require.EqualError(t, err, path+": cannot write: it is read-only")
	running := must.Get(os.Executable())
	_, err = Stat(running)
	require.EqualError(t, err, running+": cannot write: text file busy")
}

// TestWriteToAFullDevice calls writeTo directly: a mistake in Output could replace the device.
func TestWriteToAFullDevice(t *testing.T) {
	t.Parallel()
	require.EqualError(t, Failed("/dev/full", writeTo("/dev/full", []byte("x"))), "/dev/full: cannot write: no space left on device")
}

// TestFolderWithoutAName: Folder refuses an empty path, and does not replace the working directory.
func TestFolderWithoutAName(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("mine", nil, 0o600))
	require.Error(t, Folder("", func(string) error { return nil }))
	require.Equal(t, []string{"mine"}, entries(t, "."))
}

// TestAbandon calls Abandon in the middle of writing a file and a folder: neither remains.
func TestAbandon(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	abandon := func(made string) {
		Abandon()
		defer unfinished.Unlock()
		require.NoFileExists(t, made)
		require.NoDirExists(t, made)
	}
	require.ErrorIs(t, File(path, 0, func(f *os.File) error {
		abandon(f.Name())
		return nil
	}), fs.ErrNotExist)
	require.ErrorIs(t, Folder(path, func(made string) error {
		abandon(made)
		return nil
	}), fs.ErrNotExist)
}
