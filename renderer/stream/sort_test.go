package stream

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer/gpu"
)

func openDevice(t *testing.T) *gpu.Device {
	t.Helper()
	in, err := gpu.NewInstance(gpu.Options{Validation: os.Getenv("SHADEONCE_VALIDATION") != ""})
	require.NoError(t, err)
	t.Cleanup(func() {
		in.Close()
		require.Empty(t, in.Messages())
	})
	infos, err := gpu.Devices(in)
	require.NoError(t, err)
	i, err := gpu.Choose(infos, os.Getenv("SHADEONCE_DEVICE"))
	require.NoError(t, err)
	d, err := gpu.Open(in, infos[i], gpu.OpenOptions{CacheDir: gpu.NoCache})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// sortedOnDevice sorts keys, and then puts them back; it returns both orders, the values
// and the occupancy.
func sortedOnDevice(t *testing.T, d *gpu.Device, keys []uint32, limit uint32, lanes, own int) (sorted, values, back, occupancy []uint32) {
	t.Helper()
	s, err := newSort(d, len(keys), limit, lanes, own)
	require.NoError(t, err)
	defer s.Close()
	c, err := d.NewCommands(t.Name())
	require.NoError(t, err)
	defer c.Close()
	buffers := make([]*gpu.Buffer, 6)
	for i := range buffers {
		size := int64(len(keys)+sortPadding) * wordBytes
		if i == 5 {
			size = int64(limit) * wordBytes
		}
		buffers[i], err = d.NewBuffer(fmt.Sprint("buffer ", i), size, gpu.UsageStorage)
		require.NoError(t, err)
		defer buffers[i].Close()
	}
	require.NoError(t, gpu.Upload(d, buffers[0], keys))
	var at, places [2]*gpu.Buffer
	require.NoError(t, c.RunOnce(func() {
		at, places, err = s.Record(c, [2]*gpu.Buffer(buffers[:2]), [2]*gpu.Buffer(buffers[2:4]))
		require.NoError(t, err)
		require.NoError(t, s.RecordUnsort(c, at[0], places[0], buffers[4]))
		require.NoError(t, s.RecordOccupancy(c, at[0], buffers[5]))
	}))
	read := func(b *gpu.Buffer, n int) []uint32 {
		words, err := gpu.Download[uint32](d, b, n)
		require.NoError(t, err)
		return words
	}
	return read(at[0], len(keys)+sortPadding), read(places[0], len(keys)), read(buffers[4], len(keys)), read(buffers[5], int(limit))
}

// TestSort holds the device's sort, native and virtual, against a stable one of Go; with
// -short each case with one of them.
func TestSort(t *testing.T) {
	d := openDevice(t)
	random := rand.New(rand.NewPCG(1, 2))
	allLanes := append([]int{0}, d.Info.PlanLimits().NativeLanes...)
	for k, lanes := range allLanes {
		for i, c := range []struct{ count, limit, used uint32 }{
			{1, 1, 1}, {2, 2, 2}, {511, 7, 7}, {512, 256, 256}, {513, 257, 257}, {5000, 1 << 16, 1 << 16}, {40000, 100 * 100, 3}, {40000, 1 << 22, 1 << 22},
		} {
			if testing.Short() && i/2%len(allLanes) != k {
				continue
			}
			keys := make([]uint32, c.count)
			for i := range keys {
				keys[i] = c.limit - 1 - random.Uint32N(c.used)
			}
			want := make([]uint32, c.count)
			counts := make([]uint32, c.limit)
			for i := range want {
				want[i] = uint32(i)
				counts[keys[i]]++
			}
			slices.SortStableFunc(want, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
			own := []int{16, 4}[i%2]
			sorted, values, back, occupancy := sortedOnDevice(t, d, keys, c.limit, lanes, own)
			require.Equal(t, want, values, "%d lanes, %d keys of an invocation, %+v", lanes, own, c)
			for i, place := range want {
				require.Equal(t, keys[place], sorted[i])
			}
			last := sorted[c.count-1]
			require.Equal(t, []uint32{last, last}, sorted[c.count:])
			require.Equal(t, keys, back)
			require.Equal(t, counts, occupancy)
		}
	}
}
