package reuse_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
)

// carryConfig has 4 lanes, so that a round is 4 triangles and an iteration 4 vertices.
func carryConfig(t *testing.T, p reuse.Params) reuse.Config {
	if p.Lanes == 0 {
		p.Lanes = 4
	}
	c, err := p.Resolve("carry")
	require.NoError(t, err)
	return c
}

// runCarry copies what the strategy yields for one batch.
func runCarry(c reuse.Config, batch []uint32) (got []reuse.Iteration) {
	c.Strategy.Reference(c, batch, func(it *reuse.Iteration) {
		got = append(got, reuse.Iteration{
			Unique: append([]uint32{}, it.Unique...), Slots: append([]uint16{}, it.Slots...), LaneSlots: it.LaneSlots,
		})
	})
	return got
}

func TestCarryByHand(t *testing.T) {
	got := runCarry(carryConfig(t, reuse.Params{Keep: 1}), []uint32{
		// First corners 0 2 4 6, second 1 5 7, third 3 8: two iterations, and 8.
		0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 7, 8,
		// 5 is of the one iteration kept, 8 of the one that fills. 0 has expired, and
		// once shaded again is found by the next lane. With 10 and 11 it is full.
		0, 5, 8, 0, 8, 8, 10, 11, 8, 10, 8, 5,
		// Now 8 0 10 11 is kept, and finding 5 has not kept it: 7 and 5 have expired.
		7, 11, 5,
	})
	require.Equal(t, []reuse.Iteration{{
		Unique: []uint32{0, 2, 4, 6, 1, 5, 7, 3, 8, 0, 10, 11, 7, 5},
		Slots: []uint16{
			0, 4, 1, 1, 4, 7, 2, 5, 3, 3, 6, 8,
			9, 5, 8, 9, 8, 8, 10, 11, 8, 10, 8, 5,
			12, 11, 13,
		},
		LaneSlots: 16,
	}}, got)
}

// carryToTheWord follows the definition with lists of iterations, and returns
// what is shaded, in order.
func carryToTheWord(ids []uint32, lanes, keep int) (shaded []uint32) {
	iterations := [][]uint32{nil} // the last one fills
	for len(ids) > 0 {
		held := map[uint32]bool{}
		for _, iteration := range iterations[max(0, len(iterations)-1-keep):] {
			for _, id := range iteration {
				held[id] = true
			}
		}
		round := ids[:min(3*lanes, len(ids))]
		ids = ids[len(round):]
		for k := range round {
			triangles := len(round) / 3
			id := round[3*(k%triangles)+k/triangles]
			if held[id] {
				continue
			}
			held[id] = true
			shaded = append(shaded, id)
			last := &iterations[len(iterations)-1]
			if *last = append(*last, id); len(*last) == lanes {
				iterations = append(iterations, nil)
			}
		}
	}
	return shaded
}

func TestCarryKeepsWhatItIsTold(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, lanes := range reuse.LaneCounts {
		for keep := 1; keep <= reuse.MaxKeep; keep++ {
			for round := range 20 {
				ids := make([]uint32, 3*(1+r.IntN(320)))
				for i := range ids {
					ids[i] = uint32(i)/6 + r.Uint32N(uint32(2*lanes+round))
				}
				got := runCarry(carryConfig(t, reuse.Params{Lanes: lanes, Keep: keep}), ids)
				require.Len(t, got, 1)
				require.Equal(t, carryToTheWord(ids, lanes, keep), got[0].Unique, "%d lanes, %d kept", lanes, keep)
			}
		}
	}
	// A fan: its hub expires while its rim passes, and is shaded the more rarely
	// the more is kept; its rim is shaded once.
	var hub []uint32
	for keep := 1; keep <= reuse.MaxKeep; keep++ {
		var ids []uint32
		for i := range uint32(320) {
			ids = append(ids, 0, i+1, i+2)
		}
		st, counts := reuse.Analyze(oneDraw(ids), carryConfig(t, reuse.Params{Keep: keep}))
		require.Equal(t, 321+int(counts[0]), st.Invocations)
		hub = append(hub, counts[0])
	}
	require.Equal(t, []uint32{46, 29, 22, 17}, hub)
}

func TestCarryStartsOverWhereSlotsEnd(t *testing.T) {
	distinct := make([]uint32, 3*700)
	for i := range distinct {
		distinct[i] = uint32(i)
	}
	for lanes, want := range map[int][]int{4: {1020, 1020, 60}, 32: {960, 960, 180}, 64: {960, 960, 180}} {
		var sizes []int
		for _, it := range runCarry(carryConfig(t, reuse.Params{Lanes: lanes, Batch: 2100}), distinct) {
			sizes = append(sizes, len(it.Unique))
			require.Zero(t, it.LaneSlots%lanes)
		}
		require.Equal(t, want, sizes, "%d lanes", lanes)
	}
}

func TestKeepIsRefused(t *testing.T) {
	for want, p := range map[string]reuse.Params{
		"5 iterations kept: must be 1 to 4":  {Keep: 5},
		"-1 iterations kept: must be 1 to 4": {Keep: -1},
	} {
		_, err := p.Resolve("carry")
		require.EqualError(t, err, want)
	}
	_, err := reuse.Params{Keep: 4}.Resolve("warp")
	require.EqualError(t, err, "4 iterations kept: warp keeps none")
	c := carryConfig(t, reuse.Params{Lanes: 32, Keep: 2})
	require.Equal(t, "carry, 32 lanes, batch 960, 2 kept", c.String())
}

func oneDraw(ids []uint32) *geometry.Scene {
	most := uint32(0)
	for _, id := range ids {
		most = max(most, id)
	}
	return &geometry.Scene{
		Indices: ids, Draws: []geometry.Draw{{IndexCount: uint32(len(ids)), VertexCount: most + 1}},
	}
}

// TestCarryFigures: voting index by index with a chunk of LANES indices, as our
// notes on the paper simulate it, reaches .7885, .7971, .7927 and .8042; rounds
// of LANES triangles, whose window moves between rounds alone, find a little more.
func TestCarryFigures(t *testing.T) {
	s := ordered(t, scannedBunny(t), "forsyth")
	for _, tt := range []struct {
		batch, keep int
		want        string
	}{
		{960, 1, ".7904"}, {0, 0, ".7973"}, {1920, 1, ".7950"}, {1920, 4, ".8045"},
	} {
		st, _ := reuse.Analyze(s, carryConfig(t, reuse.Params{Lanes: 32, Batch: tt.batch, Keep: tt.keep}))
		require.Equal(t, tt.want, fmt.Sprintf("%.4f", st.Reuse())[1:], "batch %d, %d kept", tt.batch, tt.keep)
	}
}
