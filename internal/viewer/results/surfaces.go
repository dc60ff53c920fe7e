package results

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/renderer"
)

const (
	// maxTranslucent bounds the triangles of translucent surfaces, which are sorted for every
	// camera.
	maxTranslucent = 2 << 20
	maxWired       = 256 << 10 // bounds the triangles whose edges are drawn
)

// Translucent reports whether surfaces of the result are drawn translucent. They are opaque if
// there are too many triangles to sort.
func (r *Result) Translucent() bool {
	return r != nil && len(r.Surfaces) > 0 && len(r.Surfaces)*r.Scene.Triangles() <= maxTranslucent
}

// EdgesFit returns an error for a scene with too many edges to draw.
func EdgesFit(s *geometry.Scene) error {
	if least := s.Triangles(); least > maxWired { // most edges join at most two triangles, so a scene has at least as many edges as triangles
		return fmt.Errorf("all edges are drawn of up to %d triangles, and there are %d: those of triangles that are large on screen are drawn (--edges)", maxWired, least)
	}
	return nil
}

// View is a camera and the part of the window that shows its picture.
type View struct {
	Camera renderer.Camera
	Size   image.Point
	Clip   image.Rectangle // the part of the window that shows the picture
}

// Surfaces adds the surfaces' triangles that face the eye, the farthest first. `opacity` is for envelopes,
// which are more opaque at the rim; the original mesh is uncoloured.
func (f *Flat) Surfaces(v View, list []Surface, palette picture.Palette, opacity float32) {
	f.clip(v.Clip)
	ramp, matrix := LevelRamp(palette), v.Camera.ViewProj(float32(v.Size.X)/float32(v.Size.Y))
	var order []uint64 // high word: inverted bits of the depth; low word: the triangle's number in corners
	var corners []uint32
	for i := range list {
		s := &list[i]
		first := uint32(len(f.Vertices))
		cover := opacity
		if i == 0 && len(list) > 1 { // the innermost surface
			cover *= 1.6
		}
		depths := f.project(v, &matrix, s, ramp, cover)
		for k := 0; k+2 < len(s.Scene.Indices); k += 3 {
			t := s.Scene.Indices[k : k+3]
			z := max(depths[t[0]], depths[t[1]], depths[t[2]])
			if math.IsInf(float64(z), 1) || !f.faces(first+t[0], first+t[1], first+t[2]) {
				continue
			}
			far := (depths[t[0]] + depths[t[1]] + depths[t[2]]) / 3
			order = append(order, uint64(^math.Float32bits(max(far, 0)))<<32|uint64(len(corners)/3))
			corners = append(corners, first+t[0], first+t[1], first+t[2])
		}
	}
	slices.Sort(order)
	for _, o := range order {
		t := corners[3*uint32(o):][:3]
		f.triangle(t[0], t[1], t[2])
	}
}

// project adds a surface's vertices, lit from the upper left of the eye, and returns their depths:
// infinite behind the eye.
func (f *Flat) project(v View, matrix *mgl32.Mat4, s *Surface, ramp []color.RGBA, opacity float32) []float32 {
	depths := make([]float32, len(s.Scene.Positions))
	forward := v.Camera.Forward()
	right, up := v.Camera.Basis()
	light := up.Sub(right).Mul(.6).Sub(forward).Normalize()
	between := light.Sub(forward).Normalize()
	for k, p := range s.Scene.Positions {
		x, y, z, ok := inspect.Project(matrix, v.Size, p)
		if !ok {
			z = float32(math.Inf(1))
		}
		depths[k] = z
		n := s.Scene.Normals[k]
		c, alpha := color.RGBA{225, 230, 240, 255}, opacity/2
		if rim := 1 - float32(math.Abs(float64(n.Dot(forward)))); s.Levels != nil {
			c, alpha = ramp[s.Levels[k]], opacity*(.6+rim*rim) // the rim shows the shape
		}
		lit, glint := .58+.42*max(n.Dot(light), 0), .4*float32(math.Pow(float64(max(n.Dot(between), 0)), 60))
		mix := func(x uint8) uint8 { return uint8(float32(x)*lit*(1-glint) + 255*glint) }
		f.vertex(x, y, ink(color.RGBA{mix(c.R), mix(c.G), mix(c.B), 255}, alpha+glint*opacity/2))
	}
	return depths
}

// faces reports whether a triangle faces the eye: counter-clockwise with y up.
func (f *Flat) faces(a, b, c uint32) bool {
	p, q, r := &f.Vertices[a], &f.Vertices[b], &f.Vertices[c]
	return (q.XPx-p.XPx)*(r.YPx-p.YPx)-(q.YPx-p.YPx)*(r.XPx-p.XPx) < 0
}

const pieceLength = 6 // the length, in pixels, of the parts of an edge that are tested for visibility

// fullLength is the average edge length in pixels below which edges are drawn fainter, so that they
// do not hide the picture.
const fullLength = 14

// Edges draws the visible edges of a mesh. depth is the picture's depth, row by row; nil draws all edges.
func (f *Flat) Edges(v View, edges *apps.Edges, mesh *apps.Mesh, depth []float32, width float32, c color.RGBA) {
	f.clip(v.Clip)
	matrix := v.Camera.ViewProj(float32(v.Size.X) / float32(v.Size.Y))
	shade := ink(c, float32(c.A)/255*min(max(v.length(&matrix, edges, mesh)/fullLength, .2), 1))
	for _, ends := range edges.Ends {
		f.edge(&v, &matrix, mesh.Positions[ends[0]], mesh.Positions[ends[1]], depth, width, shade)
	}
}

