package renderdoc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry/vertexformat"
	"github.com/shadeonce/shadeonce/internal/must"
)

// addShaderHandlers adds the handlers of what only matters for vertex shaders.
func (v *vulkan) addShaderHandlers() {
	v.modules, v.setLayouts, v.layouts = map[uint64]blob{}, map[uint64]*setLayout{}, map[uint64][]*setLayout{}
	v.sets = map[uint64]*descriptorSet{}
	for name, do := range map[string]func(*chunk, elem){
		"vkCreateShaderModule":              v.createModule,
		"vkCreateDescriptorSetLayout":       v.createSetLayout,
		"vkCreatePipelineLayout":            v.createLayout,
		"vkAllocateDescriptorSets":          v.allocateSet,
		"vkUpdateDescriptorSets":            v.updateSets,
		"vkUpdateDescriptorSetWithTemplate": v.updateByTemplate,
	} {
		v.handlers[name] = func(c *chunk) { do(c, c.root()) }
	}
	v.recorders(map[string]func(*chunk, *commandBuffer, elem){
		"vkCmdBindDescriptorSets":            v.bindSets,
		"vkCmdPushDescriptorSet":             v.pushSet,
		"vkCmdPushDescriptorSetWithTemplate": v.pushSet,
		"vkCmdPushConstants":                 v.pushConstants,
		"vkCmdSetViewport":                   setViewport,
		"vkCmdSetViewportWithCount":          setViewport,
		"vkCmdSetDepthTestEnable":            func(_ *chunk, b *commandBuffer, r elem) { b.target.depthTest = r.get("depthTestEnable").bool() },
		"vkCmdSetDepthWriteEnable":           func(_ *chunk, b *commandBuffer, r elem) { b.target.depthWrite = r.get("depthWriteEnable").bool() },
		"vkCmdSetCullMode":                   func(_ *chunk, b *commandBuffer, r elem) { b.target.cull = r.get("cullMode").enum() },
		"vkCmdSetFrontFace":                  func(_ *chunk, b *commandBuffer, r elem) { b.target.front = r.get("frontFace").enum() },
	})
}

func (v *vulkan) createModule(_ *chunk, r elem) {
	if code, ok := r.get("CreateInfo").get("pCode").blob(); ok {
		v.modules[r.get("ShaderModule").id()] = code
	}
}

// vulkanTarget is the state that target is made of.
type vulkanTarget struct {
	viewport              viewport
	depthTest, depthWrite bool
	cull, front           string
}

// Which of vulkanTarget's state is a command buffer's, by pipeline.
type dynamicTarget struct{ viewport, depthTest, depthWrite, cull, front bool }

// readStage reads the vertex shader of a pipeline.
func (v *vulkan) readStage(info elem, id uint64) *stage {
	s := &stage{name: fmt.Sprintf("pipeline %d", id), why: "the pipeline has no vertex shader"}
	if label := v.labels[id]; label != "" {
		s.name = label
	}
	last := ""
	for e := info.get("pStages").first(); e.there(); e = e.next() {
		switch kind := e.get("stage").enum(); kind {
		case "VK_SHADER_STAGE_VERTEX_BIT":
			v.readVertexStage(s, e)
		case "VK_SHADER_STAGE_GEOMETRY_BIT":
			last = "a geometry shader places the triangles"
		case "VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT":
			last = "a tessellation shader places the triangles"
		}
	}
	if last != "" {
		s.why = last
	}
	return s
}

func (v *vulkan) readVertexStage(s *stage, e elem) {
	code, ok := v.modules[e.get("module").id()]
	if !ok {
		if code, ok = e.get("pNext").get("pCode").blob(); !ok {
			s.why = "its shader module is not in the capture"
			return
		}
	}
	s.why, s.code, s.entry = "", code, e.get("pName").label()
	special := e.get("pSpecializationInfo")
	s.data, _ = special.get("pData").blob()
	for m := special.get("pMapEntries").first(); m.there(); m = m.next() {
		s.special = append(s.special, specialConstant{uint32(m.get("constantID").id()), m.get("offset").number(), m.get("size").number()})
	}
}

