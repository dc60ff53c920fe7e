package plan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
)

func TestQueueBudgetFollowsTheDevice(t *testing.T) {
	for memory, want := range map[int64]int64{
		0: 64 << 20, 1 << 30: 64 << 20, 3 << 30: 128 << 20, 8<<30 - 1: 256 << 20, 8 << 30: 512 << 20, 140 << 30: 512 << 20,
	} {
		require.Equal(t, want, renderer.Limits{DeviceBytes: memory}.QueueBudget(), "%d bytes", memory)
	}
}

// A scene whose queues take more than 64 MiB is one chunk if the device has enough memory, else
// several: because of the device's size, the device budget, or a large picture.
func TestQueueBudgetOfFrames(t *testing.T) {
	f := frame(t, 1_000_000, "naive", 8)
	f.Queue = renderer.Expanded
	l := testLimits
	l.MaxImageSide = renderer.MaxImageSide
	plan := func(device int64) *Plan {
		l.DeviceBytes = device
		p := made(t)(New(f, l))
		require.False(t, p.Windowed())
		return p
	}
	one := plan(4 << 30)
	require.Len(t, one.Chunks, 1)
	require.EqualValues(t, 256<<20, one.Frame.QueueBudget)
	require.NotEqual(t, 1, len(plan(1<<30).Chunks))

	f.DeviceBudget = 1 << 30
	require.NotEqual(t, 1, len(plan(4<<30).Chunks))
	f.DeviceBudget = 0

	const row = renderer.MaxImageSide * 8
	f.Width = renderer.MaxImageSide
	f.Height = int((2<<30-one.ownBytes())/row) + 16 // 2 MiB more than there is room for
	p := plan(2 << 30)
	require.EqualValues(t, renderer.LeastQueueBudget, p.Frame.QueueBudget)
	require.NotEqual(t, 1, len(p.Chunks))
}
