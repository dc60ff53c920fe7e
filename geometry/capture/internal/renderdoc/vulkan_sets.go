package renderdoc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// setLayout is a descriptor set layout: its bindings by number, each with the position of its first
// descriptor in the set.
type setLayout struct {
	bindings []layoutBinding
	dynamics int64 // number of dynamic offsets that a set takes
}

type layoutBinding struct {
	binding  uint64
	count    int64
	first    int64 // number of its first descriptor
	dynamics int64 // number of the first dynamic offset, or -1
}

// descriptorSet holds descriptors by their number in the layout.
type descriptorSet struct {
	layout  *setLayout
	buffers timelines[int64, extent]
	images  timelines[int64, imageDescriptor]
}

func newSet(layout *setLayout) *descriptorSet {
	return &descriptorSet{layout, timelines[int64, extent]{}, timelines[int64, imageDescriptor]{}}
}

// boundSet is a descriptor set with its dynamic offsets.
type boundSet struct {
	set     *descriptorSet
	offsets []int64
}

// vulkanValues are the descriptor sets and push constants of a command buffer.
type vulkanValues struct {
	v    *vulkan
	sets []boundSet
	push extent
}

// Bounds of layouts and command buffers. Devices have lower limits.
const (
	maxSets        = 32
	maxDescriptors = 1 << 20
	pushBytes      = 4096
)

func (v *vulkan) createSetLayout(r elem) {
	l := &setLayout{}
	for _, e := range r.get("CreateInfo").each("pBindings") {
		b := layoutBinding{binding: e.get("binding").id(), count: e.get("descriptorCount").number(), dynamics: -1}
		switch kind := e.get("descriptorType").enum(); {
		case strings.HasSuffix(kind, "_DYNAMIC"):
			b.dynamics = 0
		case strings.Contains(kind, "INLINE_UNIFORM"):
			b.count = 1
		}
		b.count = max(0, min(b.count, maxDescriptors))
		l.bindings = append(l.bindings, b)
	}
	slices.SortStableFunc(l.bindings, func(a, b layoutBinding) int { return cmp.Compare(a.binding, b.binding) })
	first := int64(0)
	for i := range l.bindings {
		b := &l.bindings[i]
		b.first = first
		first += b.count
		if b.dynamics == 0 {
			b.dynamics = l.dynamics
			l.dynamics += b.count
		}
	}
	v.setLayouts[r.get("SetLayout").id()] = l
}

// at returns a binding; nil if the layout has none with that number.
func (l *setLayout) at(binding uint64) *layoutBinding {
	if l == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(l.bindings, binding, func(b layoutBinding, n uint64) int { return cmp.Compare(b.binding, n) })
	if !ok {
		return nil
	}
	return &l.bindings[i]
}

func (v *vulkan) createLayout(r elem) {
	var sets []*setLayout
	for _, e := range r.get("CreateInfo").each("pSetLayouts") {
		sets = append(sets, v.setLayouts[e.id()])
	}
	v.layouts[r.get("PipelineLayout").id()] = sets
}

// initialSet restores what a set held when the frame began: its descriptors in the order of the
// layout.
func (v *vulkan) initialSet(r elem) {
	set := v.sets[r.get("id").id()]
	if set == nil {
		return
	}
	for number, e := range r.each("Bindings") {
		if strings.Contains(e.get("type").enum(), "_BUFFER") {
			set.buffers.set(v.f, number, v.buffer(e.get("resource"), e.get("offset"), e.get("range")))
		} else {
			set.images.set(v.f, number, imageDescriptor{e.get("resource").id(), e.get("sampler").id()})
		}
	}
}

// writeSets applies a list of VkWriteDescriptorSet; `into` is the set if the writes do not name it.
func (v *vulkan) writeSets(writes elem, into *descriptorSet) {
	for w := writes.first(); w.there(); w = w.next() {
		set := into
		if set == nil {
			set = v.sets[w.get("dstSet").id()]
		}
		if set == nil {
			continue
		}
		b := set.layout.at(w.get("dstBinding").id())
		if b == nil {
			continue
		}
		first := b.first + w.get("dstArrayElement").number()
		for i, e := range w.each("pBufferInfo") {
			if !strings.Contains(w.get("descriptorType").enum(), "_BUFFER") {
				break
			}
			set.buffers.set(v.f, first+i, v.buffer(e.get("buffer"), e.get("offset"), e.get("range")))
		}
		for i, e := range w.each("pImageInfo") {
			set.images.set(v.f, first+i, imageDescriptor{e.get("imageView").id(), e.get("sampler").id()})
		}
	}
}

