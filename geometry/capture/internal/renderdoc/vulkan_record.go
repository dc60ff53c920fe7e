package renderdoc

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// commandBuffer is a command buffer: the operations that it records, and its state while it does.
type commandBuffer struct {
	drawState       // the dynamic state
	ops       []any // operations of a frame, and values of type execute
	submitted bool
	groups    groups
	pass      string
	passAt    int // number of the current pass

	pipeline *pipeline
	strides  map[uint64]int64  // strides of vertex buffers, by binding
	vertices map[uint64]extent // bound vertex buffers, by binding
	indices  extent
	width    int64
	values   *vulkanValues
	pushed   map[int64]*descriptorSet
	reads    []vertexRead // result of readsOf; nil when the state that it depends on has changed
}

// execute is the operation that executes a secondary command buffer.
type execute struct{ what *commandBuffer }

// begin resets a command buffer.
func (v *vulkan) begin(r elem) {
	id := r.get("CommandBuffer").id()
	b := &commandBuffer{
		vertices: map[uint64]extent{}, strides: map[uint64]int64{}, pass: "no pass",
		values: &vulkanValues{v: v, push: extent{id | 1<<63, 0, pushBytes}}, // no resource has this number
		pushed: map[int64]*descriptorSet{},
	}
	b.add(reserve{b.values.push.space, pushBytes})
	v.commands[id] = b
}

func (b *commandBuffer) add(op any) { b.ops = append(b.ops, op) }

// addRecorders adds the calls that command buffers record.
func (v *vulkan) addRecorders() {
	for names, record := range map[string]func(b *commandBuffer, r elem){
		"vkCmdBindPipeline": v.bindPipeline,
		"vkCmdBindVertexBuffers, vkCmdBindVertexBuffers2":            v.bindVertexBuffers,
		"vkCmdBindIndexBuffer, vkCmdBindIndexBuffer2":                v.bindIndexBuffer,
		"vkCmdBindDescriptorSets":                                    v.bindSets,
		"vkCmdPushDescriptorSet, vkCmdPushDescriptorSetWithTemplate": v.pushSet,
		"vkCmdPushConstants":                                         v.pushConstants,
		"vkCmdSetVertexInput": func(b *commandBuffer, r elem) {
			b.input, b.reads = readVertexInput(r), nil
			for number, from := range b.input.bindings {
				b.strides[number] = from.stride
			}
		},
		"vkCmdSetPrimitiveTopology":      func(b *commandBuffer, r elem) { b.topology = r.get("primitiveTopology").enum() },
		"vkCmdSetPrimitiveRestartEnable": func(b *commandBuffer, r elem) { b.restarts = r.get("primitiveRestartEnable").bool() },
		"vkCmdSetViewport, vkCmdSetViewportWithCount": func(b *commandBuffer, r elem) {
			if r.get("firstViewport").number() == 0 {
				b.viewport = readViewport(r.get("pViewports").first())
			}
		},
		"vkCmdSetDepthTestEnable":           func(b *commandBuffer, r elem) { b.depthTest = r.get("depthTestEnable").bool() },
		"vkCmdSetDepthWriteEnable":          func(b *commandBuffer, r elem) { b.depthWrite = r.get("depthWriteEnable").bool() },
		"vkCmdSetCullMode":                  func(b *commandBuffer, r elem) { b.cull = r.get("cullMode").enum() },
		"vkCmdSetFrontFace":                 func(b *commandBuffer, r elem) { b.front = r.get("frontFace").enum() },
		"vkCmdCopyBuffer, vkCmdCopyBuffer2": v.copyBuffer,
		"vkCmdUpdateBuffer":                 v.updateBuffer,
		"vkCmdFillBuffer":                   v.fillBuffer,
		"vkCmdBeginRenderPass, vkCmdBeginRenderPass2, vkCmdBeginRendering": func(b *commandBuffer, r elem) {
			info := r.get("RenderPassBegin", "pRenderPassBegin")
			v.f.passes++
			b.passAt, b.pass = v.f.passes, v.f.passName(info.get("framebuffer").id(), info.get("renderPass").id())
		},
		"vkCmdBeginDebugUtilsLabel, vkCmdDebugMarkerBegin": func(b *commandBuffer, r elem) {
			b.groups.push(r.get("Label", "Marker", "pLabelInfo", "pMarkerInfo").get("pLabelName", "pMarkerName"))
		},
		"vkCmdEndDebugUtilsLabel, vkCmdDebugMarkerEnd": func(b *commandBuffer, _ elem) { b.groups.pop() },
		"vkCmdExecuteCommands":                         v.executeCommands,
		"vkCmdDraw, vkCmdDrawIndexed, vkCmdDrawIndirect, vkCmdDrawIndexedIndirect, vkCmdDrawIndirectCount, vkCmdDrawIndexedIndirectCount": func(b *commandBuffer, r elem) {
			v.f.try(r.call(), func() { v.draw(b, r) })
		},
	} {
		v.on(map[string]func(elem){names: func(r elem) {
			if b := v.commands[r.get("commandBuffer").id()]; b != nil {
				record(b, r)
			} else if v.isDraw(r.call()) {
				v.f.skip(r.call(), "in a command buffer that was not begun")
			}
		}})
	}
}

