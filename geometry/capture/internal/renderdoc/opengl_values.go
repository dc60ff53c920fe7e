package renderdoc

import (
	"fmt"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/must"
)

// Buffers are bound to points of a target: "GL_UNIFORM_BUFFER 3".
func pointName(target string, index int64) string { return fmt.Sprint(target, " ", index) }

const (
	uniformTarget = "GL_UNIFORM_BUFFER"
	storageTarget = "GL_SHADER_STORAGE_BUFFER"
)

// bindTo binds a buffer, or a range of it where there is a size.
func (g *openGL) bindTo(target string, index int64, buffer, offset, size elem) {
	must.OK(g.f.budget.Memory(slotBytes))
	where := extent{space: buffer.id(), end: wholeBuffer}
	if n, ok := size.int(); ok && n > 0 {
		where = where.from(offset.number()).first(n)
	}
	name := pointName(target, index)
	if g.points[name] == nil {
		g.points[name] = &history[extent]{}
	}
	g.points[name].set(g.f.clock, where)
}

func (g *openGL) bindPoint(_ *chunk, r elem) {
	if g.f.begun {
		g.bindTo(r.get("target").enum(), r.get("index").number(), r.get("buffer"), r.get("offset"), r.get("size"))
	}
}

func (g *openGL) bindPoints(_ *chunk, r elem) {
	if !g.f.begun {
		return
	}
	index := r.get("first").number()
	offset, size := r.get("offsets").first(), r.get("sizes").first()
	for e := r.get("buffers").first(); e.there(); e = e.next() {
		g.bindTo(r.get("target").enum(), index, e, offset, size)
		index, offset, size = index+1, offset.next(), size.next()
	}
}

// initialPoints takes over what was bound when the frame began.
func (g *openGL) initialPoints(s elem) {
	for target, list := range map[string]string{uniformTarget: "GL_UNIFORM_BUFFER_BINDING", storageTarget: "GL_SHADER_STORAGE_BUFFER_BINDING"} {
		index := int64(0)
		for e := s.get(list).first(); e.there(); e = e.next() {
			if e.get("res").id() != 0 {
				g.bindTo(target, index, e.get("res"), e.get("start"), e.get("size"))
			}
			index++
		}
	}
}

// bindBlock gives a block of a program another binding point.
func (g *openGL) bindBlock(r elem, binding string, storage bool) {
	p := g.program(r.get("program").id())
	blocks := p.blocks
	if storage {
		blocks = p.storage
	}
	must.OK(g.f.budget.Memory(slotBytes))
	name := string(r.any("blockName", "BlockName").text())
	if blocks[name] == nil {
		blocks[name] = &history[int64]{}
	}
	blocks[name].set(g.f.clock, r.get(binding).number())
}

// glValues are the uniforms of a program and what is bound to its blocks.
type glValues struct {
	g *openGL
	p *glProgram
}

// defaultBlock is the name of the block that a compiler for Vulkan makes of uniforms
// outside of blocks.
const defaultBlock = "gl_DefaultUniformBlock"

func (v glValues) block(b geometry.ShaderBlock, name string, at int) (where extent, why string) {
	if name == defaultBlock {
		return extent{v.p.space, 0, v.p.uniformAt * uniformBytes}, ""
	}
	blocks, target := v.p.blocks, uniformTarget
	if b.Kind == geometry.StorageBlock {
		blocks, target = v.p.storage, storageTarget
	}
	if b.Element > 0 {
		return where, fmt.Sprintf("block %s is an array", name)
	}
	h := blocks[name]
	if h == nil {
		return where, fmt.Sprintf("the capture does not tell where block %s is bound", name)
	}
	where = v.g.points[pointName(target, h.get(at))].get(at)
	if where.space == 0 {
		return where, fmt.Sprintf("no buffer is bound for block %s", name)
	}
	return where, ""
}
