package renderdoc

import (
	"fmt"
	"math"
	"strings"
)

// vulkan is the state of Vulkan while a capture is read. Command buffers are lists of
// recorded operations (vulkan_record.go), which become operations of the frame when
// they are submitted.
type vulkan struct {
	f         *frame
	buffers   map[uint64]extent // in device memories; space 0 while not bound
	pipelines map[uint64]*pipeline
	labels    map[uint64]string // of objects
	commands  map[uint64]*commandBuffer
	passes    int
	handlers  map[string]func(*chunk)

	modules    map[uint64]blob // these where shaders are wanted
	setLayouts map[uint64]*setLayout
	layouts    map[uint64][]*setLayout // of pipelines
	sets       map[uint64]*descriptorSet
}

// pipeline is the part of a graphics pipeline that vertex input takes.
type pipeline struct {
	vertexInput
	noInput         bool // it comes from a pipeline library
	topology        topology
	topologyName    string
	restart         bool
	dynamicInput    bool
	dynamicStride   bool
	dynamicTopology bool
	dynamicRestart  bool

	stage   *stage // these where shaders are wanted
	target  vulkanTarget
	dynamic dynamicTarget
}

// vertexInput is bindings by their numbers, and the attribute that holds the positions:
// that of the lowest location, which is 0 by habit.
type vertexInput struct {
	bindings    map[uint64]binding
	position    vertexAttribute
	hasPosition bool
	attributes  []vertexAttribute // all of them
}

type binding struct {
	stride      int64
	perInstance bool
	divisor     int64 // instances that share an element; 0 stands for 1
}

type vertexAttribute struct {
	location uint64
	binding  uint64
	format   string
	offset   int64
}

func newVulkan(f *frame) *vulkan {
	v := &vulkan{
		f: f, buffers: map[uint64]extent{}, pipelines: map[uint64]*pipeline{}, labels: map[uint64]string{},
		commands: map[uint64]*commandBuffer{},
	}
	v.handlers = map[string]func(*chunk){
		"vkCreateBuffer":                         v.createBuffer,
		"vkBindBufferMemory":                     v.bindBuffer,
		"vkBindBufferMemory2":                    v.bindBuffers,
		"vkCreateGraphicsPipelines":              v.createPipeline,
		"vkSetDebugUtilsObjectName":              v.nameObject,
		"vkDebugMarkerSetObjectName":             v.nameObject,
		"Internal::Initial Contents":             v.initialContents,
		"Internal::Coherent Mapped Memory Write": v.mappedWrite,
		"vkFlushMappedMemoryRanges":              v.mappedWrite,
		"vkUnmapMemory":                          v.unmap,
		"vkBeginCommandBuffer":                   v.begin,
		"vkQueueSubmit":                          v.submit,
		"vkQueueSubmit2":                         v.submit,
	}
	v.addRecorders()
	if f.shaders {
		v.addShaderHandlers()
	}
	return v
}

// vulkanName is a function's name without what marks its origin.
func vulkanName(name []byte) string {
	s := string(name)
	for _, suffix := range []string{"KHR", "EXT", "AMD"} {
		s = strings.TrimSuffix(s, suffix)
	}
	return s
}

func (v *vulkan) wants(name []byte) bool {
	s := vulkanName(name)
	return v.handlers[s] != nil || strings.HasPrefix(s, "vkCmdDraw")
}

func (v *vulkan) chunk(c *chunk) {
	if handle := v.handlers[vulkanName(c.name)]; handle != nil {
		handle(c)
	} else if v.f.begun {
		v.f.skip(string(c.name), "unknown kind of draw")
	}
}

// end counts the draws of command buffers that were recorded, but not submitted.
func (v *vulkan) end() {
	for _, c := range v.commands {
		if c.submitted {
			continue
		}
		for _, op := range c.ops {
			if d, ok := op.(*draw); ok {
				v.f.skip(d.call, "recorded, and not submitted")
			}
		}
	}
}

func (v *vulkan) createBuffer(c *chunk) {
	r := c.root()
	size, ok := r.get("CreateInfo").get("size").int()
	id := r.get("Buffer").id()
	if !ok || size < 0 || id == 0 {
		v.f.skip(string(c.name), "without a size")
		return
	}
	v.buffers[id] = extent{end: size}
}

func (v *vulkan) bindBuffer(c *chunk) { v.bind(c, c.root()) }

func (v *vulkan) bindBuffers(c *chunk) {
	for e := c.root().get("pBindInfos").first(); e.there(); e = e.next() {
		v.bind(c, e)
	}
}

func (v *vulkan) bind(c *chunk, e elem) {
	buffer := e.get("buffer").id()
	made, known := v.buffers[buffer]
	at, ok := e.get("memoryOffset").int()
	memory := e.get("memory").id()
	if !known || !ok || at < 0 || memory == 0 {
		v.f.skip(string(c.name), "of a buffer or memory that is not known")
		return
	}
	size := min(made.size(), 1<<62-at)
	v.buffers[buffer] = extent{memory, at, at + size}
}

