package walk

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// ShadeCell, weight and Draw compute the same as function_shade, walk_weight and function_corner of
// shaders/functions/walk.glsl, in whole numbers only.

// Moves is the result of shading a cell, 32 bytes.
type Moves struct {
	Move [options][2]int8 // dx, dy, most likely first
	Sum  [options]uint16  // running sums of weights; all 0 if there is no move
}

const options = 8

// noScore is less than all scores, since potentials are not negative.
const noScore = math.MinInt32

// spans has, for each move in y from 0 to radius, the largest move in x.
var spans = [radius + 1]int{16, 15, 15, 15, 15, 15, 14, 14, 13, 13, 12, 11, 10, 9, 7, 5, 0}

// ShadeCell returns the most likely moves from a cell: of the moves that stay within `radius` and in the grid,
// those with the highest scores. Of cells with equal scores, the first one, row by row, is preferred.
func (t *Tables) ShadeCell(id uint32) Moves {
	x, y, last := int(id&0xffff), int(id>>16), int(t.Grid)-1
	best := [options]int32{noScore, noScore, noScore, noScore, noScore, noScore, noScore, noScore}
	var moves Moves
	for dy := max(-radius, -y); dy <= min(radius, last-y); dy++ {
		width := spans[max(dy, -dy)]
		for dx := max(-width, -x); dx <= min(width, last-x); dx++ {
			if dx == 0 && dy == 0 {
				continue
			}
			score := t.Prior[dx*dx+dy*dy] + t.Potential[(y+dy)*(last+1)+x+dx]
			if score <= best[options-1] {
				continue
			}
			at := options - 1
			for at > 0 && best[at-1] < score {
				best[at], moves.Move[at] = best[at-1], moves.Move[at-1]
				at--
			}
			best[at], moves.Move[at] = score, [2]int8{int8(dx), int8(dy)}
		}
	}
	sum := uint32(0)
	for i := range options {
		if best[i] != noScore {
			sum += t.weight(best[0] - best[i])
		}
		moves.Sum[i] = uint16(sum)
	}
	return moves
}

// weight returns the weight of a score that is less than the best by `below`.
func (t *Tables) weight(below int32) uint32 {
	if i := below >> 8; i < lastWeight {
		return t.Weight[i]
	}
	return 0
}

func (w *Walk) start(agent uint32) uint32 {
	r := philox([4]uint32{agent, 0, drawsStart, 0}, [2]uint32{w.Seed, 0})
	return mulHigh(r[1], w.Grid)<<16 | mulHigh(r[0], w.Grid)
}

// Draw draws one of a cell's moves at random, by weight, and returns the cell to which it takes the agent.
func (w *Walk) Draw(agent, id uint32, moves *Moves) uint32 {
	word := philox([4]uint32{agent, w.Step, drawsMove, 0}, [2]uint32{w.Seed, 0})[0]
	r := mulHigh(word, uint32(moves.Sum[options-1]))
	for i, sum := range moves.Sum {
		if uint32(sum) > r {
			dx, dy := moves.Move[i][0], moves.Move[i][1]
			return uint32(int32(id>>16)+int32(dy))<<16 | uint32(int32(id&math.MaxUint16)+int32(dx))
		}
	}
	return id // there is no move
}

// Tables are the data that shading a cell reads: computed on the host in double precision, and
// rounded once to whole numbers.
type Tables struct {
	Grid      uint32
	Potential []int32            // by cell: 64 times the potential, in units of 2^-16
	Prior     [reach + 1]int32   // by squared distance m: -log2 m, in units of 2^-16
	Weight    [lastWeight]uint32 // by how far a score is below the best, in units of 2^-8: 4096 / 2^(i/256)
}

// reach is the largest squared distance of a move. Weights are 0 from index lastWeight on.
const (
	radius     = 16
	reach      = radius * radius
	lastWeight = 3328
)

// gaussians is the number of Gaussians whose sum is a potential.
const gaussians = 12

