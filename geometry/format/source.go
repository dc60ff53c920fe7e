package format

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
)

// source is an Input that counts what is read from it and what is allocated on
// its behalf. Readers draw every pool from it, so that no file, however small
// its text for a triangle, makes the reader allocate without bound.
type source struct {
	ctx  context.Context
	in   *Input
	seen atomic.Int64 // bytes read so far; read and charge may run side by side
	used int64        // bytes allocated so far
}

const (
	// allocFactor and allocSlack bound what a reader may allocate: factor times
	// the file plus slack. The slack leaves as much again for read buffers.
	allocFactor = 4
	allocSlack  = 32 << 20
)

func newSource(ctx context.Context, in *Input) *source { return &source{ctx: ctx, in: in} }

// Read passes on the input's bytes until the context ends: what is unpacked can be
// far more than is read.
func (s *source) Read(p []byte) (int, error) {
	if err := context.Cause(s.ctx); err != nil {
		return 0, err
	}
	n, err := s.in.Reader.Read(p)
	s.seen.Add(int64(n))
	return n, err
}

// charge books n bytes that are about to be allocated, or refuses. A plain
// file's size is known ahead; of a compressed one only what has been unpacked
// so far counts.
func (s *source) charge(n int64) error {
	s.used += n
	size := max(s.in.Size, s.seen.Load())
	if s.used > allocFactor*size+allocSlack {
		return s.bad("", "needs more than %d bytes of memory, too much for %d bytes of file", s.used, size)
	}
	return nil
}

// chargeNormals books the normals that Open makes for n vertices without.
func (s *source) chargeNormals(n int) error { return s.charge(12 * int64(n)) }

// left is how many bytes may still follow position at, as far as is known: of
// a compressed file the end is not known, and left is very large.
func (s *source) left(at int64) int64 {
	if s.in.Size < 0 {
		return 1 << 62
	}
	return s.in.Size - at
}

// bad is an Error about this file.
func (s *source) bad(place, cause string, args ...any) error {
	return &Error{File: s.in.Path, Place: place, Cause: fmt.Sprintf(cause, args...)}
}

// cut turns an error of reading into an Error at place. The end of the file
// counts as one: it is for callers that needed more bytes.
func (s *source) cut(place string, err error) error {
	var known *Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{File: s.in.Path, Place: place, Cause: "the file ends early", Err: err}
	}
	return &Error{File: s.in.Path, Place: place, Cause: "cannot be read: " + err.Error(), Err: err}
}

// spot names the n-th of something, counted from 0 as in Scene.Validate. It is
// written out only when there is something to say about it.
type spot struct {
	what string
	n    int64
}

func (p spot) String() string { return fmt.Sprintf("%s %d", p.what, p.n) }

// line names a line of a text file, counted from 1 as editors do.
func line(n int) string { return fmt.Sprintf("line %d", n) }