// readTarget reads a pipeline's part of the state of targets.
func (p *pipeline) readTarget(info elem) {
	depth, raster := info.get("pDepthStencilState"), info.get("pRasterizationState")
	p.target = vulkanTarget{
		viewport:  readViewport(info.get("pViewportState").get("pViewports").first()),
		depthTest: depth.get("depthTestEnable").bool(), depthWrite: depth.get("depthWriteEnable").bool(),
		cull: raster.get("cullMode").enum(), front: raster.get("frontFace").enum(),
	}
	for e := info.get("pDynamicState").get("pDynamicStates").first(); e.there(); e = e.next() {
		switch strings.TrimSuffix(strings.TrimPrefix(e.enum(), "VK_DYNAMIC_STATE_"), "_EXT") {
		case "VIEWPORT", "VIEWPORT_WITH_COUNT":
			p.dynamic.viewport = true
		case "DEPTH_TEST_ENABLE":
			p.dynamic.depthTest = true
		case "DEPTH_WRITE_ENABLE":
			p.dynamic.depthWrite = true
		case "CULL_MODE":
			p.dynamic.cull = true
		case "FRONT_FACE":
			p.dynamic.front = true
		}
	}
}

func readViewport(e elem) viewport {
	n := func(name string) float64 { return e.get(name).float() }
	return viewport{n("x"), n("y"), n("width"), n("height"), n("minDepth"), n("maxDepth")}
}

func setViewport(_ *chunk, b *commandBuffer, r elem) {
	if r.get("firstViewport").number() == 0 {
		b.target.viewport = readViewport(r.get("pViewports").first())
	}
}

// targetOf is the state at a draw.
func (b *commandBuffer) targetOf(p *pipeline) target {
	s := p.target
	if p.dynamic.viewport {
		s.viewport = b.target.viewport
	}
	if p.dynamic.depthTest {
		s.depthTest = b.target.depthTest
	}
	if p.dynamic.depthWrite {
		s.depthWrite = b.target.depthWrite
	}
	if p.dynamic.cull {
		s.cull = b.target.cull
	}
	if p.dynamic.front {
		s.front = b.target.front
	}
	t := target{pass: b.passNumber, viewport: s.viewport, depthWrites: s.depthTest && s.depthWrite}
	t.culls = culled(strings.Contains(s.cull, "FRONT"), strings.Contains(s.cull, "BACK"), s.front == "VK_FRONT_FACE_COUNTER_CLOCKWISE")
	return t
}

// shadingOf is the state of a draw's vertex shader; nil where shaders are not wanted.
func (v *vulkan) shadingOf(b *commandBuffer, p *pipeline, vertices vertexInput) *shading {
	if !v.f.shaders {
		return nil
	}
	if b.inputs == nil {
		b.inputs = v.readInputs(b, p, vertices)
	}
	must.OK(v.f.budget.Memory(shadingBytes))
	return &shading{stage: p.stage, inputs: b.inputs, values: b.values, at: v.f.clock, target: b.targetOf(p)}
}

// What a draw's shading takes, and one of its inputs.
const (
	shadingBytes = 512
	inputBytes   = 128
)

// readInputs is the vertex input of a draw.
func (v *vulkan) readInputs(b *commandBuffer, p *pipeline, vertices vertexInput) []vertexRead {
	must.OK(v.f.budget.Memory(inputBytes * int64(1+len(vertices.attributes))))
	inputs := make([]vertexRead, 0, 1+len(vertices.attributes))
	for _, a := range vertices.attributes {
		from := vertices.bindings[a.binding]
		in := vertexRead{location: uint32(a.location), from: b.vertices[a.binding].from(a.offset), stride: from.stride}
		if n, ok := b.strides[a.binding]; ok && (p.dynamicStride || p.dynamicInput) {
			in.stride = n
		}
		if from.perInstance {
			in.divisor = max(from.divisor, 1)
		}
		in.name = strings.TrimPrefix(a.format, "VK_FORMAT_")
		in.format, _ = vertexformat.ByName(in.name)
		inputs = append(inputs, in)
	}
	slices.SortStableFunc(inputs, func(a, b vertexRead) int { return cmp.Compare(a.location, b.location) })
	return inputs
}
