package renderdoc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/vertexformat"
	"github.com/shadeonce/shadeonce/internal/budget"
	"github.com/shadeonce/shadeonce/internal/must"
)

// resolved is what the vertex shader of a draw reads, or why the draw has none.
type resolved struct {
	why     string
	program *program
	reads   []resolvedRead  // by input of the program
	blocks  []resolvedBlock // by block of the program
}

type resolvedBlock struct {
	extent
	texels vertexformat.Format // of an image
}

type resolvedRead struct {
	*vertexRead
	location uint32 // in the module
	format   vertexformat.Format
}

// resolve finds what each draw's shader reads. Only then can it be told which bytes of
// the capture matter.
func (r *runner) resolve() {
	r.compileAll()
	for _, op := range r.f.ops {
		d, ok := op.(*draw)
		if !ok || d.shading == nil {
			continue
		}
		s := &resolved{program: r.program(d.shading.stage)}
		n := int64(len(s.program.inputs) + len(s.program.blocks))
		r.work(8 * budget.Call * (1 + n))
		must.OK(r.budget.Memory(inputBytes * (1 + n)))
		if s.why = s.program.why; s.why == "" {
			s.why = s.bind(d.shading)
		}
		d.shading.resolved = s
	}
}

// compiled is what a compiler made of a source.
type compiled struct {
	code []uint32
	err  error
}

// compileAll compiles the sources of all draws, several at a time.
func (r *runner) compileAll() {
	r.compiled = map[string]*compiled{}
	var jobs sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, op := range r.f.ops {
		d, ok := op.(*draw)
		if !ok || d.shading == nil || d.shading.stage.why != "" || d.shading.stage.source == "" || r.compiled[d.shading.stage.source] != nil {
			continue
		}
		source, c := d.shading.stage.source, &compiled{err: errors.New("its shader is GLSL, and no compiler is there")}
		r.compiled[source] = c
		if r.compile == nil {
			continue
		}
		must.OK(r.budget.Work(glslSteps))
		jobs.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			c.code, c.err = r.compile(r.ctx, source)
		})
	}
	jobs.Wait()
}

// bind finds what is bound to the inputs and blocks of a shader.
func (s *resolved) bind(d *shading) (why string) {
	for _, in := range s.program.inputs {
		read := in.find(d.inputs)
		switch {
		case read == nil:
			return fmt.Sprintf("its shader reads %s at location %d, which no attribute gives", in.name, in.bound)
		case !read.format.Known():
			return fmt.Sprintf("its shader reads an attribute of format %s", read.name)
		case read.constant == nil && (read.from.space == 0 || read.stride < 0 || read.stride > maxStride):
			return fmt.Sprintf("no buffer is bound for %s at location %d", in.name, in.bound)
		}
		format, ok := read.format.As(in.class)
		if !ok && read.constant != nil {
			read, format, ok = read.whole(in.class)
		}
		if !ok {
			return fmt.Sprintf("its shader reads format %s as other numbers", read.name)
		}
		s.reads = append(s.reads, resolvedRead{read, in.location, format})
	}
	for _, b := range s.program.blocks {
		where, why := b.find(d)
		if why != "" {
			return "its shader reads values: " + why
		}
		s.blocks = append(s.blocks, where)
	}
	return ""
}

// find is where a block's values lie at a draw.
func (b *programBlock) find(d *shading) (where resolvedBlock, why string) {
	if b.Kind == geometry.FetchedImage {
		if where.extent, where.texels, why = d.values.texels(b.name, d.at); why == "" && where.texels.Class() != b.class {
			why = fmt.Sprintf("the texels of %s are of format %s, which it reads as other numbers", b.name, where.texels)
		}
		return where, why
	}
	if where.extent, why = d.values.block(b.ShaderBlock, b.name, d.at); why != "" {
		return where, why
	}
	if !b.open && b.leaves == nil {
		where.extent = where.first(b.size)
	}
	if where.size() > maxValues {
		why = fmt.Sprintf("more than %d bytes", maxValues)
	}
	return where, why
}

// whole is a constant of floats as a constant of integers.
func (r *vertexRead) whole(class vertexformat.Class) (*vertexRead, vertexformat.Format, bool) {
	out := *r
	out.constant = nil
	for at := 0; at+4 <= len(r.constant); at += 4 {
		v := math.Float32frombits(binary.LittleEndian.Uint32(r.constant[at:]))
		out.constant = binary.LittleEndian.AppendUint32(out.constant, uint32(int64(v)))
	}
	kind := "SINT"
	if class == vertexformat.Uint {
		kind = "UINT"
	}
	return &out, vertexformat.Array(len(r.constant)/4, 32, kind), true
}

// shading adds what the shader of a draw reads.
func (n needs) shading(d *draw) {
	if d.shading == nil || d.shading.resolved == nil || d.shading.resolved.why != "" {
		return
	}
	for _, r := range d.shading.resolved.reads {
		if r.constant == nil {
			n.add(r.from)
		}
	}
	for _, b := range d.shading.resolved.blocks {
		n.add(b.extent)
	}
}
