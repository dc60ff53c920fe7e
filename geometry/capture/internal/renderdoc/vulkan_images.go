package renderdoc

import (
	"fmt"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

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
	i := int64(0)
	for e := info.get("components").first(); e.there(); e = e.next() {
		view.swizzle(i, e.enum())
		i++
	}
	v.views[r.get("View").id()] = view
}

func (v *vulkan) createSampler(r elem) {
	info := r.get("CreateInfo")
	v.samplers[r.get("Sampler").id()] = sampler{
		[2]geometry.Wrap{wrapOf(info.get("addressModeU").enum()), wrapOf(info.get("addressModeV").enum())}, info.get("magFilter").enum() == "VK_FILTER_NEAREST",
	}
}

// wrapOf returns how a texture goes on beyond its edges, by the name of either API.
func wrapOf(mode string) geometry.Wrap {
	switch {
	case strings.Contains(mode, "CLAMP"):
		return geometry.Clamp
	case strings.Contains(mode, "MIRROR"):
		return geometry.Mirror
	}
	return geometry.Repeat
}

// putImage sets a descriptor of a set to an image, a sampler or both.
func (v *vulkan) putImage(set *descriptorSet, number int64, view, sampler elem) {
	set.images.set(v.f, number, imageDescriptor{view.id(), sampler.id()})
}

func (s *vulkanValues) sampled(sample *module.Sample, at int) sampled {
	descriptor := func(r *module.Resource) imageDescriptor {
		set, l, _ := s.find(r.Set, r.Binding, r.Element)
		return set.images.get(l.first+int64(r.Element), at)
	}
	view, known := s.v.views[descriptor(&sample.Image).view]
	if !known {
		leaveOut("the image that its fragment shader samples is not known")
	}
	return sampled{view.image, at, s.v.samplers[descriptor(&sample.Sampler).sampler], view.channels}
}

// find returns the set that is bound for a resource, and its binding.
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
