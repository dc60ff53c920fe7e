package format

import (
	"bytes"
	"context"
	"math"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// offReader reads Geomview's Object File Format as text, including its variants with normals, colours
// and texture coordinates (NOFF, COFF, STOFF and so on); only normals are kept, and Scene.Beside
// names the rest. Each element is a line. Polygons become fans of triangles. The keyword may be
// missing, as in many files. Binary files, and files of other than three dimensions, are refused.
//
// Source: Geomview manual, section OFF Files.
var offReader = Reader{
	Name: "off", Extensions: []string{".off", ".coff", ".noff"}, Read: offRead, Bytes: .9,
	Magic: func(b []byte) bool { _, ok := offKeyword(b); return ok },
}

// offKeyword reads the keyword and returns the letters before "OFF", which have a fixed order. ok is false without a keyword.
func offKeyword(l []byte) (letters string, ok bool) {
	for _, letter := range []string{"ST", "C", "N", "4", "n"} {
		if l, ok = bytes.CutPrefix(l, []byte(letter)); ok {
			letters += letter
		}
	}
	l, ok = bytes.CutPrefix(l, []byte("OFF"))
	return letters, ok && (len(l) == 0 || strings.IndexByte(" \t\r\n", l[0]) >= 0)
}

const (
	offMostCount = math.MaxInt32 - 1
	// Lengths of the shortest vertex and face, in bytes: "0 0 0\n", and "3 0 0 0\n".
	offVertexBytes, offFaceBytes = 6, 8
)

// offFile is an OFF file being read.
type offFile struct {
	*TextScanner
	hasNormals      bool
	further         [2]bool // whether vertices and faces have data that is not read
	vertices, faces int64
	positions       *pool[mgl32.Vec3]
	normals         *pool[mgl32.Vec3]
	indices         *triangles
}

func offRead(ctx context.Context, in *Input) (s *geometry.Scene, err error) {
	defer must.Catch(&err)
	f := &offFile{TextScanner: NewTextScanner(in, in)}
	f.readHeader()
	f.allocate()
	f.readVertices()
	f.readFaces()
	if l, more := f.data(); more {
		f.Fail("%s follows the last face: the header's counts are too low", Quote(l))
	}
	s = oneDraw(f.positions, f.normals, f.indices.pool)
	for k, what := range []string{"colours or texture coordinates of vertices", "colours of faces"} {
		if f.further[k] {
			s.Beside = append(s.Beside, what)
		}
	}
	return s, nil
}

// element returns the next line with data; the end of the file is an error.
func (f *offFile) element() []byte {
	l, more := f.data()
	f.Need(more)
	return l
}

// readHeader reads the keyword and the counts, on the same line or the next.
func (f *offFile) readHeader() {
	l := f.element()
	if bytes.IndexByte(l, 0) >= 0 {
		f.Fail("is not an OFF file: it is not text")
	}
	if letters, ok := offKeyword(l); ok {
		if strings.ContainsAny(letters, "4n") {
			f.Fail("%s: only three dimensions are supported", Quote(l))
		}
		f.hasNormals = strings.Contains(letters, "N")
		_, l = cutToken(l)
		if l = bytes.TrimSpace(l); bytes.HasPrefix(l, []byte("BINARY")) {
			f.Fail("binary OFF is not supported")
		}
		if len(l) == 0 {
			l = f.element()
		}
	}
	counts := [2]int64{}
	for k, what := range []string{"vertices", "faces"} {
		word, rest := cutToken(l)
		v, end, ok := scanInt(word, 0)
		if !ok || end != len(word) {
			f.Fail("expected the number of %s, found %s", what, Quote(word))
		}
		if v <= 0 || v > offMostCount {
			f.Fail("%d %s: 1 to %d are supported", v, what, offMostCount)
		}
		counts[k], l = v, rest
	}
	f.vertices, f.faces = counts[0], counts[1]
}

// allocate makes the pools; it fails if the counts are too large for the file.
func (f *offFile) allocate() {
	src, expect := f.src, [2]int{}
	if src.Size >= 0 {
		if least := f.vertices*offVertexBytes + f.faces*offFaceBytes - 1; least > src.Size {
			f.Fail("announces vertices: %d, faces: %d, more than the file's %d bytes hold", f.vertices, f.faces, src.Size)
		}
		expect = [2]int{int(f.vertices), int(f.faces)}
	}
	f.positions = newPool[mgl32.Vec3](src, expect[0])
	if f.hasNormals {
		f.normals = newPool[mgl32.Vec3](src, expect[0])
	}
	f.indices = newTriangles(src, expect[1])
}

func (f *offFile) readVertices() {
	most := 3
	if f.hasNormals {
		most = 6
	}
	for range f.vertices {
		l := f.element()
		var v [6]float32
		for k := range most {
			word, rest := cutToken(l)
			if len(word) == 0 {
				f.Fail("vertex needs %d numbers, has %d", most, k)
			}
			v[k], l = f.Float(word), rest
		}
		f.further[0] = f.further[0] || len(bytes.TrimSpace(l)) > 0
		f.positions.add(mgl32.Vec3(v[:3]))
		if f.hasNormals {
			f.normals.add(mgl32.Vec3(v[3:]))
		}
	}
	if !f.hasNormals {
		f.src.chargeNormals(f.positions.n)
	}
}

// readFaces reads the faces; a colour may follow a face's corners.
func (f *offFile) readFaces() {
	for range f.faces {
		l := f.element()
		word, l := cutToken(l)
		corners := f.Int(word)
		if corners < 3 {
			f.Fail("face of %d vertices", corners)
		}
		f.indices.begin()
		for k := int64(0); k < corners; k++ {
			if word, l = cutToken(l); len(word) == 0 {
				f.Fail("face of %d vertices lists only %d", corners, k)
			}
			id := f.Int(word)
			if id < 0 || id >= f.vertices {
				f.Fail("face names vertex %d, but there are %d", id, f.vertices)
			}
			f.indices.fan(uint32(id))
		}
		f.further[1] = f.further[1] || len(bytes.TrimSpace(l)) > 0
	}
}
