// Package shareddata finds, for tests only, the project's own files and the folder beside the
// project that may hold real meshes, hostile files and papers. It knows nothing of their
// contents, except that some are compressed.
package shareddata

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Path returns a path in ../shared beside the project; if it does not exist, the test is skipped and says so.
func Path(t testing.TB, parts ...string) string {
	t.Helper()
	path, ok := Find(parts...)
	if !ok {
		t.Skipf("no %s beside the repository", filepath.Join(append([]string{"../shared"}, parts...)...))
	}
	return path
}

// Find is Path for tests that work without the file: ok is false if the file does not exist.
func Find(parts ...string) (path string, ok bool) {
	folder := root()
	if folder == "" {
		return "", false
	}
	path = filepath.Join(append([]string{folder, "..", "shared"}, parts...)...)
	return path, exists(path)
}

// Tree returns the path of a file of the project. If a test binary runs without the project, the
// test is skipped and says so; the test must check whether the file exists.
func Tree(t testing.TB, parts ...string) string {
	t.Helper()
	folder := root()
	if folder == "" {
		t.Skipf("needs %s of the project: no go.mod above the test", filepath.Join(parts...))
	}
	return filepath.Join(append([]string{folder}, parts...)...)
}

// root returns the project's folder, or "" if none is above the test.
func root() string {
	folder := must.Get(os.Getwd())
	for !exists(filepath.Join(folder, "go.mod")) {
		above := filepath.Dir(folder)
		if above == folder {
			return ""
		}
		folder = above
	}
	return folder
}

// Unpacked returns the contents of a file that is compressed with Zstandard.
func Unpacked(path string) []byte {
	decoder := must.Get(zstd.NewReader(nil))
	defer decoder.Close()
	return must.Get(decoder.DecodeAll(must.Get(os.ReadFile(path)), nil))
}

func exists(path string) bool {
	_, err := os.Stat(path)
	if !errors.Is(err, fs.ErrNotExist) {
		must.OK(err) // the file exists but cannot be read, which is no reason to skip
	}
	return err == nil
}