// edge draws the visible pieces of a line. It leaves out a line that reaches behind the eye.
func (f *Flat) edge(v *View, matrix *mgl32.Mat4, p, q mgl32.Vec3, depth []float32, width float32, shade uint32) {
	x0, y0, z0, front := inspect.Project(matrix, v.Size, p)
	x1, y1, z1, both := inspect.Project(matrix, v.Size, q)
	if !front || !both || max(x0, x1) < float32(v.Clip.Min.X) || min(x0, x1) > float32(v.Clip.Max.X) || max(y0, y1) < 0 || min(y0, y1) > float32(v.Size.Y) {
		return
	}
	pieces := min(max(int(math.Hypot(float64(x1-x0), float64(y1-y0)))/pieceLength, 1), 512)
	at := func(i int) float32 { return float32(i) / float32(pieces) }
	begin := -1 // index of the first piece in the current row of visible pieces, or -1
	for i := 0; i <= pieces; i++ {
		t := at(i) + .5/float32(pieces)
		if i < pieces && (depth == nil || seen(depth, v.Size, x0+(x1-x0)*t, y0+(y1-y0)*t, z0+(z1-z0)*t)) {
			if begin < 0 {
				begin = i
			}
			continue
		}
		if begin >= 0 {
			f.line(x0+(x1-x0)*at(begin), y0+(y1-y0)*at(begin), x0+(x1-x0)*at(i), y0+(y1-y0)*at(i), width, shade)
			begin = -1
		}
	}
}

// length estimates the average length of projected edges, in pixels, from a sample. It leaves out edges that reach
// behind the eye.
func (v *View) length(matrix *mgl32.Mat4, edges *apps.Edges, mesh *apps.Mesh) float32 {
	const samples = 512
	sum, n := 0., 0
	for e := 0; e < len(edges.Ends); e += len(edges.Ends)/samples + 1 {
		x0, y0, _, front := inspect.Project(matrix, v.Size, mesh.Positions[edges.Ends[e][0]])
		x1, y1, _, both := inspect.Project(matrix, v.Size, mesh.Positions[edges.Ends[e][1]])
		if front && both {
			sum, n = sum+math.Hypot(float64(x1-x0), float64(y1-y0)), n+1
		}
	}
	return float32(sum / float64(max(n, 1)))
}

// seen reports whether a point is in front of the picture's depth. It takes the farthest depth of
// the surrounding pixels, since an edge runs between pixels.
func seen(depth []float32, size image.Point, x, y, z float32) bool {
	const slack = 1e-4
	far := float32(0)
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if p := image.Pt(int(x)+dx, int(y)+dy); p.In(image.Rectangle{Max: size}) {
				far = max(far, depth[p.Y*size.X+p.X])
			}
		}
	}
	return z <= far+slack
}

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

const gridLines = 10 // about how many lines of the grid cross the longer side of the box

// floor returns the axis that points up, the two other axes, and the height of the floor.
func (g *Guides) floor() (up, u, v int, height float32) {
	up = []int{1, 2, 0}[g.Up%3]
	height = g.Around.Min[up]
	if g.Up > renderer.UpX { // the axis points down
		height = g.Around.Max[up]
	}
	return up, (up + 1) % 3, (up + 2) % 3, height
}

// Step returns the spacing of the grid's lines: 1, 2 or 5 times a power of ten.
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

// edges calls `each` with the box's edges along an axis.
func (g *Guides) edges(axis int, each func(p, q mgl32.Vec3)) {
	for _, e := range inspect.BoxEdges[4*axis:][:4] {
		each(inspect.Corner(g.Around, e[0]), inspect.Corner(g.Around, e[1]))
	}
}

// Guides draws the visible parts of the lines. depth is the picture's depth, row by row; nil draws the
// whole lines.
func (f *Flat) Guides(v View, g Guides, depth []float32, width float32, c color.RGBA) {
	f.clip(v.Clip)
	matrix := v.Camera.ViewProj(float32(v.Size.X) / float32(v.Size.Y))
	shade := ink(c, float32(c.A)/255)
	line := func(p, q mgl32.Vec3) {
		if p, q, some := before(&matrix, p, q); some {
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
	var least, most mgl32.Vec3 // ends of the grid along its two axes, in steps
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

// before cuts off the part of a line that lies on the eye's side of the near plane; false if nothing is left.
// Clip space has that plane at z = 0 in perspective and in parallel projection, where w is 1 at any distance.
func before(m *mgl32.Mat4, p, q mgl32.Vec3) (from, to mgl32.Vec3, some bool) {
	far := func(p mgl32.Vec3) float32 { return m[2]*p[0] + m[6]*p[1] + m[10]*p[2] + m[14] }
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

// Labels returns a label for each size of the box, and one for the spacing of the grid's lines. The label of the height is
// at the vertical edge that is leftmost in the picture. The label of another size is at the lowest edge along its axis, and
// the label of the spacing is at the lowest corner of the floor.
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
