package reuse

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
)

// TestClaimMultiplier: for grids of six widths, claimMultiplier finds a factor with which fewer than a quarter of the
// sampled batches need a second round.
func TestClaimMultiplier(t *testing.T) {
	c := must.Get(Resolve("claim", 32, 0))
	for _, wide := range []uint32{100, 256, 257, 1024, 1025, 1898} {
		s := indextest.Scene(indextest.Grid(wide-1, 199, 4))
		factor := claimMultiplier(SampleBatches(s, c), c)
		require.Equal(t, uint32(1), factor&1, "odd")
		require.Equal(t, factor, claimMultiplier(SampleBatches(s, c), c), "the same each time")
		sample := SampleBatches(s, c)
		require.Len(t, sample, sampledBatches)
		entries := uint32(claimTable(c))
		require.LessOrEqual(t, claimLosers(sample, entries, factor), claimLosers(sample, entries, goldenMultiplier))
		require.Less(t, claimLosers(sample, entries, factor), sampledBatches*32/4, "%d wide: fewer than a quarter of the batches", wide)
	}
}

// TestClaimLosers counts by hand: two ids that differ by the table's size collide with the factor
// that keeps neighbours together, and not with the golden one.
func TestClaimLosers(t *testing.T) {
	together := uint32(1<<31/256) | 1
	require.Zero(t, claimLosers([][]uint32{{0, 1, 2, 2, 1, 0}}, 256, together))
	require.Equal(t, 32+2, claimLosers([][]uint32{{0, 256, 256}}, 256, together))
	require.Zero(t, claimLosers([][]uint32{{0, 256, 256}}, 256, goldenMultiplier))
}

func TestSampleBatchesOfSmallScenes(t *testing.T) {
	c := must.Get(Resolve("claim", 4, 0))
	s := &geometry.Scene{Positions: make([]mgl32.Vec3, 3), Indices: []uint32{0, 1, 2, 2, 1, 0}}
	for _, n := range []uint32{0, 3, 0, 6} {
		s.Draws = append(s.Draws, geometry.Draw{IndexCount: n, VertexCount: 3})
	}
	for _, batch := range SampleBatches(s, c) {
		require.NotEmpty(t, batch)
		require.Zero(t, len(batch)%3)
	}
	require.NotEmpty(t, SampleBatches(s, c))
	require.Equal(t, uint32(1), claimMultiplier(SampleBatches(s, c), c)&1)
}

// writerOrders are orders in which places may write, called once per round.
func writerOrders() map[string]func(lanes, places int) []int {
	r := rand.New(rand.NewPCG(3, 4))
	ascending := func(_, places int) []int {
		order := make([]int, places)
		for place := range order {
			order[place] = place
		}
		return order
	}
	return map[string]func(lanes, places int) []int{
		"ascending": ascending,
		"descending": func(_, places int) []int {
			order := ascending(0, places)
			slices.Reverse(order)
			return order
		},
		"lane by lane": func(lanes, places int) (order []int) {
			for lane := range lanes {
				for place := lane; place < places; place += lanes {
					order = append(order, place)
				}
			}
			return order
		},
		"random": func(_, places int) []int { return r.Perm(places) },
	}
}

// claimStreams are the streams of all strategies' tests, multiples of 2^24, which collide in small
// tables with any factor, and ids just below 2^31.
func claimStreams() map[string][]uint32 {
	all := indextest.Streams()
	r := rand.New(rand.NewPCG(5, 6))
	colliding, largest := make([]uint32, 3*400), make([]uint32, 3*400)
	for i := range colliding {
		colliding[i] = r.Uint32N(100) << 24
		largest[i] = 1<<31 - 1 - r.Uint32N(50)<<r.Uint32N(20)
	}
	all["colliding"], all["largest"] = colliding, largest
	return all
}

// TestClaimRounds: for every number of lanes and every writer order, each id of the batch gets
// one slot, and a round places one id per claimed entry.
func TestClaimRounds(t *testing.T) {
	for streamName, stream := range claimStreams() {
		for _, lanes := range LaneCounts {
			c := must.Get(Resolve("claim", lanes, 0))
			for orderName, order := range writerOrders() {
				t.Run(fmt.Sprint(streamName, ", ", lanes, " lanes, ", orderName), func(t *testing.T) {
					for batch := range slices.Chunk(stream, c.Batch) {
						for _, factor := range []uint32{goldenMultiplier, 1<<31/uint32(claimTable(c)) | 1, 1} {
							checkClaimRounds(t, c, batch, factor, order)
						}
					}
				})
			}
		}
	}
}

func checkClaimRounds(t *testing.T, c Config, batch []uint32, factor uint32, order func(lanes, places int) []int) {
	r := newClaimRounds(c, batch, factor)
	placed := 0
	r.run(func() []int {
		require.Len(t, r.owners, placed, "round %d", r.rounds)
		claimed := map[*uint32]bool{}
		for place, pending := range r.pending {
			if pending {
				claimed[r.entry(r.mixed[place])] = true
			}
		}
		placed += len(claimed)
		return order(c.Lanes, len(r.mixed))
	})
	require.Len(t, r.owners, placed)

	unique := r.unique()
	var want []uint32
	hash := c
	hash.Workgroup = c.Lanes
	hashReference(hash, batch, func(it *Iteration) { want = slices.Sorted(slices.Values(it.Unique)) })
	require.Equal(t, want, slices.Sorted(slices.Values(unique)), "each id once")
	for i, id := range batch {
		require.Equal(t, id, unique[r.slots[r.place(i)]], "index %d", i)
	}

	entries := claimTable(c)
	require.LessOrEqual(t, r.rounds, len(want))
	require.GreaterOrEqual(t, r.rounds, (len(want)+entries-1)/entries)
	collides := claimLosers([][]uint32{batch}, uint32(entries), factor) > 0
	require.Equal(t, collides, r.rounds > 1, "%d rounds", r.rounds)
}

// TestClaimRoundsByHand follows two triangles through a table of 8 entries. With this factor an
// id's entry is its low three bits.
func TestClaimRoundsByHand(t *testing.T) {
	c := must.Get(Resolve("claim", 4, 12))
	require.Equal(t, 8, claimTable(c))
	batch := []uint32{0, 1, 2, 8, 1, 9}
	const lowBits = 1<<28 | 1
	for _, tt := range []struct {
		name   string
		order  func() []int
		unique []uint32
		slots  []uint16
	}{
		// Lane 0 has ids 0, 1 and 2 at places 0, 4 and 8, lane 1 has ids 8, 1 and 9 at 1, 5 and 9.
		// Id 8 overwrites 0, and 9 overwrites 1: lane 0 owns id 2, lane 1 owns 8 and 9. In round 2
		// lane 0 owns id 0, and lane 1 owns id 1, since it wrote last.
		{"ascending", nil, []uint32{2, 8, 9, 0, 1}, []uint16{3, 4, 0, 1, 4, 2}},
		// Lane 0 owns 0, 1 and 2; then lane 1 owns 8 and 9.
		{"descending", func() []int { return []int{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0} }, []uint32{0, 1, 2, 8, 9}, []uint16{0, 1, 2, 3, 1, 4}},
	} {
		r := newClaimRounds(c, batch, lowBits)
		r.run(tt.order)
		require.Equal(t, tt.unique, r.unique(), tt.name)
		for i, slot := range tt.slots {
			require.Equal(t, slot, r.slots[r.place(i)], "%s, index %d", tt.name, i)
		}
		require.Equal(t, 2, r.rounds, tt.name)
	}
}
