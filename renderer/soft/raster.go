package soft

import (
	"image/color"
	"sync/atomic"

	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/renderer"
)

// raster is the picture and the state of drawing into it. The picture is divided into bands of
// rows, each drawn by one thread with the triangles in order.
type raster struct {
	width, height int
	color         []uint8  // RGBA8, row by row
	depth         []uint32 // fixed point (depth.go), row by row
	visible       []uint32 // 1 plus the triangle's number in the stream, or 0 for none; row by row
	parts         []part
}

const (
	// Triangles are set up and drawn a block at a time, which bounds the memory for records; the
	// parts of a block are set up in parallel.
	trianglesPerPart = 2048
	partsPerBlock    = 16
	// A band has at least minBandRows rows; there are at most maxBands, enough to share the work.
	minBandRows = 16
	maxBands    = 64
)

// part holds consecutive triangles of a block, ready to be drawn.
type part struct {
	setup
	bands [][]uint32 // by band: the triangles that reach it, in order
}

// begin clears the picture.
func (r *raster) begin(width, height int, background color.RGBA) {
	if n := width * height; len(r.depth) != n {
		r.color, r.depth, r.visible = make([]uint8, 4*n), make([]uint32, n), make([]uint32, n)
	}
	r.width, r.height = width, height
	copy(r.color, []uint8{background.R, background.G, background.B, 255})
	for filled := 4; filled < len(r.color); filled *= 2 {
		copy(r.color[filled:], r.color[:filled])
	}
	for i := range r.depth {
		r.depth[i] = farDepth
	}
	clear(r.visible)
}

func (r *raster) bandRows() int {
	return max(minBandRows, (r.height+maxBands-1)/maxBands)
}

// draw draws the source's triangles in order.
func (r *raster) draw(s source, threads int) {
	if r.parts == nil {
		r.parts = make([]part, partsPerBlock)
	}
	rows := r.bandRows()
	bands := (r.height + rows - 1) / rows
	for first := s.from; first < s.triangleCount; first += trianglesPerPart * partsPerBlock {
		n := min(partsPerBlock, (s.triangleCount-first+trianglesPerPart-1)/trianglesPerPart)
		parallel(n, threads, func(i int) {
			start := first + i*trianglesPerPart
			r.parts[i].prepare(r, s, start, min(start+trianglesPerPart, s.triangleCount), rows, bands)
		})
		parallel(bands, threads, func(b int) {
			top, bottom := b*rows, min((b+1)*rows, r.height)-1
			for i := range r.parts[:n] {
				p := &r.parts[i]
				for _, t := range p.bands[b] {
					r.drawTriangle(&p.triangles[t], &s, top, bottom)
				}
			}
		})
	}
}

// prepare sets up triangles first..end-1 and sorts them into bands.
func (p *part) prepare(r *raster, s source, first, end, rows, bands int) {
	p.setup = setup{source: s, width: r.width, height: r.height, guard: newGuardBand(r.width, r.height), triangles: p.triangles[:0]}
	for number := first; number < end; number++ {
		if !p.misses(number) {
			p.addSeen(number)
		}
	}
	if len(p.bands) != bands {
		p.bands = make([][]uint32, bands)
	}
	for b := range p.bands {
		p.bands[b] = p.bands[b][:0]
	}
	for i := range p.triangles {
		t := &p.triangles[i]
		for b := int(t.minY) / rows; b <= int(t.maxY)/rows; b++ {
			p.bands[b] = append(p.bands[b], uint32(i))
		}
	}
}

// edgeFunction is positive inside the triangle, and linear in the pixel's coordinates. It is exact: a
// coordinate is below 2^24 subpixels, a product below 2^50.
type edgeFunction struct {
	value        int64 // at pixel 0 of the row
	stepX, stepY int64 // per pixel to the right, per pixel down
	bias         int64 // 0 for top and left edges, else 1: the least value inside
}

