// Package feedback runs vertex shaders in a graphics pipeline and captures their outputs by
// transform feedback. Tests compare these with the strategies' results for the same shader. It also
// measures C's heap. Only tests import it.
package feedback

/*
#cgo CFLAGS: -std=gnu11 -Wall -O2
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "feedback.h"
*/
import "C"

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// Job is a vertex shader with the inputs, descriptor sets and push constants for which it was
// written.
type Job struct {
	SPIRV      []byte // its outputs are decorated for transform feedback, in buffer 0
	Entry      string
	Attributes []Attribute
	Blocks     []Block
	Push       []byte
	Indices    []uint32 // a multiple of 3
	Instance   uint32
	Bytes      int // size of a vertex's outputs
}

// Attribute is an input: one element per vertex, or one for all.
type Attribute struct {
	Location uint32
	Format   vertexformat.Format
	Same     bool
	Data     []byte
}

// Block is a uniform block, a storage block, or texels of 16 bytes.
type Block struct {
	Set, Binding, Element uint32
	Storage               bool
	Texels                vertexformat.Format // of a texel buffer or image; 0 for a block
	Width, Height         uint32              // of an image; both are 0 for a buffer, and height is 0 for a one-dimensional image
	Data                  []byte
}

// align is a multiple of the alignments that devices require of offsets.
const align = 256

// Run opens another Vulkan device on d's hardware, runs the vertex shader there for each index, and
// returns the outputs in the order of the indices, without gaps. It is an error if the device lacks
// VK_EXT_transform_feedback.
func (j *Job) Run(d *gpu.Device) ([]byte, error) {
	var job C.feedbackJob
	if len(j.Attributes) > len(job.attributes) || len(j.Blocks) > len(job.blocks) || len(j.Push) > len(job.push) || len(j.Entry) >= len(job.entry) {
		return nil, fmt.Errorf("feedback: a vertex shader with %d inputs, %d blocks and %d bytes of push constants", len(j.Attributes), len(j.Blocks), len(j.Push))
	}
	var data []byte
	put := func(bytes []byte) C.uint64_t {
		at := (len(data) + align - 1) / align * align
		data = append(append(data, make([]byte, at-len(data))...), bytes...)
		return C.uint64_t(at)
	}
	for i, a := range j.Attributes {
		stride := a.Format.Size()
		if a.Same {
			stride = 0
		}
		job.attributes[i] = C.feedbackAttribute{C.uint32_t(a.Location), C.uint32_t(a.Format), C.uint32_t(stride), put(a.Data)}
	}
	for i, b := range j.Blocks {
		job.blocks[i] = C.feedbackBlock{
			C.uint32_t(b.Set), C.uint32_t(b.Binding), C.uint32_t(b.Element), b.kind(), C.uint32_t(b.Texels), C.uint32_t(b.Width), C.uint32_t(b.Height),
			put(b.Data), C.uint64_t(len(b.Data)),
		}
	}
	for i, x := range j.Push {
		job.push[i] = C.uint8_t(x)
	}
	for i := range len(j.Entry) {
		job.entry[i] = C.char(j.Entry[i])
	}
	var indices []byte
	for _, i := range j.Indices {
		indices = binary.NativeEndian.AppendUint32(indices, i)
	}
	job.attributeCount, job.blockCount, job.pushBytes = C.uint32_t(len(j.Attributes)), C.uint32_t(len(j.Blocks)), C.uint32_t(len(j.Push))
	job.indexOffset, job.indexCount, job.instance = put(indices), C.uint32_t(len(j.Indices)), C.uint32_t(j.Instance)
	result := make([]byte, len(j.Indices)*j.Bytes)
	job.resultOffset, job.resultBytes = put(result), C.uint64_t(len(result))
	job.code, job.codeBytes = C.CBytes(j.SPIRV), C.uint64_t(len(j.SPIRV))
	defer C.free(unsafe.Pointer(job.code))
	r := C.feedback_run(unsafe.Pointer(d.Instance().Handle()), unsafe.Pointer(d.Physical()), &job, unsafe.Pointer(&data[0]), C.uint64_t(len(data)))
	if r != C.VK_SUCCESS {
		return nil, fmt.Errorf("feedback: a call of Vulkan returned %d", r)
	}
	copy(result, data[job.resultOffset:])
	return result, nil
}

// kind returns the block's descriptor type.
func (b *Block) kind() C.uint32_t {
	switch {
	case b.Texels != 0 && b.Width > 0:
		return C.VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER
	case b.Texels != 0:
		return C.VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER
	case b.Storage:
		return C.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
	}
	return C.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
}
