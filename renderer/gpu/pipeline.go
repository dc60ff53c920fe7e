package gpu

import (
	"encoding/binary"
	"fmt"
	"maps"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/shaders"
)

// Spec gives specialization constants their values by name, as 32-bit words:
// booleans are 0 or 1, floats their bits. Those not named keep their defaults; a
// name that the shader lacks must be known to another one.
type Spec map[string]uint32

// Pipeline is one compute shader, or a vertex and a fragment shader, with the
// layout that their reflection says.
type Pipeline struct {
	Name string

	device    *Device
	point     vk.PipelineBindPoint
	stages    vk.ShaderStageFlagBits
	bindings  []binding
	pushBytes int
	bytes     int64 // estimate of what the driver takes
	setLayout vk.DescriptorSetLayout
	layout    vk.PipelineLayout
	handle    vk.Pipeline
}

// ComputeOptions specialize a compute pipeline.
type ComputeOptions struct {
	Spec Spec
	// SubgroupSize requires subgroups of so many lanes, all of them full; 0
	// leaves the width to the driver. DeviceInfo.CanRequire says what is possible.
	SubgroupSize int
}

// NewComputePipeline compiles a compute shader for the device.
func (d *Device) NewComputePipeline(s *shaders.Shader, o ComputeOptions) (*Pipeline, error) {
	if n := o.SubgroupSize; n != 0 && !d.Info.CanRequire(n) {
		g := d.Info.Subgroup
		return nil, fmt.Errorf("gpu: %s: subgroups of %d lanes cannot be required here (%d..%d lanes, size control %v)",
			s.Name, n, g.Min, g.Max, d.Info.Features.SubgroupSizeControl)
	}
	if s.Stage != shaders.Compute {
		return nil, fmt.Errorf("gpu: %s is no compute shader", s.Name)
	}
	if err := d.checkWorkgroup(s, o); err != nil {
		return nil, err
	}
	code, err := specialize(s, o.Spec)
	if err != nil {
		return nil, err
	}
	p, err := d.newPipeline(s.Name, vk.PipelineBindPointCompute, s)
	if err != nil {
		return nil, err
	}
	full := o.SubgroupSize != 0 && d.Info.Features.FullSubgroups // checkWorkgroup: whole subgroups
	var handle vk.Pipeline
	var r vk.Result
	d.Aside(func() { handle, r = d.ext.createCompute(d.cache.handle, p.layout, code, uint32(o.SubgroupSize), full) })
	return p.finish("vkCreateComputePipelines", handle, r)
}

// Cull says which faces are not drawn; front faces are counter-clockwise on screen.
type Cull uint32

// Vulkan's VkCullModeFlags.
const (
	CullNone  Cull = 0
	CullFront Cull = 1
	CullBack  Cull = 2
)

// RasterOptions specialize a graphics pipeline: triangle lists on a Target,
// with depth test (less) and writes unless NoDepth.
type RasterOptions struct {
	Spec    Spec // for both shaders
	Cull    Cull
	NoDepth bool
	Blend   bool // over what is there, by alpha
	Discard bool // nothing is rasterized: the vertex shader runs for what it writes
	Streams int  // vertex buffers of three floats a vertex, by location; at most 4
}

// NewGraphicsPipeline compiles a vertex and a fragment shader for the device.
// Without a fragment shader (nil) only depth is drawn, and colour is undefined.
func (d *Device) NewGraphicsPipeline(vertex, fragment *shaders.Shader, o RasterOptions) (*Pipeline, error) {
	if fragment == nil {
		return d.newVertexPipeline(vertex, o)
	}
	if vertex.Stage != shaders.Vertex || fragment.Stage != shaders.Fragment {
		return nil, fmt.Errorf("gpu: %s and %s are no vertex and fragment shader", vertex.Name, fragment.Name)
	}
	ofFragment := known(fragment, o.Spec)
	ofVertex := maps.Clone(o.Spec)
	maps.DeleteFunc(ofVertex, func(name string, _ uint32) bool {
		_, there := ofFragment[name]
		return there && vertex.SpecConstant(name) == nil
	})
	v, err := specialize(vertex, ofVertex)
	if err != nil {
		return nil, err
	}
	f, err := specialize(fragment, ofFragment)
	if err != nil {
		return nil, err
	}
	p, err := d.newPipeline(vertex.Name+"+"+fragment.Name, vk.PipelineBindPointGraphics, vertex, fragment)
	if err != nil {
		return nil, err
	}
	return p.finishGraphics(v, f, o)
}

func (d *Device) newVertexPipeline(vertex *shaders.Shader, o RasterOptions) (*Pipeline, error) {
	if vertex.Stage != shaders.Vertex {
		return nil, fmt.Errorf("gpu: %s is no vertex shader", vertex.Name)
	}
	v, err := specialize(vertex, o.Spec)
	if err != nil {
		return nil, err
	}
	p, err := d.newPipeline(vertex.Name, vk.PipelineBindPointGraphics, vertex)
	if err != nil {
		return nil, err
	}
	return p.finishGraphics(v, stageCode{}, o)
}

