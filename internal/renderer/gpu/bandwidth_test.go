package gpu

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/bytesize"
)

func TestCopyBandwidth(t *testing.T) {
	b := ownBackend(t)
	before := b.device.allocations
	bytesPerSecond, err := b.copyBandwidth()
	require.NoError(t, err)
	t.Logf("%.4g GB/s by copies of %s", bytesPerSecond/1e9, bytesize.Text(b.device.copyBytes()))
	// Below 100 TB/s, which is over ten times the fastest memory, so that a wrong unit fails.
	require.Positive(t, bytesPerSecond)
	require.Less(t, bytesPerSecond, 1e14)
	require.Equal(t, before, b.device.allocations, "its buffers are freed")
	again, err := b.copyBandwidth()
	require.NoError(t, err)
	require.Equal(t, bytesPerSecond, again, "measured once")

	require.Equal(t, int64(0), b.device.copyBytes()%copyGroup)
	b.device.Info.Limits.WorkgroupCount[0] = 10
	require.Equal(t, int64(10*copyGroup), b.device.copyBytes())
	b.device.Info.families[b.device.family].timestampBits = 0
	_, err = b.copyBandwidth()
	require.EqualError(t, err, "gpu: copy bandwidth: the queue has no timestamps")
}

// A copy moves each byte twice: it reads the byte and writes it.
func TestCopyRate(t *testing.T) {
	require.Equal(t, 4e9, copyRate(1e9, time.Second/2))
	require.Equal(t, 2e3, copyRate(1, time.Millisecond))
}

// Both copy methods copy the whole buffer, up to the last word.
func TestCopyMeasureCopies(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	m := &copyMeasure{}
	defer m.close()
	m.make(d, 2*copyGroup)
	data := make([]uint32, 2*copyGroup/4)
	for i := range data {
		data[i] = uint32(i) * 2654435769
	}
	require.NoError(t, Upload(d, m.source, data))
	for name, record := range map[string]func(c *Commands){
		"transfer": func(c *Commands) { c.Copy(m.result, 0, m.source, 0, m.source.Size) },
		"compute":  func(c *Commands) { c.Dispatch(m.pipeline, m.set, nil, 2, 1, 1) },
	} {
		c := newCommands(t, d)
		c.Begin()
		c.Fill(m.result, 0)
		record(c)
		require.NoError(t, c.End())
		require.NoError(t, c.Run())
		got, err := Download[uint32](d, m.result, len(data))
		require.NoError(t, err)
		require.Equal(t, data, got, name)
	}
}