// newEdge returns the edge function from corner i to corner j, at row 0.
func newEdge(t *triangle, i, j int) edgeFunction {
	x, y := int64(t.x[i]), int64(t.y[i])
	dx, dy := int64(t.x[j])-x, int64(t.y[j])-y
	e := edgeFunction{value: dy*x - dx*y, stepX: -dy * subpixel, stepY: dx * subpixel, bias: 1}
	if dy < 0 || dy == 0 && dx > 0 {
		e.bias = 0
	}
	return e
}

// narrow returns the part of the span of pixels x0..x1 where value + x*stepX >= bias.
func (e *edgeFunction) narrow(x0, x1 int64) (int64, int64) {
	need := e.bias - e.value
	switch {
	case e.stepX > 0:
		return max(x0, ceilDivide(need, e.stepX)), x1
	case e.stepX < 0:
		return x0, min(x1, -ceilDivide(need, -e.stepX))
	case need > 0:
		return 1, 0
	}
	return x0, x1
}

// ceilDivide returns a/b rounded up; b > 0.
func ceilDivide(a, b int64) int64 {
	q := a / b
	if a > q*b {
		q++
	}
	return q
}

// drawTriangle draws the rows top..bottom of a triangle.
func (r *raster) drawTriangle(t *triangle, s *source, top, bottom int) {
	// Edge i is opposite corner i: its value divided by the area is the corner's weight.
	edges := [3]edgeFunction{newEdge(t, 1, 2), newEdge(t, 2, 0), newEdge(t, 0, 1)}
	area := edges[0].value + edges[1].value + edges[2].value
	plane := newDepthPlane(t, area)
	first, last := max(int(t.minY), top), min(int(t.maxY), bottom)
	for i := range edges {
		edges[i].value += int64(first) * edges[i].stepY
	}
	for y := first; y <= last; y++ {
		x0, x1 := int64(t.minX), int64(t.maxX)
		for i := range edges {
			x0, x1 = edges[i].narrow(x0, x1)
		}
		if x0 <= x1 {
			r.drawSpan(t, s, &edges, &plane, y, int(x0), int(x1))
		}
		for i := range edges {
			edges[i].value += edges[i].stepY
		}
	}
}

// drawSpan draws the covered pixels x0..x1 of a row.
func (r *raster) drawSpan(t *triangle, s *source, edges *[3]edgeFunction, plane *depthPlane, y, x0, x1 int) {
	row := y * r.width
	e1 := edges[1].value + int64(x0)*edges[1].stepX
	e2 := edges[2].value + int64(x0)*edges[2].stepX
	for x := x0; x <= x1; x++ {
		f1, f2 := e1, e2
		e1, e2 = e1+edges[1].stepX, e2+edges[2].stepX
		z := plane.at(f1, f2)
		if z >= r.depth[row+x] {
			continue
		}
		spot := t.spot(r.width, r.height, x, y)
		if t.textured != nil && t.textured.drops(&spot.place, x, y) {
			continue
		}
		r.depth[row+x], r.visible[row+x] = z, s.firstTriangle+t.number+1
		base, shows := t.base, uint8(1)
		switch s.look.view {
		case renderer.Counts:
			base, shows = s.look.counted(t, &spot)
		case renderer.Varying, renderer.Normals:
			base = t.shown.color(s.look.shown, &spot)
		}
		if t.textured != nil && t.textured.material != nil && s.look.view == renderer.Shaded {
			base = t.textured.color(&spot.place)
		}
		s.look.pixel(r.color[4*(row+x):][:4], base, spot.light(&t.lights), s.look.onLine(&spot.place), shows)
	}
}

// parallel calls work once with each of 0..n-1, on at most `threads` goroutines, and
// returns when all calls are done.
func parallel(n, threads int, work func(i int)) {
	threads = min(threads, n)
	if threads <= 1 {
		for i := range n {
			work(i)
		}
		return
	}
	var next atomic.Int64
	cores.OnThreads(threads, func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			work(i)
		}
	})
}