type gaussian struct{ x, y, sigma, weight float64 }

func newTables(ctx context.Context, grid, seed uint32) (*Tables, error) {
	t := &Tables{Grid: grid, Potential: make([]int32, grid*grid)}
	for m := 1; m <= reach; m++ {
		t.Prior[m] = -int32(math.Floor(65536*math.Log2(float64(m)) + .5))
	}
	for i := range t.Weight {
		t.Weight[i] = uint32(math.Floor(4096*math.Exp2(-float64(i)/256) + .5))
	}
	hills := newGaussians(grid, seed)
	return t, apps.OnEach(ctx, len(t.Potential), func(cell int) {
		a := hills.at(float64(uint32(cell)%grid)+.5, float64(uint32(cell)/grid)+.5)
		t.Potential[cell] = int32(math.Floor(float64(65536*64*a) + .5))
	})
}

// Cell returns the number of the cell with an id, which is row<<16 | column. Cells are numbered row by row, from 0.
func (t *Tables) Cell(id uint32) uint32 { return id>>16*t.Grid + id&0xffff }

// ID is the inverse of Cell.
func (t *Tables) ID(cell uint32) uint32 { return cell/t.Grid<<16 | cell%t.Grid }

type landscape [gaussians]gaussian

func newGaussians(grid, seed uint32) *landscape {
	var hills landscape
	for i := range hills {
		w := philox([4]uint32{uint32(i), 0, drawsGaussian, 0}, [2]uint32{seed, 0})
		var u [4]float64
		for k := range u {
			u[k] = float64(w[k]) / (1 << 32)
		}
		g := float64(grid)
		hills[i] = gaussian{x: g * u[0], y: g * u[1], sigma: float64((8+float64(24*u[2]))*g) / 256, weight: .5 + u[3]/2}
	}
	return &hills
}

// at returns the potential at a point.
func (hills *landscape) at(x, y float64) float64 {
	a := 0.
	for _, h := range hills {
		dx, dy := x-h.x, y-h.y
		a += float64(h.weight * math.Exp(-(float64(dx*dx)+float64(dy*dy))/(2*float64(h.sigma*h.sigma))))
	}
	return a
}

// DeviceTables are the tables in the layout of shaders/functions/walk.glsl.
type DeviceTables struct {
	// Potential has a margin of `radius` cells around the grid, into which no move leads. Stride is
	// the number of entries per row, a multiple of 4.
	Potential []int32
	Stride    int

	// Prior is indexed by shift, dy (0 to radius) and dx (from -radius-shift on). The shader reads a row in
	// vectors of four, the first of which begins shift cells (0 to 3) before dx = -radius. An entry is noPrior if its move is too far or zero.
	Prior [4][radius + 1][deviceWidth]int32
}

const (
	deviceWidth = 36         // the 33 cells of a row within radius, and three more for a shift
	noPotential = -(1 << 30) // its sum with any prior is far below all scores
	noPrior     = -(1 << 29) // its sum with any potential is far below all scores
)

// ForDevice returns the tables for a shader.
func (t *Tables) ForDevice() DeviceTables {
	grid := int(t.Grid)
	d := DeviceTables{Stride: (grid+2*radius+3)/4*4 + 4}
	d.Potential = slices.Repeat([]int32{noPotential}, d.Stride*(grid+2*radius))
	for y := range grid {
		copy(d.Potential[(y+radius)*d.Stride+radius:], t.Potential[y*grid:(y+1)*grid])
	}
	for shift := range d.Prior {
		for dy := range d.Prior[shift] {
			for i := range d.Prior[shift][dy] {
				dx := i - radius - shift
				d.Prior[shift][dy][i] = noPrior
				if m := dy*dy + dx*dx; m > 0 && m <= reach {
					d.Prior[shift][dy][i] = t.Prior[m]
				}
			}
		}
	}
	return d
}

