// Package format reads and writes mesh files. One file a format; the registry
// below picks the reader by the file's first bytes, then by its extension.
//
// Everything in a file is untrusted: a reader returns an error that names file,
// place and cause, never panics, and allocates in proportion to the bytes that
// it has really seen. It knows nothing of strategies or devices.
package format

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/shadeonce/shadeonce/geometry"
)

// Reader is one format.
type Reader struct {
	Name       string            // "ply": name = file = registry key
	Extensions []string          // lower case with the dot: ".ply"
	Magic      func([]byte) bool // whether the first 512 bytes are surely this format; nil: by extension only
	// Read makes a scene. It may ask the context for progress, and gives up with any
	// error when the context ends, without waiting for more than a moment.
	Read  func(ctx context.Context, in *Input) (*geometry.Scene, error)
	Bytes float64 // what part of its time goes by as its bytes are read, about
}

// Writer is one format that scenes can be saved in.
type Writer struct {
	Name       string
	Extensions []string
	Write      func(w io.Writer, s *geometry.Scene) error
}

// Input is a file being read, already unpacked when it was compressed.
type Input struct {
	io.Reader
	Path string // as the user gave it
	Size int64  // bytes that Reader will yield; -1 when compressed, and so unknown

	// Sibling opens a file that this one refers to, by relative path. It refuses
	// absolute paths and those that leave the folder of Path.
	Sibling func(name string) (io.ReadCloser, int64, error)

	told     *metered // below Reader: says how much of the file has been read; may be nil
	file     *os.File // the file, where Reader yields its very bytes; else nil
	mapLeast int64    // size from which on it may be mapped
	mapping  *mapping // once it is

	aliased bool // the pools of the reader's scene are the file's bytes, and have passed Validate
}

// Error is what every reader returns for bad input: one line that names file,
// place and cause.
type Error struct {
	File  string
	Place string // "line 12", "header", "accessor 3"; empty when the cause is the whole file
	Cause string
	Err   error // the cause below, if any: wrapped, and not printed again
}

func (e *Error) Error() string {
	if e.Place == "" {
		return fmt.Sprintf("%s: %s", e.File, e.Cause)
	}
	return fmt.Sprintf("%s: %s: %s", e.File, e.Place, e.Cause)
}

func (e *Error) Unwrap() error { return e.Err }

// Readers lists every format that can be opened, in the order in which their
// magic bytes are tried.
var Readers = []Reader{
	glbReader,
	plyReader,
	offReader,
	stlReader,
	captureReader,
	drawsReader,
	rdcReader,
	csvReader,
	gltfReader,
	objReader,
}

// Writers lists every format that can be saved.
var Writers = []Writer{
	plyWriter,
	objWriter,
	glbWriter,
}
