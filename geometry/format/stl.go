package format

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/must"
)

// stlReader reads stereolithography files, binary and ascii. They have no
// indices: corners at equal positions (bit for bit, -0 being 0) become one
// vertex, numbered by first use. The facets' normals and attributes are dropped,
// since a vertex now has several; Open makes smooth normals.
//
// The parser is our own. That of github.com/hschendel/stl needs to seek, which
// no unpacked stream can, trusts the triangle count with an allocation of up to
// 200 GiB, and allocates a 4 KiB scanner for each line of text, a hundred times
// the file; the tests use it as an oracle.
var stlReader = Reader{
	Name:       "stl",
	Extensions: []string{".stl"},
	Magic: func(b []byte) bool {
		return stlLooksASCII(b) && bytes.Contains(bytes.ToLower(b), []byte("facet"))
	},
	Read:  stlRead,
	Bytes: 1,
}

const (
	stlHeaderBytes   = 80 + 4
	stlTriangleBytes = 12*4 + 2
	stlMostTriangles = (math.MaxInt32 - 1) / 3
)

// stlLooksASCII reports whether a file that begins so may be an ascii one: some
// programs begin binary files with "solid" too.
func stlLooksASCII(head []byte) bool {
	word, _ := cutToken(head)
	return bytes.EqualFold(word, []byte("solid")) && bytes.IndexByte(head, 0) < 0
}

// stlBinaryCount is the triangle count of a binary file's header.
func stlBinaryCount(header []byte) int64 {
	return int64(binary.LittleEndian.Uint32(header[80:stlHeaderBytes]))
}

func stlRead(ctx context.Context, in *Input) (s *geometry.Scene, err error) {
	defer must.Catch(&err)
	r := bufio.NewReaderSize(in, 4<<10)
	head, err := r.Peek(magicBytes)
	if err != nil && err != io.EOF {
		return nil, in.Failed("header", err)
	}
	// A size that fits the count is the surest sign of a binary file.
	fits := len(head) >= stlHeaderBytes && in.Size == stlHeaderBytes+stlTriangleBytes*stlBinaryCount(head)
	ahead, _ := r.Peek(r.Buffered())
	w := newStlWeld(ctx, in)
	if !fits && stlLooksASCII(head) {
		stlReadASCII(in, ahead, w)
	} else {
		stlReadBinary(newBlockReader(in, ahead), w)
	}
	if w.indices.n == 0 {
		in.fail("", "no triangles")
	}
	in.chargeNormals(w.positions.n)
	s = &geometry.Scene{Positions: w.positions.take(), Indices: w.indices.take()}
	s.Draws = []geometry.Draw{wholeDraw(s)}
	return s, nil
}

func stlReadBinary(b *blockReader, w *stlWeld) {
	if b.fill(stlHeaderBytes) != nil {
		b.src.fail("", "is not an STL file: it has neither \"solid\" nor a header of %d bytes", stlHeaderBytes)
	}
	count := stlBinaryCount(b.bytes(stlHeaderBytes, spot{}))
	if count > stlMostTriangles {
		b.src.fail("header", "%d triangles, at most %d are supported", count, stlMostTriangles)
	}
	if size := b.src.Size; size >= 0 {
		if need := stlHeaderBytes + stlTriangleBytes*count; need > size {
			b.src.fail("header", "%d triangles take %d bytes, but the file has %d", count, need, size)
		}
		w.expect(int(count))
	}
	for n := int64(0); n < count; {
		b.ensure(stlTriangleBytes, spot{"triangle", n})
		k := min(count-n, int64((b.to-b.from)/stlTriangleBytes))
		for range k {
			record := b.buf[b.from+12 : b.from+48] // between the normal and the attributes
			for c := range 3 {
				v := record[12*c : 12*c+12]
				cause := w.corner(mgl32.Vec3{
					math.Float32frombits(binary.LittleEndian.Uint32(v[0:4])),
					math.Float32frombits(binary.LittleEndian.Uint32(v[4:8])),
					math.Float32frombits(binary.LittleEndian.Uint32(v[8:12])),
				})
				if cause != "" {
					b.src.fail(spot{"triangle", n}.String(), "%s", cause)
				}
			}
			b.from += stlTriangleBytes
			n++
		}
	}
	b.end()
}
