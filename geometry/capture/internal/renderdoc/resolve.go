package renderdoc

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// resolvedRead is the data that an input of a shader reads.
type resolvedRead struct {
	*vertexRead
	input  uint32 // location in the module
	format vertexformat.Format
}

// resolvedBlock is where the values of a block are.
type resolvedBlock struct {
	extent
	texels vertexformat.Format // format of an image's texels
}

// resolve finds what each draw's shader reads. Only then is it known which bytes of the capture
// matter.
func (r *runner) resolve() {
	r.compileAll()
	for _, op := range r.f.ops {
		d, ok := op.(*draw)
		if !ok {
			continue
		}
		s := d.shading
		p := r.reflect(s.stage)
		n := int64(len(p.inputs) + len(p.blocks))
		r.work(8 * budget.Call * (1 + n))
		must.OK(r.budget.Memory(inputBytes * (1 + n)))
		if s.why = p.why; s.why == "" {
			s.why = attempt(func() { s.bind(p) })
		}
		if r.textures {
			s.texture = r.textureOf(s)
		}
	}
}

// compiled is a compiler's result for a source.
type compiled struct {
	code []uint32
	err  error
}

// compileAll compiles the sources of all draws, several at a time.
func (r *runner) compileAll() {
	var jobs sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	begin := func(stage, source string) {
		key := [2]string{stage, source}
		if source == "" || r.compiled[key] != nil {
			return
		}
		c := &compiled{err: errors.New("its shader is GLSL, and no compiler is there")}
		r.compiled[key] = c
		if r.compile == nil {
			return
		}
		must.OK(r.budget.Work(glslSteps))
		jobs.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			c.code, c.err = r.compile(r.ctx, stage, source)
		})
	}
	for _, op := range r.f.ops {
		if d, ok := op.(*draw); ok && d.shading.stage.why == "" {
			begin("vert", d.shading.stage.source)
			if r.textures {
				begin("frag", d.shading.stage.fragment.source)
			}
		}
	}
	jobs.Wait()
}

// bind finds what is bound to the inputs and blocks of a shader.
func (s *shading) bind(p *program) {
	for _, in := range p.inputs {
		read := in.find(s.inputs)
		switch {
		case read == nil:
			leaveOut("its shader reads %s at location %d, which no attribute gives", in.name, in.bound)
		case !read.format.Known():
			leaveOut("its shader reads an attribute of format %s", read.name)
		case read.constant == nil && (read.from.space == 0 || read.stride < 0 || read.stride > maxStride):
			leaveOut("no buffer is bound for %s at location %d", in.name, in.bound)
		}
		format, ok := read.format.As(in.class)
		if !ok && read.constant != nil {
			read, format = read.whole(in.class)
		} else if !ok {
			leaveOut("its shader reads format %s as other numbers", read.name)
		}
		s.reads = append(s.reads, resolvedRead{read, in.location, format})
	}
	why := attempt(func() {
		for i := range p.blocks {
			s.blocks = append(s.blocks, p.blocks[i].find(s))
		}
	})
	if why != "" {
		leaveOut("its shader reads values: %s", why)
	}
}

// find returns what is bound to an input of the shader; nil if nothing is.
func (in programInput) find(reads []vertexRead) *vertexRead {
	if in.bound == noLocation {
		return &vertexRead{location: noLocation, format: vertexformat.R32G32B32A32_SFLOAT, constant: make([]byte, 16)}
	}
	i, ok := slices.BinarySearchFunc(reads, in.bound, func(r vertexRead, location uint32) int { return cmp.Compare(r.location, location) })
	if !ok {
		return nil
	}
	return &reads[i]
}

// whole converts a constant of floats to one of integers.
func (r *vertexRead) whole(class vertexformat.Class) (*vertexRead, vertexformat.Format) {
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
	return &out, vertexformat.Array(len(r.constant)/4, 32, kind)
}

// find returns where a block's values are at a draw.
func (b *programBlock) find(d *shading) (where resolvedBlock) {
	if b.Kind == module.FetchedImage {
		if where.extent, where.texels = d.values.texels(b.name, d.at); where.texels.Class() != b.class {
			leaveOut("the texels of %s are of format %s, which it reads as other numbers", b.name, where.texels)
		}
		return where
	}
	where.extent = d.values.block(b.Block, b.name, d.at)
	if !b.Open && b.leaves == nil {
		where.extent = where.first(b.size)
	}
	if where.size() > maxValues {
		leaveOut("more than %d bytes", maxValues)
	}
	return where
}

// shading adds what the shader of a draw reads.
func (n needs) shading(s *shading) {
	if s.why != "" {
		return
	}
	for _, r := range s.reads {
		if r.constant == nil {
			n.add(r.from)
		}
	}
	for _, b := range s.blocks {
		n.add(b.extent)
	}
}
