package format

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// objReader reads Wavefront OBJ: v, vt, vn, and f in all its forms with positive and negative
// indices; g, o, usemtl, and the diffuse colours of mtllib. Polygons become fans of triangles.
// Free-form curves, lines, points and smoothing groups are skipped; so are the values of vt, and
// colours after v, unless attributes are requested. A corner may refer only to vertices above it.
//
// Vertices: as long as every corner's texcoord and normal index, if present, equal its position
// index, the file's numbering is already that of an index buffer, and is kept, including
// unreferenced vertices. Otherwise a vertex is a triple of indices, as in a GPU's index buffer,
// numbered by first use.
//
// Draws: faces of one group or object name and one material are one draw. Draws come in order of
// first appearance, faces in file order. If there are several draws, each has its own vertices,
// numbered by first use in it.
//
// Source: Wavefront, Advanced Visualizer Manual, appendix B1: Object Files.
var objReader = Reader{
	Name:       "obj",
	Extensions: []string{".obj"},
	Read:       objRead,
	Bytes:      .9,
}

// objMostWorkers bounds the memory for blocks in flight. One thread joins the blocks, and cannot
// keep up with more parsers than this.
const objMostWorkers = 4

func objRead(ctx context.Context, in *Input) (s *geometry.Scene, err error) {
	defer must.Catch(&err)
	m := newObjMesh(ctx, in)
	m.keepUVs = (in.Attributes || in.Textures || in.looks) && !in.shape
	m.keepColors = (in.Attributes || in.looks) && !in.shape
	workers := min(runtime.GOMAXPROCS(0), objMostWorkers)
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
		objFeed(&objSplitter{src: src, text: TextLines(src)}, free, parse, order, quit)
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

// objFeed sends blocks of text until the file ends, a block fails or quit is closed.
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

// safely turns failures and panics of work into the block's error, since Open cannot recover
// panics of other goroutines.
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
	lines int    // lines before rest
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

// read extends the block to want bytes, or to the end of the file.
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

// lastStatement returns the end of the last complete statement, or 0.
func lastStatement(s []byte) int {
	for {
		k := bytes.LastIndexByte(s, '\n')
		if s = s[:k+1]; k < 0 || !joined(s) {
			return len(s)
		}
		s = s[:k]
	}
}
