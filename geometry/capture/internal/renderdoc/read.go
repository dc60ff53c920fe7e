// Package renderdoc reads a frame that RenderDoc has captured, from what "renderdoccmd convert -c
// zip.xml" writes: the API calls as XML, and their data as entries of a zip file. It supports
// Vulkan and OpenGL.
//
// xml.go splits the XML into chunks, one per API call; elem.go reads their parameters. vulkan*.go
// and opengl*.go keep the state of their API and turn the calls into operations on plain byte
// spaces (op.go): write, copy, fill, draw. need.go finds which bytes the draws will read, run.go
// executes the operations on only those bytes, and triangles.go makes triangles of them.
//
// Captures are untrusted. The package knows nothing of files or folders.
package renderdoc

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/klauspost/compress/flate"

	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Input holds a capture's two files, and says how Read is to read them.
type Input struct {
	XML     io.Reader
	Zip     io.ReaderAt
	ZipSize int64
	ZipName string // name of the zip file, for messages
	Budget  *budget.Budget

	Compile  Compiler // compiles GLSL; nil if no compiler is available
	Textures bool     // whether to find the textures of draws
}

// Compiler compiles the GLSL of a stage, "vert" or "frag", to SPIR-V for Vulkan. Its errors have
// one line.
type Compiler func(ctx context.Context, stage, source string) ([]uint32, error)

// failf returns an error about a capture; the caller of Read adds the file.
func failf(place, cause string, args ...any) error {
	return &format.Error{Place: place, Cause: fmt.Sprintf(cause, args...)}
}

// refuse ends the reading of a capture with an error.
func refuse(place, cause string, args ...any) { must.OK(failf(place, cause, args...)) }

// api says which calls of a graphics API are read, and what each does. The type that embeds api
// keeps the API's state.
type api struct {
	version  uint64   // version of the chunks in RenderDoc 1.24; captures of other versions are read as far as their calls have known names
	suffixes []string // suffixes of calls that come from extensions
	calls    map[string]func(r elem)
	isDraw   func(name string) bool // whether a call that is not in calls is a draw
}

// on adds calls and what they do. A key holds the names of calls, separated by commas.
func (a *api) on(table map[string]func(r elem)) {
	for names, do := range table {
		for name := range strings.SplitSeq(names, ", ") {
			a.calls[name] = do
		}
	}
}

// name returns a call's name without an extension's suffix and without Named. A glNamed call does the same as
// the call on a bound object, and RenderDoc records the object for both.
func (a *api) name(call []byte) string {
	name := string(call)
	for _, suffix := range a.suffixes {
		name = strings.TrimSuffix(name, suffix)
	}
	return strings.Replace(name, "glNamed", "gl", 1)
}

// wants reports whether a chunk must be parsed.
func (a *api) wants(call []byte) bool {
	name := a.name(call)
	return a.calls[name] != nil || a.isDraw(name)
}

func (a *api) read(c *chunk, f *frame) {
	if do := a.calls[a.name(c.name)]; do != nil {
		do(elem{c, 0})
	} else if f.begun {
		f.skip(string(c.name), "unknown kind of draw")
	}
}

// Read reads a capture. Scene.Skipped lists what the capture has and the scene does not. The
// scene is not validated. Read stops when the context ends. It reports the progress of the work
// after the XML; the reader of the XML reports its own. An error about the capture is a
// format.Error without the file.
func Read(ctx context.Context, in Input) (s *Frame, err error) {
	defer must.Catch(&err)
	in.Budget.Beside(in.ZipSize)
	f := newFrame(in.Budget)
	must.OK(readXML(newScanner(in.XML), f))
	return run(ctx, f, must.Get(openBlobs(ctx, in)), in)
}

// Check returns an error unless XML begins as a capture does.
func Check(xml io.Reader) (err error) {
	defer must.Catch(&err)
	readHeader(newScanner(xml))
	return nil
}

// readXML converts the calls into the operations of f.
func readXML(x *scanner, f *frame) (err error) {
	defer must.Catch(&err)
	driver, version := readHeader(x)
	var a *api
	end := func() {}
	switch driver {
	case "Vulkan":
		v := newVulkan(f)
		a, end = &v.api, v.end
	case "OpenGL", "OpenGLES":
		a = &newOpenGL(f).api
	default:
		return failf("header", "a capture of %.40q: only Vulkan and OpenGL are supported", driver)
	}
	if version != a.version {
		f.notes = append(f.notes, fmt.Sprintf("the chunks have version %d, and only %d was checked: draws may be missing", version, a.version))
	}
	c := chunk{budget: f.budget}
	for c.next(x, a.wants) {
		f.count(&c)
		if c.parsed {
			a.read(&c, f)
		}
	}
	end()
	return nil
}

