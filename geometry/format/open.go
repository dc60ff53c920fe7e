package format

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
)

// magicBytes is how much of a file the readers' Magic sees.
const magicBytes = 512

// Open reads a mesh file: it unpacks .gz and .zst, picks the reader by the
// file's first bytes, then by its extension, and returns a scene that has
// passed Scene.Validate and has normals of unit length. Every error is one line that
// begins with the file's name; those about its contents are of type *Error.
//
// The pools of a large GLB whose arrays are stored as a Scene holds them lie in
// the file itself, mapped (Scene.Backing), so that they take no memory of ours.
// Scene.Release gives the mapping back.
func Open(path string) (*geometry.Scene, error) { return open(path, mapLeast) }

// open is Open that maps files from the size of least on.
func open(path string, least int64) (scene *geometry.Scene, err error) {
	file, size, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	in := &Input{Path: path, Size: size, Sibling: siblings(path), mapLeast: least}
	defer func() { in.unmap(scene) }()
	head, inner, err := in.start(file)
	if err != nil {
		return nil, err
	}
	defer inner.Close()
	reader, err := pickReader(path, head)
	if err != nil {
		return nil, err
	}
	scene, err = in.read(reader)
	if err != nil {
		return nil, err
	}
	scene.Name = filepath.Base(path)
	return scene, nil
}

// openRegular opens a regular file. Anything else is refused ahead of opening
// it, since opening a FIFO would wait for a writer.
func openRegular(path string) (*os.File, int64, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, 0, &Error{File: path, Cause: osCause(err), Err: err}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, &Error{File: path, Cause: osCause(err), Err: err}
	}
	if info, err = file.Stat(); err == nil {
		err = regular(info)
	}
	if err != nil {
		file.Close()
		return nil, 0, &Error{File: path, Cause: osCause(err), Err: err}
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

// osCause is what the operating system says, without the path: Error has it.
func osCause(err error) string {
	var of *os.PathError
	if errors.As(err, &of) {
		return of.Err.Error()
	}
	return err.Error()
}

// start sets up the reader for the file's contents, unpacked, and returns their first bytes.
func (in *Input) start(file *os.File) (head []byte, inner io.Closer, err error) {
	buffered := bufio.NewReaderSize(io.LimitReader(file, in.Size), 64<<10)
	head, err = in.peek(buffered)
	if err != nil {
		return nil, nil, err
	}
	p := packingOf(head)
	if p == nil {
		in.Reader, in.file = buffered, file
		return head, io.NopCloser(nil), nil
	}
	unpacked, err := p.unpack(in, buffered)
	if err != nil {
		return nil, nil, err
	}
	buffered = bufio.NewReaderSize(unpacked, 64<<10)
	in.Reader, in.Size = buffered, -1
	head, err = in.peek(buffered)
	if err == nil && packingOf(head) != nil {
		err = &Error{File: in.Path, Cause: "is compressed twice; unpack it once first"}
	}
	if err != nil {
		unpacked.Close()
		return nil, nil, err
	}
	return head, unpacked, nil
}

func (in *Input) peek(r *bufio.Reader) ([]byte, error) {
	head, err := r.Peek(magicBytes)
	if err != nil && err != io.EOF {
		return nil, newSource(in).cut("", err)
	}
	if len(head) == 0 {
		return nil, &Error{File: in.Path, Cause: "is empty"}
	}
	return slices.Clone(head), nil
}

// pickReader is the reader whose magic bytes head has, or else whose extension
// path has once that of a compressed file is stripped.
func pickReader(path string, head []byte) (*Reader, error) {
	for i := range Readers {
		if r := &Readers[i]; r.Magic != nil && r.Magic(head) {
			return r, nil
		}
	}
	name := strings.ToLower(filepath.Base(path))
	if ext := filepath.Ext(name); packingExtension(ext) {
		name = strings.TrimSuffix(name, ext)
	}
	for i := range Readers {
		if slices.Contains(Readers[i].Extensions, filepath.Ext(name)) {
			return &Readers[i], nil
		}
	}
	known := ""
	for i := range Readers {
		known += strings.Join(Readers[i].Extensions, " ") + " "
	}
	return nil, &Error{File: path, Cause: "is not of a format that can be read: " + known + "(also as .gz or .zst)"}
}

// read runs the reader, and whatever checks the scene, so that bad input ends
// in an error even where it makes them panic.
func (in *Input) read(r *Reader) (scene *geometry.Scene, err error) {
	defer func() {
		if p := recover(); p != nil {
			scene, err = nil, panicError(in.Path, r.Name, p)
		}
	}()
	// What a mapped file has lost since it was opened is a panic, then.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	scene, err = r.Read(in)
	if err != nil {
		return nil, err
	}
	if !in.aliased {
		err = scene.Validate()
	}
	if err != nil {
		return nil, &Error{File: in.Path, Cause: err.Error(), Err: err}
	}
	if in.aliased && !areUnit(scene.Normals) {
		scene.Normals = slices.Clone(scene.Normals) // other pools may be of the same bytes
	}
	unitNormals(scene.Normals)
	scene.MakeNormals()
	return scene, nil
}

// panicError is what a reader's panic becomes.
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
