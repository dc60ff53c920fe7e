//go:build cgo

package gpu

import vk "github.com/vulkan-go/vulkan"

// The arguments that Go passes to ext.go contain no pointers except code and names, which are
// copied for the duration of a call.

type physicalDevice = vk.PhysicalDevice

type memoryType struct {
	flags vk.MemoryPropertyFlagBits
	heap  int
}

// setBinding is one descriptor of a set layout; Stages are Vulkan's bits.
type setBinding struct {
	Binding uint32
	Type    vk.DescriptorType
	Stages  vk.ShaderStageFlagBits
}

// setWrite puts a whole buffer into a set.
type setWrite struct {
	Binding uint32
	Type    vk.DescriptorType
	Buffer  vk.Buffer
}

// stageCode is a shader with its specialization: values[i] goes to constant ids[i]. lanes is the
// required subgroup size, 0 for any; full requires that all lanes exist.
type stageCode struct {
	stage       vk.ShaderStageFlagBits
	lanes       int
	full        bool
	spirv       []byte
	ids, values []uint32
}

// barrierStages are the stages before and after a barrier, with the accesses of its global memory
// barrier. If both accesses are 0, it has none.
type barrierStages struct {
	src, dst             vk.PipelineStageFlagBits
	srcAccess, dstAccess vk.AccessFlagBits
}

type bufferBarrier struct {
	buffer               vk.Buffer
	srcAccess, dstAccess vk.AccessFlagBits
}

type imageBarrier struct {
	image                vk.Image
	aspect               vk.ImageAspectFlagBits
	oldLayout, newLayout vk.ImageLayout
	srcAccess, dstAccess vk.AccessFlagBits
}
