package format

import (
	"bytes"
	"fmt"
	"math"

	"github.com/go-gl/mathgl/mgl32"
)

// objBlockBytes is how many bytes of text are parsed at a time.
const objBlockBytes = 256 << 10

// objBlock is a run of whole statements of an OBJ file, and what parse finds there. It is parsed
// without knowing what comes before it, so that blocks can be parsed in parallel; objMesh then
// joins them in order.
type objBlock struct {
	text      []byte
	shape     bool // whether only positions and faces are wanted
	keepUVs   bool // whether texcoords are wanted, and not only their number
	positions []mgl32.Vec3
	normals   []mgl32.Vec3
	texcoords int32
	uvs       []mgl32.Vec2

	keepColors bool
	colors     []mgl32.Vec3 // colours of the positions up to the last one that has a colour
	skipped    [objSkips]int

	runs    []objRun
	indices []int32 // indices of all runs: see objIndex
	changes []objChange
	bad     *objBad
	parsed  chan struct{}
	err     error // error of reading the text
}

// objForm says which indices a face's corners have besides the position's.
type objForm uint8

const (
	objTexcoord objForm = 1 << iota
	objNormal
)

func (f objForm) stride() int { return 1 + int(f&1) + int(f>>1) }

// objRun is a run of faces with the same number of corners and form, without vertices in between.
type objRun struct {
	form           objForm
	corners, faces int32
	first          int32    // position of the run's first index in indices
	above          [3]int32 // numbers of positions, texcoords and normals in this block above the run
}

// objChange is a statement that changes the group, material or material library of the faces from
// run number `run` on.
type objChange struct {
	run  int
	kind byte   // 'g' for group or object, 'u' for usemtl, 'm' for mtllib
	name []byte // part of the block's text
}

// objBad is an error and its position in the text.
type objBad struct {
	at    int
	cause string
}

func (b *objBlock) reset() {
	b.positions, b.normals, b.texcoords, b.uvs = b.positions[:0], b.normals[:0], 0, b.uvs[:0]
	b.colors, b.skipped = b.colors[:0], [objSkips]int{}
	b.runs, b.indices, b.changes = b.runs[:0], b.indices[:0], b.changes[:0]
	b.bad, b.err = nil, nil
}

// objRelative marks an index that is relative to the block's first vertex. parse does not know how
// many vertices come before the block. So it stores a negative index of the file as the relative index
// plus objRelative, a sum below 0. It stores a positive index of the file minus 1.
const objRelative = -1 << 30

// objIndex returns the stored form of an index of the file; ok is false if no vertex can have the
// index. `above` is the number of vertices of its kind that precede it in the block.
func objIndex(v int64, above int32) (stored int32, ok bool) {
	switch {
	case v > 0 && v <= math.MaxInt32:
		return int32(v - 1), true
	case v < 0 && v+int64(above) >= objRelative:
		return int32(v+int64(above)) + objRelative, true
	}
	return 0, false
}

// parse parses the block's text. It stops at the first error, which b.bad then holds.
func (b *objBlock) parse() {
	b.reset()
	s := b.text
	for i := 0; i < len(s) && b.bad == nil; {
		next := byte('\n')
		if i+1 < len(s) {
			next = s[i+1]
		}
		switch c := s[i]; {
		case c == 'v' && blank(next):
			i = b.vector(i+1, "vertex", &b.positions)
			if b.keepColors && b.bad == nil && i < len(s) && s[i] != '\n' {
				b.color(i)
			}
			i = b.endVector(i)
		case c == 'v' && next == 'n' && i+2 < len(s) && blank(s[i+2]):
			i = b.endVector(b.vector(i+2, "normal", &b.normals))
		case c == 'v' && next == 't':
			b.texcoords++
			if b.keepUVs {
				i = b.texcoord(i + 2)
			} else {
				i = skipStatement(s, i)
			}
		case c == 'f' && blank(next):
			i = b.face(i + 1)
		case blank(c):
			i++
		case c == 'g' || c == 'o' || c == 'u' || c == 'm':
			i = b.change(i)
		default:
			for k := range objSkipped {
				if string(wordAt(s, i)) == objSkipped[k].word {
					b.skipped[k]++
				}
			}
			i = skipStatement(s, i)
		}
	}
}

