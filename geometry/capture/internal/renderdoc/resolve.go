package renderdoc

import (
	"fmt"

	"github.com/shadeonce/shadeonce/geometry/vertexformat"
	"github.com/shadeonce/shadeonce/internal/budget"
	"github.com/shadeonce/shadeonce/internal/must"
)

// resolved is what the vertex shader of a draw reads, or why the draw has none.
type resolved struct {
	why     string
	program *program
	reads   []resolvedRead // by input of the program
	blocks  []extent       // by block of the program
}

type resolvedRead struct {
	*vertexRead
	location uint32 // in the module
	format   vertexformat.Format
}

// resolve finds what each draw's shader reads. Only then can it be told which bytes of
// the capture matter.
func (r *runner) resolve() {
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
		if !ok {
			return fmt.Sprintf("its shader reads format %s as other numbers", read.name)
		}
		s.reads = append(s.reads, resolvedRead{read, in.location, format})
	}
	for _, b := range s.program.blocks {
		where, why := d.values.block(b.ShaderBlock, b.name, d.at)
		if why != "" {
			return "its shader reads values: " + why
		}
		if !b.open && b.leaves == nil {
			where = where.first(b.size)
		}
		if where.size() > maxValues {
			return fmt.Sprintf("its shader reads values: more than %d bytes", maxValues)
		}
		s.blocks = append(s.blocks, where)
	}
	return ""
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
		n.add(b)
	}
}
