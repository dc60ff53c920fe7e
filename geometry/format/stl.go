package format

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"math/bits"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// stlReader reads stereolithography files, binary and ascii. They have no indices: corners at
// equal positions (bit for bit, but -0 equals 0) become one vertex, numbered by first use. The
// facets' normals and attributes are dropped, since a vertex then has several; Open makes smooth
// normals.
//
// The parser is our own. That of github.com/hschendel/stl needs to seek, which an unpacked stream
// cannot do. It allocates as much as the triangle count asks for, up to 200 GiB. It also allocates a 4 KiB
// scanner for each line of text, in all a hundred times the file's size. The tests use it as an oracle.
var stlReader = Reader{
	Name: "stl", Extensions: []string{".stl"}, Read: stlRead, Bytes: 1,
	Magic: func(b []byte) bool { return stlLooksASCII(b) && bytes.Contains(bytes.ToLower(b), []byte("facet")) },
}

const (
	stlHeaderBytes   = 80 + 4
	stlTriangleBytes = 12*4 + 2
	stlMostTriangles = (math.MaxInt32 - 1) / 3
)

// stlLooksASCII reports whether a file may be ascii: it begins with "solid", and `head` has no zero
// bytes. Some programs begin binary files with "solid" too.
func stlLooksASCII(head []byte) bool {
	word, _ := cutToken(head)
	return bytes.EqualFold(word, []byte("solid")) && bytes.IndexByte(head, 0) < 0
}

// stlBinaryCount returns the triangle count in a binary file's header.
func stlBinaryCount(header []byte) int64 {
	return int64(binary.LittleEndian.Uint32(header[80:stlHeaderBytes]))
}

func stlRead(ctx context.Context, in *Input) (s *geometry.Scene, err error) {
	defer must.Catch(&err)
	r := bufio.NewReaderSize(in, blockBytes)
	head, err := r.Peek(magicBytes)
	if err != nil && err != io.EOF {
		return nil, in.Failed("header", err)
	}
	// A size that agrees with the count is the surest sign of a binary file.
	fits := len(head) >= stlHeaderBytes && in.Size == stlHeaderBytes+stlTriangleBytes*stlBinaryCount(head)
	w := &stlWeld{
		ctx: ctx, src: in, seed: maphash.MakeSeed(), table: make([]uint32, stlFirstTable),
		positions: newPool[mgl32.Vec3](in, 0), indices: newPool[uint32](in, 0),
	}
	switch {
	case !fits && stlLooksASCII(head):
		stlReadASCII(in, r, w)
	case !fits && bytes.IndexByte(head, 0) < 0:
		first, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
		in.fail("", "is not an STL file: it is text that begins with %s, not with \"solid\"", Quote(bytes.TrimSpace(first)))
	default:
		stlReadBinary(blockReader{in, r}, w)
	}
	if w.indices.n == 0 {
		in.fail("", "no triangles")
	}
	in.chargeNormals(w.positions.n)
	s = oneDraw(w.positions, nil, w.indices)
	if w.normals {
		s.Beside = append(s.Beside, "normals of facets")
	}
	if w.attributes > 0 {
		s.Beside = append(s.Beside, fmt.Sprintf("attribute bytes of facets (%d)", w.attributes))
	}
	return s, nil
}

func stlReadBinary(b blockReader, w *stlWeld) {
	if _, err := b.Peek(stlHeaderBytes); err != nil {
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
		records := b.block(count-n, stlTriangleBytes, spot{"triangle", n})
		for ; len(records) > 0; records = records[stlTriangleBytes:] {
			w.normals = w.normals || vec3At(records) != mgl32.Vec3{}
			if records[stlTriangleBytes-2] != 0 || records[stlTriangleBytes-1] != 0 {
				w.attributes++
			}
			for c := range 3 {
				// Corners come after the normal and before the attributes.
				if cause := w.corner(vec3At(records[12+12*c:])); cause != "" {
					b.src.fail(spot{"triangle", n}.String(), "%s", cause)
				}
			}
			n++
		}
	}
	b.end()
}

// stlASCII reads the text form, word by word. A file may hold several solids.
type stlASCII struct {
	*TextScanner
	weld *stlWeld
}

func stlReadASCII(src *Input, r io.Reader, w *stlWeld) {
	t := &stlASCII{NewTextScanner(src, r), w}
	for within := false; ; { // a solid
		word, more := t.token()
		is := func(keyword string) bool { return bytes.EqualFold(word, []byte(keyword)) }
		switch {
		case !more && !within:
			return
		case !more:
			t.Need(more)
		case !within && is("solid"), within && is("endsolid"):
			within, t.rest = !within, nil // skip the name on the line
		case !within:
			t.Fail("expected solid, found %s", Quote(word))
		case is("facet"):
			t.facet()
		default:
			t.Fail("expected facet or endsolid, found %s", Quote(word))
		}
	}
}

