package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/replace"
	"github.com/shadeonce/shadeonce/internal/report"
)

// What a file begins with that may be overwritten.
const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	svgSignature = "<svg "
)

// cannotWrite says why an output cannot be written; nil without an error.
func cannotWrite(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: cannot write: %w", path, cli.Cause(err))
}

// checkPlace is what stands at an output's path, or nil where nothing does and
// something can be made.
func checkPlace(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return info, cannotWrite(path, err)
	}
	folder := filepath.Dir(filepath.Clean(path))
	parent, err := os.Stat(folder)
	if err == nil && !parent.IsDir() {
		err = errors.New("it is a file")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: cannot write into folder %s: %w", path, folder, cli.Cause(err))
	}
	return nil, nil
}

// checkOutput refuses, before anything is drawn, a path that no picture can be
// written to. A file that exists must be such a picture or empty, so that swapped
// arguments do not overwrite a mesh.
func checkOutput(path, kind, signature string) error {
	info, err := checkPlace(path)
	switch {
	case err != nil || info == nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s: cannot write: it is a folder", path)
	case !info.Mode().IsRegular() || info.Size() == 0:
		return nil
	}
	file, err := os.Open(path)
	if err != nil {
		return cannotWrite(path, err)
	}
	defer file.Close()
	head := make([]byte, len(signature))
	if _, err := io.ReadFull(file, head); err != nil || string(head) != signature {
		return fmt.Errorf("%s: not overwritten: it is there already and no %s", path, kind)
	}
	return nil
}

// writePicture writes a file whole or not at all. A pipe or a device is written
// to as it is; a link stays one, and the file that it leads to is replaced.
func writePicture(path string, data []byte) error {
	target, perm := path, fs.FileMode(0)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return writeDevice(path, data)
		}
		perm = info.Mode().Perm()
		if target, err = filepath.EvalSymlinks(path); err != nil {
			return cannotWrite(path, err)
		}
	}
	return cannotWrite(path, cli.UntilInterrupted(func(ctx context.Context) error {
		return replaceFile(ctx, target, perm, data)
	}))
}

func replaceFile(ctx context.Context, path string, perm fs.FileMode, data []byte) error {
	return replace.File(path, perm, func(file *os.File) error {
		_, err := file.Write(data)
		return errors.Join(err, context.Cause(ctx))
	})
}

func writeDevice(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return cannotWrite(path, err)
	}
	_, err = file.Write(data)
	return cannotWrite(path, errors.Join(err, file.Close()))
}

// checkFolder refuses, before anything is measured, a path that no report can be
// written to: a folder that exists must be empty or hold a report and nothing
// else.
func checkFolder(path string) error {
	info, err := checkPlace(path)
	switch {
	case err != nil || info == nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s: cannot write: it is a file, not a folder", path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("%s: cannot read: %w", path, cli.Cause(err))
	}
	if len(entries) == 0 {
		return nil
	}
	page, err := os.ReadFile(filepath.Join(path, report.PageName))
	own, ok := report.Owned(page)
	if err != nil || !ok {
		return fmt.Errorf("%s: not overwritten: it is a folder with other content than a report", path)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !slices.Contains(own, e.Name()) {
			return fmt.Errorf("%s: not overwritten: beside a report it holds %s", path, cli.Printable(e.Name()))
		}
	}
	return nil
}

// writeFolder writes the files of a report, all or none.
func writeFolder(path string, files []report.File) error {
	// Minutes have passed since the first look.
	if err := checkFolder(path); err != nil {
		return err
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return cannotWrite(path, err)
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // a link stays one
	}
	return cannotWrite(path, cli.UntilInterrupted(func(ctx context.Context) error {
		return replaceFolder(ctx, path, files)
	}))
}

func replaceFolder(ctx context.Context, path string, files []report.File) error {
	return replace.Folder(path, func(folder string) error {
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(folder, f.Name), f.Data, 0o666); err != nil {
				return err
			}
			if err := context.Cause(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}
