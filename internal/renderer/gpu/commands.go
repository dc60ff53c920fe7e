//go:build cgo

package gpu

import (
	"errors"
	"fmt"
	"image"
	"time"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Timeout is how long Run and Wait(Timeout) wait for a submission before they return ErrTimeout.
// Drivers themselves stop a hung shader after a few seconds. On a CPU device there is no limit: other
// programs prolong submissions there, and CPU drivers do not hang.
const Timeout = 60 * time.Second

// Commands is a command buffer that is recorded once and can be submitted many times, one
// submission at a time. Methods that are called between Begin and End record commands. They return no
// errors: End returns the first one.
type Commands struct {
	Name string

	device    *Device
	pool      vk.CommandPool
	buf       vk.CommandBuffer
	fence     vk.Fence
	submitted bool
	adopted   bool // buf belongs to a caller, who begins, ends and submits it
	err       error

	buffers    map[*Buffer]history
	images     map[*Image]imageState
	bufferUses []bufferUse
	imageUses  []imageUse
	noting     *step // set while Together only collects uses
	settled    bool  // set while Together records after its barrier
	timer      timer
	whole      bool // timed as a whole, without timestamps between passes
}

// NewCommands makes an empty command buffer.
func (d *Device) NewCommands(name string) (*Commands, error) {
	c := &Commands{Name: name, device: d, images: map[*Image]imageState{}, buffers: map[*Buffer]history{}}
	return made(c, c.create())
}

func (c *Commands) create() (err error) {
	defer must.Catch(&err)
	d := c.device
	must.OK(CreateBy(d, &c.pool, vk.ObjectTypeCommandPool, c.Name, "vkCreateCommandPool", vk.CreateCommandPool,
		vk.CommandPoolCreateInfo{SType: vk.StructureTypeCommandPoolCreateInfo, QueueFamilyIndex: uint32(d.family)}))
	info := vk.CommandBufferAllocateInfo{
		SType: vk.StructureTypeCommandBufferAllocateInfo, CommandPool: c.pool, Level: vk.CommandBufferLevelPrimary, CommandBufferCount: 1,
	}
	defer info.Free()
	list := make([]vk.CommandBuffer, 1)
	must.OK(d.check("vkAllocateCommandBuffers", vk.AllocateCommandBuffers(d.handle, &info, list)))
	c.buf = list[0]
	d.name(vk.ObjectTypeCommandBuffer, bits(c.buf), c.Name)
	return CreateBy(d, &c.fence, vk.ObjectTypeFence, c.Name, "vkCreateFence", vk.CreateFence, vk.FenceCreateInfo{SType: vk.StructureTypeFenceCreateInfo})
}

// Begin discards what was recorded and starts again. What earlier submissions wrote is visible to
// all that follows.
func (c *Commands) Begin() {
	if c.BeginApart(); c.err == nil {
		c.barrierAll()
	}
}

func (c *Commands) barrierAll() {
	all := vk.PipelineStageAllCommandsBit
	c.fail("vkCmdPipelineBarrier", c.device.ext.barrier(c.buf, barrierStages{
		src: all, dst: all, srcAccess: vk.AccessMemoryWriteBit, dstAccess: vk.AccessMemoryReadBit | vk.AccessMemoryWriteBit,
	}, nil, nil))
}

// BeginApart is Begin without waiting for earlier submissions: the commands may overlap unfinished
// submissions, and must not use their resources.
func (c *Commands) BeginApart() {
	c.err = nil
	clear(c.buffers)
	clear(c.images)
	c.bufferUses, c.imageUses = nil, nil
	if c.submitted {
		c.err = fmt.Errorf("gpu: %s: recorded again while submitted", c.Name)
		return
	}
	d := c.device
	info := vk.CommandBufferBeginInfo{SType: vk.StructureTypeCommandBufferBeginInfo}
	defer info.Free()
	if c.fail("vkResetCommandPool", vk.ResetCommandPool(d.handle, c.pool, 0)) && c.fail("vkBeginCommandBuffer", vk.BeginCommandBuffer(c.buf, &info)) {
		c.timer.names = c.timer.names[:0]
	}
}

// End returns images to homeLayout, makes all writes visible to the host and ends
// the recording. It returns the first error since Begin.
func (c *Commands) End() error {
	c.finish()
	if c.err == nil {
		c.fail("vkEndCommandBuffer", vk.EndCommandBuffer(c.buf))
	}
	return c.err
}

// finish does what End does, except that it does not end the command buffer: the owner of an adopted
// one ends it.
func (c *Commands) finish() {
	for m := range c.images {
		c.useImage(m, homeLayout, copyFrom, false)
	}
	c.settle()
	if c.whole && len(c.timer.names) > 0 {
		c.stamp(1)
	}
	if c.err == nil {
		c.fail("vkCmdPipelineBarrier", c.device.ext.barrier(c.buf, barrierStages{
			src: vk.PipelineStageAllCommandsBit, dst: vk.PipelineStageHostBit,
			srcAccess: vk.AccessMemoryWriteBit, dstAccess: vk.AccessHostReadBit,
		}, nil, nil))
	}
}

// fail records a failed call and reports whether recording can continue.
func (c *Commands) fail(call string, r vk.Result) bool {
	if err := c.device.check(call, r); err != nil && c.err == nil {
		c.err = err
	}
	return c.err == nil
}

// Semaphores order a submission against the presentation engine; each may be null.
type Semaphores struct {
	Wait       vk.Semaphore
	WaitStages vk.PipelineStageFlagBits // the stages that wait for Wait
	Signal     vk.Semaphore
}

// Submit submits what was recorded. Wait must be called before the next submission or recording.
func (c *Commands) Submit(s Semaphores) error {
	if c.err != nil {
		return c.err
	}
	if c.device.lost {
		return fmt.Errorf("gpu: %s: %w", c.Name, ErrDeviceLost)
	}
	if c.submitted {
		return fmt.Errorf("gpu: %s: submitted twice without a wait", c.Name)
	}
	d := c.device
	err := d.check("vkResetFences", vk.ResetFences(d.handle, 1, []vk.Fence{c.fence}))
	if err == nil {
		err = d.check("vkQueueSubmit", d.ext.submit(d.queue, c.buf, s.Wait, s.WaitStages, s.Signal, c.fence))
	}
	c.submitted = err == nil
	return err
}

// Wait waits for the submission, if there is one. On a CPU device, a timeout of Timeout means no
// limit. Errors match ErrTimeout or ErrDeviceLost, or are a *CallError.
func (c *Commands) Wait(timeout time.Duration) error {
	if !c.submitted {
		return nil
	}
	d := c.device
	if d.lost {
		return fmt.Errorf("gpu: %s: %w", c.Name, ErrDeviceLost)
	}
	r := c.await(timeout)
	for r == vk.Timeout && timeout == Timeout && d.Info.Type == TypeCPU {
		r = c.await(timeout)
	}
	if r == vk.Timeout {
		d.lost = true
		return fmt.Errorf("gpu: %s: %w (%v)", c.Name, ErrTimeout, timeout)
	}
	err := d.check("vkWaitForFences", r)
	c.submitted = err != nil
	return err
}

// Run submits and waits.
func (c *Commands) Run() error {
	if err := c.Submit(Semaphores{}); err != nil {
		return err
	}
	return c.Wait(Timeout)
}

// RunOnce records commands, submits them and waits.
func (c *Commands) RunOnce(record func()) error {
	c.Begin()
	record()
	if err := c.End(); err != nil {
		return err
	}
	return c.Run()
}

// runOnce is RunOnce on a temporary command buffer.
func (d *Device) runOnce(name string, record func(c *Commands)) error {
	c, err := d.NewCommands(name)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.RunOnce(func() { record(c) })
}

// Close frees the command buffer, after waiting for its submission. Nil is allowed.
func (c *Commands) Close() {
	if c == nil || c.device.lost {
		return
	}
	// A failed wait marks the device as lost; the objects of a lost device are not freed.
	if err := c.Wait(Timeout); err != nil || c.device.lost {
		return
	}
	d := c.device
	c.timer.close(d)
	vk.DestroyFence(d.handle, c.fence, nil)
	vk.DestroyCommandPool(d.handle, c.pool, nil)
	c.fence, c.pool, c.buf = vk.NullFence, vk.NullCommandPool, nil
	c.err = errors.New("gpu: " + c.Name + ": used after Close")
}

// Pass calls record, and labels and times the commands that it records. Passes do not nest. The name
// appears in Timings and in graphics debuggers.
func (c *Commands) Pass(name string, record func()) {
	if c.noting != nil {
		record()
		return
	}
	if c.err != nil {
		return
	}
	d := c.device
	d.ext.beginLabel(c.buf, name)
	q := c.beginTiming(name)
	record()
	if q >= 0 {
		c.stamp(q + 1)
	}
	d.ext.endLabel(c.buf)
}

// Fill fills a whole buffer with a word.
func (c *Commands) Fill(b *Buffer, value uint32) {
	c.useBuffer(b, copyTo)
	if c.settle(); c.records() {
		vk.CmdFillBuffer(c.buf, b.handle, 0, vk.DeviceSize(b.Size), value)
	}
}

// Copy copies bytes between buffers.
func (c *Commands) Copy(dst *Buffer, dstOffset int64, src *Buffer, srcOffset, size int64) {
	if c.err == nil && (dstOffset < 0 || srcOffset < 0 || size < 0 || size > dst.Size-dstOffset || size > src.Size-srcOffset) {
		c.err = fmt.Errorf("gpu: %s: copy of %d bytes: %s+%d of %d to %s+%d of %d", c.Name, size, src.Name, srcOffset, src.Size, dst.Name, dstOffset, dst.Size)
	}
	if c.err != nil || size == 0 {
		return
	}
	c.useBuffer(src, copyFrom)
	c.useBuffer(dst, copyTo)
	if c.settle(); c.records() {
		c.device.ext.copyBuffer(c.buf, src.handle, dst.handle, srcOffset, dstOffset, size)
	}
}

// CopyImage copies an image's pixels, row by row without padding, to a buffer.
func (c *Commands) CopyImage(dst *Buffer, offset int64, src *Image) {
	if need := int64(src.Width) * int64(src.Height) * pixelBytes; c.err == nil && need > dst.Size-offset {
		c.err = fmt.Errorf("gpu: %s: image %s needs %d bytes, buffer %s has %d", c.Name, src.Name, need, dst.Name, dst.Size-offset)
	}
	c.useImage(src, homeLayout, copyFrom, false)
	c.useBuffer(dst, copyTo)
	if c.settle(); c.records() {
		c.device.ext.copyImageToBuffer(c.buf, src, dst.handle, offset)
	}
}

// FillImage copies pixels, row by row without padding, from a buffer to an image.
func (c *Commands) FillImage(dst *Image, src *Buffer, offset int64) {
	if need := int64(dst.Width) * int64(dst.Height) * pixelBytes; c.err == nil && need > src.Size-offset {
		c.err = fmt.Errorf("gpu: %s: image %s needs %d bytes, buffer %s has %d", c.Name, dst.Name, need, src.Name, src.Size-offset)
	}
	c.useImage(dst, vk.ImageLayoutTransferDstOptimal, copyTo, true)
	c.useBuffer(src, copyFrom)
	if c.settle(); c.records() {
		c.device.ext.copyBufferToImage(c.buf, src.handle, offset, dst.handle, dst.aspect, image.Rect(0, 0, dst.Width, dst.Height))
	}
}

// Dispatch runs a compute pipeline over x*y*z workgroups. push must have the size of the
// pipeline's push constants.
func (c *Commands) Dispatch(p *Pipeline, s *Set, push []byte, x, y, z uint32) {
	limit := c.device.Info.Limits.WorkgroupCount
	if c.err == nil && (int(x) > limit[0] || int(y) > limit[1] || int(z) > limit[2]) {
		c.err = fmt.Errorf("gpu: %s: dispatch of %dx%dx%d workgroups, the device allows %v", p.Name, x, y, z, limit)
	}
	s.use(c)
	if c.settle(); c.bind(p, s, push) {
		vk.CmdDispatch(c.buf, x, y, z)
	}
}

// DispatchIndirect is Dispatch with the counts (three words) read from a buffer.
func (c *Commands) DispatchIndirect(p *Pipeline, s *Set, push []byte, args *Buffer, offset int64) {
	s.use(c)
	c.useBuffer(args, drawIndirect)
	if c.settle(); c.bind(p, s, push) {
		vk.CmdDispatchIndirect(c.buf, args.handle, vk.DeviceSize(offset))
	}
}

func (c *Commands) bind(p *Pipeline, s *Set, push []byte) bool {
	if c.err == nil && len(push) != p.pushBytes {
		c.err = fmt.Errorf("gpu: %s: %d bytes of push constants, the shader takes %d", p.Name, len(push), p.pushBytes)
	}
	if c.err == nil && s.pipeline != p {
		c.err = fmt.Errorf("gpu: %s: bound with a set of %s", p.Name, s.pipeline.Name)
	}
	if !c.records() {
		return false
	}
	vk.CmdBindPipeline(c.buf, p.point, p.handle)
	if s.handle != vk.NullDescriptorSet {
		vk.CmdBindDescriptorSets(c.buf, p.point, p.layout, 0, 1, []vk.DescriptorSet{s.handle}, 0, nil)
	}
	c.push(p, push)
	return true
}

// push sets the push constants of the bound pipeline.
func (c *Commands) push(p *Pipeline, push []byte) {
	if len(push) > 0 {
		vk.CmdPushConstants(c.buf, p.layout, vk.ShaderStageFlags(p.stages), 0, uint32(len(push)), unsafe.Pointer(&push[0]))
	}
}
