//go:build cgo

package gpu

import (
	"encoding/binary"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
)

// Spec sets specialization constants by name, as 32-bit words: booleans are 0 or 1, floats their bits.
// Constants that it does not name keep their defaults. A name that a shader lacks must exist in some
// other shader of the project.
type Spec map[string]uint32

// Pipeline is one compute shader, or a vertex or mesh shader with or without a fragment shader, and the layout
// from their reflection.
type Pipeline struct {
	Name string

	device    *Device
	point     vk.PipelineBindPoint
	stages    vk.ShaderStageFlagBits
	bindings  []binding
	pushBytes int
	bytes     int64 // estimated memory in the driver
	sets      int   // number of open descriptor sets
	setLayout vk.DescriptorSetLayout
	layout    vk.PipelineLayout
	handle    vk.Pipeline
}

// ComputeOptions specialize a compute pipeline.
type ComputeOptions struct {
	Spec Spec
	// SubgroupSize requires subgroups of exactly this many lanes, and full ones if the device has
	// Features.FullSubgroups; with 0 the driver chooses the width. DeviceInfo.CanRequire reports what is possible.
	SubgroupSize int
}

// NewComputePipeline compiles a compute shader for the device.
func (d *Device) NewComputePipeline(s *shaders.Shader, o ComputeOptions) (*Pipeline, error) {
	return d.compile(d.layCompute(s, o))
}

// uncompiled is a pipeline with its layouts, and the call that will compile it.
type uncompiled struct {
	*Pipeline
	call string
	run  func(h *vk.Pipeline) vk.Result // takes long; may run on any thread
}

func (d *Device) layCompute(s *shaders.Shader, o ComputeOptions) (_ uncompiled, err error) {
	defer must.Catch(&err)
	if n := o.SubgroupSize; n != 0 && !d.Info.CanRequire(n, shaders.Compute) {
		g := d.Info.Subgroup
		return uncompiled{}, fmt.Errorf("gpu: %s: subgroups of %d lanes cannot be required here (%d..%d lanes, size control %v)",
			s.Name, n, g.Min, g.Max, d.Info.Features.SubgroupSizeControl)
	}
	if s.Stage != shaders.Compute {
		return uncompiled{}, fmt.Errorf("gpu: %s is not a compute shader", s.Name)
	}
	must.OK(d.checkWorkgroup(s, o))
	code := d.withLanes(specialize(s, o.Spec), o.SubgroupSize)
	p := d.newPipeline(s.Name, vk.PipelineBindPointCompute, s)
	return uncompiled{p, "vkCreateComputePipelines", func(h *vk.Pipeline) vk.Result {
		return d.ext.createCompute(d.cache.handle, p.layout, code, h)
	}}, nil
}

// withLanes requires subgroups of the given size, and full ones where the device supports that (see
// checkWorkgroup). 0 requires nothing.
func (d *Device) withLanes(code stageCode, lanes int) stageCode {
	code.lanes, code.full = lanes, lanes != 0 && d.Info.Features.FullSubgroups
	return code
}

// RasterOptions specialize a graphics pipeline, which draws triangle lists to a Target, both faces of
// each. It tests depth (less) and writes it, unless NoDepth is set.
type RasterOptions struct {
	Spec    Spec // for both shaders
	NoDepth bool
	Blend   bool // blends with the target by alpha
	Discard bool // rasterizes nothing: the vertex or mesh shader runs for what it writes
	Streams int  // number of vertex buffers, at most 4; buffer i has three floats per vertex, for location i

	SubgroupSize int // of a mesh shader, as in ComputeOptions
}

// NewGraphicsPipeline compiles a vertex or mesh shader and a fragment shader for the device. If
// fragment is nil, only depth is drawn, and colour is undefined.
func (d *Device) NewGraphicsPipeline(first, fragment *shaders.Shader, o RasterOptions) (*Pipeline, error) {
	return d.compile(d.layGraphics(first, fragment, o))
}

