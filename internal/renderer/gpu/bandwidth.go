//go:build cgo

package gpu

import (
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
)

// Repetitions and sizes of the copies: an idle GPU needs a while to raise its clocks.
const (
	copyWarmUp = 500 * time.Millisecond
	copyRuns   = 25

	copyBytesGPU = 256 << 20 // far larger than caches
	copyBytesCPU = 32 << 20

	copyWorkgroup = 256 // workgroup size of measure/copy
	copyElements  = 4   // elements of 16 bytes that an invocation copies
	copyGroup     = copyWorkgroup * copyElements * 16
)

// copyBandwidth measures how fast the device copies between device-local buffers, in bytes read
// plus bytes written per second. It takes the median of several copies by GPU timestamps, by the
// transfer command or by a compute shader, whichever is faster. The first call takes about a
// second; later ones return its result.
func (b *Backend) copyBandwidth() (bytesPerSecond float64, err error) {
	defer must.Catch(&err)
	defer must.Place("gpu: copy bandwidth")
	d := b.device
	if d.timestampBits() == 0 {
		must.Fail("the queue has no timestamps")
	}
	if b.bandwidth > 0 {
		return b.bandwidth, nil
	}
	m := &copyMeasure{}
	defer m.close()
	size := d.copyBytes()
	m.make(d, size)
	b.bandwidth = float64(2*size) / m.run().Seconds()
	return b.bandwidth, nil
}

// copyBytes returns the size of either buffer: a whole number of workgroups' shares, within what
// the device can bind, dispatch and spare.
func (d *Device) copyBytes() int64 {
	size := int64(copyBytesGPU)
	if d.Info.Type == TypeCPU {
		size = copyBytesCPU
	}
	size = min(size, d.Info.Limits.StorageBufferBytes, d.MemoryFree()/8, int64(d.Info.Limits.WorkgroupCount[0])*copyGroup)
	return max(1, size/copyGroup) * copyGroup
}

// copyMeasure is what a measurement allocates on the device.
type copyMeasure struct {
	source, result *Buffer
	pipeline       *Pipeline
	set            *Set
	commands       *Commands
}

func (m *copyMeasure) make(d *Device, size int64) {
	m.source = must.Get(d.NewBuffer("Source", size, UsageStorage))
	m.result = must.Get(d.NewBuffer("Result", size, UsageStorage))
	spec := Spec{"WORKGROUP": copyWorkgroup, "ELEMENTS": copyElements}
	m.pipeline = must.Get(d.NewComputePipeline(shaders.Must("measure/copy"), ComputeOptions{Spec: spec}))
	m.set = must.Get(m.pipeline.NewSet(Resources{"Source": m.source, "Result": m.result}))
	m.commands = must.Get(d.NewCommands("copy bandwidth"))
	m.fill()
	c := m.commands
	c.Begin()
	c.Pass("transfer", func() { c.Copy(m.result, 0, m.source, 0, size) })
	c.Pass("compute", func() { c.Dispatch(m.pipeline, m.set, nil, uint32(size/copyGroup), 1, 1) })
	must.OK(c.End())
}

// fill writes both buffers, so that no copy pays for memory that is not backed yet.
func (m *copyMeasure) fill() {
	must.OK(m.commands.RunOnce(func() {
		m.commands.Fill(m.source, 0x3f9d70a4)
		m.commands.Fill(m.result, 0)
	}))
}

// run returns the lower of the medians of both ways to copy.
func (m *copyMeasure) run() time.Duration {
	for begin := time.Now(); time.Since(begin) < copyWarmUp; {
		must.OK(m.commands.Run())
	}
	times := map[string][]time.Duration{}
	for range copyRuns {
		must.OK(m.commands.Run())
		passes := must.Get(m.commands.Timings())
		for _, t := range passes {
			times[t.Pass] = append(times[t.Pass], t.Duration)
		}
	}
	var best time.Duration
	for _, list := range times {
		slices.Sort(list)
		if median := list[len(list)/2]; best == 0 || median < best {
			best = median
		}
	}
	if best <= 0 {
		must.Fail("the timestamps stood still")
	}
	return best
}

func (m *copyMeasure) close() {
	m.commands.Close()
	m.set.Close()
	m.pipeline.Close()
	m.result.Close()
	m.source.Close()
}
