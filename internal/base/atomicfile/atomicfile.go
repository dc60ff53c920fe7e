// Package atomicfile writes files and folders whole or not at all: under a temporary name first,
// and then renamed. The old contents stay until then.
//
// It does not interpret the contents.
package atomicfile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
)

// unfinished holds the temporary names in use. Its lock is held while a file or folder gets its final name.
var unfinished = struct {
	sync.Mutex
	paths map[string]bool
}{paths: map[string]bool{}}

// begin returns a temporary name in the folder of path, and `end`, which removes what is still
// there under that name. It does not use os.CreateTemp, whose files only their owner can read.
func begin(path string) (fresh string, end func()) {
	fresh = filepath.Join(filepath.Dir(path), fmt.Sprintf(".shadeonce-%016x", rand.Uint64()))
	note := func(used bool) {
		unfinished.Lock()
		defer unfinished.Unlock()
		unfinished.paths[fresh] = used
	}
	note(true)
	return fresh, func() {
		os.RemoveAll(fresh)
		note(false)
	}
}

// Abandon removes all unfinished files and folders, for a program that ends now. It keeps the lock,
// so that calls that are writing a file never return.
func Abandon() {
	unfinished.Lock()
	for path, used := range unfinished.paths {
		if used {
			os.RemoveAll(path)
		}
	}
}

// File replaces the file at path with the output of `write`. With a `perm` of 0 the umask
// determines the new file's permissions.
func File(path string, perm fs.FileMode, write func(*os.File) error) error {
	fresh, end := begin(path)
	defer end() // even if `write` panics; after the rename there is nothing to remove
	file, err := os.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	err = write(file)
	if err == nil && perm != 0 {
		err = file.Chmod(perm)
	}
	if err = cmp.Or(err, file.Close()); err != nil {
		return err
	}
	unfinished.Lock()
	defer unfinished.Unlock()
	return os.Rename(fresh, path)
}

// Folder replaces the folder at path with a new one, into which `fill` writes. A link stays a link,
// and its target is replaced. An empty path is an error, not the working directory.
func Folder(path string, fill func(folder string) error) error {
	if path == "" {
		return errors.New("the folder has no name")
	}
	path, err := filepath.Abs(path) // also removes a trailing slash
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	fresh, end := begin(path)
	defer end()
	if err := os.Mkdir(fresh, 0o777); err != nil {
		return err
	}
	if err := fill(fresh); err != nil {
		return err
	}
	unfinished.Lock() // Abandon, at the program's end, waits until the folder has its name
	defer unfinished.Unlock()
	// A folder can be renamed over an empty one, but not over one with files; on Windows not even over
	// an empty one.
	err = os.Rename(fresh, path)
	if info, absent := os.Stat(path); err == nil || absent != nil || !info.IsDir() {
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

// Named is a file to write into a folder: its name there and its contents.
type Named struct {
	Name string
	Data []byte
}

// Files replaces the folder at path with one that holds these files, unless the context ends first.
func Files(ctx context.Context, path string, files []Named) error {
	return Failed(path, Folder(path, func(folder string) error {
		for _, f := range files {
			if err := cmp.Or(os.WriteFile(filepath.Join(folder, f.Name), f.Data, 0o666), context.Cause(ctx)); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Cause returns the operating system's part of an error, without the path.
func Cause(err error) error {
	if at, is := errors.AsType[*fs.PathError](err); is {
		return at.Err
	}
	if link, is := errors.AsType[*os.LinkError](err); is {
		return link.Err
	}
	return err
}

// Failed adds the path of an output to an error; it returns nil for nil.
func Failed(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: cannot write: %w", path, Cause(err))
}

// Stat describes the file or folder at an output's path; nil if there is none, but the folder for it exists. A file
// that the user may not write is an error, although it could be replaced.
func Stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err == nil && info.Mode().IsRegular() {
		var file *os.File
		if info.Mode().Perm()&0o222 == 0 { // root may write it
			err = errors.New("it is read-only")
		} else if file, err = os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			err = file.Close()
		}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return info, Failed(path, err)
	}
	folder := filepath.Dir(filepath.Clean(path))
	parent, err := os.Stat(folder)
	if err == nil && !parent.IsDir() {
		err = errors.New("it is a file")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: cannot write into folder %s: %w", path, folder, Cause(err))
	}
	return nil, nil
}

// Entries returns the entries of the folder at an output's path; nil if there is none, but the folder above it exists.
func Entries(path string) (entries []fs.DirEntry, err error) {
	info, err := Stat(path)
	switch {
	case err != nil || info == nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s: cannot write: it is a file, not a folder", path)
	}
	entries, err = os.ReadDir(path)
	return entries, Failed(path, err)
}

// CheckFile returns an error for a path that Output could not write to. It needs nothing to write yet. An
// existing file must be empty, or begin with the signature if that is not "". So swapped arguments
// do not overwrite an input. `kind` names in errors what the file should hold.
func CheckFile(path, kind, signature string) error {
	info, err := Stat(path)
	switch {
	case err != nil || info == nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s: cannot write: it is a folder", path)
	case !info.Mode().IsRegular() || info.Size() == 0 || signature == "":
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return Failed(path, err)
	}
	defer file.Close()
	head := make([]byte, len(signature))
	if _, err := io.ReadFull(file, head); err != nil || string(head) != signature {
		return fmt.Errorf("%s: not overwritten: the file exists and holds no %s", path, kind)
	}
	return nil
}

// Output writes a file whole or not at all, and not if the context has ended. It writes directly
// to a pipe or device; a link stays a link, and the file that it leads to is replaced.
func Output(ctx context.Context, path string, data []byte) error {
	target, perm := path, fs.FileMode(0)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return Failed(path, writeTo(path, data))
		}
		perm = info.Mode().Perm()
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return Failed(path, err)
		}
	}
	return Failed(path, File(target, perm, func(file *os.File) error {
		_, err := file.Write(data)
		return errors.Join(err, context.Cause(ctx))
	}))
}

func writeTo(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}
