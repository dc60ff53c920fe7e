// Package renderdoc makes a scene of a frame that RenderDoc has captured, from
// what "renderdoccmd convert -c zip.xml" writes: the API calls as XML, and the
// bytes that they name as entries of a zip file. Vulkan and OpenGL.
//
// xml.go cuts the XML into chunks (chunk.go, elem.go), one per API call.
// vulkan*.go and opengl*.go keep the state of their API and turn the calls into
// operations on plain byte spaces (op.go): write, copy, fill, draw. need.go
// finds which bytes the draws will read, run.go executes the operations over
// only those bytes, and triangles.go and vertices.go make triangles of them.
//
// Everything in a file is untrusted. It knows nothing of files or folders.
package renderdoc

import (
	"context"
	"fmt"
	"io"

	"github.com/shadeonce/shadeonce/internal/budget"
	"github.com/shadeonce/shadeonce/internal/must"
)

// Input is a capture.
type Input struct {
	XML     io.Reader
	Zip     io.ReaderAt
	ZipSize int64
	ZipName string // for messages
	Budget  *budget.Budget

	Shaders bool     // read vertex shaders, too, and what they read
	Compile Compiler // of GLSL; nil where there is none
}

// Compiler turns the GLSL of a vertex shader into SPIR-V for Vulkan, or says in an error of
// one line why it cannot.
type Compiler func(ctx context.Context, source string) ([]uint32, error)

// Error is what is wrong with a capture: where, and what.
type Error struct {
	Place string // "chunk 12 (glDrawElements)", "zip"; empty when it is the whole
	Cause string
	Err   error // the cause below, if any
}

func (e *Error) Error() string {
	if e.Place == "" {
		return e.Cause
	}
	return e.Place + ": " + e.Cause
}

func (e *Error) Unwrap() error { return e.Err }

func failf(place, cause string, args ...any) error {
	return &Error{Place: place, Cause: fmt.Sprintf(cause, args...)}
}

// refuse ends the reading of a capture.
func refuse(place, cause string, args ...any) { must.OK(failf(place, cause, args...)) }

// api is the state of one graphics API while a capture is read.
type api interface {
	// wants says whether chunks of this name are to be parsed.
	wants(name []byte) bool
	// chunk takes a chunk that it wants.
	chunk(c *chunk)
	// end takes the end of the capture.
	end()
}

// Versions of the chunks of each API that this package was checked with: those
// of RenderDoc 1.24. Others are read as far as their fields are named alike.
const (
	vulkanVersion = 21
	openGLVersion = 35
)

// Read reads a capture. Scene.Skipped lists what the capture holds and the scene does
// not. The scene is not validated. Read gives up when the context ends. It reports
// the progress of the work after the XML; the reader of XML reports its own.
func Read(ctx context.Context, in Input) (s *Frame, err error) {
	defer must.Catch(&err)
	in.Budget.Beside(in.ZipSize)
	f := newFrame(in.Budget)
	f.shaders = in.Shaders
	must.OK(readXML(newScanner(in.XML), f))
	return run(ctx, f, must.Get(openBlobs(ctx, in)), in.Compile)
}

// Check says whether XML begins as a capture does.
func Check(xml io.Reader) (err error) {
	defer must.Catch(&err)
	readHeader(newScanner(xml))
	return nil
}

// readXML turns the calls into the operations of f.
func readXML(x *scanner, f *frame) (err error) {
	defer must.Catch(&err)
	driver, version := readHeader(x)
	var calls api
	known := 0
	switch driver {
	case "Vulkan":
		calls, known = newVulkan(f), vulkanVersion
	case "OpenGL", "OpenGLES":
		calls, known = newOpenGL(f), openGLVersion
	default:
		return failf("header", "a capture of %.40q: only Vulkan and OpenGL are supported", driver)
	}
	if version != uint64(known) {
		f.note(fmt.Sprintf("the chunks have version %d, and only %d was checked: draws may be missing", version, known))
	}
	c := chunk{budget: f.budget}
	for c.next(x, calls.wants) {
		f.count(&c)
		if c.parsed {
			calls.chunk(&c)
		}
	}
	calls.end()
	return nil
}
