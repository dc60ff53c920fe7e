package walk

// DeviceTables are tables in the form in which shaders/functions/walk.glsl reads them.
type DeviceTables struct {
	// Potential has a margin of radius cells around the grid, from which no move is taken, and
	// Stride numbers a row, a multiple of 4.
	Potential []int32
	Stride    int

	// Prior is by shift, by dy, 0 to radius, and then by dx, from -radius-shift on; so low
	// where that is too far to go, or no move, that no move is taken.
	Prior [4][radius + 1][deviceWidth]int32
}

const (
	deviceWidth = 36         // cells of a row within radius, and three more: vectors of four that begin before the row
	noPotential = -(1 << 30) // with any prior far below all scores
	noPrior     = -(1 << 29) // with any potential
)

// ForDevice makes the tables for a shader.
func (t *Tables) ForDevice() DeviceTables {
	grid := int(t.Grid)
	d := DeviceTables{Stride: (grid+2*radius+3)/4*4 + 4}
	d.Potential = make([]int32, d.Stride*(grid+2*radius))
	for i := range d.Potential {
		d.Potential[i] = noPotential
	}
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
