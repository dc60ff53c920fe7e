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

// ChiSquare is Pearson's statistic over independent draws, with its expected mean and variance.
type ChiSquare struct {
	Value    float64
	Mean     float64 // the degrees of freedom
	Variance float64 // exact, not only for many draws
}

// Z returns how many standard deviations the statistic is above its mean.
func (c ChiSquare) Z() float64 {
	if c.Variance == 0 {
		return 0
	}
	return (c.Value - c.Mean) / math.Sqrt(c.Variance)
}

// add adds n draws among options with the given probabilities, each above 0; counts are the
// results.
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

// Uniform returns the statistic of an occupancy against equal chances of all cells.
func Uniform(occupancy []uint32) ChiSquare {
	var c ChiSquare
	p := make([]float64, len(occupancy))
	for cell := range p {
		p[cell] = 1 / float64(len(p))
	}
	c.add(occupancy, p)
	return c
}

// Drawn returns the statistic of the agents' moves in a step, from their cells before to those
// after it, against the likelihoods of the moves. Agents may come in any order. It runs on all
// cores in linear time. The only error is the context's cause.
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
	parts := map[int]ChiSquare{} // by first cell, so that they are always added in the same order
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

// addCell adds the moves of the agents in a cell.
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

// addMoves adds the draws from a cell.
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
