package format

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Input is a file being read, unpacked if it was compressed. Readers charge to its budget what
// they allocate, and work that is not proportional to the bytes they read. So no file can make them
// allocate or compute without bound.
type Input struct {
	io.Reader        // the file's bytes; readers call Input.Read, which counts them
	Path      string // as the user gave it
	Size      int64  // bytes that Reader will yield; -1 if unknown, since the file is compressed

	Animated   bool   // whether readers keep skins and animations
	Attributes bool   // whether readers keep further vertex attributes
	Textures   bool   // whether readers keep base colour textures
	Pass       string // the pass of a captured frame whose camera and draws are wanted: see Formats.Pass
	looks      bool   // whether readers keep what writers can write: see Formats.Looks
	looksGLTF  bool   // whether readers of glTF files also keep what writers can write
	shape      bool   // whether readers skip everything but the shape: see Formats.Shapes

	// Sibling opens a file that this one refers to by a relative path. It refuses absolute paths
	// and those that leave the folder of Path.
	Sibling func(name string) (io.ReadCloser, int64, error)

	// Partner opens the file beside Path whose name follows from Path's, such as FILE.zip for
	// FILE.zip.xml. It follows symbolic links, since the name does not come from the contents of a file.
	Partner func(name string) (io.ReadCloser, int64, error)

	budget budget.Budget // memory and work that the file may cost; Read and Charge may be called at the same time

	told     *metered // the reader below Reader that reports how much of the file has been read; may be nil
	file     *os.File // the file, if Reader yields exactly its bytes; else nil
	mapLeast int64    // files of at least this size may be mapped
	mapping  *mapping // set once the file is mapped
	aliased  bool     // the pools of the reader's scene are the file's bytes, and have passed Validate
}

// Read reads the file's bytes, and counts them for the budget.
func (in *Input) Read(p []byte) (int, error) {
	n, err := in.Reader.Read(p)
	in.budget.Read(int64(n))
	return n, err
}

// Budget returns the file's budget of memory and work.
func (in *Input) Budget() *budget.Budget {
	in.budget.Known(in.Size) // of a compressed file only the bytes unpacked so far count
	return &in.budget
}

// Charge charges n bytes that are about to be allocated. It fails if the budget is exceeded.
func (in *Input) Charge(n int64) error { return in.about("", in.Budget().Memory(n)) }

// Work charges steps of about a nanosecond each. It fails if the budget is exceeded or the
// context of Open ends.
func (in *Input) Work(steps int64) error { return in.about("", in.Budget().Work(steps)) }

// about turns `err` into an Error at `place`; nil stays nil.
func (in *Input) about(place string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{File: in.Path, Place: place, Cause: err.Error(), Err: err}
}

// chargeNormals charges the normals that Open makes for n vertices without normals.
func (in *Input) chargeNormals(n int) { must.OK(in.Charge(12 * int64(n))) }

// Name returns the last element of Path, without the extension of a compressed file: "a.ply" for "a.ply.gz".
func (in *Input) Name() string {
	name, _ := unpacked(filepath.Base(in.Path))
	return name
}

// Bad returns an Error about this file.
func (in *Input) Bad(place, cause string, args ...any) error {
	return &Error{File: in.Path, Place: place, Cause: fmt.Sprintf(cause, args...)}
}

// fail fails with an Error about this file; it panics like package must.
func (in *Input) fail(place, cause string, args ...any) { must.OK(in.Bad(place, cause, args...)) }

// Failed turns an error of reading into an Error at `place`. io.EOF counts as an error, since
// callers of Failed needed more bytes.
func (in *Input) Failed(place string, err error) error {
	var known *Error
	var exceeded *budget.Exceeded
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &exceeded):
		return in.about(place, exceeded)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{File: in.Path, Place: place, Cause: "the file ends early", Err: err}
	}
	return &Error{File: in.Path, Place: place, Cause: "cannot be read: " + err.Error(), Err: err}
}