// objSkipped are drawing statements that are not read.
var objSkipped = [objSkips]struct{ word, what string }{{"l", "lines"}, {"p", "points"}, {"curv", "curves"}, {"surf", "surfaces"}}

const objSkips = 4

func (b *objBlock) fail(at int, cause string, args ...any) int {
	b.bad = &objBad{at, fmt.Sprintf(cause, args...)}
	return len(b.text)
}

func (b *objBlock) vector(i int, what string, to *[]mgl32.Vec3) int {
	var v mgl32.Vec3
	i, found := b.numbers(i, v[:])
	if b.bad != nil {
		return i
	}
	if found < 3 {
		return b.fail(i, "%s needs 3 numbers, has %d", what, found)
	}
	*to = append(*to, v)
	return i
}

// endVector skips what follows a vector, such as a weight or a colour.
func (b *objBlock) endVector(i int) int {
	if i < len(b.text) && b.text[i] == '\n' {
		return i + 1
	}
	return skipStatement(b.text, i)
}

// color reads the colour of the latest position, if three numbers follow it.
func (b *objBlock) color(i int) {
	var c mgl32.Vec3
	if _, found := b.numbers(i, c[:]); b.bad == nil && found == len(c) {
		for len(b.colors) < len(b.positions)-1 {
			b.colors = append(b.colors, mgl32.Vec3{1, 1, 1})
		}
		b.colors = append(b.colors, c)
	}
	b.bad = nil // anything that is no colour is skipped without an error
}

// numbers reads finite numbers until v is full or the statement ends.
func (b *objBlock) numbers(i int, v []float32) (end, found int) {
	for k := range v {
		start := skipBlanks(b.text, i)
		f, end, ok := scanFloat(b.text, start)
		if !ok || end < len(b.text) && !blank(b.text[end]) && !continued(b.text, end) {
			if atEnd(b.text, start) {
				return start, k
			}
			return b.fail(start, "%s is not a finite number", Quote(wordAt(b.text, start))), k
		}
		v[k], i = f, end
	}
	return i, len(v)
}

// texcoord reads one or two numbers; the second defaults to 0. A third is skipped.
func (b *objBlock) texcoord(i int) int {
	var v mgl32.Vec2
	i, found := b.numbers(i, v[:])
	if b.bad != nil {
		return i
	}
	if found == 0 {
		return b.fail(i, "texcoord has no numbers")
	}
	b.uvs = append(b.uvs, v)
	return skipStatement(b.text, i)
}

// face reads the corners of a face, in any of the forms v, v/vt, v//vn, v/vt/vn.
func (b *objBlock) face(i int) int {
	s, begin := b.text, len(b.indices)
	above := [3]int32{int32(len(b.positions)), b.texcoords, int32(len(b.normals))}
	if v, end, ok := plainTriangle(s, i); ok {
		b.indices = append(b.indices, v[0], v[1], v[2])
		b.addFace(objRun{0, 3, 1, int32(begin), above})
		return end
	}
	var form objForm
	corners := int32(0)
	for {
		i = skipBlanks(s, i)
		if atEnd(s, i) {
			break
		}
		start := i
		corner, end, cause := b.corner(i, &above)
		if cause == "" && end < len(s) && !blank(s[end]) && !continued(s, end) {
			cause = "is not a corner of a face"
		}
		if cause == "" && corners > 0 && corner != form {
			cause = "differs in form from the corners before it"
		}
		if cause != "" {
			return b.fail(start, "%s %s", Quote(wordAt(s, start)), cause)
		}
		form, i = corner, end
		corners++
	}
	if corners < 3 {
		return b.fail(i, "face of %d vertices", corners)
	}
	b.addFace(objRun{form, corners, 1, int32(begin), above})
	return skipStatement(s, i)
}

