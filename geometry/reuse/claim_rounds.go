package reuse

import "math/bits"

// claimAgain is the factor by which mixed ids are multiplied after each round, so that ids that lost claim other entries; AGAIN in the shader.
const claimAgain = 2654435769

// claimRounds is the search of shaders/geometry/claim.comp, round by round, with the shader's
// names. A lane's places are numbered over the whole subgroup here, as in the words of the table:
// place k of a lane is k*lanes + lane.
//
// If several lanes write one entry, Vulkan does not define which store is last. Here the order in
// which run lets the places write decides. The batch's unique vertices do not depend on it; slots
// and the number of rounds do.
//
// A round places one id per entry that is claimed. There is one round if no two ids claim the
// same entry, and never more rounds than unique ids.
type claimRounds struct {
	lanes   int
	shift   int      // log2 of the table's entries
	table   []uint32 // holds in turn: claims by entry, slots by entry, ids by slot
	mixed   []uint32 // by place: 2 * id * multiplier * the factors of the rounds so far, modulo 2^32
	inverse uint32   // inverse modulo 2^32 of multiplier * these factors
	slots   []uint16 // by place: the slot of its id
	owners  []int    // by slot: the place that reports the id for shading
	pending []bool   // by place: its id has no slot yet
	left    int      // number of pending places
	rounds  int      // rounds done
}

// newClaimRounds loads a batch and deals its triangles to the lanes in turn.
func newClaimRounds(c Config, batch []uint32, multiplier uint32) *claimRounds {
	places := 3 * c.Lanes * ((len(batch)/3 + c.Lanes - 1) / c.Lanes)
	r := &claimRounds{
		lanes: c.Lanes, shift: bits.TrailingZeros(uint(claimTable(c))), table: make([]uint32, claimTable(c)),
		mixed: make([]uint32, places), inverse: inverse(multiplier), slots: make([]uint16, places),
		pending: make([]bool, places), left: len(batch),
	}
	for i, id := range batch {
		place := r.place(i)
		r.mixed[place], r.pending[place] = id<<1*multiplier, true
	}
	return r
}

// place returns the place of the batch's i-th index.
func (r *claimRounds) place(i int) int {
	triangle, corner := i/3, i%3
	return (3*(triangle/r.lanes)+corner)*r.lanes + triangle%r.lanes
}

// inverse returns the inverse of an odd number modulo 2^32.
func inverse(odd uint32) uint32 {
	inverse := odd
	for range 4 { // each step doubles the number of correct bits, 3 at first
		inverse *= 2 - odd*inverse
	}
	return inverse
}

func (r *claimRounds) entry(mixed uint32) *uint32 { return &r.table[mixed>>(32-r.shift)] }

// word is what a place stores to claim an entry: the place in the low bits, and above it the bits
// of the mixed id that the entry's number does not imply.
func (r *claimRounds) word(mixed uint32, place int) uint32 { return mixed<<r.shift | uint32(place) }

// run does rounds until every id has its slot. In each round the places write in the order that
// `order` returns; if `order` is nil, in ascending order.
func (r *claimRounds) run(order func() []int) {
	for r.left > 0 {
		if order == nil {
			r.contend(nil)
		} else {
			r.contend(order())
		}
		r.number()
		for place := range r.mixed {
			r.mixed[place] *= claimAgain
		}
		r.inverse *= inverse(claimAgain)
		r.rounds++
	}
}

// contend begins a round: each pending place writes its claim to the table.
func (r *claimRounds) contend(order []int) {
	for place := range r.mixed {
		if order != nil {
			place = order[place]
		}
		if r.pending[place] {
			*r.entry(r.mixed[place]) = r.word(r.mixed[place], place)
		}
	}
}

// number ends a round: it replaces claims in the table by slots. The last place that wrote an entry owns it. The
// owners' ids get the next slots, lane by lane. Then every place whose id won an entry reads its slot, even if it
// is not the owner.
func (r *claimRounds) number() {
	won, owners := make([]int, 0, r.left), len(r.owners)
	for lane := range r.lanes {
		for place := lane; place < len(r.mixed); place += r.lanes {
			if !r.pending[place] {
				continue
			}
			difference := *r.entry(r.mixed[place]) ^ r.word(r.mixed[place], place)
			if difference < 2<<r.shift {
				won = append(won, place)
			}
			if difference == 0 {
				r.owners = append(r.owners, place)
			}
		}
	}
	for slot, place := range r.owners[owners:] {
		*r.entry(r.mixed[place]) = uint32(owners + slot)
	}
	for _, place := range won {
		r.slots[place], r.pending[place] = uint16(*r.entry(r.mixed[place])), false
	}
	r.left -= len(won)
}

// unique returns the unique ids by slot, after the last round. The owners write the ids to the table, at most as
// many at a time as the table has entries.
func (r *claimRounds) unique() []uint32 {
	ids := make([]uint32, 0, len(r.owners))
	for len(ids) < len(r.owners) {
		window := r.owners[len(ids):min(len(ids)+len(r.table), len(r.owners))]
		for at, place := range window {
			r.table[at] = r.mixed[place] * r.inverse >> 1
		}
		ids = append(ids, r.table[:len(window)]...)
	}
	return ids
}

// claimReference runs the rounds with places writing in ascending order.
func claimReference(c Config, batch []uint32, yield func(*Iteration)) {
	r := newClaimRounds(c, batch, goldenMultiplier)
	r.run(nil)
	slots := make([]uint16, len(batch))
	for i := range slots {
		slots[i] = r.slots[r.place(i)]
	}
	yield(shaded(r.unique(), slots, c.Lanes))
}