// Error is what every reader returns for bad input: one line that names file, place and cause.
type Error struct {
	File  string
	Place string // "line 12", "header", "accessor 3"; empty if the cause concerns the whole file
	Cause string
	Err   error // the wrapped cause, if any; not printed again
}

func (e *Error) Error() string {
	if e.Place == "" {
		return fmt.Sprintf("%s: %s", e.File, e.Cause)
	}
	return fmt.Sprintf("%s: %s: %s", e.File, e.Place, e.Cause)
}

func (e *Error) Unwrap() error { return e.Err }

// spot is the n-th element of a kind, counted from 0 as in Scene.Validate. It is formatted only
// when there is an error to report.
type spot struct {
	what string
	n    int64
}

func (p spot) String() string { return fmt.Sprintf("%s %d", p.what, p.n) }

// line names a line of a text file in errors, counted from 1 as in editors.
func line(n int) string { return fmt.Sprintf("line %d", n) }

// CleanName makes a name from the file fit for one line of a table or a log:
// at most 80 bytes, no control characters.
func CleanName(name string) string {
	const longest = 80
	if len(name) > longest {
		name = strings.ToValidUTF8(name[:longest], "")
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, name)
}

// Quote shows a piece of a file in an error: one line, shortened.
func Quote(s []byte) string {
	const most = 40
	if len(s) > most {
		return strconv.QuoteToASCII(string(s[:most])) + "..."
	}
	return strconv.QuoteToASCII(string(s))
}

// siblings returns Input.Sibling for a file. It opens regular files in or below the folder of
// path, and follows no symbolic link that leads out of it. Reading them fails once the context
// ends.
func siblings(ctx context.Context, path string) func(name string) (io.ReadCloser, int64, error) {
	return func(name string) (io.ReadCloser, int64, error) {
		if len(urlScheme(name)) > 1 {
			return nil, 0, fmt.Errorf("%q is an address, not a file beside this one", name)
		}
		if !filepath.IsLocal(name) {
			return nil, 0, fmt.Errorf("%q leaves the folder of this file", name)
		}
		root, err := os.OpenRoot(filepath.Dir(path))
		if err != nil {
			return nil, 0, fmt.Errorf("%q: %s", name, atomicfile.Cause(err))
		}
		defer root.Close()
		return openWatched(ctx, name, name, root.Stat, root.Open)
	}
}

func openWatched(ctx context.Context, name, path string, stat func(string) (os.FileInfo, error), open func(string) (*os.File, error)) (io.ReadCloser, int64, error) {
	file, size, err := openChecked(path, stat, open)
	if err != nil {
		return nil, 0, fmt.Errorf("%q: %s", name, atomicfile.Cause(err))
	}
	return watched{file, ctx}, size, nil
}

// watchedBytes bounds how many bytes are read at a time, so that cancellation takes effect soon
// even on a slow disk.
const watchedBytes = 1 << 20

// watched reads a file until a context ends; the error is then the context's cause.
type watched struct {
	*os.File
	ctx context.Context
}

func (w watched) Read(p []byte) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	return w.File.Read(p[:min(len(p), watchedBytes)])
}

func (w watched) ReadAt(p []byte, at int64) (int, error) {
	if err := context.Cause(w.ctx); err != nil {
		return 0, err
	}
	return w.File.ReadAt(p, at)
}

// metered reports as progress how much of a file has been read.
type metered struct {
	io.Reader
	meter progress.Meter
	at    int
	size  int64
}

func newMetered(ctx context.Context, r io.Reader, size int64) *metered {
	return &metered{Reader: r, meter: progress.NewMeter(ctx, int(size)), size: size}
}

func (m *metered) Read(p []byte) (int, error) {
	if err := m.meter.At(m.at); err != nil {
		return 0, err
	}
	n, err := m.Reader.Read(p)
	m.at += n
	return n, err
}

// mapLeast is the least size, in bytes, of an uncompressed file that is mapped. Smaller files are
// read, which costs little memory.
const mapLeast = 64 << 20

