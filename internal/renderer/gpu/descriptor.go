//go:build cgo

package gpu

import (
	"slices"
	"strings"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
)

// binding is a named descriptor of a pipeline. It joins what the pipeline's shaders declare for one
// binding number.
type binding struct {
	setBinding
	name   string
	access vk.AccessFlagBits
}

// stageBits are Vulkan's flags for the stages of shaders.
var stageBits = map[shaders.Stage]vk.ShaderStageFlagBits{
	shaders.Compute: vk.ShaderStageComputeBit, shaders.Vertex: vk.ShaderStageVertexBit, shaders.Fragment: vk.ShaderStageFragmentBit,
	shaders.Mesh: 0x80, // VK_SHADER_STAGE_MESH_BIT_EXT, which vulkan-go lacks
}

// bindingAccess returns how a shader accesses a descriptor.
func bindingAccess(b shaders.Binding) vk.AccessFlagBits {
	switch {
	case b.Uniform:
		return vk.AccessUniformReadBit
	case b.ReadOnly:
		return vk.AccessShaderReadBit
	case b.WriteOnly:
		return vk.AccessShaderWriteBit
	}
	return vk.AccessShaderReadBit | vk.AccessShaderWriteBit
}

// mergeBindings joins the bindings of a pipeline's shaders to those of one descriptor set, sorted by number.
func mergeBindings(list []*shaders.Shader) []binding {
	var merged []binding
	for _, s := range list {
		stage, known := stageBits[s.Stage]
		if !known {
			must.Fail("gpu: shader %s: stage %v is not supported", s.Name, s.Stage)
		}
		for _, b := range s.Bindings {
			kind := vk.DescriptorTypeStorageBuffer
			if b.Uniform {
				kind = vk.DescriptorTypeUniformBuffer
			}
			if b.Set != 0 {
				must.Fail("gpu: shader %s: binding %s is in set %d, only set 0 is used", s.Name, b.Name, b.Set)
			}
			i := slices.IndexFunc(merged, func(m binding) bool { return m.Binding == b.Binding })
			if i < 0 {
				merged = append(merged, binding{setBinding{b.Binding, kind, stage}, b.Name, bindingAccess(b)})
				continue
			}
			m := &merged[i]
			if m.name != b.Name || m.Type != kind {
				must.Fail("gpu: shader %s: binding %d is %s here and %s in another stage", s.Name, b.Binding, b.Name, m.name)
			}
			m.Stages |= stage
			m.access |= bindingAccess(b)
		}
	}
	slices.SortFunc(merged, func(a, b binding) int { return int(a.Binding) - int(b.Binding) })
	return merged
}

// Set is a descriptor set: the buffers that a pipeline's shaders read and write, one for every
// binding.
type Set struct {
	pipeline *Pipeline
	pool     vk.DescriptorPool
	handle   vk.DescriptorSet
	buffers  []boundBuffer
}

type boundBuffer struct {
	name   string // name of the block
	buffer *Buffer
	use    use
}

// Resources are the buffers to bind, by the names of their blocks.
type Resources map[string]*Buffer

// NewSet binds resources to a pipeline. Every binding must be given; resources that the pipeline
// does not use are ignored, so that one map can serve all pipelines.
func (p *Pipeline) NewSet(r Resources) (_ *Set, err error) {
	defer must.Catch(&err)
	s := &Set{pipeline: p}
	if len(p.bindings) == 0 {
		p.sets++
		return s, nil
	}
	writes := s.gather(r)
	d := p.device
	pool, set, result := d.ext.createSet(p.setLayout, p.setBindings())
	must.OK(d.check("vkCreateDescriptorPool", result))
	s.pool, s.handle = pool, set
	p.sets++
	if d.instance.Validation() { // Mesa leaks the name of a set that is freed with its pool
		d.name(vk.ObjectTypeDescriptorSet, bits(set), p.Name)
	}
	d.name(vk.ObjectTypeDescriptorPool, bits(pool), p.Name)
	return made(s, d.check("vkUpdateDescriptorSets", d.ext.writeSet(set, writes)))
}

func (s *Set) gather(r Resources) []setWrite {
	p := s.pipeline
	limit := p.device.Info.Limits.StorageBufferBytes
	var writes []setWrite
	var missing []string
	for _, b := range p.bindings {
		x := r[b.name]
		if x == nil {
			missing = append(missing, b.name)
			continue
		}
		if x.Size > limit && b.Type == vk.DescriptorTypeStorageBuffer {
			must.OK(&SizeError{What: "buffer " + x.Name, Need: x.Size, Have: limit, Limit: "maxStorageBufferRange", Bytes: true})
		}
		writes = append(writes, setWrite{Binding: b.Binding, Type: b.Type, Buffer: x.handle})
		s.buffers = append(s.buffers, boundBuffer{b.name, x, shaderUse(pipelineStages(b.Stages), b.access)})
	}
	if missing != nil {
		must.Fail("gpu: %s: nothing bound to %s", p.Name, strings.Join(missing, ", "))
	}
	return writes
}

// pipelineStages converts stages of shaders to stages of barriers.
func pipelineStages(s vk.ShaderStageFlagBits) (p vk.PipelineStageFlagBits) {
	if s&vk.ShaderStageComputeBit != 0 {
		p |= computeStage
	}
	if s&vk.ShaderStageVertexBit != 0 {
		p |= vertexStage
	}
	if s&vk.ShaderStageFragmentBit != 0 {
		p |= fragmentStage
	}
	if s&stageBits[shaders.Mesh] != 0 {
		p |= meshStage
	}
	return p
}

// restrict narrows the uses of the set's buffers to what a pass declares: the pass may only read, or
// only update atomically, a block that the shaders declare as writable.
func (s *Set) restrict(access map[string]plan.Access) {
	for i := range s.buffers {
		b := &s.buffers[i]
		switch access[b.name] {
		case plan.Update:
			b.use.atomic = b.use.writes
		case plan.Read:
			if b.use.writes {
				b.use = shaderUse(b.use.stages, vk.AccessShaderReadBit)
			}
		}
	}
}

// use records that the next command uses the set's buffers.
func (s *Set) use(c *Commands) {
	for _, b := range s.buffers {
		c.useBuffer(b.buffer, b.use)
	}
}

// Close frees the set, which no submission may be using. Nil is allowed.
func (s *Set) Close() {
	if s == nil || s.pipeline == nil {
		return
	}
	s.pipeline.sets--
	if d := s.pipeline.device; !d.lost && s.pool != vk.NullDescriptorPool {
		vk.DestroyDescriptorPool(d.handle, s.pool, nil)
	}
	*s = Set{}
}
