package results

import (
	"fmt"
	"image/color"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/renderer"
)

// Guides are lines around a scene: the edges of its box, and a grid on the floor of the box.
type Guides struct {
	Around    geometry.Box
	Up        renderer.UpAxis
	Box, Grid bool
}

// Label is a text beside a guide, in pixels from the picture's upper left corner.
type Label struct {
	X, Y float32
	Text string
}

// gridLines is about how many lines of the grid cross the longer side of the box.
const gridLines = 10

// floor returns the axis that points up, the two others, and the height of the floor.
func (g *Guides) floor() (up, u, v int, height float32) {
	up = []int{1, 2, 0}[g.Up%3]
	height = g.Around.Min[up]
	if g.Up > renderer.UpX { // its negative
		height = g.Around.Max[up]
	}
	return up, (up + 1) % 3, (up + 2) % 3, height
}

// Step returns the distance of the grid's lines: 1, 2 or 5 times a power of ten.
func (g *Guides) Step() float32 {
	_, u, v, _ := g.floor()
	size := g.Around.Max.Sub(g.Around.Min)
	rough := float64(max(size[u], size[v])) / gridLines
	if !(rough > 0) {
		return 0
	}
	ten := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, times := range []float64{1, 2, 5} {
		if times*ten >= rough {
			return float32(times * ten)
		}
	}
	return float32(10 * ten)
}

// edges calls each with the edges of the box along an axis.
func (g *Guides) edges(axis int, each func(p, q mgl32.Vec3)) {
	for _, e := range inspect.BoxEdges[4*axis:][:4] {
		each(inspect.Corner(g.Around, e[0]), inspect.Corner(g.Around, e[1]))
	}
}

// Guides draws the lines that are in front of the picture. depth is the picture's, row by row; nil draws
// all lines.
func (f *Flat) Guides(v View, g Guides, depth []float32, width float32, c color.RGBA) {
	f.clip(v.Clip)
	matrix := v.Camera.ViewProj(float32(v.Size.X) / float32(v.Size.Y))
	shade := ink(c, float32(c.A)/255)
	line := func(p, q mgl32.Vec3) {
		if p, q, some := before(&matrix, v.Camera.Near, p, q); some {
			f.edge(&v, &matrix, p, q, depth, width, shade)
		}
	}
	if g.Box {
		for axis := range 3 {
			g.edges(axis, line)
		}
	}
	step := g.Step()
	if !g.Grid || step == 0 {
		return
	}
	up, u, w, height := g.floor()
	var least, most mgl32.Vec3 // in steps
	for _, axis := range []int{u, w} {
		least[axis] = float32(math.Floor(float64(g.Around.Min[axis] / step)))
		most[axis] = float32(math.Ceil(float64(g.Around.Max[axis] / step)))
	}
	for _, along := range []int{u, w} {
		across := u + w - along
		for i := least[across]; i <= most[across]; i++ {
			var p, q mgl32.Vec3
			p[up], q[up], p[across], q[across], p[along], q[along] = height, height, i*step, i*step, least[along]*step, most[along]*step
			line(p, q)
		}
	}
}

// before cuts off what of a line is nearer to the eye than the near plane; false if all of it is.
func before(m *mgl32.Mat4, near float32, p, q mgl32.Vec3) (from, to mgl32.Vec3, some bool) {
	far := func(p mgl32.Vec3) float32 { return m[3]*p[0] + m[7]*p[1] + m[11]*p[2] + m[15] - near }
	switch a, b := far(p), far(q); {
	case a < 0 && b < 0:
		return p, q, false
	case a < 0:
		p = p.Add(q.Sub(p).Mul(a / (a - b)))
	case b < 0:
		q = q.Add(p.Sub(q).Mul(b / (b - a)))
	}
	return p, q, true
}

// Labels returns the sizes of the box, and the distance of the grid's lines at a corner of the floor. The
// height is beside the leftmost edge of the picture, the others beside the lowest ones.
func (g *Guides) Labels(v View) (list []Label) {
	matrix := v.Camera.ViewProj(float32(v.Size.X) / float32(v.Size.Y))
	up, _, _, height := g.floor()
	lowest, floor := Label{Text: fmt.Sprintf("grid %.4g", g.Step())}, false
	for axis, name := range []string{"x", "y", "z"} {
		best, found := Label{Text: fmt.Sprintf("%s %.4g", name, g.Around.Max[axis]-g.Around.Min[axis])}, false
		g.edges(axis, func(p, q mgl32.Vec3) {
			x, y, _, ok := inspect.Project(&matrix, v.Size, p.Add(q).Mul(.5))
			if better := axis != up && y > best.Y || axis == up && x < best.X; ok && (!found || better) {
				best.X, best.Y, found = x, y, true
			}
			for _, end := range []mgl32.Vec3{p, q} {
				if x, y, _, ok := inspect.Project(&matrix, v.Size, end); ok && end[up] == height && (!floor || y > lowest.Y) {
					lowest.X, lowest.Y, floor = x, y, true
				}
			}
		})
		if found && g.Box {
			list = append(list, best)
		}
	}
	if floor && g.Grid && g.Step() > 0 {
		list = append(list, lowest)
	}
	return list
}
