package gpu

import (
	"time"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/renderer"
)

// timerBlock is the number of timestamps of one query pool; a recording with more
// takes more pools.
const timerBlock = 256

// timer is the timestamps of a recording: query 0 begins the first pass, query i+1
// ends pass i and begins the next.
type timer struct {
	pools []vk.QueryPool
	names []string
	begun bool // query 0 is there
}

func (t *timer) restart() { t.names, t.begun = t.names[:0], false }

func (t *timer) close(d *Device) {
	for _, p := range t.pools {
		vk.DestroyQueryPool(d.handle, p, nil)
	}
	t.pools = nil
}

func (d *Device) timestampBits() int { return d.Info.families[d.family].timestampBits }

// beginTiming notes a pass and returns its number, or -1 where the queue has no
// timestamps.
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
	if c.whole { // End takes the other timestamp
		return -1
	}
	return n
}

// beginTimer lets the first pass begin here, ahead of a barrier: Mesa's CPU driver
// keeps timestamps back until one, and a short recording has no other.
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

// stamp writes a timestamp when all that was recorded is done.
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

// Timings returns the time of every pass of the submission waited for last, in
// order of recording; nil where the queue has no timestamps. A pass begins when
// all work recorded before it is done, so that times of passes add up to the
// frame's, and short passes carry the cost of their barriers. Of passes that run
// at the same time each has the time by which it prolongs the others.
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

// ticks reads timestamps; nil where they are not written.
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

// elapsed is the time from the beginning of the first pass of one command buffer to
// the end of the last of another, both waited for; 0 where the queue has no timestamps.
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

// between is the time between two timestamps.
func (d *Device) between(begin, end uint64) time.Duration {
	return ticksToDuration(begin, end, d.timestampBits(), d.Info.Limits.TimestampPeriodNanos)
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
