package capture

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// csvReader reads the tables of vertex inputs or outputs that RenderDoc's mesh viewer exports:
// a header such as "VTX, IDX, POSITION.x, POSITION.y, ...", then one row per index. Columns are
// separated by commas, semicolons or tabs. The table does not say its topology; we assume a
// triangle list. Outputs are in clip space; their x, y and z become the position.
//
// Source: RenderDoc's documentation, Mesh Viewer.
var csvReader = format.Reader{Name: "csv", Extensions: []string{".csv"}, Magic: csvMagic, Read: csvRead, Bytes: .7}

// csvMagic recognizes a header by its first two columns.
func csvMagic(b []byte) bool {
	b, _, _ = bytes.Cut(b, []byte("\n"))
	fields := csvFields(b, csvSeparator(b), nil)
	return len(fields) > 2 && string(fields[0]) == "VTX" && string(fields[1]) == "IDX"
}

// csvSeparator returns the separator of a header's columns.
func csvSeparator(header []byte) byte {
	for _, c := range []byte(",;\t") {
		if bytes.IndexByte(header, c) >= 0 {
			return c
		}
	}
	return ','
}

// csvMostColumns bounds the columns that are read. RenderDoc's tables have dozens.
const csvMostColumns = 4096

// csvFields splits a line into fields without surrounding blanks and quotes. It returns at most
// csvMostColumns+1 fields.
func csvFields(l []byte, separator byte, into [][]byte) [][]byte {
	for {
		field, rest, more := bytes.Cut(l, []byte{separator})
		into = append(into, bytes.Trim(bytes.TrimSpace(field), `"`))
		if l = rest; !more || len(into) > csvMostColumns {
			return into
		}
	}
}

// csvFile is a table being read.
type csvFile struct {
	*format.TextScanner
	ctx       context.Context
	in        *format.Input
	separator byte
	columns   int
	index     int // column of the vertex number, or -1
	position  [3]int
	ids       []uint32     // vertex number by row
	rows      []mgl32.Vec3 // position by row
}

func csvRead(ctx context.Context, in *format.Input) (s *geometry.Scene, err error) {
	defer must.Catch(&err)
	f := &csvFile{TextScanner: format.NewTextScanner(in, in), ctx: ctx, in: in}
	f.readHeader()
	f.readRows()
	return f.scene(), nil
}

// line returns the next line that is not blank; more is false after the last one.
func (f *csvFile) line() (l []byte, more bool) {
	for len(l) == 0 {
		if l, more = f.Next(); !more {
			return nil, false
		}
		l = bytes.TrimSpace(l)
	}
	return l, true
}

func (f *csvFile) readHeader() {
	l, more := f.line()
	f.Need(more)
	f.separator = csvSeparator(l)
	var header []string
	for _, field := range csvFields(l, f.separator, nil) {
		header = append(header, strings.ToLower(string(field)))
	}
	if len(header) > csvMostColumns {
		f.Fail("more than %d columns", csvMostColumns)
	}
	f.columns, f.index = len(header), slices.Index(header, "idx")
	var found bool
	if f.position, found = csvPosition(header); !found {
		f.Fail("no columns of positions, as in POSITION.x, POSITION.y, POSITION.z")
	}
}

// csvPosition finds the columns x, y and z of the positions. Of the attributes that have all three, it takes
// the one whose name is most like a position's, or the first of several. found is false if there is none.
func csvPosition(names []string) (at [3]int, found bool) {
	best := 0
	column := map[string]int{}
	for i, name := range slices.Backward(names) {
		column[name] = i // the first column with a name wins
	}
	for i, name := range names {
		base, isX := strings.CutSuffix(name, ".x")
		if !isX {
			continue
		}
		y, hasY := column[base+".y"]
		z, hasZ := column[base+".z"]
		if !hasY || !hasZ {
			continue
		}
		rank := 1
		switch trimmed := strings.TrimRight(base, "0123456789"); {
		case trimmed == "position" || trimmed == "pos" || trimmed == "sv_position" || trimmed == "gl_position":
			rank = 4
		case strings.Contains(base, "position"):
			rank = 3
		case strings.Contains(base, "pos"):
			rank = 2
		}
		if rank > best {
			best, at = rank, [3]int{i, y, z}
		}
	}
	return at, best > 0
}

func (f *csvFile) readRows() {
	var fields [][]byte
	for {
		l, more := f.line()
		if !more {
			return
		}
		if fields = csvFields(l, f.separator, fields[:0]); len(fields) < f.columns {
			f.Fail("%d columns, and the header has %d", len(fields), f.columns)
		}
		id := int64(len(f.ids))
		if f.index >= 0 {
			id = f.vertex(fields[f.index])
		}
		var p mgl32.Vec3
		for k, column := range f.position {
			p[k] = f.Float(fields[column])
		}
		f.ids = append(grow(f.in, f.ids, 1, 4), uint32(id))
		f.rows = append(grow(f.in, f.rows, 1, 12), p)
	}
}

// vertex parses a row's vertex number.
func (f *csvFile) vertex(field []byte) int64 {
	if len(bytes.Trim(field, "-")) == 0 {
		f.Fail("a primitive restart: only triangle lists can be read, since the table does not name its topology")
	}
	id := f.Int(field)
	if id < 0 || id > math.MaxUint32 {
		f.Fail("index %d: 0 to %d are supported", id, uint32(math.MaxUint32))
	}
	return id
}