func (d *Device) layGraphics(first, fragment *shaders.Shader, o RasterOptions) (_ uncompiled, err error) {
	defer must.Catch(&err)
	places := first.Stage == shaders.Vertex || first.Stage == shaders.Mesh
	switch {
	case fragment == nil && !places:
		return uncompiled{}, fmt.Errorf("gpu: %s is not a vertex shader", first.Name)
	case fragment != nil && (!places || fragment.Stage != shaders.Fragment):
		return uncompiled{}, fmt.Errorf("gpu: %s and %s are not a vertex and a fragment shader", first.Name, fragment.Name)
	}
	name, list, ofFirst := first.Name, []*shaders.Shader{first}, maps.Clone(o.Spec)
	var f stageCode
	if fragment != nil {
		name, list = name+"+"+fragment.Name, append(list, fragment)
		ofFragment := known(fragment, o.Spec)
		maps.DeleteFunc(ofFirst, func(name string, _ uint32) bool {
			_, there := ofFragment[name]
			return there && first.SpecConstant(name) == nil
		})
		f = specialize(fragment, ofFragment)
	}
	v := d.withLanes(specialize(first, ofFirst), o.SubgroupSize)
	p := d.newPipeline(name, vk.PipelineBindPointGraphics, list...)
	return uncompiled{p, "vkCreateGraphicsPipelines", func(h *vk.Pipeline) vk.Result {
		return d.ext.createGraphics(d.cache.handle, p.layout, d.passes[0], v, f, o, h)
	}}, nil
}

// known returns the entries of a specialization whose constants a shader has.
func known(s *shaders.Shader, spec Spec) Spec {
	k := Spec{}
	for name, value := range spec {
		if s.SpecConstant(name) != nil {
			k[name] = value
		}
	}
	return k
}

// specialize resolves names to constant ids, in order of ids, so that the pipeline cache finds
// equal pipelines.
func specialize(s *shaders.Shader, spec Spec) stageCode {
	resolved, err := s.Spec(spec)
	if err != nil {
		must.Fail("gpu: %w", err)
	}
	code := stageCode{stage: stageBits[s.Stage], spirv: s.SPIRV}
	for _, e := range resolved.Entries {
		code.ids = append(code.ids, e.ID)
		code.values = append(code.values, binary.NativeEndian.Uint32(resolved.Data[e.Offset:]))
	}
	return code
}

// newPipeline makes a pipeline with its layouts, to be compiled later. It fails (must.OK) if the
// device lacks what a shader needs.
func (d *Device) newPipeline(name string, point vk.PipelineBindPoint, list ...*shaders.Shader) *Pipeline {
	p := &Pipeline{Name: name, device: d, point: point, bytes: estimateBytes(list...)}
	p.bindings = mergeBindings(list)
	if n, most := len(p.bindings), d.Info.Limits.StorageBuffersPerSet; n > most {
		must.OK(&SizeError{What: "shader " + name + ": bindings", Need: int64(n), Have: int64(most), Limit: "maxDescriptorSetStorageBuffers"})
	}
	for _, s := range list {
		if lacking := d.Info.Lacks(s); lacking != nil {
			must.Fail("gpu: shader %s needs %s, which %s lacks", s.Name, strings.Join(lacking, ", "), d.Info.Name)
		}
		if n, most := len(s.Bindings), d.Info.Limits.StorageBuffersStage; n > most {
			must.OK(&SizeError{What: "shader " + s.Name + ": bindings", Need: int64(n), Have: int64(most), Limit: "maxPerStageDescriptorStorageBuffers"})
		}
		if s.PushConstantSize > 0 {
			p.stages |= stageBits[s.Stage]
			p.pushBytes = max(p.pushBytes, s.PushConstantSize)
		}
	}
	if most := d.Info.Limits.PushConstantBytes; p.pushBytes > most {
		must.OK(&SizeError{What: "shader " + name + ": push constants", Need: int64(p.pushBytes), Have: int64(most), Limit: "maxPushConstantsSize", Bytes: true})
	}
	return must.Get(made(p, p.createLayouts()))
}

