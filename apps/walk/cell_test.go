package walk

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// TestPhilox expects the known answers of Random123's kat_vectors.
func TestPhilox(t *testing.T) {
	t.Parallel()
	const all = math.MaxUint32
	require.Equal(t, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}, philox([4]uint32{}, [2]uint32{}))
	require.Equal(t, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}, philox([4]uint32{all, all, all, all}, [2]uint32{all, all}))
	require.Equal(t, [4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		philox([4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0}))
}

// TestShadeCell compares the moves with a sorted list of all moves.
func TestShadeCell(t *testing.T) {
	t.Parallel()
	for _, grid := range []int{1, 2, 3, 17, 64} {
		w := must.Get(New(t.Context(), 1, grid, 3))
		for cell := range uint32(grid * grid) {
			id := w.Tables.ID(cell)
			require.Equal(t, cell, w.Tables.Cell(id))
			require.Equal(t, slowMoves(w.Tables, id), w.Tables.ShadeCell(id), "grid %d, cell %d", grid, cell)
		}
	}
	n := 0
	for dy, width := range spans {
		n += min(1+dy, 2) * (2*width + 1)
	}
	require.Equal(t, 796, n-1)
}

func slowMoves(t *Tables, id uint32) Moves {
	type option struct {
		score  int32
		dx, dy int
	}
	var list []option
	x, y := int(id&0xffff), int(id>>16)
	for dy := -20; dy <= 20; dy++ {
		for dx := -20; dx <= 20; dx++ {
			m := dx*dx + dy*dy
			if to := [2]int{x + dx, y + dy}; m > 0 && m <= 256 && min(to[0], to[1]) >= 0 && max(to[0], to[1]) < int(t.Grid) {
				list = append(list, option{t.Prior[m] + t.Potential[to[1]*int(t.Grid)+to[0]], dx, dy})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b option) int { return cmp.Compare(b.score, a.score) })
	var moves Moves
	sum := 0
	for i := range moves.Sum {
		if i < len(list) {
			moves.Move[i] = [2]int8{int8(list[i].dx), int8(list[i].dy)}
			if below := (list[0].score - list[i].score) / 256; below < 3328 {
				sum += int(math.Floor(4096*math.Pow(2, -float64(below)/256) + .5))
			}
		}
		moves.Sum[i] = uint16(sum)
	}
	return moves
}

// TestStrategiesMoveAlike: every strategy moves the agents alike, sorted or not.
func TestStrategiesMoveAlike(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{1, 1}, {4, 1}, {100, 2}, {1000, 30}} {
		start := func() *Walk {
			return must.Get(New(t.Context(), size[0], size[1], 7))
		}
		var want []uint32
		for _, s := range reuse.Strategies {
			c := must.Get(reuse.Params{}.Resolve(s.Name))
			for _, every := range []int{0, 1, 2} {
				w := start()
				for step := range 4 {
					if every > 0 && step%every == 0 {
						require.NoError(t, w.Sort(t.Context()))
						require.True(t, slices.IsSortedFunc(w.order, func(a, b uint32) int {
							return cmp.Or(cmp.Compare(w.Agents[a], w.Agents[b]), cmp.Compare(a, b))
						}))
					}
					must.Get2(w.Advance(t.Context(), c))
				}
				sum := uint32(0)
				for _, n := range w.Occupancy() {
					sum += n
				}
				require.EqualValues(t, size[0], sum, "no agent is lost or made")
				if want == nil {
					want = w.Agents
				}
				require.Equal(t, want, w.Agents, "%s, sorted every %d steps", s.Name, every)
			}
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agents, grid int
		want         string
	}{
		{0, 256, "0 agents: must be 1 to 1073741824"},
		{1 << 31, 256, "2147483648 agents: must be 1 to 1073741824"},
		{1, 0, "grid of 0 cells a side: must be 1 to 4096"},
		{1, 4097, "grid of 4097 cells a side: must be 1 to 4096"},
	} {
		_, err := New(t.Context(), c.agents, c.grid, 1)
		require.EqualError(t, err, c.want)
	}
}