// blobs are the entries of the zip file, by number.
type blobs struct {
	ctx     context.Context
	name    string
	entries map[int]*zip.File
	buf     []byte
	deflate io.ReadCloser // reused, since one entry is read at a time
	budget  *budget.Budget
	counted int64 // unpacked bytes that may still be added to the file's size, from which the budget follows
}

// mostDeflated exceeds the number of bytes to which one byte of deflate can unpack.
const mostDeflated = 1040

// entryBytes is the memory of an entry of the zip file's directory.
const entryBytes = 512

func openBlobs(ctx context.Context, in Input) (*blobs, error) {
	z, err := zip.NewReader(in.Zip, in.ZipSize)
	if err != nil {
		if errors.Is(err, zip.ErrFormat) {
			return nil, failf("", "%s is not a zip file, or ends early", in.ZipName)
		}
		return nil, &format.Error{Cause: fmt.Sprintf("%s: %v", in.ZipName, err), Err: err}
	}
	if err := in.Budget.Memory(entryBytes * int64(len(z.File))); err != nil {
		return nil, err
	}
	b := &blobs{
		ctx: ctx, name: in.ZipName, entries: make(map[int]*zip.File, len(z.File)),
		budget: in.Budget, counted: (budget.PackedFactor - 1) * in.ZipSize,
	}
	z.RegisterDecompressor(zip.Deflate, b.inflate)
	for _, f := range z.File {
		if len(f.Name) < 6 {
			continue // another kind of entry, such as thumb.png
		}
		if n, err := strconv.ParseUint(f.Name, 10, 31); err == nil {
			b.entries[int(n)] = f
		}
	}
	return b, nil
}

// inflate returns a reader of unpacked bytes. Its implementation of deflate is faster than the standard library's.
func (b *blobs) inflate(r io.Reader) io.ReadCloser {
	if again, ok := b.deflate.(flate.Resetter); ok {
		if again.Reset(r, nil) == nil {
			return b.deflate
		}
	}
	b.deflate = flate.NewReader(r)
	return b.deflate
}

// unpackSteps is the work of unpacking a byte.
const unpackSteps = 4

// stream passes the bytes of a blob to `do`, in pieces and in order, up to byte `end`; `at` is
// where a piece begins. found is false if the zip has no such entry.
func (b *blobs) stream(what blob, end int64, do func(at int64, piece []byte)) (found bool) {
	f := b.entries[what.entry]
	if f == nil {
		return false
	}
	place := fmt.Sprintf("%s: entry %06d", b.name, what.entry)
	if f.UncompressedSize64 != uint64(what.length) {
		refuse(place, "has %d bytes, and the XML says %d", f.UncompressedSize64, what.length)
	}
	if f.UncompressedSize64 > mostDeflated*(f.CompressedSize64+1) {
		refuse(place, "%d bytes cannot unpack to %d", f.CompressedSize64, f.UncompressedSize64)
	}
	end = min(end, what.length)
	must.OK(b.budget.Work(budget.Entry + unpackSteps*end))
	counted := min(end, b.counted)
	b.counted -= counted
	b.budget.Beside(counted)
	unpacked := func(err error) {
		if err != nil {
			must.OK(&format.Error{Place: place, Cause: "cannot be unpacked: " + err.Error(), Err: err})
		}
	}
	r, err := f.Open()
	unpacked(err)
	defer r.Close()
	if n := min(end, 256<<10); int64(len(b.buf)) < n {
		b.buf = make([]byte, n)
	}
	for at := int64(0); at < end; {
		must.OK(context.Cause(b.ctx))
		n, err := io.ReadFull(r, b.buf[:min(int64(len(b.buf)), end-at)])
		unpacked(err)
		do(at, b.buf[:n])
		at += int64(n)
	}
	if end == what.length && end > 0 { // reading to the end of an entry checks its checksum
		if _, err := r.Read(b.buf[:1]); err != io.EOF {
			unpacked(err)
		}
	}
	return true
}