// scene renumbers the vertices in ascending order, without gaps, since the table has only the
// referenced ones.
func (f *csvFile) scene() *geometry.Scene {
	ids, rows := f.ids, f.rows
	if len(ids) == 0 || len(ids)%3 != 0 {
		must.OK(f.in.Bad("", "%d rows are not a triangle list, the only topology that can be read", len(ids)))
	}
	must.OK(f.in.Charge(12 * int64(len(ids))))
	quiet := progress.Silent(f.ctx)
	used := csvUsed(quiet, ids)
	must.OK(f.in.Charge(2 * 12 * int64(len(used)))) // positions, and the normals that Open makes
	s := &geometry.Scene{Positions: make([]mgl32.Vec3, len(used)), Indices: slices.Clip(ids)}
	meter := progress.NewMeter(quiet, len(ids))
	for i := len(ids) - 1; i >= 0; i-- { // backwards, so that the first row of a vertex wins
		must.OK(meter.At(len(ids) - 1 - i))
		k, _ := slices.BinarySearch(used, ids[i])
		s.Positions[k], ids[i] = rows[i], uint32(k)
	}
	s.Draws = []geometry.Draw{{IndexCount: uint32(len(s.Indices)), VertexCount: uint32(len(s.Positions)), Transform: mgl32.Ident4(), Color: geometry.DefaultColor}}
	return s
}

// csvUsed returns the distinct numbers in ascending order. The sort stops if the context ends.
func csvUsed(ctx context.Context, ids []uint32) []uint32 {
	const between = 1 << 14 // comparisons between two checks of the context
	used, compared := slices.Clone(ids), 0
	slices.SortFunc(used, func(a, b uint32) int {
		if compared++; compared%between == 0 {
			must.OK(context.Cause(ctx))
		}
		return cmp.Compare(a, b)
	})
	return slices.Compact(used)
}

// drawsReader reads frames as a bare table of draws, FILE.draws, little endian: "VRDRAW1\0", the
// uint32 number of draws, then for each draw uint32 instances, vertices and indices; three
// float32 per vertex; uint32 indices of a triangle list, relative to the draw. Programs that
// extract frames without RenderDoc can write it.
var drawsReader = format.Reader{
	Name: "draws", Extensions: []string{".draws"}, Read: drawsRead, Bytes: .8,
	Magic: func(b []byte) bool { return bytes.HasPrefix(b, []byte(drawsMagic)) },
}

const (
	drawsMagic = "VRDRAW1\x00"
	drawsMost  = 1 << 18 // draws, counting instances
)

func drawsRead(_ context.Context, in *format.Input) (s *geometry.Scene, err error) {
	defer must.Catch(&err)
	d := &drawsTable{in: in}
	head := make([]byte, len(drawsMagic)+4)
	d.read(head, "header")
	if string(head[:len(drawsMagic)]) != drawsMagic {
		must.OK(in.Bad("header", "begins with %q, not with %q", head[:len(drawsMagic)], drawsMagic))
	}
	for n := range binary.LittleEndian.Uint32(head[len(drawsMagic):]) {
		d.draw(fmt.Sprintf("draw %d", n))
	}
	if _, err := in.Read(head[:1]); err != io.EOF {
		must.OK(in.Bad("", "goes on after its last draw"))
	}
	must.OK(in.Charge(12 * int64(len(d.scene.Positions)))) // the normals that Open makes
	d.scene.Capture = &geometry.Capture{}
	return &d.scene, nil
}

// drawsTable is a table that is being read.
type drawsTable struct {
	in     *format.Input
	scene  geometry.Scene
	buffer [12 << 10]byte
}

func (d *drawsTable) read(b []byte, place string) {
	if _, err := io.ReadFull(d.in, b); err != nil {
		must.OK(d.in.Failed(place, err))
	}
}

// draw reads the next draw. `name` becomes its name, and is its place in errors.
func (d *drawsTable) draw(name string) {
	const drawBytes = 256
	s := &d.scene
	d.read(d.buffer[:12], name)
	word := func(k int) int64 { return int64(binary.LittleEndian.Uint32(d.buffer[4*k:])) }
	instances, vertices, indices := word(0), word(1), word(2)
	switch {
	case indices%3 != 0:
		must.OK(d.in.Bad(name, "%d indices make no triangles", indices))
	case instances > drawsMost-int64(len(s.Draws)):
		must.OK(d.in.Bad(name, "%d instances make more than %d draws", instances, drawsMost))
	case int64(len(s.Positions))+vertices > math.MaxInt32 || int64(len(s.Indices))+indices > math.MaxInt32:
		must.OK(d.in.Bad(name, "%d vertices and %d indices are too many", vertices, indices))
	}
	must.OK(d.in.Charge(instances * drawBytes))
	draw := geometry.Draw{
		Name: name, FirstIndex: uint32(len(s.Indices)), IndexCount: uint32(indices),
		VertexOffset: uint32(len(s.Positions)), VertexCount: uint32(vertices), Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
	}
	s.Positions = readElements(d, s.Positions, int(vertices), 12, name, drawsVertex)
	s.Indices = readElements(d, s.Indices, int(indices), 4, name, binary.LittleEndian.Uint32)
	for range instances {
		s.Draws = append(s.Draws, draw)
	}
}

// readElements appends n elements to a pool; each takes the given number of bytes in the table.
func readElements[T any](d *drawsTable, to []T, n, bytes int, place string, decode func([]byte) T) []T {
	for n > 0 {
		some := min(n, len(d.buffer)/bytes)
		b := d.buffer[:bytes*some]
		d.read(b, place)
		to = grow(d.in, to, some, bytes)
		for ; len(b) > 0; b = b[bytes:] {
			to = append(to, decode(b))
		}
		n -= some
	}
	return to
}

func drawsVertex(b []byte) (p mgl32.Vec3) {
	for k := range p {
		p[k] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))
	}
	return p
}
