package walk

import (
	"context"
	"math"

	"github.com/shadeonce/shadeonce/geometry/apps"
)

// ChiSquare is Pearson's statistic over independent draws, with what it should be.
type ChiSquare struct {
	Value    float64
	Mean     float64 // the degrees of freedom
	Variance float64 // exact, not only for many draws
}

// Z is how many standard deviations the statistic is off.
func (c ChiSquare) Z() float64 {
	if c.Variance == 0 {
		return 0
	}
	return (c.Value - c.Mean) / math.Sqrt(c.Variance)
}

// add adds n draws from options of some probabilities, each above 0, of which the
// counts were seen.
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

// Uniform is the statistic of an occupancy against agents that are as likely in any
// cell.
func Uniform(occupancy []uint32) ChiSquare {
	var c ChiSquare
	p := make([]float64, len(occupancy))
	for cell := range p {
		p[cell] = 1 / float64(len(p))
	}
	c.add(occupancy, p)
	return c
}

// Drawn is the statistic of the moves that agents have made in a step, against the
// likelihoods of the moves from the cells where they stood before it. The only error is
// the context's cause.
func (w *Walk) Drawn(ctx context.Context, before []uint32) (ChiSquare, error) {
	counts := make([][options]uint32, w.Grid*w.Grid)
	moves := make([]Moves, len(counts))
	stood := (&Walk{Grid: w.Grid, Agents: before}).Occupancy()
	if err := apps.OnAll(ctx, len(moves), func(from, to int) {
		for cell := from; cell < to; cell++ {
			if stood[cell] > 0 {
				moves[cell] = w.Tables.ShadeCell(w.ID(uint32(cell)))
			}
		}
	}); err != nil {
		return ChiSquare{}, err
	}
	for agent, id := range before {
		cell := w.Cell(id)
		for i, move := range moves[cell].Move {
			if id+uint32(int32(move[1])<<16)+uint32(int32(move[0])) == w.Agents[agent] {
				counts[cell][i]++
				break
			}
		}
	}
	var c ChiSquare
	for cell := range moves {
		c.addMoves(&moves[cell], &counts[cell])
	}
	return c, nil
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
