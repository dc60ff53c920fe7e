//go:build cgo

package gpu

import (
	"time"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/renderer"
)

// timerBlock is the number of timestamps in a query pool; a recording with more uses more pools.
const timerBlock = 256

// timer is the timestamps of a recording: query 0 begins the first pass, query i+1 ends pass i
// and begins the next.
type timer struct {
	pools []vk.QueryPool
	names []string
	begun bool // whether query 0 is recorded
}

func (t *timer) restart() { t.names, t.begun = t.names[:0], false }

func (t *timer) close(d *Device) {
	for _, p := range t.pools {
		vk.DestroyQueryPool(d.handle, p, nil)
	}
	t.pools = nil
}

func (d *Device) timestampBits() int { return d.Info.families[d.family].timestampBits }

// beginTiming adds a pass and returns its number, or -1 if the queue has no timestamps.
func (c *Commands) beginTiming(name string) int {
	t := &c.timer
	if c.device.timestampBits() == 0 || c.err != nil || c.adopted {
		return -1
	}
	n := len(t.names)
	if !t.begun {
		c.stamp(0)
		t.begun = true
	}
	if !c.whole || n == 0 {
		t.names = append(t.names, name)
	}
	if c.whole { // End records the other timestamp
		return -1
	}
	return n
}

// beginTimer makes the first pass begin here, before a barrier: Mesa's CPU driver delays
// timestamps until a barrier, and a short recording has no other.
func (c *Commands) beginTimer() {
	if c.device.timestampBits() == 0 || c.err != nil {
		return
	}
	c.stamp(0)
	c.timer.begun = true
	c.barrierAll()
}

func (c *Commands) endTiming(n int) {
	if n >= 0 {
		c.stamp(n + 1)
	}
}

// stamp records a timestamp that is written when all previous commands are done.
func (c *Commands) stamp(query int) {
	t, block := &c.timer, query/timerBlock
	if c.err != nil || block == len(t.pools) && !c.addPool() {
		return
	}
	if query%timerBlock == 0 {
		vk.CmdResetQueryPool(c.buf, t.pools[block], 0, timerBlock)
	}
	vk.CmdWriteTimestamp(c.buf, vk.PipelineStageBottomOfPipeBit, t.pools[block], uint32(query%timerBlock))
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

// Timings returns the time of every pass of the last submission that was waited for, in the order
// of recording; nil if the queue has no timestamps. A pass begins when all commands before it are
// done, so that times of passes add up to the frame's, and short passes include the cost of their
// barriers. A pass that runs at the same time as others gets the time by which it prolongs them.
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

// ticks reads timestamps; nil if they are not written.
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
