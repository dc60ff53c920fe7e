package format

import (
	"bytes"
	"context"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/progress"
)

// csvReader reads the tables that RenderDoc's mesh viewer exports, of vertex
// inputs and of outputs: a header as in "VTX, IDX, POSITION.x, POSITION.y, ...",
// then a row an index. Separated by commas, semicolons or tabs. The topology is
// not in the table: it is taken for a triangle list. Of outputs, in clip space,
// x, y and z are the position, and w is left out.
//
// Source: RenderDoc's documentation, Mesh Viewer.
var csvReader = Reader{
	Name:       "csv",
	Extensions: []string{".csv"},
	Magic:      csvMagic,
	Read:       csvRead,
	Bytes:      .7,
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// csvMagic knows a header by its first two columns.
func csvMagic(b []byte) bool {
	b, _, _ = bytes.Cut(bytes.TrimPrefix(b, byteOrderMark), []byte("\n"))
	fields := csvFields(b, csvSeparator(b), nil)
	return len(fields) > 2 && string(fields[0]) == "VTX" && string(fields[1]) == "IDX"
}

// csvSeparator is what a header's columns are separated by.
func csvSeparator(header []byte) byte {
	for _, c := range []byte(",;\t") {
		if bytes.IndexByte(header, c) >= 0 {
			return c
		}
	}
	return ','
}

// csvFields cuts a line, without the blanks and quotes around each field.
func csvFields(l []byte, separator byte, into [][]byte) [][]byte {
	for {
		field, rest, more := bytes.Cut(l, []byte{separator})
		into = append(into, bytes.Trim(bytes.TrimSpace(field), `"`))
		if l = rest; !more {
			return into
		}
	}
}

// csvFile is a table being read.
type csvFile struct {
	*textScanner
	separator byte
	columns   int
	index     int // column of the vertex's number, or -1
	position  [3]int
	ids       *pool[uint32]
	rows      *pool[mgl32.Vec3]
}

func csvRead(ctx context.Context, in *Input) (*geometry.Scene, error) {
	src := newSource(ctx, in)
	f := &csvFile{textScanner: newTextScanner(src)}
	var err error
	if f.ids, err = newPool[uint32](src, 0); err != nil {
		return nil, err
	}
	if f.rows, err = newPool[mgl32.Vec3](src, 0); err != nil {
		return nil, err
	}
	for _, step := range []func() error{f.readHeader, f.readRows} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return f.scene()
}

// line is the next that is not blank.
func (f *csvFile) line() ([]byte, error) {
	for {
		l, err := f.next()
		if err != nil {
			return nil, err
		}
		if l = bytes.TrimSpace(l); len(l) > 0 {
			return l, nil
		}
	}
}

func (f *csvFile) readHeader() error {
	l, err := f.line()
	if err != nil {
		return f.src.cut(line(f.number+1), err)
	}
	l = bytes.TrimPrefix(l, byteOrderMark)
	f.separator = csvSeparator(l)
	var names []string
	for _, field := range csvFields(l, f.separator, nil) {
		names = append(names, strings.ToLower(string(field)))
	}
	f.columns, f.index = len(names), slices.Index(names, "idx")
	var found bool
	if f.position, found = csvPosition(names); !found {
		return f.src.bad(f.at(), "no columns of positions, as in POSITION.x, POSITION.y, POSITION.z")
	}
	return nil
}

// csvPosition finds the columns x, y and z of what is named like a position,
// else of the first attribute that has them.
func csvPosition(names []string) (at [3]int, found bool) {
	best := 0
	for i, name := range names {
		base, isX := strings.CutSuffix(name, ".x")
		if !isX {
			continue
		}
		y, z := slices.Index(names, base+".y"), slices.Index(names, base+".z")
		if y < 0 || z < 0 {
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

func (f *csvFile) readRows() error {
	var fields [][]byte
	for {
		l, err := f.line()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if fields = csvFields(l, f.separator, fields[:0]); len(fields) < f.columns {
			return f.src.bad(f.at(), "%d columns, and the header has %d", len(fields), f.columns)
		}
		id := int64(f.ids.n)
		if f.index >= 0 {
			field := fields[f.index]
			if id, err = f.int(field); err != nil {
				if len(bytes.Trim(field, "-")) == 0 {
					return f.src.bad(f.at(), "a restart: only triangle lists can be read, since the table does not name its topology")
				}
				return err
			}
			if id < 0 || id > math.MaxUint32 {
				return f.src.bad(f.at(), "index %d: 0 to %d are supported", id, uint32(math.MaxUint32))
			}
		}
		var p mgl32.Vec3
		for k, column := range f.position {
			if p[k], err = f.float(fields[column]); err != nil {
				return err
			}
		}
		if err := f.ids.add(uint32(id)); err != nil {
			return err
		}
		if err := f.rows.add(p); err != nil {
			return err
		}
	}
}

// scene numbers the vertices anew, in the order of their indices: those that no
// row names are not in the table.
func (f *csvFile) scene() (*geometry.Scene, error) {
	if f.ids.n == 0 || f.ids.n%3 != 0 {
		return nil, f.src.bad("", "%d rows are no list of triangles, the only topology that can be read", f.ids.n)
	}
	if err := f.src.charge(12 * int64(f.ids.n)); err != nil {
		return nil, err
	}
	ids, rows := f.ids.take(), f.rows.take()
	quiet := progress.Silent(f.src.ctx)
	used, err := csvSorted(quiet, ids)
	if err != nil {
		return nil, err
	}
	used = slices.Compact(used)
	if err := f.src.charge(12 * int64(len(used))); err != nil {
		return nil, err
	}
	s := &geometry.Scene{Positions: make([]mgl32.Vec3, len(used)), Indices: ids}
	meter := progress.NewMeter(quiet, len(ids))
	for i := len(ids) - 1; i >= 0; i-- { // the first row of a vertex counts
		if err := meter.At(len(ids) - 1 - i); err != nil {
			return nil, err
		}
		k, _ := slices.BinarySearch(used, ids[i])
		s.Positions[k], ids[i] = rows[i], uint32(k)
	}
	s.Draws = []geometry.Draw{wholeDraw(s)}
	return s, f.src.chargeNormals(len(s.Positions))
}

// csvSorted is the numbers in rising order: a byte at a time, from the lowest, so
// that it can be given up.
func csvSorted(ctx context.Context, ids []uint32) ([]uint32, error) {
	from, to := slices.Clone(ids), make([]uint32, len(ids))
	for shift := 0; shift < 32; shift += 8 {
		var next [257]int
		if err := progress.Each(ctx, len(from), func(first, end int) {
			for _, id := range from[first:end] {
				next[id>>shift&0xff+1]++
			}
		}); err != nil {
			return nil, err
		}
		for k := range 256 {
			next[k+1] += next[k]
		}
		if err := progress.Each(ctx, len(from), func(first, end int) {
			for _, id := range from[first:end] {
				at := &next[id>>shift&0xff]
				to[*at] = id
				*at++
			}
		}); err != nil {
			return nil, err
		}
		from, to = to, from
	}
	return from, nil
}
