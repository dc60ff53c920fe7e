package format

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// objReader reads Wavefront OBJ: v, vt, vn, and f in all its forms with positive and negative
// indices; g, o, usemtl, and the diffuse colours of mtllib. Polygons become fans of triangles.
// Free-form curves, lines, points and smoothing groups are skipped; so are the values of vt, and
// colours after v, unless they are requested. A corner may refer only to vertices above it.
//
// Vertices: the file's numbering is kept, including unreferenced vertices, as long as every corner's
// texcoord and normal index, if present, equal its position index. The numbering is then already that
// of an index buffer. Otherwise a vertex is a triple of position, texcoord and normal index, and
// vertices are numbered by first use.
//
// Draws: faces of one group or object name and one material are one draw. Draws come in order of
// first appearance, faces in file order. If there are several draws, each has its own vertices,
// numbered by first use in it.
//
// Source: Wavefront, Advanced Visualizer Manual, appendix B1: Object Files.
var objReader = Reader{Name: "obj", Extensions: []string{".obj"}, Read: objRead, Bytes: .9}

// objMostWorkers is the largest number of goroutines that parse. It bounds the memory for blocks in
// flight. More would not help: one thread joins the blocks, and cannot keep up with more.
const objMostWorkers = 4

func objRead(ctx context.Context, in *Input) (s *geometry.Scene, err error) {
	defer must.Catch(&err)
	m := newObjMesh(ctx, in)
	m.keepUVs = (in.Attributes || in.Textures || in.looks) && !in.shape
	m.keepColors = (in.Attributes || in.looks) && !in.shape
	workers := min(cores.Count(), objMostWorkers)
	if in.Size >= 0 {
		workers = min(workers, 1+int(in.Size/objBlockBytes))
	}
	objReadBlocks(in, m, workers)
	return m.scene(in), nil
}

// objReadBlocks reads blocks on one thread, parses them on several, and joins them in order on
// the caller's thread.
func objReadBlocks(src *Input, m *objMesh, workers int) {
	var (
		blocks = workers + 2
		free   = make(chan *objBlock, blocks)
		parse  = make(chan *objBlock, blocks)
		order  = make(chan *objBlock, blocks)
		quit   = make(chan struct{})
		wait   sync.WaitGroup
	)
	for range blocks {
		free <- &objBlock{shape: src.shape, keepUVs: m.keepUVs, keepColors: m.keepColors, parsed: make(chan struct{}, 1)}
	}
	wait.Go(func() {
		defer close(order)
		defer close(parse)
		objFeed(&objSplitter{src: src, text: textLines(src)}, free, parse, order, quit)
	})
	for range workers {
		wait.Go(func() {
			for b := range parse {
				b.safely(src, b.parse)
				b.parsed <- struct{}{}
			}
		})
	}
	// After the return the caller owns the input again, so wait for all goroutines that read it.
	defer wait.Wait()
	defer close(quit)
	for b := range order {
		<-b.parsed
		must.OK(b.err)
		m.add(b)
		free <- b
	}
}

// objFeed sends blocks of text until the file ends, a block fails or `quit` is closed.
func objFeed(split *objSplitter, free <-chan *objBlock, parse, order chan<- *objBlock, quit <-chan struct{}) {
	for {
		var b *objBlock
		select {
		case b = <-free:
		case <-quit:
			return
		}
		more := false
		b.safely(split.src, func() { more = split.next(b) })
		switch {
		case b.err != nil:
			b.parsed <- struct{}{}
			order <- b
			return
		case !more:
			return
		}
		parse <- b
		order <- b
	}
}

// safely calls `work` and turns its failures and panics into the block's error, since Open cannot
// recover panics of other goroutines.
func (b *objBlock) safely(src *Input, work func()) {
	defer func() {
		if x := recover(); x != nil {
			b.err = panicError(src.Path, "obj", x)
		}
	}()
	defer must.Catch(&b.err)
	work()
}

// objSplitter cuts an OBJ file into blocks at ends of statements.
type objSplitter struct {
	src   *Input
	text  io.Reader
	rest  []byte // read, but not yet in a block
	lines int    // number of lines before `rest`
	eof   bool
}

// next fills a block's text; it returns false at the end of the file.
func (p *objSplitter) next(b *objBlock) bool {
	b.text = append(b.text[:0], p.rest...)
	p.rest = p.rest[:0]
	for want := objBlockBytes; !p.eof; want *= 2 {
		if want > maxLine+objBlockBytes {
			p.src.fail(line(p.lines+1), "line is longer than %d bytes", maxLine)
		}
		p.read(b, want)
		if end := lastStatement(b.text); !p.eof && end > 0 {
			p.rest = append(p.rest, b.text[end:]...)
			b.text = b.text[:end]
			break
		}
	}
	if p.lines == 0 && bytes.IndexByte(b.text[:min(len(b.text), magicBytes)], 0) >= 0 {
		p.src.fail("", "is not an OBJ file: it is not text")
	}
	p.lines += bytes.Count(b.text, []byte{'\n'})
	return len(b.text) > 0
}

// read extends the block to `want` bytes, or to the end of the file.
func (p *objSplitter) read(b *objBlock, want int) {
	if len(b.text) >= want {
		return
	}
	b.text = slices.Grow(b.text, want-len(b.text))
	n, err := io.ReadFull(p.text, b.text[len(b.text):want])
	b.text = b.text[:len(b.text)+n]
	if p.eof = err == io.EOF || err == io.ErrUnexpectedEOF; !p.eof && err != nil {
		must.OK(p.src.Failed(line(p.lines+1), err))
	}
}

