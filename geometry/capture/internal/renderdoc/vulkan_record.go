package renderdoc

import (
	"strings"

	"github.com/shadeonce/shadeonce/internal/budget"
	"github.com/shadeonce/shadeonce/internal/must"
)

// commandBuffer is a command buffer as far as it has been recorded.
type commandBuffer struct {
	ops       []any // operations of a frame, and execute
	submitted bool
	groups    []string // debug labels, the innermost last
	pass      string

	pipeline *pipeline
	input    vertexInput // dynamic state, as the four below
	topology string
	restart  bool
	strides  map[uint64]int64
	vertices map[uint64]extent // by binding
	indices  extent
	width    int64

	// Where shaders are wanted:
	values     *vulkanValues
	pushed     map[int64]*descriptorSet
	target     vulkanTarget
	passNumber int
	inputs     []vertexRead // nil after a change of what they depend on
}

// execute stands for what a secondary command buffer does.
type execute struct{ what *commandBuffer }

// begin starts a command buffer afresh.
func (v *vulkan) begin(c *chunk) {
	id := c.root().get("CommandBuffer").id()
	b := &commandBuffer{
		vertices: map[uint64]extent{}, strides: map[uint64]int64{}, pass: "no pass",
	}
	if v.f.shaders {
		b.values, b.pushed = &vulkanValues{push: pushSpace(id)}, map[int64]*descriptorSet{}
		b.ops = append(b.ops, reserve{b.values.push.space, pushBytes})
	}
	v.commands[id] = b
}

// addRecorders adds the handlers of what command buffers record.
func (v *vulkan) addRecorders() {
	v.recorders(map[string]func(*chunk, *commandBuffer, elem){
		"vkCmdBindPipeline":              v.bindPipeline,
		"vkCmdBindVertexBuffers":         v.bindVertexBuffers,
		"vkCmdBindVertexBuffers2":        v.bindVertexBuffers,
		"vkCmdBindIndexBuffer":           v.bindIndexBuffer,
		"vkCmdBindIndexBuffer2":          v.bindIndexBuffer,
		"vkCmdSetPrimitiveTopology":      setTopology,
		"vkCmdSetPrimitiveRestartEnable": setRestart,
		"vkCmdSetVertexInput":            setVertexInput,
		"vkCmdCopyBuffer":                v.copyBuffer,
		"vkCmdCopyBuffer2":               v.copyBuffer,
		"vkCmdUpdateBuffer":              v.updateBuffer,
		"vkCmdFillBuffer":                v.fillBuffer,
		"vkCmdBeginRenderPass":           v.beginPass,
		"vkCmdBeginRenderPass2":          v.beginPass,
		"vkCmdBeginRendering":            v.beginPass,
		"vkCmdBeginDebugUtilsLabel":      beginLabel,
		"vkCmdDebugMarkerBegin":          beginLabel,
		"vkCmdEndDebugUtilsLabel":        endLabel,
		"vkCmdDebugMarkerEnd":            endLabel,
		"vkCmdExecuteCommands":           v.executeCommands,
		"vkCmdDraw":                      v.draw,
		"vkCmdDrawIndexed":               v.draw,
		"vkCmdDrawIndirect":              v.draw,
		"vkCmdDrawIndexedIndirect":       v.draw,
		"vkCmdDrawIndirectCount":         v.draw,
		"vkCmdDrawIndexedIndirectCount":  v.draw,
	})
}

// recorders adds handlers of calls that record into a command buffer.
func (v *vulkan) recorders(of map[string]func(*chunk, *commandBuffer, elem)) {
	for name, record := range of {
		v.handlers[name] = func(c *chunk) {
			r := c.root()
			if b := v.commands[r.get("commandBuffer").id()]; b != nil {
				record(c, b, r)
			} else if strings.HasPrefix(string(c.name), "vkCmdDraw") {
				v.f.skip(string(c.name), "in a command buffer that was not begun")
			}
		}
	}
}

func (v *vulkan) bindPipeline(_ *chunk, b *commandBuffer, r elem) {
	if r.get("pipelineBindPoint").enum() == "VK_PIPELINE_BIND_POINT_GRAPHICS" {
		b.pipeline, b.inputs = v.pipelines[r.get("pipeline").id()], nil
	}
}

func (v *vulkan) bindVertexBuffers(_ *chunk, b *commandBuffer, r elem) {
	b.inputs = nil
	number := r.get("firstBinding").id()
	offset, size, stride := r.get("pOffsets").first(), r.get("pSizes").first(), r.get("pStrides").first()
	for e := r.get("pBuffers").first(); e.there(); e = e.next() {
		bound := v.buffer(e, offset)
		if n, ok := size.int(); ok { // VK_WHOLE_SIZE is none
			bound = bound.first(n)
		}
		b.vertices[number] = bound
		if n, ok := stride.int(); ok {
			b.strides[number] = n
		}
		number++
		offset, size, stride = offset.next(), size.next(), stride.next()
	}
}