// buffer is the bytes of a buffer from an offset on; space 0 if there are none.
func (v *vulkan) buffer(buffer, offset elem) extent {
	at, ok := offset.int()
	whole := v.buffers[buffer.id()]
	if !ok || whole.space == 0 {
		return extent{}
	}
	return whole.from(at)
}

func (v *vulkan) nameObject(c *chunk) {
	r := c.root()
	if id := r.get("Object").id(); id != 0 {
		v.labels[id] = r.get("ObjectName").label()
	}
}

func (v *vulkan) createPipeline(c *chunk) {
	r := c.root()
	info := r.get("CreateInfo")
	p := &pipeline{topology: notTriangles}
	input, assembly := info.get("pVertexInputState"), info.get("pInputAssemblyState")
	for e := info.get("pDynamicState").get("pDynamicStates").first(); e.there(); e = e.next() {
		switch strings.TrimSuffix(e.enum(), "_EXT") {
		case "VK_DYNAMIC_STATE_VERTEX_INPUT":
			p.dynamicInput = true
		case "VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE":
			p.dynamicStride = true
		case "VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY":
			p.dynamicTopology = true
		case "VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE":
			p.dynamicRestart = true
		}
	}
	p.noInput = !input.first().there() && !p.dynamicInput
	p.vertexInput = readVertexInput(input)
	p.topologyName = assembly.get("topology").enum()
	p.topology = vulkanTopology(p.topologyName)
	p.restart = assembly.get("primitiveRestartEnable").bool()
	id := r.get("Pipeline").id()
	if v.f.shaders {
		p.stage = v.readStage(info, id)
		p.readTarget(info)
	}
	v.pipelines[id] = p
}

// readVertexInput reads descriptions of bindings and attributes: of a pipeline
// or of vkCmdSetVertexInputEXT.
func readVertexInput(e elem) vertexInput {
	in := vertexInput{bindings: map[uint64]binding{}}
	for b := e.get("pVertexBindingDescriptions").first(); b.there(); b = b.next() {
		in.bindings[b.get("binding").id()] = binding{b.get("stride").number(), b.get("inputRate").enum() == "VK_VERTEX_INPUT_RATE_INSTANCE", b.get("divisor").number()}
	}
	for d := e.get("pNext").get("pVertexBindingDivisors").first(); d.there(); d = d.next() {
		b := in.bindings[d.get("binding").id()]
		b.divisor = d.get("divisor").number()
		in.bindings[d.get("binding").id()] = b
	}
	lowest := uint64(math.MaxUint64)
	for a := e.get("pVertexAttributeDescriptions").first(); a.there(); a = a.next() {
		t := vertexAttribute{a.get("location").id(), a.get("binding").id(), a.get("format").enum(), a.get("offset").number()}
		if t.location <= lowest {
			lowest, in.hasPosition = t.location, true
			in.position = t
		}
		in.attributes = append(in.attributes, t)
	}
	return in
}

func vulkanTopology(name string) topology {
	switch strings.TrimPrefix(name, "VK_PRIMITIVE_TOPOLOGY_") {
	case "TRIANGLE_LIST":
		return list
	case "TRIANGLE_STRIP":
		return strip
	case "TRIANGLE_FAN":
		return fan
	}
	return notTriangles
}

// write adds the write of a buffer of bytes into memory.
func (v *vulkan) write(c *chunk, memory, offset elem, data elem) {
	at, ok := offset.int()
	what, isBlob := data.blob()
	space := memory.id()
	if !ok || at < 0 || space == 0 || !isBlob || what.length > 1<<62-at {
		v.f.skip(string(c.name), "without memory, offset or bytes")
		return
	}
	v.f.add(write{extent{space, at, at + what.length}, what, string(c.name)})
}

func (v *vulkan) initialContents(c *chunk) {
	r := c.root()
	switch r.get("type").enum() {
	case "eResDeviceMemory":
	case "eResDescriptorSet":
		if v.f.shaders {
			v.initialSet(r)
		}
		return
	default:
		return // images, and state that vertices do not depend on
	}
	contents := r.get("Contents")
	what, ok := contents.blob()
	space := r.get("id").id()
	if !ok || space == 0 {
		if contents.there() {
			v.f.skip(string(c.name), "of memory, without bytes")
		}
		return
	}
	v.f.add(write{extent{space, 0, what.length}, what, string(c.name)})
}

func (v *vulkan) mappedWrite(c *chunk) {
	r := c.root()
	m := r.get("MemRange")
	v.write(c, m.get("memory"), m.get("offset"), r.get("MapData"))
}

func (v *vulkan) unmap(c *chunk) {
	r := c.root()
	v.write(c, r.get("memory"), r.get("MapOffset"), r.get("MapData"))
}

// passName names what a command buffer draws into next.
func (v *vulkan) passName(objects ...elem) string {
	v.passes++
	name := fmt.Sprintf("pass %d", v.passes)
	for _, o := range objects {
		if label := v.labels[o.id()]; label != "" {
			return name + " " + label
		}
	}
	return name
}
