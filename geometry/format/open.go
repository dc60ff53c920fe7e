package format

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/internal/replace"
)

// magicBytes is how much of a file the readers' Magic sees.
const magicBytes = 512

// Open opens a file: it unpacks .gz and .zst, picks the reader by the
// file's first bytes, then by its extension, and returns a scene that has
// passed Scene.Validate and has normals of unit length. Every error is one line that
// begins with the file's name; those about its contents are of type *Error.
//
// If the context ends first, Open returns its cause, wrapped, and leaves no
// goroutine, mapping or temporary folder behind. The context may ask for progress
// (package progress).
//
// The pools of a large GLB whose arrays are stored as a Scene holds them lie in
// the file itself, mapped (Scene.Backing), so that they take no memory of ours.
// Scene.Release gives the mapping back.
func (f Formats) Open(ctx context.Context, path string) (*geometry.Scene, error) {
	return f.open(ctx, path, mapLeast)
}

// open is Open, and maps files from the size of least on.
func (f Formats) open(ctx context.Context, path string, least int64) (scene *geometry.Scene, err error) {
	defer func() {
		// Readers may return any error then, or none.
		if cause := context.Cause(ctx); cause != nil {
			if scene != nil {
				scene.Release()
			}
			scene, err = nil, &Error{File: path, Cause: "not opened: " + cause.Error(), Err: cause}
		}
	}()
	file, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	in := &Input{Path: path, Size: size, Sibling: siblings(ctx, path), mapLeast: least}
	defer func() { in.unmap(scene) }()
	head, inner, err := in.start(ctx, file)
	if err != nil {
		return nil, err
	}
	defer inner.Close()
	reader, err := f.pick(in, head)
	if err != nil {
		return nil, err
	}
	scene, err = in.read(ctx, reader)
	if err != nil {
		return nil, err
	}
	scene.Name = filepath.Base(path)
	return scene, nil
}

// openRegular opens a regular file. It refuses anything else before opening it,
// since opening a FIFO would wait for a writer.
func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, 0, &Error{File: path, Cause: replace.Cause(err).Error(), Err: err}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, &Error{File: path, Cause: replace.Cause(err).Error(), Err: err}
	}
	if info, err = file.Stat(); err == nil {
		err = regular(info)
	}
	if err != nil {
		file.Close()
		return nil, 0, &Error{File: path, Cause: replace.Cause(err).Error(), Err: err}
	}
	return file, info.Size(), nil
}

func regular(info os.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("is a folder, not a file")
	case !info.Mode().IsRegular():
		return errors.New("is not a regular file")
	}
	return nil
}

// start sets up the reader for the file's contents, unpacked, and returns their first bytes.
func (in *Input) start(ctx context.Context, file *os.File) (head []byte, inner io.Closer, err error) {
	in.told = newMetered(progress.Silent(ctx), watched{file, ctx}, in.Size)
	buffered := bufio.NewReaderSize(io.LimitReader(in.told, in.Size), 64<<10)
	head, err = in.peek(ctx, buffered)
	if err != nil {
		return nil, nil, err
	}
	p := packingOf(head)
	if p == nil {
		in.Reader, in.file = buffered, file
		return head, io.NopCloser(nil), nil
	}
	unpacked, err := p.unpack(ctx, in, buffered)
	if err != nil {
		return nil, nil, err
	}
	buffered = bufio.NewReaderSize(unpacked, 64<<10)
	in.Reader, in.Size = buffered, -1
	head, err = in.peek(ctx, buffered)
	if err == nil && packingOf(head) != nil {
		err = &Error{File: in.Path, Cause: "is compressed twice; unpack it once first"}
	}
	if err != nil {
		unpacked.Close()
		return nil, nil, err
	}
	return head, unpacked, nil
}

func (in *Input) peek(ctx context.Context, r *bufio.Reader) ([]byte, error) {
	head, err := r.Peek(magicBytes)
	if err != nil && err != io.EOF {
		return nil, in.Failed("", err)
	}
	if len(head) == 0 {
		return nil, &Error{File: in.Path, Cause: "is empty"}
	}
	return slices.Clone(head), nil
}

// read runs the reader and checks the scene. If bad input makes either panic, read
// returns an error.
func (in *Input) read(ctx context.Context, r *Reader) (scene *geometry.Scene, err error) {
	defer func() {
		if p := recover(); p != nil {
			scene, err = nil, panicError(in.Path, r.Name, p)
		}
	}()
	// If a mapped file is cut short meanwhile, reading it panics.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	reading := progress.Part(ctx, 0, .8)
	if in.told != nil && r.Bytes > 0 {
		in.told.meter = progress.NewMeter(progress.Part(reading, 0, r.Bytes), int(in.told.size))
	}
	scene, err = r.Read(reading, in)
	if err != nil {
		return nil, err
	}
	if err := in.check(progress.Part(ctx, .8, 1), scene); err != nil {
		return nil, &Error{File: in.Path, Cause: err.Error(), Err: err}
	}
	return scene, nil
}

// check validates the scene that a reader made, and completes its normals.
func (in *Input) check(ctx context.Context, scene *geometry.Scene) error {
	if !in.aliased {
		if err := scene.Validate(progress.Part(ctx, 0, .3)); err != nil {
			return err
		}
	}
	if in.aliased {
		unit, err := areUnit(progress.Part(ctx, 0, .3), scene.Normals)
		if err != nil {
			return err
		}
		if !unit {
			scene.Normals = slices.Clone(scene.Normals) // other pools may be of the same bytes
		}
	}
	if err := unitNormals(progress.Part(ctx, .3, 1), scene.Normals); err != nil {
		return err
	}
	return scene.MakeNormals(progress.Part(ctx, .3, 1))
}

// panicError makes an error of a reader's panic.
func panicError(path, reader string, p any) error {
	if fault, ok := p.(interface{ Addr() uintptr }); ok && fault.Addr() != 0 {
		return &Error{File: path, Cause: "part of it was lost while it was read: it was cut short, or the disk failed"}
	}
	cause := strings.Map(func(c rune) rune {
		if c < ' ' {
			return ' '
		}
		return c
	}, fmt.Sprint(p))
	return &Error{File: path, Cause: "the " + reader + " reader failed on it: " + cause}
}
