package format

import (
	"bytes"
	"context"
	"io"
	"math"
	"regexp"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

// offReader reads Geomview's Object File Format as text, its variants with
// normals, colours and texture coordinates (NOFF, COFF, STOFF and so on)
// included; only the normals are kept. Each element is a line. Polygons become fans
// of triangles. The keyword may be missing, as in many files. Binary files, and
// those with other than three dimensions, are refused by name.
//
// Source: Geomview manual, section OFF Files.
var offReader = Reader{
	Name:       "off",
	Extensions: []string{".off", ".coff", ".noff"},
	Magic:      func(b []byte) bool { return offKeyword.Match(b) },
	Read:       offRead,
	Bytes:      .9,
}

// offKeyword matches a header: the variant's letters, in their order.
var offKeyword = regexp.MustCompile(`^(ST)?(C)?(N)?(4)?(n)?OFF([ \t\r\n]|$)`)

const (
	offMostCount = math.MaxInt32 - 1
	// The shortest vertex and face: "0 0 0\n", and "3 0 0 0\n".
	offVertexBytes, offFaceBytes = 6, 8
)

// offFile is an OFF file being read.
type offFile struct {
	*textScanner
	hasNormals      bool
	vertices, faces int64
	positions       *pool[mgl32.Vec3]
	normals         *pool[mgl32.Vec3]
	indices         *triangles
}

func offRead(ctx context.Context, in *Input) (*geometry.Scene, error) {
	f := &offFile{textScanner: newTextScanner(in)}
	for _, step := range []func() error{f.readHeader, f.allocate, f.readVertices, f.readFaces, f.readEnd} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	s := &geometry.Scene{Positions: f.positions.take(), Indices: f.indices.take()}
	if f.hasNormals {
		s.Normals = f.normals.take()
	}
	s.Draws = []geometry.Draw{wholeDraw(s)}
	return s, nil
}

// element is the next line with data; the end of the file is an error.
func (f *offFile) element() ([]byte, error) {
	l, err := f.data()
	if err != nil {
		return nil, f.src.Failed(line(f.number+1), err)
	}
	return l, nil
}

// readHeader reads the keyword and the counts, on its line or the next.
func (f *offFile) readHeader() error {
	l, err := f.element()
	if err != nil {
		return err
	}
	if bytes.IndexByte(l, 0) >= 0 {
		return f.src.Bad(f.at(), "is not an OFF file: it is not text")
	}
	if k := offKeyword.FindSubmatchIndex(l); k != nil {
		if k[8] >= 0 || k[10] >= 0 {
			return f.src.Bad(f.at(), "%s: only three dimensions are supported", Quote(l))
		}
		f.hasNormals = k[6] >= 0
		_, l = cutToken(l)
		if l = bytes.TrimSpace(l); bytes.HasPrefix(l, []byte("BINARY")) {
			return f.src.Bad(f.at(), "binary OFF is not supported")
		}
		if len(l) == 0 {
			if l, err = f.element(); err != nil {
				return err
			}
		}
	}
	counts := [2]int64{}
	for k, what := range []string{"vertices", "faces"} {
		word, rest := cutToken(l)
		v, end, ok := scanInt(word, 0)
		if !ok || end != len(word) {
			return f.src.Bad(f.at(), "expected the number of %s, found %s", what, Quote(word))
		}
		if v <= 0 || v > offMostCount {
			return f.src.Bad(f.at(), "%d %s: 1 to %d are supported", v, what, offMostCount)
		}
		counts[k], l = v, rest
	}
	f.vertices, f.faces = counts[0], counts[1]
	return nil
}

// allocate refuses counts that are too large for the file, and makes the pools.
func (f *offFile) allocate() (err error) {
	src, expect := f.src, [2]int{}
	if src.Size >= 0 {
		if least := f.vertices*offVertexBytes + f.faces*offFaceBytes - 1; least > src.Size {
			return src.Bad(f.at(), "%d vertices and %d faces do not fit the file's %d bytes", f.vertices, f.faces, src.Size)
		}
		expect = [2]int{int(f.vertices), int(f.faces)}
	}
	if f.positions, err = newPool[mgl32.Vec3](src, expect[0]); err != nil {
		return err
	}
	if f.hasNormals {
		if f.normals, err = newPool[mgl32.Vec3](src, expect[0]); err != nil {
			return err
		}
	}
	f.indices, err = newTriangles(src, expect[1])
	return err
}

func (f *offFile) readVertices() error {
	for range f.vertices {
		l, err := f.element()
		if err != nil {
			return err
		}
		var v [6]float32
		most := 3
		if f.hasNormals {
			most = 6
		}
		i := 0
		for k := range most {
			word := skipBlanks(l, i)
			value, end, ok := scanFloat(l, word)
			if !ok || end < len(l) && !blank(l[end]) {
				if word == len(l) {
					return f.src.Bad(f.at(), "vertex has %d numbers, not %d", k, most)
				}
				return f.src.Bad(f.at(), "%s is not a finite number", Quote(wordAt(l, word)))
			}
			v[k], i = value, end
		}
		if err := f.positions.add(mgl32.Vec3(v[:3])); err != nil {
			return err
		}
		if !f.hasNormals {
			continue
		}
		if err := f.normals.add(mgl32.Vec3(v[3:])); err != nil {
			return err
		}
	}
	if !f.hasNormals {
		return f.src.chargeNormals(f.positions.n)
	}
	return nil
}

// readFaces reads the faces; a colour may follow a face's corners.
func (f *offFile) readFaces() error {
	for range f.faces {
		l, err := f.element()
		if err != nil {
			return err
		}
		word, l := cutToken(l)
		corners := f.int(word)
		if corners < 3 {
			f.fail("face of %d vertices", corners)
		}
		f.indices.begin()
		for k := int64(0); k < corners && f.err == nil; k++ {
			if word, l = cutToken(l); len(word) == 0 {
				f.fail("face of %d vertices names only %d", corners, k)
			}
			id := f.int(word)
			if id < 0 || id >= f.vertices {
				f.fail("face names vertex %d, but there are %d", id, f.vertices)
			}
			if f.err == nil {
				f.err = f.indices.fan(uint32(id))
			}
		}
		if f.err != nil {
			return f.err
		}
	}
	return nil
}

func (f *offFile) readEnd() error {
	l, err := f.data()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	return f.src.Bad(f.at(), "%s follows the last face: the header's counts are too low", Quote(l))
}