func (v *vulkan) bindPipeline(b *commandBuffer, r elem) {
	if r.get("pipelineBindPoint").enum() == "VK_PIPELINE_BIND_POINT_GRAPHICS" {
		b.pipeline, b.reads = v.pipelines[r.get("pipeline").id()], nil
	}
}

func (v *vulkan) bindVertexBuffers(b *commandBuffer, r elem) {
	b.reads = nil
	offset, size, stride := r.get("pOffsets").first(), r.get("pSizes").first(), r.get("pStrides").first()
	for i, e := range r.each("pBuffers") {
		number := r.get("firstBinding").id() + uint64(i)
		b.vertices[number] = v.buffer(e, offset, size)
		if n, ok := stride.int(); ok {
			b.strides[number] = n
		}
		offset, size, stride = offset.next(), size.next(), stride.next()
	}
}

func (v *vulkan) bindIndexBuffer(b *commandBuffer, r elem) {
	b.indices = v.buffer(r.get("buffer"), r.get("offset"), r.get("size"))
	name := strings.TrimPrefix(r.get("indexType").enum(), "VK_INDEX_TYPE_")
	b.width = map[string]int64{"UINT8": 1, "UINT8_EXT": 1, "UINT8_KHR": 1, "UINT16": 2, "UINT32": 4}[name]
}

func (v *vulkan) copyBuffer(b *commandBuffer, r elem) {
	if info := r.get("CopyInfo", "pCopyBufferInfo"); info.there() {
		r = info
	}
	src, dst := r.get("srcBuffer"), r.get("destBuffer", "dstBuffer")
	for _, region := range r.each("pRegions") {
		from, to := v.buffer(src, region.get("srcOffset"), elem{}), v.buffer(dst, region.get("dstOffset"), elem{})
		n, ok := region.get("size").int()
		if !ok || n < 0 || n > from.size() || n > to.size() {
			v.f.skip(r.call(), "outside its buffers")
			continue
		}
		b.add(copying{from.first(n), to.first(n)})
	}
}

func (v *vulkan) updateBuffer(b *commandBuffer, r elem) {
	to := v.buffer(r.get("destBuffer", "dstBuffer"), r.get("destOffset", "dstOffset"), elem{})
	what, ok := r.get("Data", "pData").blob()
	if !ok || what.length > to.size() {
		v.f.skip(r.call(), "outside its buffer")
		return
	}
	b.add(write{to.first(what.length), what, r.call()})
}

func (v *vulkan) fillBuffer(b *commandBuffer, r elem) {
	to := v.buffer(r.get("destBuffer", "dstBuffer"), r.get("destOffset", "dstOffset"), r.get("fillSize", "size"))
	word, ok := r.get("data").uint()
	if !ok || to.space == 0 {
		v.f.skip(r.call(), "of an unknown buffer")
		return
	}
	b.add(fill{to.first(to.size() &^ 3), uint32(word)})
}

func (v *vulkan) executeCommands(b *commandBuffer, r elem) {
	for _, e := range r.each("pCommandBuffers") {
		if s := v.commands[e.id()]; s != nil && s != b {
			b.add(execute{s})
		} else {
			v.f.skip(r.call(), "of a command buffer that was not begun")
		}
	}
}

// submit appends what the command buffers recorded to the frame's operations.
func (v *vulkan) submit(r elem) {
	for _, s := range r.each("pSubmits") {
		for _, e := range s.each("pCommandBuffers", "pCommandBufferInfos") {
			if inner := e.get("commandBuffer"); inner.there() {
				e = inner
			}
			if b := v.commands[e.id()]; b != nil {
				v.perform(b, 0)
			}
		}
	}
}

// perform appends a command buffer's operations, with those of its secondary command buffers. In Vulkan these do
// not nest deeply; a capture's deeper nesting is cut off.
func (v *vulkan) perform(b *commandBuffer, depth int) {
	const deepest = 4
	b.submitted = true
	must.OK(v.f.budget.Work(budget.Call))
	if depth > deepest {
		return
	}
	for _, op := range b.ops {
		if e, ok := op.(execute); ok {
			v.perform(e.what, depth+1)
		} else {
			v.f.add(op)
		}
	}
}

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
	v.f.nameDraw(d, b.pass, b.groups, "pipeline", p.id, b.values.base(v.f.clock))
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