// ChiSquare is Pearson's statistic over independent draws, with its expected mean and variance.
type ChiSquare struct {
	Value    float64
	Mean     float64 // the degrees of freedom
	Variance float64 // exact for any number of draws
}

// Z returns how many standard deviations the statistic is above its mean; 0 if the variance is 0.
func (c ChiSquare) Z() float64 {
	if c.Variance == 0 {
		return 0
	}
	return (c.Value - c.Mean) / math.Sqrt(c.Variance)
}

// add adds independent random draws among some options. counts[i] says how often option i was drawn;
// probabilities[i] is its probability, above 0.
func (c *ChiSquare) add(counts []uint32, probabilities []float64) {
	n, k, inverse := 0., float64(len(counts)), 0.
	for _, count := range counts {
		n += float64(count)
	}
	if n == 0 || k < 2 {
		return
	}
	for i, p := range probabilities {
		off := float64(counts[i]) - n*p
		c.Value += off * off / (n * p)
		inverse += 1 / p
	}
	c.Mean += k - 1
	c.Variance += 2*(k-1) + (inverse-k*k-2*k+2)/n
}

// Uniform returns the statistic of an occupancy, tested against a uniform distribution over all cells.
func Uniform(occupancy []uint32) ChiSquare {
	var c ChiSquare
	p := make([]float64, len(occupancy))
	for cell := range p {
		p[cell] = 1 / float64(len(p))
	}
	c.add(occupancy, p)
	return c
}

// Drawn returns the statistic of the agents' moves in a step, from the cells in `before` to the cells
// in `after`, tested against the moves' likelihoods. Agents may come in any order. It runs on all cores in linear
// time. It returns an error for lists of different lengths or cells outside the grid, or the context's cause.
func (t *Tables) Drawn(ctx context.Context, before, after []uint32) (ChiSquare, error) {
	if len(before) != len(after) {
		return ChiSquare{}, fmt.Errorf("%d agents before the step, and %d after", len(before), len(after))
	}
	cells := int(t.Grid * t.Grid)
	moved, err := apps.GroupBy(progress.Part(ctx, 0, .3), len(before), cells, func(i int) (uint32, uint64) {
		return t.Cell(before[i]), uint64(after[i])
	})
	if err != nil {
		return ChiSquare{}, err
	}
	var lock sync.Mutex
	parts := map[int]ChiSquare{} // by first cell, so that sums are always added in the same order
	err = apps.OnAll(progress.Part(ctx, .3, 1), cells, func(from, to int) {
		var c ChiSquare
		for cell := from; cell < to; cell++ {
			c.addCell(t, t.ID(uint32(cell)), moved.Of(cell))
		}
		lock.Lock()
		defer lock.Unlock()
		parts[from] = c
	})
	var c ChiSquare
	for _, from := range slices.Sorted(maps.Keys(parts)) {
		c.Value += parts[from].Value
		c.Mean += parts[from].Mean
		c.Variance += parts[from].Variance
	}
	return c, err
}

// addCell adds the agents' moves from a cell to the cells in `after`.
func (c *ChiSquare) addCell(t *Tables, id uint32, after []uint64) {
	if len(after) == 0 {
		return
	}
	moves := t.ShadeCell(id)
	var counts [options]uint32
	for _, to := range after {
		for i, move := range moves.Move {
			if id+uint32(int32(move[1])<<16)+uint32(int32(move[0])) == uint32(to) {
				counts[i]++
				break
			}
		}
	}
	c.addMoves(&moves, &counts)
}

// addMoves adds the draws of moves from a cell; counts[i] says how often move i was drawn.
func (c *ChiSquare) addMoves(m *Moves, counts *[options]uint32) {
	var seen []uint32
	var probabilities []float64
	last, total := uint16(0), float64(m.Sum[options-1])
	for i, sum := range m.Sum {
		if sum > last {
			seen = append(seen, counts[i])
			probabilities = append(probabilities, float64(sum-last)/total)
		}
		last = sum
	}
	c.add(seen, probabilities)
}
