package renderdoc

import (
	"strings"
)

// vulkan is the state of Vulkan while a capture is read. Command buffers are lists of recorded
// operations (vulkan_record.go), which are appended to the frame's operations when they are
// submitted.
type vulkan struct {
	api
	f          *frame
	buffers    map[uint64]extent // where buffers are in device memories; space 0 for an unbound buffer
	pipelines  map[uint64]*pipeline
	commands   map[uint64]*commandBuffer
	modules    map[uint64]blob
	setLayouts map[uint64]*setLayout
	layouts    map[uint64][]*setLayout // set layouts of pipeline layouts
	sets       map[uint64]*descriptorSet
	formats    map[uint64]string // formats of images
	views      map[uint64]imageView
	samplers   map[uint64]sampler
}

func newVulkan(f *frame) *vulkan {
	v := &vulkan{
		f: f, buffers: map[uint64]extent{}, pipelines: map[uint64]*pipeline{}, commands: map[uint64]*commandBuffer{},
		modules: map[uint64]blob{}, setLayouts: map[uint64]*setLayout{}, layouts: map[uint64][]*setLayout{}, sets: map[uint64]*descriptorSet{},
		formats: map[uint64]string{}, views: map[uint64]imageView{}, samplers: map[uint64]sampler{},
	}
	v.api = api{
		version: 21, suffixes: []string{"KHR", "EXT", "AMD"}, calls: map[string]func(elem){},
		isDraw: func(name string) bool { return strings.HasPrefix(name, "vkCmdDraw") },
	}
	v.on(map[string]func(elem){
		"vkCreateBuffer":     v.createBuffer,
		"vkBindBufferMemory": v.bind,
		"vkBindBufferMemory2": func(r elem) {
			for _, e := range r.each("pBindInfos") {
				v.bind(e)
			}
		},
		"vkCreateGraphicsPipelines":                             v.createPipeline,
		"vkSetDebugUtilsObjectName, vkDebugMarkerSetObjectName": func(r elem) { f.label(r.get("Object"), r.get("ObjectName")) },
		"Internal::Initial Contents":                            v.initialContents,
		"Internal::Coherent Mapped Memory Write, vkFlushMappedMemoryRanges": func(r elem) {
			m := r.get("MemRange")
			v.write(m.get("memory"), m.get("offset"), r.get("MapData"), r)
		},
		"vkUnmapMemory":                 func(r elem) { v.write(r.get("memory"), r.get("MapOffset"), r.get("MapData"), r) },
		"vkBeginCommandBuffer":          v.begin,
		"vkQueueSubmit, vkQueueSubmit2": v.submit,
		"vkCreateShaderModule": func(r elem) {
			if code, ok := r.get("CreateInfo").get("pCode").blob(); ok {
				v.modules[r.get("ShaderModule").id()] = code
			}
		},
		"vkCreateDescriptorSetLayout": v.createSetLayout,
		"vkCreatePipelineLayout":      v.createLayout,
		"vkAllocateDescriptorSets": func(r elem) {
			v.sets[r.get("DescriptorSet").id()] = newSet(v.setLayouts[r.get("AllocateInfo").get("pSetLayouts").first().id()])
		},
		"vkUpdateDescriptorSets": func(r elem) {
			v.writeSets(r.get("pDescriptorWrites"), nil)
			for _, e := range r.each("pDescriptorCopies") {
				v.copySet(e)
			}
		},
		"vkUpdateDescriptorSetWithTemplate": func(r elem) {
			if set := v.sets[r.get("descriptorSet").id()]; set != nil {
				v.writeSets(r.get("Decoded Writes"), set)
			}
		},
		"vkCreateImage":     v.createImage,
		"vkCreateImageView": v.createView,
		"vkCreateSampler":   v.createSampler,
	})
	v.addRecorders()
	return v
}

// end counts draws as left out if their command buffers were never submitted.
func (v *vulkan) end() {
	for _, c := range v.commands {
		for _, op := range c.ops {
			if d, ok := op.(*draw); ok && !c.submitted {
				v.f.skip(d.call, "recorded, and not submitted")
			}
		}
	}
}

