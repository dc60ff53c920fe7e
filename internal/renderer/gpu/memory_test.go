package gpu

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

func newBuffer(t *testing.T, d *Device, name string, size int64, usage Usage) *Buffer {
	t.Helper()
	b := must.Get(d.NewBuffer(name, size, usage))
	closing(t, b)
	return b
}

func newCommands(t *testing.T, d *Device) *Commands {
	t.Helper()
	c := must.Get(d.NewCommands(t.Name()))
	closing(t, c)
	return c
}

func TestUploadThenDownloadGivesTheSameBytes(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	const n = 40<<20 + 12 // more than the ring, and not a multiple of a slot
	b := newBuffer(t, d, "data", n, UsageStorage)
	data := make([]byte, n)
	random := rand.NewChaCha8([32]byte{1})
	must.Get(random.Read(data))
	require.NoError(t, d.UploadBytes(b, 0, data))
	got := make([]byte, n)
	require.NoError(t, d.DownloadBytes(got, b, 0))
	require.True(t, string(data) == string(got))

	require.NoError(t, d.UploadBytes(b, 8, []byte{1, 2, 3, 4}))
	require.NoError(t, d.DownloadBytes(got[:16], b, 0))
	copy(data[8:], []byte{1, 2, 3, 4})
	require.Equal(t, data[:16], got[:16])

	words := must.Get(Download[uint32](d, b, 2))
	require.Equal(t, uint32(data[0])|uint32(data[1])<<8|uint32(data[2])<<16|uint32(data[3])<<24, words[0])
	require.ErrorContains(t, d.UploadBytes(b, 4, data), "upload to data: 41943052 bytes at 4, it has 41943052")
	require.ErrorContains(t, d.DownloadBytes(got, b, -1), "download from data")
}

func TestEmptyBuffersCanBeBound(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	b := newBuffer(t, d, "empty", 0, UsageStorage)
	require.EqualValues(t, 4, b.Size)
	require.NoError(t, Upload(d, b, []uint32(nil)))
}

func TestTooLargeIsRefusedWithNeedAndHave(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	limit := d.Info.Limits.StorageBufferBytes
	_, err := d.NewBuffer("Indices", limit+4, UsageStorage)
	var size *SizeError
	require.ErrorAs(t, err, &size)
	require.Equal(t, SizeError{What: "buffer Indices", Need: limit + 4, Have: limit, Limit: "maxStorageBufferRange", Bytes: true}, *size)

	if most := d.Info.Limits.BufferBytes; most < math.MaxInt64-4 {
		_, err = d.NewBuffer("raw", most+4, UsageIndirect)
		require.ErrorAs(t, err, &size)
		require.Equal(t, "maxBufferSize", size.Limit)
	}
	_, err = d.NewImage("picture", d.Info.Limits.Image2D+1, 1, FormatColor)
	require.ErrorAs(t, err, &size)
	require.ErrorContains(t, err, "image picture needs")

	_, err = d.NewImage("picture", 0, 1, FormatColor)
	require.EqualError(t, err, "gpu: image picture of 0x1 pixels: each side must be at least 1")
}

func TestOutOfMemorySaysNeedAndHave(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	local := []vk.MemoryPropertyFlagBits{vk.MemoryPropertyDeviceLocalBit}
	const anyType = ^uint32(0)
	var largest int64
	for _, h := range d.Info.Heaps {
		largest = max(largest, h.Bytes)
	}
	_, err := d.allocate("huge", &vk.MemoryRequirements{Size: vk.DeviceSize(largest + 1), MemoryTypeBits: anyType}, local)
	var memory *MemoryError
	require.ErrorAs(t, err, &memory)
	require.Equal(t, largest+1, memory.Need)
	require.Positive(t, memory.Have)
	require.Less(t, memory.Have, memory.Need)
	require.Regexp(t, `^out of device memory: needs [0-9.]+ .iB, the device has [0-9.]+ .iB$`, err.Error())

	// Out of memory from the driver gives the same error; other results are unchanged.
	err = d.memoryError(check("vkAllocateMemory", vk.ErrorOutOfDeviceMemory), 1<<40)
	require.ErrorAs(t, err, &memory)
	require.EqualValues(t, 1<<40, memory.Need)
	require.ErrorIs(t, d.memoryError(check("vkAllocateMemory", vk.ErrorDeviceLost), 1), ErrDeviceLost)

	before := d.MemoryFree()
	b := must.Get(d.NewBuffer("counted", 64<<20, UsageStorage))
	require.LessOrEqual(t, d.MemoryFree(), before-32<<20)
	b.Close()
	require.GreaterOrEqual(t, d.MemoryFree(), before-16<<20)

	d.Info.Limits.MemoryAllocations = d.allocations
	_, err = d.NewBuffer("one more", 16, UsageStorage)
	require.ErrorContains(t, err, "maxMemoryAllocationCount")
}

// With this many barriers per call and collections at the same time, vulkan-go's own
// vkCmdPipelineBarrier read freed memory.
func TestBarriersSurviveGarbageCollection(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	const count, calls = 64, 2000
	buffers := make([]bufferBarrier, count)
	for i := range buffers {
		b := newBuffer(t, d, "stress", 1024, UsageStorage)
		buffers[i] = bufferBarrier{b.handle, vk.AccessShaderWriteBit, vk.AccessShaderReadBit}
	}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	defer func() { close(stop); <-done }()
	c := newCommands(t, d)
	c.Begin()
	for range calls {
		// Validation checks every handle and mask that arrives.
		fresh := append([]bufferBarrier(nil), buffers...)
		r := d.ext.barrier(c.buf, barrierStages{src: computeStage, dst: computeStage}, fresh, nil)
		require.Equal(t, vk.Success, r)
	}
	require.NoError(t, c.End())
	require.NoError(t, c.Run())
	require.Empty(t, d.instance.Messages())
}

func TestHostBuffersReachTheDevice(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	in := must.Get(d.NewHostBuffer("in", 64, HostWrites))
	closing(t, in)
	out := must.Get(d.NewHostBuffer("out", 64, HostReads))
	closing(t, out)
	b := newBuffer(t, d, "device", 64, UsageStorage)
	c := newCommands(t, d)
	c.Begin()
	c.Fill(b, 0x01010101)
	c.Copy(b, 0, in, 0, 32)
	c.Copy(out, 0, b, 0, 64)
	require.NoError(t, c.End())
	for frame := range byte(3) { // recorded once, run three times
		for i := range in.mapped {
			in.mapped[i] = 100 + frame
		}
		require.NoError(t, in.Flush())
		require.NoError(t, c.Run())
		require.NoError(t, out.Invalidate())
		require.Equal(t, 100+frame, out.mapped[31])
		require.Equal(t, byte(1), out.mapped[32])
	}
}