func (t *stlASCII) expect(words ...string) {
	for _, want := range words {
		if word := t.word(); !bytes.EqualFold(word, []byte(want)) {
			t.Fail("expected %s, found %s", want, Quote(word))
		}
	}
}

// facet reads what follows "facet", up to "endfacet".
func (t *stlASCII) facet() {
	t.expect("normal")
	for range 3 {
		// Not parsed as a number: programs write nan for triangles without area.
		t.weld.normals = len(bytes.Trim(t.word(), "+-0.eE")) > 0 || t.weld.normals
	}
	t.expect("outer", "loop")
	for range 3 {
		t.expect("vertex")
		t.weld.corner(mgl32.Vec3{t.wordFloat(), t.wordFloat(), t.wordFloat()}) // never fails: the numbers are finite
	}
	t.expect("endloop", "endfacet")
}

// stlWeld numbers positions by first use; equal positions share a number. Its hash table holds 1 + a
// vertex's number, or 0. Its seed is random, so that no file can force collisions; the numbers do
// not depend on it.
type stlWeld struct {
	ctx       context.Context
	src       *Input
	positions *pool[mgl32.Vec3]
	indices   *pool[uint32]
	table     []uint32 // its length is a power of two
	seed      maphash.Seed

	normals    bool // whether a facet has a normal other than zero
	attributes int  // number of facets with attribute bytes
}

const stlFirstTable = 1 << 10

// expect makes space for n triangles, with half as many vertices, as in closed surfaces.
func (w *stlWeld) expect(n int) {
	w.indices = newPool[uint32](w.src, 3*n)
	w.resize(max(stlFirstTable, 1<<bits.Len(uint(n))))
}

func (w *stlWeld) resize(n int) {
	must.OK(w.src.Charge(4 * int64(n)))
	w.table = make([]uint32, n)
	meter := progress.NewMeter(progress.Silent(w.ctx), w.positions.n)
	for id := range w.positions.n {
		must.OK(meter.At(id))
		w.table[w.slot(*w.positions.at(uint32(id)))] = uint32(id) + 1
	}
}

// slot returns where p is, or belongs, in the table.
func (w *stlWeld) slot(p mgl32.Vec3) int {
	mask := len(w.table) - 1
	for i := int(maphash.Comparable(w.seed, p)) & mask; ; i = (i + 1) & mask {
		id := w.table[i]
		if id == 0 || *w.positions.at(id - 1) == p {
			return i
		}
	}
}

// corner appends the next corner of a triangle, or says what is wrong with it.
func (w *stlWeld) corner(p mgl32.Vec3) (cause string) {
	for k := range p {
		if p[k] == 0 {
			p[k] = 0 // replaces -0 by 0
		}
		if p[k]-p[k] != 0 {
			return fmt.Sprintf("position is not finite: %v", p)
		}
	}
	i := w.slot(p)
	if w.table[i] == 0 {
		w.positions.add(p)
		w.table[i] = uint32(w.positions.n)
		if w.positions.n > len(w.table)/4*3 {
			w.resize(2 * len(w.table))
		}
		w.indices.add(uint32(w.positions.n - 1))
	} else {
		w.indices.add(w.table[i] - 1)
	}
	return ""
}

// stlWriter writes binary STL: the triangles of all draws in world space, in the order of the index stream, with
// their normals and corners. Vertices lose their numbers; vertices at equal positions are read back as one.
var stlWriter = Writer{Name: "stl", Extensions: []string{".stl"}, Write: stlWrite, lacks: func(s *geometry.Scene) []string {
	lost := []string{"vertex numbers"}
	if len(s.Attributes) > 0 {
		lost = append(lost, fmt.Sprintf("attributes (%d)", len(s.Attributes)))
	}
	return append(lost, plyLacks(s)...)
}}

func stlWrite(w io.Writer, s *geometry.Scene) (err error) {
	defer must.Catch(&err)
	if n := s.Triangles(); n > stlMostTriangles {
		return fmt.Errorf("%d triangles, at most %d can be saved", n, stlMostTriangles)
	}
	out := bufio.NewWriterSize(w, writeBuffer)
	row := make([]byte, stlHeaderBytes)
	copy(row, "written by shadeonce") // the header must not begin with "solid"
	binary.LittleEndian.PutUint32(row[stlHeaderBytes-4:], uint32(s.Triangles()))
	must.Get(out.Write(row))
	for d := range s.Draws {
		b := bake(s, d)
		for ids := s.DrawIndices(d); len(ids) >= 3; ids = ids[3:] {
			x, y, z := b.position(int(ids[0])), b.position(int(ids[1])), b.position(int(ids[2]))
			row = row[:0]
			for _, v := range [...]mgl32.Vec3{unitNormal(y.Sub(x).Cross(z.Sub(x))), x, y, z} {
				row = appendFloats(row, v[:]...)
			}
			must.Get(out.Write(append(row, 0, 0)))
		}
	}
	return out.Flush()
}