func (v *vulkan) bindIndexBuffer(_ *chunk, b *commandBuffer, r elem) {
	b.indices = v.buffer(r.get("buffer"), r.get("offset"))
	if n, ok := r.get("size").int(); ok {
		b.indices = b.indices.first(n)
	}
	b.width = map[string]int64{"UINT8": 1, "UINT16": 2, "UINT32": 4}[trimAround(r.get("indexType").enum(), "VK_INDEX_TYPE_", "_EXT", "_KHR")]
}

// trimAround drops a prefix and any of the suffixes.
func trimAround(s, prefix string, suffixes ...string) string {
	s = strings.TrimPrefix(s, prefix)
	for _, suffix := range suffixes {
		s = strings.TrimSuffix(s, suffix)
	}
	return s
}

func setTopology(_ *chunk, b *commandBuffer, r elem) { b.topology = r.get("primitiveTopology").enum() }

func setRestart(_ *chunk, b *commandBuffer, r elem) {
	b.restart = r.get("primitiveRestartEnable").bool()
}

func setVertexInput(_ *chunk, b *commandBuffer, r elem) { b.input, b.inputs = readVertexInput(r), nil }

func (v *vulkan) copyBuffer(c *chunk, b *commandBuffer, r elem) {
	if info := r.any("CopyInfo", "pCopyBufferInfo"); info.there() {
		r = info
	}
	src, dst := r.get("srcBuffer"), r.any("destBuffer", "dstBuffer")
	for region := r.get("pRegions").first(); region.there(); region = region.next() {
		from, to := v.buffer(src, region.get("srcOffset")), v.buffer(dst, region.get("dstOffset"))
		n, ok := region.get("size").int()
		if !ok || n < 0 || n > from.size() || n > to.size() {
			v.f.skip(string(c.name), "outside its buffers")
			continue
		}
		b.ops = append(b.ops, copying{from.first(n), to.first(n)})
	}
}

func (v *vulkan) updateBuffer(c *chunk, b *commandBuffer, r elem) {
	to := v.buffer(r.any("destBuffer", "dstBuffer"), r.any("destOffset", "dstOffset"))
	what, ok := r.any("Data", "pData").blob()
	if !ok || what.length > to.size() {
		v.f.skip(string(c.name), "outside its buffer")
		return
	}
	b.ops = append(b.ops, write{to.first(what.length), what, string(c.name)})
}

func (v *vulkan) fillBuffer(c *chunk, b *commandBuffer, r elem) {
	to := v.buffer(r.any("destBuffer", "dstBuffer"), r.any("destOffset", "dstOffset"))
	if n, ok := r.any("fillSize", "size").int(); ok { // VK_WHOLE_SIZE is none
		to = to.first(n)
	}
	word, ok := r.get("data").uint()
	if !ok || to.space == 0 {
		v.f.skip(string(c.name), "of a buffer that is not known")
		return
	}
	b.ops = append(b.ops, fill{to.first(to.size() &^ 3), uint32(word)})
}

func (v *vulkan) beginPass(_ *chunk, b *commandBuffer, r elem) {
	info := r.any("RenderPassBegin", "pRenderPassBegin")
	b.pass, b.passNumber = v.passName(info.get("framebuffer"), info.get("renderPass")), v.passes
}

func beginLabel(_ *chunk, b *commandBuffer, r elem) {
	const deepest = 64
	if len(b.groups) < deepest {
		b.groups = append(b.groups, r.any("Label", "Marker", "pLabelInfo", "pMarkerInfo").any("pLabelName", "pMarkerName").label())
	}
}

func endLabel(_ *chunk, b *commandBuffer, _ elem) {
	if n := len(b.groups); n > 0 {
		b.groups = b.groups[:n-1]
	}
}

func (v *vulkan) executeCommands(c *chunk, b *commandBuffer, r elem) {
	for e := r.get("pCommandBuffers").first(); e.there(); e = e.next() {
		if s := v.commands[e.id()]; s != nil && s != b {
			b.ops = append(b.ops, execute{s})
		} else {
			v.f.skip(string(c.name), "of a command buffer that was not begun")
		}
	}
}

// submit makes what the command buffers recorded operations of the frame.
func (v *vulkan) submit(c *chunk) {
	for s := c.root().get("pSubmits").first(); s.there(); s = s.next() {
		infos := s.any("pCommandBuffers", "pCommandBufferInfos")
		for e := infos.first(); e.there(); e = e.next() {
			id := e.id()
			if inner := e.get("commandBuffer"); inner.there() {
				id = inner.id()
			}
			if b := v.commands[id]; b != nil {
				v.perform(b, 0)
			}
		}
	}
}

// perform appends a command buffer's operations. Secondary command buffers
// cannot nest deeply; a capture that says so is cut.
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
