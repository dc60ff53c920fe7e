package gpu

import (
	"time"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"
)

// Timing is how long a pass took on the device.
type Timing struct {
	Name     string
	Duration time.Duration
}

// timerBlock is the number of passes that one query pool times; a recording
// with more passes takes more pools.
const timerBlock = 256

// timer is the timestamps of a recording: query 2i begins pass i, 2i+1 ends it.
type timer struct {
	pools []vk.QueryPool
	names []string
}

func (t *timer) restart() { t.names = t.names[:0] }

func (t *timer) close(d *Device) {
	for _, p := range t.pools {
		vk.DestroyQueryPool(d.handle, p, nil)
	}
	t.pools = nil
}

func (d *Device) timestampBits() int { return d.Info.families[d.family].timestampBits }

// beginTiming writes the first timestamp of a pass and returns its number, or
// -1 where the queue has no timestamps.
func (c *Commands) beginTiming(name string) int {
	t := &c.timer
	if c.device.timestampBits() == 0 || c.err != nil {
		return -1
	}
	n := len(t.names)
	t.names = append(t.names, name)
	if n%timerBlock == 0 {
		if n/timerBlock == len(t.pools) && !c.addPool() {
			return -1
		}
		vk.CmdResetQueryPool(c.buf, t.pools[n/timerBlock], 0, 2*timerBlock)
	}
	vk.CmdWriteTimestamp(c.buf, vk.PipelineStageBottomOfPipeBit, t.pools[n/timerBlock], uint32(2*(n%timerBlock)))
	return n
}

func (c *Commands) endTiming(n int) {
	if n >= 0 && c.err == nil {
		vk.CmdWriteTimestamp(c.buf, vk.PipelineStageBottomOfPipeBit, c.timer.pools[n/timerBlock], uint32(2*(n%timerBlock)+1))
	}
}

func (c *Commands) addPool() bool {
	d := c.device
	info := vk.QueryPoolCreateInfo{SType: vk.StructureTypeQueryPoolCreateInfo, QueryType: vk.QueryTypeTimestamp, QueryCount: 2 * timerBlock}
	defer info.Free()
	var pool vk.QueryPool
	if !c.fail("vkCreateQueryPool", vk.CreateQueryPool(d.handle, &info, nil, &pool)) {
		return false
	}
	c.timer.pools = append(c.timer.pools, pool)
	d.name(vk.ObjectTypeQueryPool, bits(pool), c.Name)
	return true
}

// Timings returns the time of every pass of the submission waited for last, in
// order of recording; nil where the queue has no timestamps. A pass begins when
// all work recorded before it is done, so that times of passes add up to the
// frame's, and short passes carry the cost of their barriers.
func (c *Commands) Timings() ([]Timing, error) {
	t := &c.timer
	d := c.device
	list := make([]Timing, 0, len(t.names))
	var ticks [2 * timerBlock]uint64
	for first := 0; first < len(t.names); first += timerBlock {
		n := min(timerBlock, len(t.names)-first)
		r := vk.GetQueryPoolResults(d.handle, t.pools[first/timerBlock], 0, uint32(2*n), uint(16*n), unsafe.Pointer(&ticks[0]), 8,
			vk.QueryResultFlags(vk.QueryResult64Bit))
		if err := d.check("vkGetQueryPoolResults", r); err != nil {
			return nil, err
		}
		if r == vk.NotReady {
			return nil, nil
		}
		for i := range n {
			list = append(list, Timing{t.names[first+i], ticksToDuration(ticks[2*i], ticks[2*i+1], d.timestampBits(), d.Info.Limits.TimestampPeriodNanos)})
		}
	}
	return list, nil
}

// elapsed is the time from the beginning of the first pass of one command buffer to
// the end of the last of another, both waited for; 0 where the queue has no timestamps.
func elapsed(from, to *Commands) (time.Duration, error) {
	d := from.device
	if len(from.timer.names) == 0 || len(to.timer.names) == 0 {
		return 0, nil
	}
	var ticks [2]uint64
	for i, at := range []struct {
		timer *timer
		query int
	}{{&from.timer, 0}, {&to.timer, 2*len(to.timer.names) - 1}} {
		r := vk.GetQueryPoolResults(d.handle, at.timer.pools[at.query/(2*timerBlock)], uint32(at.query%(2*timerBlock)), 1, 8, unsafe.Pointer(&ticks[i]), 8,
			vk.QueryResultFlags(vk.QueryResult64Bit))
		if err := d.check("vkGetQueryPoolResults", r); err != nil || r == vk.NotReady {
			return 0, err
		}
	}
	return ticksToDuration(ticks[0], ticks[1], d.timestampBits(), d.Info.Limits.TimestampPeriodNanos), nil
}

// ticksToDuration is the time between two timestamps of which only the given
// number of low bits count, and which may have wrapped once.
func ticksToDuration(begin, end uint64, bits int, periodNanos float64) time.Duration {
	delta := end - begin
	if bits < 64 {
		delta &= 1<<bits - 1
	}
	return time.Duration(float64(delta)*periodNanos + 0.5)
}

// SumTimings adds the times of passes of one name, in order of first use.
func SumTimings(list []Timing) []Timing {
	at := map[string]int{}
	var sums []Timing
	for _, t := range list {
		i, known := at[t.Name]
		if !known {
			i = len(sums)
			at[t.Name] = i
			sums = append(sums, Timing{Name: t.Name})
		}
		sums[i].Duration += t.Duration
	}
	return sums
}