func (v *vulkan) createBuffer(r elem) {
	size, ok := r.get("CreateInfo").get("size").int()
	id := r.get("Buffer").id()
	if !ok || size < 0 || id == 0 {
		v.f.skip(r.call(), "without a size")
		return
	}
	v.buffers[id] = extent{end: size}
}

// bind binds a buffer to its place in a memory.
func (v *vulkan) bind(e elem) {
	buffer := e.get("buffer").id()
	made, known := v.buffers[buffer]
	at, ok := e.get("memoryOffset").int()
	memory := e.get("memory").id()
	if !known || !ok || at < 0 || memory == 0 {
		v.f.skip(e.call(), "of an unknown buffer or memory")
		return
	}
	v.buffers[buffer] = extent{memory, at, at + min(made.size(), 1<<62-at)}
}

// buffer returns where a buffer's bytes from `offset` on are. If `size` is a number (VK_WHOLE_SIZE is
// not), there are at most `size` bytes. If the result's space is 0, there are none.
func (v *vulkan) buffer(buffer, offset, size elem) extent {
	at, ok := offset.int()
	whole := v.buffers[buffer.id()]
	if !ok || whole.space == 0 {
		return extent{}
	}
	whole = whole.from(at)
	if n, ok := size.int(); ok {
		whole = whole.first(n)
	}
	return whole
}

// write adds an operation that writes data to a memory.
func (v *vulkan) write(memory, offset, data, r elem) {
	at, ok := offset.int()
	what, isBlob := data.blob()
	space := memory.id()
	if !ok || at < 0 || space == 0 || !isBlob || what.length > 1<<62-at {
		v.f.skip(r.call(), "without memory, offset or bytes")
		return
	}
	v.f.add(write{extent{space, at, at + what.length}, what, r.call()})
}

// initialContents restores memory, descriptors and images; the scene does not depend on other state.
func (v *vulkan) initialContents(r elem) {
	switch r.get("type").enum() {
	case "eResDeviceMemory":
		contents := r.get("Contents")
		what, ok := contents.blob()
		space := r.get("id").id()
		if ok && space != 0 {
			v.f.add(write{extent{space, 0, what.length}, what, r.call()})
		} else if contents.there() {
			v.f.skip(r.call(), "of memory, without bytes")
		}
	case "eResDescriptorSet":
		v.initialSet(r)
	case "eResImage":
		id := r.get("id").id()
		if i := v.f.images[id]; i != nil { // the largest level comes first
			what, _ := r.get("Contents").blob()
			v.f.writeTexels(id, imagePart{width: i.width, height: i.height, format: v.formats[id], what: what})
		}
	}
}

// pipeline is the part of a graphics pipeline that vertices depend on.
type pipeline struct {
	drawState
	id      uint64
	dynamic map[string]bool // by name in dynamicStates: state that the command buffer sets instead
	noInput bool            // whether the vertex input comes from a pipeline library
	stage   *stage
}

// drawState is state that draws take from the pipeline or, if it is dynamic, from the command
// buffer.
type drawState struct {
	input    vertexInput
	topology string
	restarts bool
	targetState
}

// dynamicStates holds, by name, functions that copy a dynamic state from the command buffer over the pipeline's.
var dynamicStates = map[string]func(to, from *drawState){
	"VERTEX_INPUT":             func(to, from *drawState) { to.input = from.input },
	vertexStride:               func(_, _ *drawState) {}, // see commandBuffer.stride
	"PRIMITIVE_RESTART_ENABLE": func(to, from *drawState) { to.restarts = from.restarts },
	"VIEWPORT":                 func(to, from *drawState) { to.viewport = from.viewport },
	"VIEWPORT_WITH_COUNT":      func(to, from *drawState) { to.viewport = from.viewport },
	"DEPTH_TEST_ENABLE":        func(to, from *drawState) { to.depthTest = from.depthTest },
	"DEPTH_WRITE_ENABLE":       func(to, from *drawState) { to.depthWrite = from.depthWrite },
	"CULL_MODE":                func(to, from *drawState) { to.cull = from.cull },
	"FRONT_FACE":               func(to, from *drawState) { to.front = from.front },
	"PRIMITIVE_TOPOLOGY": func(to, from *drawState) {
		if from.topology != "" {
			to.topology = from.topology
		}
	},
}

