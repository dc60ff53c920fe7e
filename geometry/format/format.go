// Package format reads and writes mesh files.
//
//	scene, err := format.Open(ctx, "bunny.ply.zst")
//	err = format.Save(ctx, "bunny.glb", scene)
//
// Each format has a family of files: ply*.go, obj*.go, off.go, stl.go, drc.go, gltf*.go and glb*.go.
// Readers lists the formats; a program that supports more formats opens files with its own list,
// as package capture does for captured frames.
//
// Files are untrusted: a reader returns an error that names file, place and cause, never panics,
// and allocates in proportion to the bytes that it has actually read.
package format

import (
	"bufio"
	"bytes"
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
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Reader reads one format.
type Reader struct {
	Name       string            // such as "ply"; names the reader in errors
	Extensions []string          // lower case with the dot: ".ply"
	Magic      func([]byte) bool // reports whether the first 512 bytes identify this format; nil if only the extension does
	// Read makes a scene. It may report progress to the context (package progress). When the
	// context ends, it returns within a moment, with any error.
	Read  func(ctx context.Context, in *Input) (*geometry.Scene, error)
	Bytes float64 // estimated share of the time that is spent reading bytes

	attributes bool // set by Formats.Attributes
}

// Formats lists the formats that a file may have. Their magic bytes are tested in the order of the
// list.
type Formats []Reader

// Readers lists every mesh format that can be opened. `extend` reads extensions of glTF documents
// (see GLTFExtension); it may be nil.
func Readers(extend GLTFExtension) Formats {
	glb, gltf := gltfReaders(extend)
	return Formats{glb, plyReader, offReader, stlReader, drcReader, gltf, objReader}
}

// Shapes returns the formats with readers that read only the shape. Only the OBJ reader differs: it
// reads positions and faces, as one draw, so that vertices keep the file's numbers.
func (f Formats) Shapes() Formats { return f.asking(func(in *Input) { in.shape = true }) }

// Attributes returns the formats with readers that keep further vertex attributes as
// Scene.Attributes. Other readers skip them, since they cost memory.
func (f Formats) Attributes() Formats {
	f = f.asking(func(in *Input) { in.Attributes = true })
	for i := range f {
		f[i].attributes = true
	}
	return f
}

// HaveAttributes reports whether the formats come from Attributes.
func (f Formats) HaveAttributes() bool { return len(f) > 0 && f[0].attributes }

// Textures returns the formats with readers that keep base colour textures as Scene.Textures.
// Other readers skip them, since they cost time and memory.
func (f Formats) Textures() Formats { return f.asking(func(in *Input) { in.Textures = true }) }

// Animated returns the formats with readers that keep animations, with skins and morph targets, as
// Scene.Animations.
func (f Formats) Animated() Formats { return f.asking(func(in *Input) { in.Animated = true }) }

// Pass returns the formats with readers that show one pass of a captured frame: they place its draws
// as its camera sees them, and hide the draws of other passes. The pass is given by its name or number;
// an empty name leaves the choice to the reader.
func (f Formats) Pass(name string) Formats {
	f = f.asking(func(in *Input) { in.Pass = name })
	for i := range f {
		read := f[i].Read
		f[i].Read = func(ctx context.Context, in *Input) (*geometry.Scene, error) {
			s, err := read(ctx, in)
			if err == nil && name != "" && (s.Capture == nil || len(s.Capture.Passes) == 0) {
				return nil, in.Bad("", "no captured frame that tells where the draws of its passes stand: it has no pass %q", name)
			}
			return s, err
		}
	}
	return f
}

// Looks returns the formats with readers that also keep what writers can write: for OBJ, PLY and Draco,
// the further attributes, and materials as Scene.Look; for STL, a note of what is left out. `glTF` says
// whether glTF readers keep the further attributes; a GLTFCopy that saves the document needs none.
func (f Formats) Looks(glTF bool) Formats {
	return f.asking(func(in *Input) { in.looks, in.looksGLTF = true, glTF })
}

// asking returns the formats with readers that change their input before they read it.
func (f Formats) asking(change func(*Input)) Formats {
	f = slices.Clone(f)
	for i := range f {
		read := f[i].Read
		f[i].Read = func(ctx context.Context, in *Input) (*geometry.Scene, error) {
			change(in)
			return read(ctx, in)
		}
	}
	return f
}

// Open opens a mesh file: see Formats.Open.
func Open(ctx context.Context, path string) (*geometry.Scene, error) {
	return Readers(nil).Open(ctx, path)
}

// Extensions lists the extensions of all formats.
func (f Formats) Extensions() (all []string) {
	for i := range f {
		all = append(all, f[i].Extensions...)
	}
	return all
}

// pick returns the first format whose Magic accepts `head` or, if none does, the first with the file's extension.
func (f Formats) pick(in *Input, head []byte) (*Reader, error) {
	for i := range f {
		if f[i].Magic != nil && f[i].Magic(head) {
			return &f[i], nil
		}
	}
	name := strings.ToLower(in.Name())
	for i := range f {
		if slices.ContainsFunc(f[i].Extensions, func(ext string) bool { return strings.HasSuffix(name, ext) }) {
			return &f[i], nil
		}
	}
	return nil, in.Bad("", "is not of a format that can be read: %s (also as .gz or .zst)", strings.Join(f.Extensions(), " "))
}

// Writer is one format that scenes can be saved in.
type Writer struct {
	Name       string
	Extensions []string
	Write      func(w io.Writer, s *geometry.Scene) error // s is valid: Save checks it
	lacks      func(s *geometry.Scene) []string           // contents of a scene that the format cannot hold
	refers     func(l *geometry.Look) []string            // the other files that a written file refers to
}

// Writers lists every format that can be saved.
func Writers() []Writer { return []Writer{plyWriter, objWriter, stlWriter, glbWriter, gltfWriter} }

// magicBytes is how many bytes of a file a reader's Magic gets.
const magicBytes = 512

// Open opens a file: it unpacks .gz and .zst, chooses the reader by the file's first bytes or
// else by its extension, and returns a scene that has passed Scene.Validate and has normals of
// unit length. Every error is one line that begins with the file's name; errors about its
// contents are of type *Error.
//
// If the context ends first, Open returns its cause, wrapped, and leaves no goroutine, mapping or
// temporary folder behind. Progress is reported through the context (package progress).
//
// The pools of a large GLB whose arrays have the layout of a Scene are the mapped file itself
// (Scene.Backing), so that they take no memory of the process. Scene.Release unmaps it.
func (f Formats) Open(ctx context.Context, path string) (*geometry.Scene, error) {
	return f.open(ctx, path, mapLeast)
}

// open does the work of Open; files of `least` bytes or more may be mapped.
func (f Formats) open(ctx context.Context, path string, least int64) (scene *geometry.Scene, err error) {
	defer func() {
		// After cancellation readers may return any error, or none.
		if cause := context.Cause(ctx); cause != nil {
			if scene != nil {
				scene.Release()
			}
			scene, err = nil, &Error{File: path, Cause: "not opened: " + cause.Error(), Err: cause}
		}
	}()
	defer must.Catch(&err)
	// Check the file's kind before opening it, since opening a FIFO would wait for a writer.
	file, size, err := openChecked(path, os.Stat, os.Open)
	if err != nil {
		return nil, &Error{File: path, Cause: atomicfile.Cause(err).Error(), Err: err}
	}
	defer file.Close()
	in := &Input{Path: path, Size: size, Sibling: siblings(ctx, path), mapLeast: least}
	in.Partner = func(name string) (io.ReadCloser, int64, error) {
		return openWatched(ctx, name, filepath.Join(filepath.Dir(path), name), os.Stat, os.Open)
	}
	in.budget.Begin(ctx)
	defer func() { in.unmap(scene) }()
	head, inner := in.start(ctx, file)
	defer inner.Close()
	scene = must.Get(in.read(ctx, must.Get(f.pick(in, head))))
	if err := scene.Changed(); err != nil {
		scene.Release()
		return nil, in.about("", err)
	}
	scene.Name = filepath.Base(path)
	return scene, nil
}

// openChecked opens a regular file. It checks the kind of file before opening and again afterwards,
// since the name may by then refer to another file.
func openChecked(name string, stat func(string) (os.FileInfo, error), open func(string) (*os.File, error)) (_ *os.File, _ int64, err error) {
	defer must.Catch(&err)
	info := must.Get(stat(name))
	must.OK(regular(info))
	file := must.Get(open(name))
	if info, err = file.Stat(); err == nil {
		err = regular(info)
	}
	if err != nil {
		file.Close()
		return nil, 0, err
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

// start sets in.Reader to read the file's contents, unpacked. It returns their first bytes, and a closer for the unpacker.
func (in *Input) start(ctx context.Context, file *os.File) (head []byte, inner io.Closer) {
	in.told = newMetered(progress.Silent(ctx), watched{file, ctx}, in.Size)
	buffered := bufio.NewReaderSize(io.LimitReader(in.told, in.Size), 64<<10)
	head = must.Get(in.peek(buffered))
	p := packingOf(head)
	if p == nil {
		in.Reader, in.file = buffered, file
		return in.passMark(head, buffered), io.NopCloser(nil)
	}
	unpacked := must.Get(p.unpack(in, buffered))
	buffered = bufio.NewReaderSize(unpacked, 64<<10)
	in.budget.Packed(in.Size)
	in.Reader, in.Size = buffered, -1
	head, err := in.peek(buffered)
	if err == nil && packingOf(head) != nil {
		err = &Error{File: in.Path, Cause: "is compressed twice; unpack it once first"}
	}
	if err != nil {
		unpacked.Close()
		must.OK(err)
	}
	return in.passMark(head, buffered), unpacked
}

// passMark skips the byte order mark with which some programs begin text, and refuses UTF-16.
func (in *Input) passMark(head []byte, r *bufio.Reader) []byte {
	const mark = "\xef\xbb\xbf"
	little, big := bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff"))
	switch {
	case little && len(head) > 3 && head[3] == 0, big && len(head) > 3 && head[2] == 0:
		in.fail("", "is text in UTF-16: only UTF-8 is read")
	case bytes.HasPrefix(head, []byte(mark+"{")): // glTF forbids a mark, so its reader refuses it
	case bytes.HasPrefix(head, []byte(mark)) && bytes.IndexByte(head, 0) < 0: // a text file, not a binary one
		must.Get(r.Discard(len(mark)))
		in.file = nil // Reader no longer yields the whole file
		in.Size = max(in.Size-int64(len(mark)), -1)
		return head[len(mark):]
	}
	return head
}

func (in *Input) peek(r *bufio.Reader) ([]byte, error) {
	head, err := r.Peek(magicBytes)
	if err != nil && err != io.EOF {
		return nil, in.Failed("", err)
	}
	if len(head) == 0 {
		return nil, &Error{File: in.Path, Cause: "is empty"}
	}
	return slices.Clone(head), nil
}

// read runs the reader and checks the scene. If bad input makes the reader or the check panic, read
// returns an error.
func (in *Input) read(ctx context.Context, r *Reader) (scene *geometry.Scene, err error) {
	defer func() {
		if p := recover(); p != nil {
			scene, err = nil, panicError(in.Path, r.Name, p)
		}
	}()
	// Reading a mapped file panics if the file is cut short meanwhile.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	reading := progress.Part(ctx, 0, .8)
	if in.told != nil && r.Bytes > 0 {
		in.told.meter = progress.NewMeter(progress.Part(reading, 0, r.Bytes), int(in.told.size))
	}
	defer must.Catch(&err)
	scene = must.Get(r.Read(reading, in))
	must.OK(in.payDraws(scene))
	if err := in.check(progress.Part(ctx, .8, 1), scene); err != nil {
		return nil, &Error{File: in.Path, Cause: err.Error(), Err: err}
	}
	return scene, nil
}

// payDraws charges the work of reading every draw once, as validation and later steps do. It fails
// if the budget is exceeded. Instances of a mesh count once. Draws that overlap only in part count
// each: a small file can refer to the same long range in many ways.
func (in *Input) payDraws(s *geometry.Scene) error {
	const steps = 8 // steps of work per index or vertex
	type ranges struct{ index, indices, vertex, vertices uint32 }
	seen := make(map[ranges]bool, len(s.Draws))
	work := int64(0)
	for i := range s.Draws {
		d := &s.Draws[i]
		key := ranges{d.FirstIndex, d.IndexCount, d.VertexOffset, d.VertexCount}
		if !seen[key] {
			seen[key] = true
			work += steps * (int64(d.IndexCount) + int64(d.VertexCount))
		}
	}
	return in.about("draws", in.Budget().Work(work))
}

// check validates the scene that a reader made, and makes or normalizes its normals.
func (in *Input) check(ctx context.Context, scene *geometry.Scene) (err error) {
	defer must.Catch(&err)
	if !in.aliased {
		must.OK(scene.Validate(progress.Part(ctx, 0, .3)))
	} else if !must.Get(areUnit(progress.Part(ctx, 0, .3), scene.Normals)) {
		scene.Normals = slices.Clone(scene.Normals) // other pools may share these bytes
	}
	must.OK(unitNormals(progress.Part(ctx, .3, 1), scene.Normals))
	return scene.MakeNormals(progress.Part(ctx, .3, 1))
}

// panicError turns a reader's panic into an error.
func panicError(path, reader string, p any) error {
	if geometry.IsFault(p) {
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
