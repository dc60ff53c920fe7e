package gpu

/*
#include <stdlib.h>
#include "ext.h"
*/
import "C"

import (
	"fmt"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/geometry/vertexformat"
)

// Feedback is a vertex shader in a graphics pipeline, with inputs, descriptor sets and push
// constants as its author meant them, whose outputs transform feedback keeps. Tests compare
// it with what the strategies make of the same shader.
type Feedback struct {
	SPIRV          []byte // its outputs are decorated for transform feedback, in buffer 0
	Entry          string
	Specialization map[uint32]uint32
	Attributes     []FeedbackAttribute
	Blocks         []FeedbackBlock
	Push           []byte
	Indices        []uint32 // a multiple of 3
	BaseVertex     int32
	Instance       uint32
	Bytes          int // that a vertex's outputs take
}

// FeedbackAttribute is an input, an element a vertex, or one for all.
type FeedbackAttribute struct {
	Location uint32
	Format   vertexformat.Format
	Same     bool
	Data     []byte
}

// FeedbackBlock is a uniform block, a storage block, or texels of 16 bytes.
type FeedbackBlock struct {
	Set, Binding, Element uint32
	Storage               bool
	Texels                vertexformat.Format // of a buffer of texels, or of an image; 0: a block
	Width, Height         uint32              // of an image; both are 0 of a buffer, and height of an image of one dimension
	Data                  []byte
}

// feedbackAlign is a multiple of what devices ask of offsets.
const feedbackAlign = 256

// Feedback runs a vertex shader for each index, on another Vulkan device of the same
// hardware, and returns what each leaves, side by side. Devices without
// VK_EXT_transform_feedback give an error.
func (d *Device) Feedback(f Feedback) ([]byte, error) {
	var job C.vkxFeedback
	if len(f.Attributes) > len(job.attributes) || len(f.Blocks) > len(job.blocks) || len(f.Push) > len(job.push) || len(f.Entry) >= len(job.entry) {
		return nil, fmt.Errorf("gpu: a vertex shader with %d inputs, %d blocks and %d bytes of push constants", len(f.Attributes), len(f.Blocks), len(f.Push))
	}
	var data []byte
	put := func(bytes []byte) C.uint64_t {
		at := (len(data) + feedbackAlign - 1) / feedbackAlign * feedbackAlign
		data = append(append(data, make([]byte, at-len(data))...), bytes...)
		return C.uint64_t(at)
	}
	for i, a := range f.Attributes {
		stride := a.Format.Size()
		if a.Same {
			stride = 0
		}
		job.attributes[i] = C.vkxFeedbackAttribute{C.uint32_t(a.Location), C.uint32_t(a.Format), C.uint32_t(stride), put(a.Data)}
	}
	for i, b := range f.Blocks {
		kind := vk.DescriptorTypeUniformBuffer
		if b.Storage {
			kind = vk.DescriptorTypeStorageBuffer
		}
		if b.Texels != 0 {
			if kind = vk.DescriptorTypeUniformTexelBuffer; b.Width > 0 {
				kind = vk.DescriptorTypeCombinedImageSampler
			}
		}
		job.blocks[i] = C.vkxFeedbackBlock{
			C.uint32_t(b.Set), C.uint32_t(b.Binding), C.uint32_t(b.Element), C.uint32_t(kind), C.uint32_t(b.Texels), C.uint32_t(b.Width), C.uint32_t(b.Height),
			put(b.Data), C.uint64_t(len(b.Data)),
		}
	}
	for i, x := range f.Push {
		job.push[i] = C.uint8_t(x)
	}
	for i := range len(f.Entry) {
		job.entry[i] = C.char(f.Entry[i])
	}
	job.attributeCount, job.blockCount, job.pushBytes = C.uint32_t(len(f.Attributes)), C.uint32_t(len(f.Blocks)), C.uint32_t(len(f.Push))
	job.indexOffset, job.indexCount = put(asBytes(f.Indices)), C.uint32_t(len(f.Indices))
	job.baseVertex, job.instance = C.int32_t(f.BaseVertex), C.uint32_t(f.Instance)
	result := make([]byte, len(f.Indices)*f.Bytes)
	job.resultOffset, job.resultBytes = put(result), C.uint64_t(len(result))
	code := stageCode{spirv: f.SPIRV}
	for id, value := range f.Specialization {
		code.ids, code.values = append(code.ids, id), append(code.values, value)
	}
	stage, free := cStage(code)
	defer free()
	job.stage = stage
	r := C.vkx_feedback(d.instance.ext.p, unsafe.Pointer(d.Info.handle), C.uint32_t(d.family), &job, unsafe.Pointer(&data[0]), C.uint64_t(len(data)))
	copy(result, data[job.resultOffset:])
	return result, check("transform feedback", vk.Result(r))
}
