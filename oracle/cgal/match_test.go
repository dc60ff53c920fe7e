package cgal

import (
	"fmt"
	"math"
	"slices"

	"github.com/shadeonce/shadeonce/apps"
)

// bound is the largest allowed distance from CGAL's vertex to ours, relative to the diagonal. It is not 0, since
// ours are in single precision.
const bound = 4.5e-7

// differs matches the vertices of two meshes by position, one to one, and compares the triangles
// as sets. It returns the largest distance of matching vertices, relative to the diagonal, and a
// description of the difference.
func differs(ours *apps.Mesh, theirs refined) (most float64, problem string) {
	if len(ours.Positions) != len(theirs.Positions) {
		return 0, fmt.Sprintf("%d vertices, CGAL has %d", len(ours.Positions), len(theirs.Positions))
	}
	positions := make([][3]float64, len(ours.Positions))
	lo, hi := theirs.Positions[0], theirs.Positions[0]
	for v, p := range ours.Positions {
		for k := range 3 {
			positions[v][k] = float64(p[k])
			lo[k], hi[k] = min(lo[k], positions[v][k]), max(hi[k], positions[v][k])
		}
	}
	diagonal := distance(lo, hi)
	cells := newCells(positions, 2*bound*diagonal)
	number := make([]uint32, len(positions)) // our number, by CGAL's
	taken := make([]bool, len(positions))
	for v, p := range theirs.Positions {
		nearest, far := cells.nearest(p)
		if !(far <= bound*diagonal) {
			return 0, fmt.Sprintf("no vertex of ours near CGAL's %d at %v", v, p)
		}
		if taken[nearest] {
			return 0, fmt.Sprintf("vertex %d is that of two of CGAL's", nearest)
		}
		number[v], taken[nearest] = nearest, true
		most = max(most, far/diagonal)
	}
	triangles := make([]uint32, len(theirs.Triangles))
	for k, v := range theirs.Triangles {
		triangles[k] = number[v]
	}
	if !slices.Equal(sorted(ours.Triangles), sorted(triangles)) {
		return most, "the triangles differ"
	}
	return most, ""
}

// sorted returns a list of triangles in ascending order, each beginning with its least vertex.
func sorted(triangles []uint32) [][3]uint32 {
	list := make([][3]uint32, 0, len(triangles)/3)
	for t := range slices.Chunk(triangles, 3) {
		i := slices.Index(t, slices.Min(t))
		list = append(list, [3]uint32{t[i], t[(i+1)%3], t[(i+2)%3]})
	}
	slices.SortFunc(list, func(a, b [3]uint32) int { return slices.Compare(a[:], b[:]) })
	return list
}

func distance(a, b [3]float64) float64 {
	return math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2])
}

// cells is a grid over positions.
type cells struct {
	positions [][3]float64
	size      float64
	held      map[[3]int64][]uint32
}

func newCells(positions [][3]float64, size float64) *cells {
	c := &cells{positions, size, make(map[[3]int64][]uint32, len(positions))}
	for v, p := range positions {
		key := c.key(p)
		c.held[key] = append(c.held[key], uint32(v))
	}
	return c
}

func (c *cells) key(p [3]float64) (key [3]int64) {
	for k := range key {
		key[k] = int64(math.Floor(p[k] / c.size))
	}
	return key
}

// nearest returns the position nearest to p, and its distance, if that is at most half a cell. Otherwise it may return
// another position, or an infinite distance.
func (c *cells) nearest(p [3]float64) (nearest uint32, far float64) {
	far = math.Inf(1)
	lo, hi := p, p
	for k := range 3 {
		lo[k], hi[k] = p[k]-c.size/2, p[k]+c.size/2
	}
	from, to := c.key(lo), c.key(hi)
	for x := from[0]; x <= to[0]; x++ {
		for y := from[1]; y <= to[1]; y++ {
			for z := from[2]; z <= to[2]; z++ {
				for _, v := range c.held[[3]int64{x, y, z}] {
					if d := distance(p, c.positions[v]); d < far {
						nearest, far = v, d
					}
				}
			}
		}
	}
	return nearest, far
}