func (v *vulkan) copySet(e elem) {
	from, to := v.sets[e.get("srcSet").id()], v.sets[e.get("dstSet").id()]
	if from == nil || to == nil {
		return
	}
	src, dst := from.layout.at(e.get("srcBinding").id()), to.layout.at(e.get("dstBinding").id())
	if src == nil || dst == nil {
		return
	}
	at, into := src.first+e.get("srcArrayElement").number(), dst.first+e.get("dstArrayElement").number()
	for i := range max(0, min(e.get("descriptorCount").number(), maxDescriptors)) {
		must.OK(v.f.budget.Work(64))
		if from.buffers[at+i] != nil {
			to.buffers.set(v.f, into+i, from.buffers.get(at+i, v.f.clock))
		}
		if from.images[at+i] != nil {
			to.images.set(v.f, into+i, from.images.get(at+i, v.f.clock))
		}
	}
}

// bindSet binds a set to a command buffer. Earlier draws keep their sets.
func (v *vulkan) bindSet(b *commandBuffer, number int64, s boundSet) {
	if number < 0 || number >= maxSets {
		return
	}
	n := max(len(b.values.sets), int(number)+1)
	must.OK(v.f.budget.Memory(int64(n) * 48))
	sets := make([]boundSet, n)
	copy(sets, b.values.sets)
	sets[number] = s
	b.values = &vulkanValues{v, sets, b.values.push}
}

func (v *vulkan) bindSets(b *commandBuffer, r elem) {
	if r.get("pipelineBindPoint").enum() != "VK_PIPELINE_BIND_POINT_GRAPHICS" {
		return
	}
	offset := r.get("pDynamicOffsets").first()
	for i, e := range r.each("pDescriptorSets") {
		s := boundSet{set: v.sets[e.id()]}
		if s.set != nil && s.set.layout != nil {
			for range s.set.layout.dynamics {
				if !offset.there() {
					break
				}
				s.offsets = append(s.offsets, offset.number())
				offset = offset.next()
			}
		}
		v.bindSet(b, r.get("firstSet").number()+i, s)
	}
}

// pushSet writes descriptors into the command buffer's own set with a number, and binds it.
func (v *vulkan) pushSet(b *commandBuffer, r elem) {
	layout, number := v.layouts[r.get("layout").id()], r.get("set").number()
	if number < 0 || number >= int64(len(layout)) || number >= maxSets {
		return
	}
	set := b.pushed[number]
	if set == nil || set.layout != layout[number] {
		set = newSet(layout[number])
		b.pushed[number] = set
	}
	v.writeSets(r.get("pDescriptorWrites", "Decoded Writes"), set)
	v.bindSet(b, number, boundSet{set: set})
}

func (v *vulkan) pushConstants(b *commandBuffer, r elem) {
	at, ok := r.get("start", "offset").int()
	what, isBlob := r.get("values", "pValues").blob()
	if !ok || !isBlob || at < 0 || what.length > b.values.push.from(at).size() {
		v.f.skip(r.call(), "outside what push constants have")
		return
	}
	b.add(write{b.values.push.from(at).first(what.length), what, r.call()})
}

func (s *vulkanValues) texels(name string, _ int) (extent, vertexformat.Format) {
	leaveOut("image %s: texel buffers are read from captures of OpenGL only", name)
	return extent{}, 0
}

// block returns where a block's values are: in the push constants, or in a bound buffer at its dynamic offset, if it has one.
func (s *vulkanValues) block(b *module.Block, _ string, at int) extent {
	if b.Kind == module.PushConstants {
		return s.push
	}
	set, l, offsets := s.find(b.Set, b.Binding, b.Element)
	where := set.buffers.get(l.first+int64(b.Element), at)
	if l.dynamics >= 0 {
		if n := l.dynamics + int64(b.Element); n < int64(len(offsets)) && offsets[n] >= 0 {
			where.at += min(offsets[n], 1<<60)
			where.end += min(offsets[n], 1<<60)
		}
	}
	if where.space == 0 || where.size() <= 0 {
		leaveOut("set %d, binding %d holds no buffer", b.Set, b.Binding)
	}
	return where
}

