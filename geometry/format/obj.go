package format

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"sync"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/must"
)

// objReader reads Wavefront OBJ: v, vt, vn, and f in all its forms with positive
// and negative indices; g, o, usemtl, and the diffuse colours of mtllib. Polygons
// become fans of triangles. Free-form curves, lines, points, smoothing groups
// and vertex colours are passed over; so are the values of vt unless attributes are
// wanted. A corner may only name vertices above it.
//
// Vertices: while every corner's texcoord and normal index, where it has them,
// equal its position index, the file's numbering is that of an index buffer, and
// is kept, vertices that no face names included. Otherwise a vertex is a triple
// of indices, as in a GPU's index buffer, numbered by first use.
//
// Draws: faces of one group or object name and one material are one draw, draws
// stand in order of first appearance, faces in file order. With more than one,
// each has vertices of its own, numbered by first use in it.
//
// Source: Wavefront, Advanced Visualizer Manual, appendix B1: Object Files.
var objReader = Reader{
	Name:       "obj",
	Extensions: []string{".obj"},
	Read:       objRead,
	Bytes:      .9,
}

// objShapeReader reads only the shape: it skips texcoords, normals, groups and materials,
// so that the scene is one draw whose vertices have the file's own numbers.
var objShapeReader = Reader{
	Name:       objReader.Name,
	Extensions: objReader.Extensions,
	Read:       func(ctx context.Context, in *Input) (*geometry.Scene, error) { return objReadAs(ctx, in, true) },
	Bytes:      objReader.Bytes,
}

// objMostWorkers bounds the memory for blocks in flight. One thread joins the
// blocks, and keeps up with no more parsers than this.
const objMostWorkers = 4

func objRead(ctx context.Context, in *Input) (*geometry.Scene, error) {
	return objReadAs(ctx, in, false)
}

func objReadAs(ctx context.Context, in *Input, shape bool) (s *geometry.Scene, err error) {
	defer must.Catch(&err)
	m := newObjMesh(ctx, in)
	m.keepUVs = in.Attributes && !shape
	workers := min(runtime.GOMAXPROCS(0), objMostWorkers)
	if in.Size >= 0 {
		workers = min(workers, 1+int(in.Size/objBlockBytes))
	}
	objReadBlocks(in, m, workers, shape)
	return m.scene(in), nil
}

// objReadBlocks reads blocks on one thread, parses them on several, and joins
// them in order on the caller's.
func objReadBlocks(src *Input, m *objMesh, workers int, shape bool) {
	var (
		blocks = workers + 2
		free   = make(chan *objBlock, blocks)
		parse  = make(chan *objBlock, blocks)
		order  = make(chan *objBlock, blocks)
		quit   = make(chan struct{})
		wait   sync.WaitGroup
	)
	for range blocks {
		free <- &objBlock{shape: shape, keepUVs: m.keepUVs, parsed: make(chan struct{}, 1)}
	}
	wait.Go(func() {
		defer close(order)
		defer close(parse)
		objFeed(&objSplitter{src: src, text: newTextReader(src)}, free, parse, order, quit)
	})
	for range workers {
		wait.Go(func() {
			for b := range parse {
				b.parseSafely(src)
			}
		})
	}
	// The caller owns the input again after the return: wait for all that read it.
	defer wait.Wait()
	defer close(quit)
	for b := range order {
		<-b.parsed
		must.OK(b.err)
		m.add(b)
		free <- b
	}
}

// objFeed hands out blocks of text until the file ends or someone quits.
func objFeed(split *objSplitter, free <-chan *objBlock, parse, order chan<- *objBlock, quit <-chan struct{}) {
	for {
		var b *objBlock
		select {
		case b = <-free:
		case <-quit:
			return
		}
		more, err := split.nextSafely(b)
		if err != nil {
			b.err = err
			b.parsed <- struct{}{}
			order <- b
			return
		}
		if !more {
			return
		}
		parse <- b
		order <- b
	}
}

// nextSafely and parseSafely turn panics into errors: Open cannot recover panics of
// other goroutines.
func (p *objSplitter) nextSafely(b *objBlock) (more bool, err error) {
	defer func() {
		if x := recover(); x != nil {
			more, err = false, panicError(p.src.Path, "obj", x)
		}
	}()
	return p.next(b)
}

func (b *objBlock) parseSafely(src *Input) {
	defer func() {
		if x := recover(); x != nil {
			b.err = panicError(src.Path, "obj", x)
		}
		b.parsed <- struct{}{}
	}()
	b.parse()
}

// objSplitter cuts an OBJ file into blocks at ends of statements.
type objSplitter struct {
	src   *Input
	text  *textReader
	rest  []byte // read, but not yet part of a block
	lines int    // above rest
	eof   bool
}

// next fills a block's text; false at the end of the file.
func (p *objSplitter) next(b *objBlock) (bool, error) {
	b.text = append(b.text[:0], p.rest...)
	p.rest = p.rest[:0]
	for want := objBlockBytes; !p.eof; want *= 2 {
		if want > maxLine+objBlockBytes {
			return false, p.src.Bad(line(p.lines+1), "line is longer than %d bytes", maxLine)
		}
		if err := p.read(b, want); err != nil {
			return false, err
		}
		if end := lastStatement(b.text); !p.eof && end > 0 {
			p.rest = append(p.rest, b.text[end:]...)
			b.text = b.text[:end]
			break
		}
	}
	if p.lines == 0 && bytes.IndexByte(b.text[:min(len(b.text), magicBytes)], 0) >= 0 {
		return false, p.src.Bad("", "is not an OBJ file: it is not text")
	}
	p.lines += bytes.Count(b.text, []byte{'\n'})
	return len(b.text) > 0, nil
}

// read brings the block to want bytes, or as many as there are.
func (p *objSplitter) read(b *objBlock, want int) error {
	if cap(b.text) < want {
		b.text = append(make([]byte, 0, want), b.text...)
	}
	for len(b.text) < want {
		n, err := p.text.Read(b.text[len(b.text):want])
		b.text = b.text[:len(b.text)+n]
		if err == io.EOF {
			p.eof = true
			return nil
		}
		if err != nil {
			return p.src.Failed(line(p.lines+1), err)
		}
	}
	return nil
}

// lastStatement is where the last statement that is whole ends, or 0.
func lastStatement(s []byte) int {
	for {
		k := bytes.LastIndexByte(s, '\n')
		if s = s[:k+1]; k < 0 || !joined(s) {
			return len(s)
		}
		s = s[:k]
	}
}
