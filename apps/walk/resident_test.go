package walk

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TestPartOf: agents that a device cannot hold at once are processed in parts; a table that it
// cannot bind is an error.
func TestPartOf(t *testing.T) {
	b := openBackend(t)
	info := &b.GPU().Info
	warp := must.Get(reuse.Params{}.Resolve("warp"))
	multi := must.Get(reuse.Params{}.Resolve("multi"))
	part, err := PartOf(b, 1000, 64, DeviceOptions{Reuse: warp, Sorts: true})
	require.NoError(t, err)
	require.Equal(t, 1000, part)

	const mib = 1 << 20
	info.Limits.StorageBufferBytes = 128 * mib
	part, err = PartOf(b, 100_000_000, 4096, DeviceOptions{Reuse: warp, Sorts: true})
	require.NoError(t, err)
	require.Equal(t, mostOfPart, part)
	_, err = PartOf(b, 1000, 4096, DeviceOptions{Reuse: multi})
	require.EqualError(t, err, "stream: multi on 4096x4096 cells: its largest table needs 512 MiB, the device allows 128 MiB (maxStorageBufferRange)")
	info.Limits.StorageBufferBytes = 60 * mib
	_, err = PartOf(b, 1000, 4096, DeviceOptions{Reuse: warp})
	require.ErrorContains(t, err, "warp on 4096x4096 cells: its largest table needs 65.")
}

func TestDigits(t *testing.T) {
	t.Parallel()
	for bits, want := range map[int][]uint{0: {1}, 1: {1}, 8: {8}, 9: {5, 5}, 16: {8, 8}, 20: {7, 7, 7}, 24: {8, 8, 8}} {
		require.Equal(t, want, splitKey(bits))
	}
}
