package walk

import (
	"context"
	"math"

	"github.com/shadeonce/shadeonce/apps"
)

// Tables are what shading a cell reads: computed on the host in double precision, and rounded
// once to whole numbers.
type Tables struct {
	Grid      uint32
	Potential []int32            // by cell: 64 times the potential, in units of 2^-16
	Prior     [reach + 1]int32   // by squared distance m: -log2 m, in units of 2^-16
	Weight    [lastWeight]uint32 // by how far a score is below the best, in units of 2^-8: 4096 / 2^(i/256)
}

// reach is the largest squared distance of a move; from lastWeight on weights are 0.
const (
	radius     = 16
	reach      = radius * radius
	lastWeight = 3328
)

// A potential is the sum of this many Gaussians.
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

// Cell returns the number of a cell, row by row, below Grid * Grid. An id is row<<16 | column.
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
	// Potential has a margin of radius cells around the grid, into which no move leads. Stride is
	// the number of entries per row, a multiple of 4.
	Potential []int32
	Stride    int

	// Prior is indexed by shift, dy (0 to radius) and dx (from -radius-shift on). It is noPrior if
	// the move would be too far or zero.
	Prior [4][radius + 1][deviceWidth]int32
}

const (
	deviceWidth = 36         // cells of a row within radius, and three more: vectors of four that begin before the row
	noPotential = -(1 << 30) // with any prior far below all scores
	noPrior     = -(1 << 29) // with any potential far below all scores
)

// ForDevice returns the tables for a shader.
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