// lastStatement returns the end of the last complete statement, or 0 if there is none.
func lastStatement(s []byte) int {
	for {
		k := bytes.LastIndexByte(s, '\n')
		if s = s[:k+1]; k < 0 || !joined(s) {
			return len(s)
		}
		s = s[:k]
	}
}

// objWriter writes Wavefront OBJ: one object per draw, with a unique name. Vertices are in world
// space, with colours, normals and texture coordinates if the scene has them. Triangles keep their
// order. Numbers have the fewest digits from which the same float32 is read back. Materials are
// named, and stay in their files; other colours of draws are lost.
var objWriter = Writer{Name: "obj", Extensions: []string{".obj"}, Write: objWrite, lacks: objLacks, refers: func(l *geometry.Look) []string { return l.Libraries }}

func objLacks(s *geometry.Scene) (lost []string) {
	var names []string
	for i := range s.Attributes {
		switch a := &s.Attributes[i]; {
		case a.Name == "COLOR_0" && a.Format.Components() == 4:
			lost = append(lost, "alpha of vertex colours")
		case a.Name != "COLOR_0" && a.Name != "TEXCOORD_0":
			names = append(names, CleanName(a.Name))
		}
	}
	if len(names) > 0 {
		lost = append(lost, "attributes "+strings.Join(names, " "))
	}
	if s.Look != nil && len(s.Look.Libraries) == 0 {
		for i := range s.Look.Surfaces {
			if file := s.Look.Surfaces[i].File; file != "" {
				lost = append(lost, "texture "+CleanName(file))
			}
		}
	}
	return lost
}

func objWrite(w io.Writer, s *geometry.Scene) (err error) {
	defer must.Catch(&err)
	out := bufio.NewWriterSize(w, writeBuffer)
	io.WriteString(out, "# written by shadeonce\n")
	look := cmp.Or(s.Look, &geometry.Look{})
	for _, library := range look.Libraries {
		fmt.Fprintf(out, "mtllib %s\n", lineName(library))
	}
	used := map[[2]string]bool{}
	material := ""
	base := 1 // OBJ counts vertices from 1
	for i := range s.Draws {
		d := &s.Draws[i]
		now := ""
		if d.Surface > 0 {
			now = lineName(look.Surfaces[d.Surface-1].Name)
		}
		fmt.Fprintf(out, "o %s\n", objName(d.Name, i, now, used))
		if now != material {
			fmt.Fprintf(out, "usemtl %s\n", now)
			material = now
		}
		v := objDraw{bake(s, i), attributeNamed(s, "COLOR_0"), attributeNamed(s, "TEXCOORD_0"), int(d.VertexOffset), look.UpV}
		v.write(out)
		objWriteFaces(out, s.DrawIndices(i), base, v.uvs != nil, len(v.normals) > 0)
		base += int(d.VertexCount)
	}
	return out.Flush()
}

// objName returns draw i's object name. It is unique among the draws of a material, since faces of
// two objects with one name would be read back as one draw.
func objName(name string, i int, material string, used map[[2]string]bool) string {
	name = cmp.Or(strings.TrimSpace(strings.Map(func(c rune) rune {
		if c < ' ' || c == '\\' || c == 0x7f {
			return '_'
		}
		return c
	}, name)), fmt.Sprintf("draw%d", i))
	for used[[2]string{name, material}] {
		name = fmt.Sprintf("%s.%d", name, i)
	}
	used[[2]string{name, material}] = true
	return name
}

// objDraw holds the vertices of a draw that is written.
type objDraw struct {
	bakedDraw
	colors, uvs *geometry.Attribute // nil if there are none
	first       int                 // the draw's first vertex in the pool
	upV         bool
}

// write writes the draw's vertices. It stops at the first error of `out`, so that cancellation ends
// it soon.
func (d *objDraw) write(out *bufio.Writer) {
	var row []byte
	line := func(word string, numbers ...float32) {
		row = append(row[:0], word...)
		for _, f := range numbers {
			row = strconv.AppendFloat(append(row, ' '), float64(f), 'g', -1, 32)
		}
		must.Get(out.Write(append(row, '\n')))
	}
	var v [6]float32
	for i := range d.positions {
		p := d.position(i)
		if copy(v[:], p[:]); d.colors == nil {
			line("v", p[:]...)
			continue
		}
		c := attributeNumbers(d.colors, d.first+i)
		copy(v[3:], c[:3])
		line("v", v[:]...)
	}
	for i := 0; d.uvs != nil && i < len(d.positions); i++ {
		uv := attributeNumbers(d.uvs, d.first+i)
		if !d.upV {
			uv[1] = 1 - uv[1]
		}
		line("vt", uv[:2]...)
	}
	for i := range d.normals {
		n := d.normal(i)
		line("vn", n[:]...)
	}
}

func objWriteFaces(out *bufio.Writer, ids []uint32, base int, uvs, normals bool) {
	var row []byte
	between := "//"
	if uvs {
		between = "/"
	}
	for ; len(ids) >= 3; ids = ids[3:] {
		row = append(row[:0], 'f')
		for _, id := range ids[:3] {
			row = append(row, ' ')
			number := len(row)
			row = strconv.AppendInt(row, int64(base)+int64(id), 10)
			corner := row[number:]
			if uvs {
				row = append(append(row, '/'), corner...)
			}
			if normals {
				row = append(append(row, between...), corner...)
			}
		}
		must.Get(out.Write(append(row, '\n')))
	}
}
