package walk

import (
	"cmp"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/stream"
	"github.com/shadeonce/shadeonce/internal/shaders"
)

// TestPartOf: agents that a device cannot hold at once are processed in parts; a table that it
// cannot bind is an error.
func TestPartOf(t *testing.T) {
	b := openBackend(t)
	info := &b.GPU().Info
	warp := must.Get(reuse.Params{}.Resolve("warp"))
	multi := must.Get(reuse.Params{}.Resolve("multi"))
	part := must.Get(PartOf(b, 1000, 64, DeviceOptions{Reuse: warp, Sorts: true}))
	require.Equal(t, 1000, part)

	const mib = 1 << 20
	info.Limits.StorageBufferBytes = 128 * mib
	part = must.Get(PartOf(b, 100_000_000, 4096, DeviceOptions{Reuse: warp, Sorts: true}))
	require.Equal(t, mostOfPart, part)
	_, err := PartOf(b, 1000, 4096, DeviceOptions{Reuse: multi})
	require.EqualError(t, err, "stream: multi on 4096x4096 cells: its largest table needs 512 MiB, the device allows 128 MiB (maxStorageBufferRange)")
	info.Limits.StorageBufferBytes = 60 * mib
	_, err = PartOf(b, 1000, 4096, DeviceOptions{Reuse: warp})
	require.ErrorContains(t, err, "warp on 4096x4096 cells: its largest table needs 65.")
	info.Limits.StorageBufferBytes = 1 << 50
	_, err = PartOf(b, 1000, 1<<20, DeviceOptions{Reuse: warp})
	var memory *gpu.MemoryError
	require.ErrorAs(t, err, &memory)
	require.Greater(t, memory.Need, memory.Have, "with the tables")
}

func TestDigits(t *testing.T) {
	t.Parallel()
	for bits, want := range map[int][]uint{0: {1}, 1: {1}, 8: {8}, 9: {5, 5}, 16: {8, 8}, 20: {7, 7, 7}, 24: {8, 8, 8}} {
		require.Equal(t, want, splitKey(bits))
	}
}

func openBackend(t *testing.T) *gpu.Backend {
	b := must.Get(gpu.OpenBackend(gpu.BackendOptions{Device: os.Getenv("SHADEONCE_DEVICE"), Validation: os.Getenv("SHADEONCE_VALIDATION") != ""}))
	t.Cleanup(func() {
		b.Close()
		require.Empty(t, b.Messages())
	})
	return b
}

// sortedOnDevice sorts keys, and then restores their order. It returns both orders, the values and the occupancy.
func sortedOnDevice(t *testing.T, b *gpu.Backend, keys []uint32, limit uint32, lanes, own int) (sorted, values, back, occupancy []uint32) {
	d, s := b.GPU(), newSorterOf(b.GPU(), len(keys), limit, lanes, own)
	s.limits.MaxGroups = 1 << s.digits[0] // so that many tiles take several rows of workgroups, some of them beyond the last tile
	words := len(keys) + padding
	tables, err := stream.NewTables(b, stream.Result[uint32](sortKeys, words), stream.Result[uint32](sortValues, words),
		stream.Result[uint32](sortedKeys, words), stream.Result[uint32](sortedValues, words), stream.Result[uint32](sortOccupancy, int(limit)))
	require.NoError(t, err)
	defer tables.Close()
	exec := func(p *plan.Plan) {
		must.Get(stream.Exec(t.Context(), b, p, tables))
	}
	require.NoError(t, gpu.Upload(d, tables[sortKeys], keys))
	p, swapped := s.sort(false)
	exec(p)
	if swapped {
		tables[sortKeys], tables[sortedKeys] = tables[sortedKeys], tables[sortKeys]
		tables[sortValues], tables[sortedValues] = tables[sortedValues], tables[sortValues]
	}
	exec(s.occupancy())
	read := func(b *gpu.Buffer, n int) []uint32 {
		return must.Get(gpu.Download[uint32](d, b, n))
	}
	sorted, values = read(tables[sortKeys], words), read(tables[sortValues], len(keys))
	unsort := s.newPlan(sortKeys, sortValues, sortedKeys)
	s.add(unsort, false, "unsort", s.tiles(), shaders.SortPush{}, nil)
	exec(unsort)
	return sorted, values, read(tables[sortedKeys], len(keys)), read(tables[sortOccupancy], int(limit))
}

// TestSort compares the device's sort with a stable sort in Go, with virtual subgroups and with native ones of every
// size. With -short it tests each case with only one of these.
func TestSort(t *testing.T) {
	b := openBackend(t)
	random := rand.New(rand.NewPCG(1, 2))
	allLanes := append([]int{0}, b.GPU().Info.PlanLimits().NativeLanes...)
	for k, lanes := range allLanes {
		for i, c := range []struct{ count, limit, used uint32 }{
			{1, 1, 1}, {2, 2, 2}, {9500, 7, 7}, {512, 256, 256}, {513, 257, 257}, {5000, 1 << 16, 1 << 16}, {40000, 100 * 100, 3}, {40000, 1 << 22, 1 << 22},
		} {
			if testing.Short() && (i/2+1)%len(allLanes) != k { // so that the last, with virtual subgroups, has more tiles than are scanned at once
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
			sorted, values, back, occupancy := sortedOnDevice(t, b, keys, c.limit, lanes, own)
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
