package walk

import "math"

// The functions in this file compute the same as the shader functions of the same names, in whole
// numbers only.

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

// ShadeCell returns the most likely moves from a cell: of all cells within radius and the grid,
// those with the highest score; in case of a tie the one that comes first.
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

// weight returns the weight of a score that is that far below the best.
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

// Draw returns the cell to which an agent goes from a cell with these moves.
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
