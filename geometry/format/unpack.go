package format

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// A compressed file may unpack to unpackSlack plus unpackFactor times its size, and never to more
// than unpackMost. Mesh text shrinks by a factor of 3 to 20; data that shrinks by more than 100
// is only repetition.
const (
	unpackSlack  = 64 << 20
	unpackFactor = 100
	unpackMost   = 16 << 30
)

// packing is a compression format in which a mesh file may be packed.
type packing struct {
	extension string
	magic     []byte
	open      func(io.Reader) (io.ReadCloser, error)
	pack      func(io.Writer) (io.WriteCloser, error)
}

var packings = append([]packing{
	{".gz", []byte{0x1f, 0x8b}, func(r io.Reader) (io.ReadCloser, error) { return gzip.NewReader(r) },
		func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }},
}, zstdPackings...)

func packingOf(head []byte) *packing {
	for i := range packings {
		if bytes.HasPrefix(head, packings[i].magic) {
			return &packings[i]
		}
	}
	return nil
}

// unpacked returns a path without the extension of a compressed file, and the compression that the extension
// names; nil if it names none.
func unpacked(path string) (string, *packing) {
	for i := range packings {
		if ext := filepath.Ext(path); strings.EqualFold(ext, packings[i].extension) {
			return strings.TrimSuffix(path, ext), &packings[i]
		}
	}
	return path, nil
}

// Extension returns a path's extension in lower case. It skips the extension of a compressed file: ".ply" for "A.PLY.gz".
func Extension(path string) string {
	path, _ = unpacked(path)
	return strings.ToLower(filepath.Ext(path))
}

// writePacked calls `write` with an output that compresses as the path's extension says.
func writePacked(path string, w io.Writer, write func(io.Writer) error) error {
	_, p := unpacked(path)
	if write == nil {
		return fmt.Errorf("%s: nothing writes it", path)
	}
	if p == nil {
		return write(w)
	}
	packed, err := p.pack(w)
	if err != nil {
		return err
	}
	return cmp.Or(write(packed), packed.Close())
}

// unpack returns a reader of the unpacked contents of r. in.Size is the compressed size.
func (p *packing) unpack(in *Input, r io.Reader) (io.ReadCloser, error) {
	u := &unpacking{path: in.Path, extension: p.extension, left: min(unpackSlack+unpackFactor*in.Size, unpackMost)}
	inner, err := p.open(r)
	if err != nil {
		return nil, u.failed(err)
	}
	u.ReadCloser = inner
	return u, nil
}

// unpacking passes on at most a given number of unpacked bytes.
type unpacking struct {
	io.ReadCloser
	path, extension string
	left            int64
	err             error // the first error, which all later calls return too
}

func (u *unpacking) Read(b []byte) (n int, err error) {
	if u.err != nil {
		return 0, u.err
	}
	n, err = u.ReadCloser.Read(b)
	if u.left -= int64(n); u.left < 0 {
		n, err = 0, &Error{File: u.path, Cause: "unpacks to far more than its size allows; unpack it yourself if you trust it"}
	} else if err != nil && err != io.EOF {
		err = u.failed(err)
	}
	u.err = err
	return n, err
}

func (u *unpacking) failed(err error) error {
	why := err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		why = "the file ends early"
	}
	return &Error{File: u.path, Cause: "cannot be unpacked (" + u.extension + "): " + why, Err: err}
}
