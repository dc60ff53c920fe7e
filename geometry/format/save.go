package format

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
)

// Save writes a scene in the format of path's extension. It replaces the file only once the new
// one is complete. If the context ends first, the error wraps its cause.
func Save(ctx context.Context, path string, scene *geometry.Scene) error {
	if err := CanSave(path); err != nil {
		return err
	}
	writer, err := pickWriter(path)
	if err != nil {
		return err
	}
	if err := scene.Validate(ctx); err != nil {
		return &Error{File: path, Cause: "cannot save: " + err.Error(), Err: err}
	}
	return SaveAs(ctx, path, func(w io.Writer) error {
		return scene.Guard(func() error { return writer.Write(w, lookFrom(scene, path)) })
	})
}

// SaveAs replaces a file with what write writes, once all of it is written.
func SaveAs(ctx context.Context, path string, write func(io.Writer) error) error {
	target := path
	if linked, err := filepath.EvalSymlinks(path); err == nil {
		target = linked // renaming onto a symbolic link would replace the link
	}
	if err := atomicfile.File(target, 0, func(f *os.File) error {
		if err := writePacked(path, untilDone{ctx, f}, write); err != nil {
			return err
		}
		return context.Cause(ctx)
	}); err != nil {
		return &Error{File: path, Cause: "cannot save: " + atomicfile.Cause(err).Error(), Err: err}
	}
	return nil
}

// CanSave returns an error if Save could not write to path. It does not need the scene.
func CanSave(path string) error {
	if _, err := pickWriter(path); err != nil {
		return err
	}
	info, err := atomicfile.Stat(path)
	if err != nil {
		err = errors.Unwrap(err) // without the path
	} else if info != nil {
		err = regular(info)
	}
	if err != nil {
		return &Error{File: path, Cause: "cannot save: " + err.Error(), Err: err}
	}
	return nil
}

func pickWriter(path string) (*Writer, error) {
	ext, known := Extension(path), ""
	for _, w := range Writers() {
		if slices.Contains(w.Extensions, ext) {
			return &w, nil
		}
		known += " " + strings.Join(w.Extensions, " ")
	}
	return nil, &Error{File: path, Cause: "is not of a format that can be saved:" + known + " (also as .gz or .zst)"}
}

// untilDone writes until a context ends.
type untilDone struct {
	ctx context.Context
	w   io.Writer
}

func (u untilDone) Write(data []byte) (int, error) {
	if err := context.Cause(u.ctx); err != nil {
		return 0, err
	}
	return u.w.Write(data)
}
