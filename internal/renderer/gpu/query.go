//go:build cgo

package gpu

import (
	"slices"
	"time"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// Statistics is a query that counts what the graphics pipeline does during Count, in one
// recording. All methods accept nil and then count nothing.
type Statistics struct {
	device *Device
	pool   vk.QueryPool
}

// counted are the counters of a query, in the order of Vulkan's bits, which is also the order of
// the results.
const counted = vk.QueryPipelineStatisticInputAssemblyVerticesBit | vk.QueryPipelineStatisticInputAssemblyPrimitivesBit |
	vk.QueryPipelineStatisticVertexShaderInvocationsBit | vk.QueryPipelineStatisticClippingInvocationsBit

// NewStatistics makes a query; the device must have Features.PipelineStatistics.
func (d *Device) NewStatistics(name string) (*Statistics, error) {
	pool, err := d.newQueryPool(name, vk.QueryPoolCreateInfo{
		QueryType: vk.QueryTypePipelineStatistics, QueryCount: 1, PipelineStatistics: vk.QueryPipelineStatisticFlags(counted),
	})
	if err != nil {
		return nil, err
	}
	return &Statistics{d, pool}, nil
}

func (d *Device) newQueryPool(name string, info vk.QueryPoolCreateInfo) (pool vk.QueryPool, err error) {
	info.SType = vk.StructureTypeQueryPoolCreateInfo
	err = CreateBy(d, &pool, vk.ObjectTypeQueryPool, name, "vkCreateQueryPool", vk.CreateQueryPool, info)
	return pool, err
}

// Count calls record, and records the query around its commands. Call Count once per recording, and
// not within a Render.
func (s *Statistics) Count(c *Commands, record func()) {
	if s == nil || c.err != nil {
		record()
		return
	}
	vk.CmdResetQueryPool(c.buf, s.pool, 0, 1)
	vk.CmdBeginQuery(c.buf, s.pool, 0, 0)
	record()
	vk.CmdEndQuery(c.buf, s.pool, 0)
}

// Read returns the counters of the last submission that was waited for.
func (s *Statistics) Read() (out renderer.PipelineStatistics, err error) {
	if s == nil {
		return out, nil
	}
	var n [4]uint64
	size := unsafe.Sizeof(n)
	r := vk.GetQueryPoolResults(s.device.handle, s.pool, 0, 1, uint(size), unsafe.Pointer(&n[0]), vk.DeviceSize(size),
		vk.QueryResultFlags(vk.QueryResult64Bit|vk.QueryResultWaitBit))
	if err := s.device.check("vkGetQueryPoolResults", r); err != nil {
		return out, err
	}
	return renderer.PipelineStatistics{AssembledVertices: n[0], AssembledPrimitives: n[1], VertexInvocations: n[2], ClippedPrimitives: n[3]}, nil
}

// Close frees the query, which no submission may be using. Nil is allowed.
func (s *Statistics) Close() {
	if s == nil || s.device.lost {
		return
	}
	vk.DestroyQueryPool(s.device.handle, s.pool, nil)
	s.pool = vk.NullQueryPool
}

// timerBlock is the number of timestamps in a query pool; a recording with more uses more pools.
const timerBlock = 256

// timer is the timestamps of a recording: query 0 begins the first pass, query i+1 ends pass i
// and begins the next.
type timer struct {
	pools []vk.QueryPool
	names []string
}

func (t *timer) close(d *Device) {
	for _, p := range t.pools {
		vk.DestroyQueryPool(d.handle, p, nil)
	}
	t.pools = nil
}

func (d *Device) timestampBits() int { return d.Info.families[d.family].timestampBits }

// beginTiming adds a pass and returns its number; -1 if the caller need not stamp its end.
func (c *Commands) beginTiming(name string) int {
	t := &c.timer
	if c.device.timestampBits() == 0 || c.err != nil || c.adopted {
		return -1
	}
	n := len(t.names)
	if n == 0 {
		c.stamp(0)
	}
	if !c.whole || n == 0 {
		t.names = append(t.names, name)
	}
	if c.whole { // End records the other timestamp
		return -1
	}
	return n
}

// stamp records a timestamp that is written when all previous commands are done. On a CPU device a barrier follows:
// while an image is bound, Mesa's driver writes timestamps at barriers only, so that a pass would get the time of the
// passes up to the next barrier. The barrier orders nothing, so that validation still sees where one is missing.
func (c *Commands) stamp(query int) {
	t, block := &c.timer, query/timerBlock
	if c.err != nil || block == len(t.pools) && !c.addPool() {
		return
	}
	if query%timerBlock == 0 {
		vk.CmdResetQueryPool(c.buf, t.pools[block], 0, timerBlock)
	}
	vk.CmdWriteTimestamp(c.buf, vk.PipelineStageBottomOfPipeBit, t.pools[block], uint32(query%timerBlock))
	if c.device.Info.Type == TypeCPU {
		none := barrierStages{src: vk.PipelineStageTopOfPipeBit, dst: vk.PipelineStageBottomOfPipeBit}
		c.fail("vkCmdPipelineBarrier", c.device.ext.barrier(c.buf, none, nil, nil))
	}
}

func (c *Commands) addPool() bool {
	pool, err := c.device.newQueryPool(c.Name, vk.QueryPoolCreateInfo{QueryType: vk.QueryTypeTimestamp, QueryCount: timerBlock})
	if err != nil {
		c.err = err
		return false
	}
	c.timer.pools = append(c.timer.pools, pool)
	return true
}

// Timings returns the time of every pass of the last submission that was waited for, in recording
// order; nil without timestamps between passes. A pass begins when all commands before it are done, so
// the times of passes add up to the frame's, and short passes include the cost of their barriers. If
// passes overlap, a pass gets the time from the end of the previous one to its own end.
func (c *Commands) Timings() ([]renderer.Timing, error) {
	t := &c.timer
	if len(t.names) == 0 || c.whole {
		return nil, nil
	}
	ticks, err := c.ticks(0, len(t.names)+1)
	if ticks == nil {
		return nil, err
	}
	list := make([]renderer.Timing, len(t.names))
	for i, name := range t.names {
		list[i] = renderer.Timing{Pass: name, Duration: c.device.between(ticks[i], ticks[i+1])}
	}
	return list, nil
}

// ticks reads n timestamps from query `first` on; nil if one of them is not written yet.
func (c *Commands) ticks(first, n int) ([]uint64, error) {
	d, ticks := c.device, make([]uint64, n)
	for at := 0; at < n; {
		query := first + at
		count := min(n-at, timerBlock-query%timerBlock)
		r := vk.GetQueryPoolResults(d.handle, c.timer.pools[query/timerBlock], uint32(query%timerBlock), uint32(count), uint(8*count), unsafe.Pointer(&ticks[at]), 8,
			vk.QueryResultFlags(vk.QueryResult64Bit))
		if err := d.check("vkGetQueryPoolResults", r); err != nil || r == vk.NotReady {
			return nil, err
		}
		at += count
	}
	return ticks, nil
}

// elapsed returns the time from the beginning of the first pass of one command buffer to the end
// of the last pass of another, both waited for; 0 if the queue has no timestamps.
func elapsed(from, to *Commands) (time.Duration, error) {
	if len(from.timer.names) == 0 || len(to.timer.names) == 0 {
		return 0, nil
	}
	begin, err := from.ticks(0, 1)
	if begin == nil {
		return 0, err
	}
	end, err := to.ticks(len(to.timer.names), 1)
	if end == nil {
		return 0, err
	}
	return from.device.between(begin[0], end[0]), nil
}

// between returns the time between two timestamps.
func (d *Device) between(begin, end uint64) time.Duration {
	return ticksToDuration(begin, end, d.timestampBits(), d.Info.Limits.TimestampPeriodNanos)
}

// ticksToDuration returns the time between two timestamps that have the given number of valid low
// bits and may have wrapped once.
func ticksToDuration(begin, end uint64, bits int, periodNanos float64) time.Duration {
	delta := end - begin
	if bits < 64 {
		delta &= 1<<bits - 1
	}
	return time.Duration(float64(delta)*periodNanos + 0.5)
}

// Repetitions and sizes of the copies. The warm-up gives an idle GPU time to raise its clocks.
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
// plus bytes written per second. It times several copies by the transfer command and several by a
// compute shader, with GPU timestamps, and takes the median of the faster way. The first call takes
// about a second; later calls return its result.
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
	b.bandwidth = copyRate(size, m.run())
	return b.bandwidth, nil
}

// copyRate returns the bytes read plus those written per second of a copy of so many bytes.
func copyRate(size int64, took time.Duration) float64 { return float64(2*size) / took.Seconds() }

// copyBytes returns the size of each buffer: a multiple of what one workgroup copies, within what
// the device can bind, dispatch and spare.
func (d *Device) copyBytes() int64 {
	size := int64(copyBytesGPU)
	if d.Info.Type == TypeCPU {
		size = copyBytesCPU
	}
	size = min(size, d.Info.Limits.StorageBufferBytes, d.MemoryFree()/8, int64(d.Info.Limits.WorkgroupCount[0])*copyGroup)
	return max(1, size/copyGroup) * copyGroup
}

// copyMeasure holds the objects of one measurement.
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

// run returns the median time of the faster way to copy.
func (m *copyMeasure) run() time.Duration {
	for begin := time.Now(); time.Since(begin) < copyWarmUp; {
		must.OK(m.commands.Run())
	}
	times := map[string][]time.Duration{}
	for range copyRuns {
		must.OK(m.commands.Run())
		for _, t := range must.Get(m.commands.Timings()) {
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