const vertexStride = "VERTEX_INPUT_BINDING_STRIDE"

// vertexInput holds bindings by number, and attributes. The positions are the attribute with the
// lowest location, usually 0.
type vertexInput struct {
	bindings   map[uint64]binding
	attributes []vertexAttribute
	position   vertexAttribute
	format     components // format of the positions
}

type binding struct {
	stride      int64
	perInstance bool
	divisor     int64 // instances that share an element; 0 means 1
}

type vertexAttribute struct {
	location uint64
	binding  uint64
	format   string
	offset   int64
}

func (v *vulkan) createPipeline(r elem) {
	info := r.get("CreateInfo")
	p := &pipeline{dynamic: map[string]bool{}}
	for _, e := range info.get("pDynamicState").each("pDynamicStates") {
		name := strings.TrimSuffix(strings.TrimPrefix(e.enum(), "VK_DYNAMIC_STATE_"), "_EXT")
		if dynamicStates[name] != nil {
			p.dynamic[name] = true
		}
	}
	input, assembly := info.get("pVertexInputState"), info.get("pInputAssemblyState")
	p.noInput = !input.first().there() && !p.dynamic["VERTEX_INPUT"]
	p.input = readVertexInput(input)
	p.topology, p.restarts = assembly.get("topology").enum(), assembly.get("primitiveRestartEnable").bool()
	p.viewport = readViewport(info.get("pViewportState").get("pViewports").first())
	depth, raster := info.get("pDepthStencilState"), info.get("pRasterizationState")
	p.depthTest, p.depthWrite = depth.get("depthTestEnable").bool(), depth.get("depthWriteEnable").bool()
	p.cull, p.front = raster.get("cullMode").enum(), raster.get("frontFace").enum()
	blended := info.get("pColorBlendState").get("pAttachments").first()
	p.colorless = !strings.Contains(blended.get("colorWriteMask").enum(), "_BIT")
	p.id, p.stage = r.get("Pipeline").id(), v.readStage(info)
	v.pipelines[p.id] = p
}

// readVertexInput reads descriptions of bindings and attributes, from a pipeline or from
// vkCmdSetVertexInputEXT.
func readVertexInput(e elem) vertexInput {
	in := vertexInput{bindings: map[uint64]binding{}}
	for _, b := range e.each("pVertexBindingDescriptions") {
		in.bindings[b.get("binding").id()] = binding{b.get("stride").number(), b.get("inputRate").enum() == "VK_VERTEX_INPUT_RATE_INSTANCE", b.get("divisor").number()}
	}
	for _, d := range e.get("pNext").each("pVertexBindingDivisors") {
		b := in.bindings[d.get("binding").id()]
		b.divisor = d.get("divisor").number()
		in.bindings[d.get("binding").id()] = b
	}
	for _, a := range e.each("pVertexAttributeDescriptions") {
		t := vertexAttribute{a.get("location").id(), a.get("binding").id(), a.get("format").enum(), a.get("offset").number()}
		if len(in.attributes) == 0 || t.location <= in.position.location {
			in.position = t
		}
		in.attributes = append(in.attributes, t)
	}
	in.format = vulkanComponents(in.position.format)
	return in
}

// readStage reads the vertex and the fragment shader of a pipeline.
func (v *vulkan) readStage(info elem) *stage {
	s := &stage{why: "the pipeline has no vertex shader"}
	later := ""
	for _, e := range info.each("pStages") {
		kind := e.get("stage").enum()
		if kind == "VK_SHADER_STAGE_VERTEX_BIT" {
			v.readVertexStage(s, e)
		} else if why := laterStages[kind]; why != "" {
			later = why
		} else if kind == "VK_SHADER_STAGE_FRAGMENT_BIT" {
			s.fragment.code = v.modules[e.get("module").id()]
		}
	}
	if later != "" {
		s.why = later
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
	for _, m := range special.each("pMapEntries") {
		s.special = append(s.special, specialConstant{uint32(m.get("constantID").id()), m.get("offset").number(), m.get("size").number()})
	}
}
