package renderdoc

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

var vulkanTopologies = map[string]topology{
	"VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST": list, "VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP": strip, "VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN": fan,
}

// draw records a draw with its state, so that it can be executed later.
func (v *vulkan) draw(b *commandBuffer, r elem) {
	p := b.pipeline
	if p == nil {
		leaveOut("its graphics pipeline is not known")
	}
	s := p.drawState
	for name := range p.dynamic {
		dynamicStates[name](&s, &b.drawState)
	}
	d := &draw{call: r.call(), topology: topologyOf(s.topology, vulkanTopologies), restarts: s.restarts}
	a := s.input.position
	switch {
	case p.noInput:
		leaveOut("vertex input in a pipeline library")
	case len(s.input.attributes) == 0:
		leaveOut(noAttributes)
	}
	s.input.format.fit(a.format)
	from, stride := s.input.bindings[a.binding], b.stride(&s.input, a.binding)
	bound := b.vertices[a.binding]
	switch {
	case from.perInstance || stride <= 0:
		leaveOut(perInstance)
	case bound.space == 0:
		leaveOut(noVertexBuffer)
	}
	d.position = attribute{bound.from(a.offset), stride, s.input.format}
	d.shading = v.shading(b, &s)
	if strings.HasPrefix(d.call, "vkCmdDrawIndexed") {
		if b.indices.space == 0 || b.width == 0 {
			leaveOut(noIndexBuffer)
		}
		d.indices, d.width, d.restartAt = b.indices, b.width, largest(b.width)
	}
	if strings.Contains(d.call, "Indirect") {
		d.indirect = v.readIndirect(r)
	} else {
		d.calls = []arguments{readArguments(r, d.width > 0)}
	}
	d.event, d.name = v.f.event, v.f.drawName(b.pass, b.groups, d.call)
	b.add(d)
}

// stride returns the stride of a binding: the pipeline's, unless it is dynamic.
func (b *commandBuffer) stride(in *vertexInput, number uint64) int64 {
	if n, ok := b.strides[number]; ok && (b.pipeline.dynamic[vertexStride] || b.pipeline.dynamic["VERTEX_INPUT"]) {
		return n
	}
	return in.bindings[number].stride
}

func readArguments(r elem, indexed bool) (a arguments) {
	number := func(name string) int64 { return r.get(name).argument(math.MaxUint32) }
	a.instances, a.instance = uint32(number("instanceCount")), uint32(number("firstInstance"))
	if indexed {
		a.count, a.first, a.base = uint32(number("indexCount")), number("firstIndex"), r.get("vertexOffset").signed()
	} else {
		a.count, a.first = uint32(number("vertexCount")), number("firstVertex")
	}
	return a
}

func (v *vulkan) readIndirect(r elem) *indirect {
	in := &indirect{from: v.buffer(r.get("buffer"), r.get("offset"), elem{}), draws: r.get("count", "drawCount", "maxDrawCount").argument(math.MaxUint32)}
	if in.stride = r.get("stride").signed(); in.from.space == 0 {
		leaveOut(noArguments)
	}
	if counter := r.get("countBuffer"); counter.there() {
		in.whereCount, in.count = true, v.buffer(counter, r.get("countBufferOffset"), elem{})
	}
	return in
}

// shading returns the state of a draw's vertex shader.
func (v *vulkan) shading(b *commandBuffer, s *drawState) *shading {
	if b.reads == nil {
		b.reads = v.readsOf(b, &s.input)
	}
	must.OK(v.f.budget.Memory(shadingBytes))
	t := target{pass: b.passAt, viewport: s.viewport, depthWrites: s.depthTest && s.depthWrite, colorless: s.colorless}
	t.culls = culled(strings.Contains(s.cull, "FRONT"), strings.Contains(s.cull, "BACK"), s.front == "VK_FRONT_FACE_COUNTER_CLOCKWISE")
	return &shading{stage: b.pipeline.stage, inputs: b.reads, values: b.values, at: v.f.clock, target: t}
}

// readsOf returns what is bound to the locations of the vertex input, ordered by location.
func (v *vulkan) readsOf(b *commandBuffer, vertices *vertexInput) []vertexRead {
	must.OK(v.f.budget.Memory(inputBytes * int64(1+len(vertices.attributes))))
	reads := make([]vertexRead, 0, 1+len(vertices.attributes))
	for _, a := range vertices.attributes {
		in := vertexRead{location: uint32(a.location), from: b.vertices[a.binding].from(a.offset), stride: b.stride(vertices, a.binding)}
		if from := vertices.bindings[a.binding]; from.perInstance {
			in.divisor = max(from.divisor, 1)
		}
		in.name = strings.TrimPrefix(a.format, "VK_FORMAT_")
		in.format, _ = vertexformat.ByName(in.name)
		reads = append(reads, in)
	}
	slices.SortStableFunc(reads, func(a, b vertexRead) int { return cmp.Compare(a.location, b.location) })
	return reads
}
