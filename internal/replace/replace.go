// Package replace writes files and folders whole or not at all: beside their
// place first, then renamed to it. What was there before stays until then.
//
// It knows nothing of what is written.
package replace

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// beside is a temporary name in the folder of path. Not os.CreateTemp's, whose
// files only their owner can read.
func beside(path string) string {
	return filepath.Join(filepath.Dir(path), fmt.Sprintf(".shadeonce-%016x", rand.Uint64()))
}

// File replaces the file at path by what write writes. perm 0 leaves the new
// file's permissions to the umask.
func File(path string, perm fs.FileMode, write func(*os.File) error) error {
	fresh := beside(path)
	file, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	written := false
	defer func() {
		if !written { // after a panic of write's too
			file.Close()
			os.Remove(fresh)
		}
	}()
	if err := write(file); err != nil {
		return err
	}
	if perm != 0 {
		if err := file.Chmod(perm); err != nil {
			return err
		}
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := os.Rename(fresh, path); err != nil {
		return err
	}
	written = true
	return nil
}

// Folder replaces the folder at path by one that fill fills. A link stays one, and the
// folder that it leads to is replaced.
func Folder(path string, fill func(folder string) error) error {
	path, err := filepath.Abs(path) // without a slash at its end
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	fresh := beside(path)
	if err := os.Mkdir(fresh, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(fresh) // nothing is there once it has been renamed
	if err := fill(fresh); err != nil {
		return err
	}
	// A folder can be renamed over an empty one, but not over one with files.
	if err := os.Rename(fresh, path); err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	old := fresh + "-old"
	if err := os.Rename(path, old); err != nil {
		return err
	}
	if err := os.Rename(fresh, path); err != nil {
		return errors.Join(err, os.Rename(old, path))
	}
	return os.RemoveAll(old)
}
