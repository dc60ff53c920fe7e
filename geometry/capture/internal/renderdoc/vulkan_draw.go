package renderdoc

import (
	"math"
	"strings"
)

// draw records a draw: with its state, so that it can be done later.
func (v *vulkan) draw(c *chunk, b *commandBuffer, r elem) {
	call := string(c.name)
	d, why := v.newDraw(call, b)
	if why == "" {
		why = v.readArguments(d, r)
	}
	if why != "" {
		v.f.skip(call, why)
		return
	}
	d.name = v.f.drawName(b.pass, b.groups, call)
	b.ops = append(b.ops, d)
}

// newDraw is a draw with what the command buffer has bound, or why there is none.
func (v *vulkan) newDraw(call string, b *commandBuffer) (d *draw, why string) {
	p := b.pipeline
	if p == nil {
		return nil, "no graphics pipeline that is known"
	}
	topology, topologyName := p.topology, p.topologyName
	if p.dynamicTopology && b.topology != "" {
		topology, topologyName = vulkanTopology(b.topology), b.topology
	}
	if topology == notTriangles {
		return nil, "no triangles (" + topologyName + ")"
	}
	input := p.vertexInput
	if p.dynamicInput {
		input = b.input
	}
	a := input.position
	switch {
	case p.noInput:
		return nil, "vertex input in a pipeline library"
	case !input.hasPosition:
		return nil, "no positions, no vertex attributes at all"
	}
	format := vulkanComponents(a.format)
	if why := format.unfit(a.format); why != "" {
		return nil, why
	}
	from := input.bindings[a.binding]
	stride := from.stride
	if n, ok := b.strides[a.binding]; ok && (p.dynamicStride || p.dynamicInput) {
		stride = n
	}
	bound := b.vertices[a.binding]
	switch {
	case from.perInstance || stride <= 0:
		return nil, "no position a vertex, only one an instance"
	case bound.space == 0:
		return nil, "no vertex buffer that is known"
	}
	d = &draw{call: call, topology: topology, restart: p.restart, position: attribute{bound.from(a.offset), stride, format}}
	d.shading = v.shadingOf(b, p, input)
	if p.dynamicRestart {
		d.restart = b.restart
	}
	if strings.HasPrefix(call, "vkCmdDrawIndexed") {
		if b.indices.space == 0 || b.width == 0 {
			return nil, "no index buffer that is known"
		}
		d.indices, d.width = b.indices, b.width
		d.at = uint32(uint64(1)<<(8*b.width) - 1)
	}
	return d, ""
}

// readArguments reads what is drawn.
func (v *vulkan) readArguments(d *draw, r elem) (why string) {
	if !strings.Contains(d.call, "Indirect") {
		var a arguments
		ok := true
		number := func(name string) uint32 {
			n, there := r.get(name).uint()
			ok = ok && there && n <= math.MaxUint32
			return uint32(n)
		}
		a.instances, a.instance = number("instanceCount"), number("firstInstance")
		if d.width > 0 {
			a.count, a.first = number("indexCount"), int64(number("firstIndex"))
			base, there := r.get("vertexOffset").int()
			a.base, ok = base, ok && there
		} else {
			a.count, a.first = number("vertexCount"), int64(number("firstVertex"))
		}
		if !ok {
			return "without its arguments"
		}
		d.calls = []arguments{a}
		return ""
	}
	in := &indirect{from: v.buffer(r.get("buffer"), r.get("offset"))}
	draws, ok := r.any("count", "drawCount", "maxDrawCount").uint()
	stride, hasStride := r.get("stride").int()
	if !ok || !hasStride || in.from.space == 0 || draws > math.MaxUint32 {
		return "without its arguments"
	}
	in.draws, in.stride = int64(draws), stride
	if counter := r.get("countBuffer"); counter.there() {
		in.whereCount, in.count = true, v.buffer(counter, r.get("countBufferOffset"))
	}
	d.indirect = in
	return ""
}
