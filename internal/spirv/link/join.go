package link

import (
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// Join replaces the body of custom_vertex in the host with one that runs programs. The host's
// draws refer to them by their index in programs. The result has the host's version and
// interface, and these capabilities.
func Join(host []uint32, programs []Program, l Layout) (_ []uint32, _ []module.Capability, err error) {
	defer must.Catch(&err)
	m, parts := readHost(host)
	if len(programs) == 0 {
		must.Fail("no vertex shader to join")
	}
	if !l.Trusted && l.Words < RecordSlots {
		must.Fail("records of %d words, fewer than %d", l.Words, RecordSlots)
	}
	j := newJoined(m)
	j.valuesSet, j.valuesBinding, j.uniforms = parts.values.set, parts.values.binding, parts.uniforms
	j.removeStub(parts.stub)
	var copied []*copier
	for n, p := range programs {
		check(p, l)
		checkUniforms(p, parts.uniforms)
		c := newCopier(j, n, p)
		c.trusted = l.Trusted
		c.precise = l.Precise || slices.ContainsFunc(p.Vertex.Module.Head, invariant)
		c.copy()
		copied = append(copied, c)
	}
	call := &caller{writer: writer{joined: j}, host: parts, layout: l}
	if l.LoopEnds != 0 {
		call.loopEnds = j.declareBuffer(l.LoopEnds, j.uintType(), "loopEnds")
	}
	call.declareDistances()
	call.write(copied)
	j.functions = append(j.functions, call.out...)
	j.prune()
	return j.words(), j.capabilities, nil
}

func readHost(words []uint32) (*module.Module, hostParts) {
	defer must.Place("host")
	m := must.Get(module.Decode(words))
	return m, findParts(m)
}

// invariant reports whether an instruction requires that an output has the same bits in all
// pipelines.
func invariant(in module.Instruction) bool {
	return in.Op == module.OpDecorate && module.Decoration(in.At(1)) == module.Invariant ||
		in.Op == module.OpMemberDecorate && module.Decoration(in.At(2)) == module.Invariant
}

// removeStub copies all functions of the host except the stub.
func (j *joined) removeStub(stub module.Function) {
	for _, f := range j.host.Functions {
		if f.ID != stub.ID {
			j.functions = append(j.functions, f.Body...)
			continue
		}
		for _, in := range f.Body {
			if in.Op != module.OpFunction && in.Op != module.OpFunctionParameter && in.Result() != 0 {
				j.removed[in.Result()] = true
			}
		}
	}
}

// check fails if a program cannot be joined.
func check(p Program, l Layout) {
	for _, in := range p.Vertex.Inputs {
		checkInput(p, in)
	}
	if len(p.Blocks) != len(p.Vertex.Blocks) {
		must.Fail("places for %d blocks, not %d", len(p.Blocks), len(p.Vertex.Blocks))
	}
	for i, b := range p.Vertex.Blocks {
		at := p.Blocks[i]
		if at.Slot != 0 && (at.Slot < RecordSlots || at.Slot >= l.Words) {
			must.Fail("block %s has its slot at word %d of records of %d", b.Name, at.Slot, l.Words)
		}
		if b.Open && b.Kind != module.FetchedImage && at.Elements < 1 && !l.Trusted {
			must.Fail("block %s has no element of the array that it ends in", b.Name)
		}
		if at.Base%uint32(b.Align) != 0 {
			must.Fail("block %s begins at byte %d, not a multiple of %d", b.Name, at.Base, b.Align)
		}
	}
	if o, ok := p.Vertex.Part(l.Shown); ok && !o.Shows() {
		must.Fail("output %s is %s, which is not a single value that can be shown", l.Shown, o.Of)
	}
}