// addFace extends the latest run by a face, or adds a run of one face.
func (b *objBlock) addFace(r objRun) {
	if n := len(b.runs); n > 0 {
		last := &b.runs[n-1]
		changed := len(b.changes) > 0 && b.changes[len(b.changes)-1].run == n
		if last.form == r.form && last.corners == r.corners && last.above == r.above && !changed {
			last.faces++
			return
		}
	}
	b.runs = append(b.runs, r)
}

// plainTriangle reads a face of the form that most lines of large files have: three positive
// indices of at most nine digits, separated by blanks, and nothing else.
func plainTriangle(s []byte, i int) (v [3]int32, end int, ok bool) {
	for k := range v {
		for uint(i) < uint(len(s)) && s[i] == ' ' {
			i++
		}
		n, first := uint32(0), i
		for uint(i) < uint(len(s)) && s[i]-'0' <= 9 {
			n = n*10 + uint32(s[i]-'0')
			i++
		}
		if n == 0 || i-first > 9 {
			return v, 0, false
		}
		v[k] = int32(n - 1)
	}
	for uint(i) < uint(len(s)) && s[i] == ' ' {
		i++
	}
	if uint(i) < uint(len(s)) && s[i] == '\n' {
		return v, i + 1, true
	}
	return v, 0, false
}

// corner reads one corner and appends its indices. `cause` says what is wrong with the corner; it is empty if nothing is.
func (b *objBlock) corner(i int, above *[3]int32) (form objForm, end int, cause string) {
	s := b.text
	for k := 0; ; k++ {
		v, end, ok := scanInt(s, i)
		if !ok {
			if k == 0 {
				return 0, end, "is not a corner of a face"
			}
			end = i // there is no index here, as in "1//3"; some programs also write "1/" and "1//"
		} else if k == 0 || !b.shape {
			stored, ok := objIndex(v, above[k])
			if !ok {
				return 0, end, fmt.Sprintf("has index %d, which no vertex can have", v)
			}
			b.indices = append(b.indices, stored)
			if k > 0 {
				form |= 1 << (k - 1)
			}
		}
		if k == 2 || end >= len(s) || s[end] != '/' {
			return form, end, ""
		}
		i = end + 1
	}
}

// change reads g, o, usemtl and mtllib; it skips other statements that begin with those letters.
func (b *objBlock) change(i int) int {
	end := skipStatement(b.text, i)
	if b.shape {
		return end
	}
	word, rest := cutToken(b.text[i:end])
	if kind := objChanges[string(word)]; kind != 0 {
		b.changes = append(b.changes, objChange{len(b.runs), kind, bytes.TrimSpace(rest)})
	}
	return end
}

// objChanges are the statements that change the group, material or material library for the faces that follow.
var objChanges = map[string]byte{"g": 'g', "o": 'g', "usemtl": 'u', "mtllib": 'm'}

// continued reports whether s[i] is a backslash that joins its line to the next.
func continued(s []byte, i int) bool {
	return i+1 < len(s) && s[i] == '\\' && s[i+1] == '\n'
}

// skipBlanks skips blanks and joined line ends. It stops at a line end that is not joined.
func skipBlanks(s []byte, i int) int {
	for i < len(s) {
		switch {
		case s[i] == ' ' || s[i] != '\n' && blank(s[i]):
			i++
		case continued(s, i):
			i += bytes.IndexByte(s[i:], '\n') + 1
		default:
			return i
		}
	}
	return i
}

// atEnd reports whether a statement ends at s[i].
func atEnd(s []byte, i int) bool { return i >= len(s) || s[i] == '\n' || s[i] == '#' }

// skipStatement returns where the next statement begins: after the line of s[i] and all lines
// that are joined to it.
func skipStatement(s []byte, i int) int {
	for {
		k := bytes.IndexByte(s[i:], '\n')
		if k < 0 {
			return len(s)
		}
		i += k + 1
		if !joined(s[:i]) {
			return i
		}
	}
}

// joined reports whether s ends in a line end with a backslash before it.
func joined(s []byte) bool {
	return bytes.HasSuffix(s, []byte("\\\n"))
}

func wordAt(s []byte, i int) []byte {
	word, _ := cutToken(s[i:])
	return word
}