// mapping is a mapped file, and how far it has been read.
type mapping struct {
	data []byte
	at   int
	file *os.File    // our own handle of the file
	was  os.FileInfo // the file's state when it was mapped
}

// mapped maps the file if that is possible, and makes Reader read from the mapping. Call it
// before any byte is read.
func (in *Input) mapped() {
	if in.file == nil || in.Size < in.mapLeast || int64(int(in.Size)) != in.Size {
		return
	}
	was, err := in.file.Stat()
	if err != nil {
		return
	}
	if data, file, err := mapFile(in.file, in.Size); err == nil {
		in.mapping = &mapping{data: data, file: file, was: was}
		in.Reader = in.mapping
	}
}

// unmap unmaps the file, unless the scene's pools lie in it.
func (in *Input) unmap(scene *geometry.Scene) {
	if in.mapping != nil && (scene == nil || scene.Backing == nil) {
		in.mapping.free()
	}
}

func (m *mapping) free() {
	unmapFile(m.data)
	m.file.Close()
}

// changed reports whether the file was written to or cut short since it was mapped.
func (m *mapping) changed() bool {
	is, err := m.file.Stat()
	return err == nil && (is.Size() != m.was.Size() || !is.ModTime().Equal(m.was.ModTime()))
}

func (m *mapping) Read(p []byte) (int, error) {
	if m.at == len(m.data) && len(p) > 0 {
		return 0, io.EOF
	}
	n := copy(p, m.data[m.at:])
	m.at += n
	return n, nil
}

// take returns the next n bytes. Bytes of a mapped file are not copied, and must not be written to.
func (in *Input) take(n int64) ([]byte, error) {
	m := in.mapping
	if m == nil {
		return gltfReadBytes(in, n, in.Size)
	}
	if n > int64(len(m.data)-m.at) {
		return nil, io.ErrUnexpectedEOF
	}
	m.at += int(n)
	return m.data[m.at-int(n) : m.at : m.at], nil
}

// blockBytes is how much of a binary file is read at a time: enough to make the system call
// cheap, and little enough to stay in the cache until it is decoded.
const blockBytes = 256 << 10

// blockReader reads a binary file block by block.
type blockReader struct {
	src *Input
	*bufio.Reader
}

// block returns the bytes of the next buffered values, at least one value and at most `count`. Each value
// has `size` bytes, at most blockBytes. The bytes stay valid until the next call. block fails if the file
// ends within the first value.
func (b blockReader) block(count int64, size int, at spot) []byte {
	if _, err := b.Peek(size); err != nil {
		must.OK(b.src.Failed(at.String(), err))
	}
	n := int(min(count, int64(b.Buffered()/size))) * size
	block, _ := b.Peek(n)
	must.Get(b.Discard(n))
	return block
}

// bytes returns the next n bytes; they stay valid until the next call.
func (b blockReader) bytes(n int, at spot) []byte { return b.block(1, n, at) }

// skip skips `count` values of `size` bytes each.
func (b blockReader) skip(count int64, size int, at spot) {
	for count > 0 {
		count -= int64(len(b.block(count, size, at)) / size)
	}
}

// end fails on anything but blanks after the last element. Some programs append blanks.
func (b blockReader) end() {
	for {
		switch c, err := b.ReadByte(); {
		case err == io.EOF:
			return
		case err != nil:
			must.OK(b.src.Failed("", err))
		case !blank(c):
			b.src.fail("", "goes on after the last element: the header's counts are too low")
		}
	}
}

// vec3At reads three floats, little endian.
func vec3At(p []byte) mgl32.Vec3 {
	p = p[:12]
	return mgl32.Vec3{
		math.Float32frombits(binary.LittleEndian.Uint32(p)),
		math.Float32frombits(binary.LittleEndian.Uint32(p[4:])),
		math.Float32frombits(binary.LittleEndian.Uint32(p[8:])),
	}
}
