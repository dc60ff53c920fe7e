package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/shadeonce/shadeonce/internal/report"
)

// checkFolder refuses, before anything is measured, a path that no report can be
// written to: what is there must be an empty folder or a report and no more.
func checkFolder(path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		parent := filepath.Dir(filepath.Clean(path))
		info, err = os.Stat(parent)
		if err == nil && !info.IsDir() {
			err = errors.New("it is a file")
		}
		if err != nil {
			return fmt.Errorf("%s: cannot write into folder %s: %w", path, parent, cause(err))
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: cannot write: it is a file, not a folder", path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("%s: cannot read: %w", path, cause(err))
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
			return fmt.Errorf("%s: not overwritten: beside a report it holds %s", path, printable(e.Name()))
		}
	}
	return nil
}

// writeFolder writes the files so that no half of them is ever seen under the
// folder's name: into a folder beside it first, then renamed.
func writeFolder(path string, files []report.File) error {
	// Minutes have passed since the first look.
	if err := checkFolder(path); err != nil {
		return err
	}
	path, err := filepath.Abs(path)
	if err == nil {
		if target, linked := filepath.EvalSymlinks(path); linked == nil {
			path = target // a link stays one
		}
		err = untilInterrupted(func(ctx context.Context) error { return replaceFolder(ctx, path, files) })
	}
	if err != nil {
		return fmt.Errorf("%s: cannot write: %w", path, cause(err))
	}
	return nil
}

func replaceFolder(ctx context.Context, path string, files []report.File) error {
	fresh := filepath.Join(filepath.Dir(path), fmt.Sprintf(".shadeonce-%016x", rand.Uint64()))
	if err := os.Mkdir(fresh, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(fresh) // nothing is there once it has been renamed
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(fresh, f.Name), f.Data, 0o666); err != nil {
			return err
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
	}
	// A folder can be renamed over an empty one, but not over an old report.
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