// imageView is the image of a view, and how the view reorders its channels.
type imageView struct {
	image uint64
	channels
}

// imageDescriptor is an image, or a sampler, or both.
type imageDescriptor struct{ view, sampler uint64 }

func (v *vulkan) createImage(r elem) {
	info, id := r.get("CreateInfo"), r.get("Image").id()
	if info.get("imageType").enum() == "VK_IMAGE_TYPE_2D" && info.get("samples").enum() == "VK_SAMPLE_COUNT_1_BIT" {
		v.formats[id] = pixelName(info.get("format"))
		v.f.newImage(id, info.get("extent").get("width"), info.get("extent").get("height"), v.formats[id])
	}
}

func (v *vulkan) createView(r elem) {
	info := r.get("CreateInfo")
	view := imageView{info.get("image").id(), identity}
	if r := info.get("subresourceRange"); r.get("baseMipLevel").number() != 0 || r.get("baseArrayLayer").number() != 0 {
		return // only the largest level of the first layer is read
	}
	for i, e := range info.each("components") {
		view.swizzle(i, e.enum())
	}
	v.views[r.get("View").id()] = view
}

func (v *vulkan) createSampler(r elem) {
	info := r.get("CreateInfo")
	v.samplers[r.get("Sampler").id()] = sampler{
		[2]geometry.Wrap{wrapOf(info.get("addressModeU").enum()), wrapOf(info.get("addressModeV").enum())}, info.get("magFilter").enum() == "VK_FILTER_NEAREST", true,
	}
}

// wrapOf returns how a texture continues beyond its edges, by the name of either API.
func wrapOf(mode string) geometry.Wrap {
	switch {
	case strings.Contains(mode, "CLAMP"):
		return geometry.Clamp
	case strings.Contains(mode, "MIRROR"):
		return geometry.Mirror
	}
	return geometry.Repeat
}

func (s *vulkanValues) sampled(sample *module.Sample, at int) sampled {
	descriptor := func(r *module.Resource) imageDescriptor {
		set, l, _ := s.find(r.Set, r.Binding, r.Element)
		return set.images.get(l.first+int64(r.Element), at)
	}
	view, known := s.v.views[descriptor(&sample.Image).view]
	if !known {
		leaveOut("the image that its shader samples is not known")
	}
	return sampled{view.image, at, s.v.samplers[descriptor(&sample.Sampler).sampler], view.channels}
}

// base returns the bound image whose label is most like a base colour's, or the first of several; 0 if none is
// bound. It skips arrays of more than mostChosen images, since it is not known which of them a shader reads.
func (s *vulkanValues) base(at int) (image uint64) {
	const mostChosen = 16
	best := -1
	for _, bound := range s.sets {
		if bound.set == nil || bound.set.layout == nil {
			continue
		}
		must.OK(s.v.f.budget.Work(8 * int64(len(bound.set.layout.bindings))))
		for _, l := range bound.set.layout.bindings {
			id := s.v.views[bound.set.images.get(l.first, at).view].image
			if rank := baseRank(s.v.f.labels[id]); s.v.f.images[id] != nil && l.count <= mostChosen && rank > best {
				image, best = id, rank
			}
		}
	}
	return image
}

// find returns the bound set that holds a resource, the resource's binding in the set's layout, and the set's dynamic offsets.
func (s *vulkanValues) find(set, binding, element uint32) (*descriptorSet, *layoutBinding, []int64) {
	place := fmt.Sprintf("set %d, binding %d", set, binding)
	if int64(set) >= int64(len(s.sets)) || s.sets[set].set == nil {
		leaveOut("%s is not bound", place)
	}
	bound := s.sets[set]
	l := bound.set.layout.at(uint64(binding))
	if l == nil || int64(element) >= l.count {
		leaveOut("%s is not in the set's layout", place)
	}
	return bound.set, l, bound.offsets
}
