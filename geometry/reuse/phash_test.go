package reuse

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
)

// TestPhashTiers compares both tiers with hash at every subgroup width: on full tables, which both tiers must fill,
// and at all splits between the tiers. Neither the split nor a larger table changes which vertices are shaded.
func TestPhashTiers(t *testing.T) {
	t.Parallel()
	for name, stream := range indextest.Streams() {
		s := indextest.Scene(stream)
		for _, unique := range []int{4, 16, 64} {
			for _, probes := range []int{0, 1, 4, MaxUnique} {
				for room := 1; room <= MaxRoom; room++ {
					c := must.Get(Params{Unique: unique, Probes: new(probes), Room: room}.Resolve("phash"))
					for _, lanes := range []int{4, 8, 16, 32, 64, 128} {
						t.Run(fmt.Sprint(name, "/", unique, "/", probes, "/", room, "/", lanes), func(t *testing.T) {
							checkPhash(t, c, lanes, s.Indices, Batches(s, c))
						})
					}
				}
			}
		}
	}
}

func checkPhash(t *testing.T, c Config, lanes int, indices []uint32, batches []Batch) {
	placed := 0
	for _, b := range batches {
		batch := indices[b.FirstIndex : b.FirstIndex+b.IndexCount]
		got, cooperated := phashReference(c, lanes, batch)
		placed += cooperated
		for k, slot := range got.Slots {
			require.Equal(t, batch[k], got.Unique[slot])
		}
		hashReference(c, batch, func(want *Iteration) {
			require.ElementsMatch(t, want.Unique, got.Unique)
			require.Equal(t, want.LaneSlots, got.LaneSlots)
		})
	}
	switch c.Probes {
	case 0:
		require.Equal(t, len(indices), placed, "every index is left to the second tier")
	case MaxUnique:
		require.Zero(t, placed, "the first tier sees the whole table")
	}
}

// TestPhashByHand: four ids fill a table of four entries.
func TestPhashByHand(t *testing.T) {
	t.Parallel()
	c := must.Get(Params{Unique: 4, Probes: new(1), Room: 1}.Resolve("phash"))
	table := phashTable{key: make([]uint32, hashTable(c))}
	require.Len(t, table.key, 4)
	ids := []uint32{3, 8, 0, 4}
	for i, home := range []int{2, 0, 0, 2} {
		require.Equal(t, home, table.entry(ids[i], 0), "id %d", ids[i])
	}
	// 0 finds 8 at its home entry, 4 finds 3. The second tier places both, and also the second 0,
	// which a single probe does not reach.
	it, cooperated := phashReference(c, 8, []uint32{3, 8, 0, 4, 0, 3})
	require.Equal(t, ids, it.Unique)
	require.Equal(t, []uint16{0, 1, 2, 3, 2, 0}, it.Slots)
	require.Equal(t, 3, cooperated)
}

// TestSortYieldsAscendingIDs: the slots of sort are deterministic.
func TestSortYieldsAscendingIDs(t *testing.T) {
	t.Parallel()
	c := must.Get(Resolve("sort", 0, 0))
	c.Strategy.Reference(c, []uint32{7, 3, 9, 3, 9, 0}, func(it *Iteration) {
		require.Equal(t, []uint32{0, 3, 7, 9}, it.Unique)
		require.Equal(t, []uint16{2, 1, 3, 1, 3, 0}, it.Slots)
	})
}
