package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// What a file begins with that may be overwritten.
const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	svgSignature = "<svg "
)

// checkOutput refuses, before anything is drawn, a path that no picture can be
// written to. A file that is there must be such a picture or empty: an exchanged
// argument must not cost a mesh.
func checkOutput(path, kind, signature string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		folder := filepath.Dir(path)
		info, err = os.Stat(folder)
		if err == nil && !info.IsDir() {
			err = errors.New("it is a file")
		}
		if err != nil {
			return fmt.Errorf("%s: cannot write into folder %s: %w", path, folder, cause(err))
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	if info.IsDir() {
		return fmt.Errorf("%s: cannot write: it is a folder", path)
	}
	if !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	defer file.Close()
	head := make([]byte, len(signature))
	if _, err := io.ReadFull(file, head); err != nil || string(head) != signature {
		return fmt.Errorf("%s: not overwritten: it is there already and no %s", path, kind)
	}
	return nil
}

// writePicture writes a file so that no half of it is ever seen under its name:
// beside it first, then renamed. What is no regular file (a pipe, a device) is
// written to as it is.
func writePicture(path string, data []byte) error {
	mode := fs.FileMode(0)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return writeDevice(path, data)
		}
		mode = info.Mode().Perm()
		// A link stays one; the file that it leads to is replaced.
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return fmt.Errorf("%s: cannot write: %w", path, cause(err))
		}
	}
	err := untilInterrupted(func(ctx context.Context) error { return replace(ctx, path, data, mode) })
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	return nil
}

// replace writes a new file and renames it to path. mode 0 is that of any new file.
func replace(ctx context.Context, path string, data []byte, mode fs.FileMode) error {
	name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".shadeonce-%016x", rand.Uint64()))
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil && mode != 0 {
		err = file.Chmod(mode)
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = os.Rename(name, path)
	}
	if err != nil {
		os.Remove(name)
	}
	return err
}

func writeDevice(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	_, err = io.Copy(file, bytes.NewReader(data))
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	return nil
}

// cause is what the operating system says, without the path that it said it of.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