func (p *Pipeline) finishGraphics(vertex, fragment stageCode, o RasterOptions) (*Pipeline, error) {
	d := p.device
	var handle vk.Pipeline
	var r vk.Result
	d.Aside(func() { handle, r = d.ext.createGraphics(d.cache.handle, p.layout, d.passes[0], vertex, fragment, o) })
	return p.finish("vkCreateGraphicsPipelines", handle, r)
}

// known is the part of a specialization that a shader has constants for.
func known(s *shaders.Shader, spec Spec) Spec {
	k := Spec{}
	for name, value := range spec {
		if s.SpecConstant(name) != nil {
			k[name] = value
		}
	}
	return k
}

// specialize resolves names to constant ids, in order of ids, so that the
// pipeline cache finds equal pipelines.
func specialize(s *shaders.Shader, spec Spec) (stageCode, error) {
	resolved, err := s.Spec(spec)
	if err != nil {
		return stageCode{}, fmt.Errorf("gpu: %w", err)
	}
	code := stageCode{spirv: s.SPIRV}
	for _, e := range resolved.Entries {
		code.ids = append(code.ids, e.ID)
		code.values = append(code.values, binary.NativeEndian.Uint32(resolved.Data[e.Offset:]))
	}
	return code, nil
}

// newPipeline makes the layouts.
func (d *Device) newPipeline(name string, point vk.PipelineBindPoint, list ...*shaders.Shader) (*Pipeline, error) {
	p := &Pipeline{Name: name, device: d, point: point, bytes: estimateBytes(list...)}
	var err error
	if p.bindings, err = mergeBindings(list); err != nil {
		return nil, err
	}
	if n, most := len(p.bindings), d.Info.Limits.StorageBuffersPerSet; n > most {
		return nil, &SizeError{What: "shader " + name + ": bindings", Need: int64(n), Have: int64(most), Limit: "maxDescriptorSetStorageBuffers"}
	}
	for _, s := range list {
		if err := d.checkCapabilities(s); err != nil {
			return nil, err
		}
		if n, most := len(s.Bindings), d.Info.Limits.StorageBuffersStage; n > most {
			return nil, &SizeError{What: "shader " + s.Name + ": bindings", Need: int64(n), Have: int64(most), Limit: "maxPerStageDescriptorStorageBuffers"}
		}
		shader, err := stageBits(s)
		if err != nil {
			return nil, err
		}
		if s.PushConstantSize > 0 {
			p.stages |= shader
			p.pushBytes = max(p.pushBytes, s.PushConstantSize)
		}
	}
	if most := d.Info.Limits.PushConstantBytes; p.pushBytes > most {
		return nil, &SizeError{What: "shader " + name + ": push constants", Need: int64(p.pushBytes), Have: int64(most), Limit: "maxPushConstantsSize", Bytes: true}
	}
	if err := p.createLayouts(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Pipeline) createLayouts() error {
	d := p.device
	if len(p.bindings) > 0 {
		list := make([]setBinding, len(p.bindings))
		for i, b := range p.bindings {
			list[i] = b.setBinding
		}
		layout, r := d.ext.createSetLayout(list)
		if err := d.check("vkCreateDescriptorSetLayout", r); err != nil {
			return err
		}
		p.setLayout = layout
		d.name(vk.ObjectTypeDescriptorSetLayout, bits(layout), p.Name)
	}
	layout, r := d.ext.createPipelineLayout(p.setLayout, p.pushBytes, p.stages)
	if err := d.check("vkCreatePipelineLayout", r); err != nil {
		return err
	}
	p.layout = layout
	d.name(vk.ObjectTypePipelineLayout, bits(layout), p.Name)
	return nil
}

func (p *Pipeline) finish(call string, handle vk.Pipeline, r vk.Result) (*Pipeline, error) {
	if err := p.device.check(call, r); err != nil {
		p.Close()
		return nil, fmt.Errorf("%w (%s)", err, p.Name)
	}
	p.handle = handle
	p.device.cache.grown = true
	p.device.name(vk.ObjectTypePipeline, bits(handle), p.Name)
	return p, nil
}

// Close frees the pipeline and its layouts; its sets are closed before. A nil
// pipeline is fine.
func (p *Pipeline) Close() {
	if p == nil || p.device.lost {
		return
	}
	d := p.device
	vk.DestroyPipeline(d.handle, p.handle, nil)
	vk.DestroyPipelineLayout(d.handle, p.layout, nil)
	vk.DestroyDescriptorSetLayout(d.handle, p.setLayout, nil)
	p.handle, p.layout, p.setLayout = vk.NullPipeline, vk.NullPipelineLayout, vk.NullDescriptorSetLayout
}
