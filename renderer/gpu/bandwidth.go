package gpu

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/shaders"
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
	d := b.device
	if d.timestampBits() == 0 {
		return 0, errors.New("gpu: copy bandwidth: the queue has no timestamps")
	}
	if b.bandwidth > 0 {
		return b.bandwidth, nil
	}
	m := &copyMeasure{}
	defer m.close()
	size := d.copyBytes()
	if err := m.make(d, size); err != nil {
		return 0, fmt.Errorf("gpu: copy bandwidth: %w", err)
	}
	best, err := m.run()
	if err != nil {
		return 0, fmt.Errorf("gpu: copy bandwidth: %w", err)
	}
	b.bandwidth = float64(2*size) / best.Seconds()
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

func (m *copyMeasure) make(d *Device, size int64) (err error) {
	if m.source, err = d.NewBuffer("Source", size, UsageStorage); err != nil {
		return err
	}
	if m.result, err = d.NewBuffer("Result", size, UsageStorage); err != nil {
		return err
	}
	spec := Spec{"WORKGROUP": copyWorkgroup, "ELEMENTS": copyElements}
	if m.pipeline, err = d.NewComputePipeline(shaders.Must("measure/copy"), ComputeOptions{Spec: spec}); err != nil {
		return err
	}
	if m.set, err = m.pipeline.NewSet(Resources{"Source": m.source, "Result": m.result}); err != nil {
		return err
	}
	if m.commands, err = d.NewCommands("copy bandwidth"); err != nil {
		return err
	}
	if err := m.fill(); err != nil {
		return err
	}
	c := m.commands
	c.Begin()
	c.Pass("transfer", func() { c.Copy(m.result, 0, m.source, 0, size) })
	c.Pass("compute", func() { c.Dispatch(m.pipeline, m.set, nil, uint32(size/copyGroup), 1, 1) })
	return c.End()
}

// fill writes both buffers, so that no copy pays for memory that is not backed yet.
func (m *copyMeasure) fill() error {
	return m.commands.RunOnce(func() {
		m.commands.Fill(m.source, 0x3f9d70a4)
		m.commands.Fill(m.result, 0)
	})
}

// run returns the lower of the medians of both ways to copy.
func (m *copyMeasure) run() (time.Duration, error) {
	for begin := time.Now(); time.Since(begin) < copyWarmUp; {
		if err := m.commands.Run(); err != nil {
			return 0, err
		}
	}
	times := map[string][]time.Duration{}
	for range copyRuns {
		if err := m.commands.Run(); err != nil {
			return 0, err
		}
		passes, err := m.commands.Timings()
		if err != nil {
			return 0, err
		}
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
		return 0, errors.New("the timestamps stood still")
	}
	return best, nil
}

func (m *copyMeasure) close() {
	m.commands.Close()
	m.set.Close()
	m.pipeline.Close()
	m.result.Close()
	m.source.Close()
}
