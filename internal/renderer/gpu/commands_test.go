package gpu

import (
	"testing"

	"github.com/stretchr/testify/require"
	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

func TestTimeoutIsAClearErrorAndNoHang(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	b := newBuffer(t, d, "b", 64<<20, UsageStorage)
	c := newCommands(t, d)
	var err error
	for fills := uint32(16); err == nil; fills *= 2 { // until a submission takes longer than Wait allows
		require.Less(t, fills, uint32(1<<16))
		c.Begin()
		for i := range fills {
			c.Fill(b, i)
		}
		require.NoError(t, c.End())
		require.NoError(t, c.Submit(Semaphores{}))
		require.EqualError(t, c.Submit(Semaphores{}), "gpu: "+c.Name+": submitted twice without a wait")
		err = c.Wait(0)
	}
	require.ErrorIs(t, err, ErrTimeout)
	require.ErrorContains(t, err, "gpu: TestTimeoutIsAClearErrorAndNoHang: the device did not finish in time (0s)")
	require.True(t, d.lost, "nothing may be freed under a device that may still run")
	require.ErrorIs(t, c.Submit(Semaphores{}), ErrDeviceLost)
	require.ErrorIs(t, c.Wait(Timeout), ErrDeviceLost, "a lost device is not waited for")
	c.Close()
	d.lost = false
	require.NoError(t, c.Wait(Timeout))
}

func TestRecordingMistakesAreErrors(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	c := newCommands(t, d)
	c.Begin()
	require.NoError(t, c.End())
	require.NoError(t, c.Submit(Semaphores{}))
	c.Begin()
	require.ErrorContains(t, c.End(), "recorded again while submitted")
	require.NoError(t, c.Wait(Timeout))
	c.Begin()
	require.NoError(t, c.End())
	require.NoError(t, c.Run())
}

// After a loss nothing is waited for or freed, and every Close returns.
func TestLostDeviceClosesQuietly(t *testing.T) {
	in := must.Get(NewInstance(Options{}))
	infos := must.Get(Devices(in))
	i, err := Choose(infos, "")
	require.NoError(t, err)
	d, err := Open(in, infos[i], OpenOptions{CacheDir: NoCache})
	require.NoError(t, err)
	b := must.Get(d.NewBuffer("b", 16, UsageStorage))
	c := must.Get(d.NewCommands("c"))
	require.ErrorIs(t, d.check("vkQueueSubmit", vk.ErrorDeviceLost), ErrDeviceLost)
	c.Close()
	b.Close()
	require.NoError(t, d.Close())
	require.NoError(t, d.Close())
}
