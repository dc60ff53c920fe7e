package reuse_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
)

// lane holds a lane's registers. Its place k is corner k%3 of its triangle k/3.
type lane struct {
	mixed   []uint32 // by place: its id, multiplied
	slots   []uint32 // by place
	pending uint32   // a bit per place whose id has no slot yet
	listed  uint32   // a bit per place whose id this lane lists
}

const again = 2654435769 // odd: the factor for ids that lost

// claim finds the unique ids of a batch of triangles, and the slot of each index: ids[slots[i]] is
// batch[i]. Ids are below 2^31. The table has 2^log entries, log > 0, at least half as many as the
// lanes have places. factor is odd. inAnyOrder returns the lanes in the order in which their stores
// happen to arrive.
//
// All lanes run each loop over lanes at the same time, and a barrier of the subgroup separates it
// from the next.
func claim(batch []uint32, lanes, log int, factor uint32, inAnyOrder func() []int) (ids, slots []uint32) {
	table := make([]uint32, 1<<log) // shared memory of the subgroup; whatever it contains
	all := make([]lane, lanes)
	for i, id := range batch { // the lanes take triangles in turn
		l := &all[i/3%lanes]
		l.pending |= 1 << len(l.mixed)
		l.mixed, l.slots = append(l.mixed, id<<1*factor), append(l.slots, 0)
	}
	places := len(all[0].mixed)
	entry := func(mixed uint32) *uint32 { return &table[mixed>>(32-log)] }
	word := func(n, k int) uint32 { return all[n].mixed[k]<<log | uint32(k*lanes+n) }

	inverse, count := inverseOf(factor), uint32(0)
	for anyPending(all) {
		// 1. Pending ids claim entries. The last store to an entry stays.
		for k := range places {
			for _, n := range inAnyOrder() {
				if all[n].pending>>k&1 != 0 {
					*entry(all[n].mixed[k]) = word(n, k)
				}
			}
		}
		// Each lane reads back what its entries contain.
		won, owns := make([]uint32, lanes), make([]uint32, lanes)
		for n := range all {
			for k := range all[n].mixed {
				difference := *entry(all[n].mixed[k]) ^ word(n, k)
				if difference < 2<<log { // the same id: places are numbers below 2 << log
					won[n] |= 1 << k & all[n].pending
				}
				if difference == 0 { // and the same place
					owns[n] |= 1 << k & all[n].pending
				}
			}
		}
		// 2. Owners write the slots of their ids to the entries. A lane's first slot is a prefix
		// sum over the lanes: count, and the owners of the lanes below.
		for n := range all {
			for k := range all[n].mixed {
				if owns[n]>>k&1 != 0 {
					*entry(all[n].mixed[k]) = count
					count++
				}
			}
		}
		for n := range all {
			l := &all[n]
			for k := range l.mixed {
				if won[n]>>k&1 != 0 {
					l.slots[k] = *entry(l.mixed[k])
				}
			}
			l.pending &^= won[n]
			l.listed |= owns[n]
			for k := range l.mixed {
				l.mixed[k] *= again // those that are pending claim other entries
			}
		}
		inverse *= inverseOf(again)
	}

	// 3. Owners write their ids to the slots, as many at a time as the table has entries.
	for first := uint32(0); first < count; first += 1 << log {
		for n := range all {
			for k, slot := range all[n].slots {
				if all[n].listed>>k&1 != 0 && slot-first < 1<<log {
					table[slot-first] = all[n].mixed[k] * inverse >> 1
				}
			}
		}
		ids = append(ids, table[:min(count-first, 1<<log)]...) // here the lanes shade them, one after another
	}
	for i := range batch { // here a lane puts out its triangles
		slots = append(slots, all[i/3%lanes].slots[i/3/lanes*3+i%3])
	}
	return ids, slots
}

func anyPending(all []lane) bool { // one ballot
	return slices.ContainsFunc(all, func(l lane) bool { return l.pending != 0 })
}

// inverseOf returns the inverse of an odd number modulo 2^32.
func inverseOf(odd uint32) uint32 {
	inverse := odd // three bits are right
	for range 4 {  // each step doubles their number
		inverse *= 2 - odd*inverse
	}
	return inverse
}

// TestClaimPage: docs/claim.md states the function's result for its example.
func TestClaimPage(t *testing.T) {
	page := string(must.Get(os.ReadFile("../../docs/claim.md")))
	ids, slots := claim([]uint32{0, 1, 2, 8, 1, 9}, 4, 3, 1<<28|1, func() []int { return []int{0, 1, 2, 3} })
	require.Contains(t, page, fmt.Sprintf("ids %d, slots %d.", ids, slots))
}

// TestClaimOfThePage: in any order of stores, the page's function finds the reference's vertices.
func TestClaimOfThePage(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	streams := indextest.Streams()
	streams["colliding"], streams["largest"] = make([]uint32, 600), make([]uint32, 600)
	for i := range 600 {
		streams["colliding"][i], streams["largest"][i] = r.Uint32N(100)<<24, 1<<31-1-r.Uint32N(50)<<r.Uint32N(20)
	}
	for name, stream := range streams {
		for _, lanes := range []int{4, 8, 32} {
			c := must.Get(reuse.Resolve("claim", lanes, 0))
			log := 0
			for 1<<log < c.Strategy.Table(c) {
				log++
			}
			for batch := range slices.Chunk(stream, c.Batch) {
				ids, slots := claim(batch, lanes, log, r.Uint32()|1, func() []int { return r.Perm(lanes) })
				var want []uint32
				c.Strategy.Reference(c, batch, func(it *reuse.Iteration) { want = append(want, it.Unique...) })
				require.ElementsMatch(t, want, ids, name)
				for i, id := range batch {
					require.Equal(t, id, ids[slots[i]], name)
				}
			}
		}
	}
}
