package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/replace"
	"github.com/shadeonce/shadeonce/internal/report"
)

// What a file begins with that may be overwritten.
const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	svgSignature = "<svg "
)

// writePicture writes a file, unless the user interrupts the program first.
func writePicture(path string, data []byte) error {
	return cli.UntilInterrupted(func(ctx context.Context) error { return replace.Output(ctx, path, data) })
}

// checkFolder refuses, before anything is measured, a path that no report can be
// written to: a folder that exists must be empty or hold a report and nothing
// else.
func checkFolder(path string) error {
	info, err := replace.Stat(path)
	switch {
	case err != nil || info == nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s: cannot write: it is a file, not a folder", path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("%s: cannot read: %w", path, replace.Cause(err))
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
			return fmt.Errorf("%s: not overwritten: beside a report it holds %s", path, names.Printable(e.Name()))
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
	return replace.Failed(path, cli.UntilInterrupted(func(ctx context.Context) error { return replaceFolder(ctx, path, files) }))
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