func (p *Pipeline) createLayouts() error {
	d := p.device
	if len(p.bindings) > 0 {
		err := Create(d, &p.setLayout, vk.ObjectTypeDescriptorSetLayout, p.Name, "vkCreateDescriptorSetLayout", func(h *vk.DescriptorSetLayout) vk.Result {
			return d.ext.createSetLayout(p.setBindings(), h)
		})
		if err != nil {
			return err
		}
	}
	return Create(d, &p.layout, vk.ObjectTypePipelineLayout, p.Name, "vkCreatePipelineLayout", func(h *vk.PipelineLayout) vk.Result {
		return d.ext.createPipelineLayout(p.setLayout, p.pushBytes, p.stages, h)
	})
}

// setBindings converts the pipeline's bindings for its set layout.
func (p *Pipeline) setBindings() []setBinding {
	list := make([]setBinding, len(p.bindings))
	for i, b := range p.bindings {
		list[i] = b.setBinding
	}
	return list
}

// compile compiles one pipeline, unless laying it out has failed: then it returns err.
func (d *Device) compile(u uncompiled, err error) (*Pipeline, error) {
	if err != nil {
		return nil, err
	}
	if err := d.compileAll(u); err != nil {
		return nil, err
	}
	return u.Pipeline, nil
}

// compileAll compiles pipelines on all cores. If one fails, it closes them all.
func (d *Device) compileAll(list ...uncompiled) error {
	handles, results := make([]vk.Pipeline, len(list)), make([]vk.Result, len(list))
	d.Aside(func() {
		var next atomic.Int64
		cores.OnAll(len(list), func() {
			for i := next.Add(1) - 1; i < int64(len(list)); i = next.Add(1) - 1 {
				results[i] = list[i].run(&handles[i])
			}
		})
	})
	var failed error
	for i, u := range list {
		err := Create(d, &u.handle, vk.ObjectTypePipeline, u.Name, u.call, func(h *vk.Pipeline) vk.Result {
			*h = handles[i]
			return results[i]
		})
		if err != nil && failed == nil {
			failed = fmt.Errorf("%w (%s)", err, u.Name)
		}
	}
	if failed != nil {
		for _, u := range list {
			u.Close()
		}
		return failed
	}
	d.cache.grown = true
	return nil
}

// Close frees the pipeline and its layouts; its sets must be closed before. Nil is allowed.
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

// checkWorkgroup compares a compute shader's workgroup with the device's limits, including those
// of subgroups if their size is required.
func (d *Device) checkWorkgroup(s *shaders.Shader, o ComputeOptions) error {
	l := &d.Info.Limits
	size := s.WorkgroupSize(o.Spec)
	total := int64(1)
	for i, n := range size {
		if int64(n) > int64(l.WorkgroupSize[i]) {
			return &SizeError{What: "workgroup of " + s.Name, Need: int64(n), Have: int64(l.WorkgroupSize[i]), Limit: "maxComputeWorkGroupSize"}
		}
		total *= int64(n)
	}
	if most := int64(l.WorkgroupInvocations); total > most {
		return &SizeError{What: "workgroup of " + s.Name, Need: total, Have: most, Limit: "maxComputeWorkGroupInvocations"}
	}
	lanes := int64(o.SubgroupSize)
	if lanes == 0 {
		return nil
	}
	if int64(size[0])%lanes != 0 {
		return fmt.Errorf("gpu: shader %s: a workgroup of %d is not a multiple of %d lanes", s.Name, size[0], lanes)
	}
	if most := int64(d.Info.Subgroup.MaxPerWorkgroup); total > lanes*most {
		return &SizeError{What: "workgroup of " + s.Name, Need: total, Have: lanes * most, Limit: "maxComputeWorkgroupSubgroups"}
	}
	return nil
}
