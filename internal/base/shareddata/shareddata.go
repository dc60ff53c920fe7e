// Package shareddata finds the folder of real meshes, hostile files and papers
// that may lie beside the project, and the project's own files, for tests alone. It
// knows nothing of what lies there, but that some of it is packed.
package shareddata

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Path is what lies at those parts of ../shared beside the project; where it does
// not, the test is skipped and says so.
func Path(t testing.TB, parts ...string) string {
	t.Helper()
	path, ok := Find(t, parts...)
	if !ok {
		t.Skipf("no %s beside the repository", filepath.Join(append([]string{"../shared"}, parts...)...))
	}
	return path
}

// Find is Path for tests that can do without: false where it does not lie there.
func Find(t testing.TB, parts ...string) (path string, ok bool) {
	t.Helper()
	folder := root(t)
	if folder == "" {
		return "", false
	}
	path = filepath.Join(append([]string{folder, "..", "shared"}, parts...)...)
	return path, exists(t, path)
}

// Tree is the path of a file of the project. Where a test binary runs without the project,
// the test is skipped and says so; whether the file is there is for the test to see.
func Tree(t testing.TB, parts ...string) string {
	t.Helper()
	folder := root(t)
	if folder == "" {
		t.Skipf("needs %s of the project: no go.mod above the test", filepath.Join(parts...))
	}
	return filepath.Join(append([]string{folder}, parts...)...)
}

// root is the project's folder, or empty where none is above the test.
func root(t testing.TB) string {
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for !exists(t, filepath.Join(folder, "go.mod")) {
		above := filepath.Dir(folder)
		if above == folder {
			return ""
		}
		folder = above
	}
	return folder
}

// Unpacked is what a file holds that Zstandard packed.
func Unpacked(t testing.TB, path string) []byte {
	t.Helper()
	packed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	data, err := decoder.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func exists(t testing.TB, path string) bool {
	_, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err) // it is there, but cannot be read: no reason to skip
	}
	return err == nil
}
