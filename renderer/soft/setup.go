package soft

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer"
)

// source is the queue that a raster pass draws.
type source struct {
	queues        *renderer.Queues
	form          renderer.QueueForm
	look          look
	counts        []uint32
	from          int       // first triangle of the queue to draw
	triangleCount int       // index after the last triangle to draw
	firstTriangle uint32    // stream position of the queue's first triangle
	textures      *textures // nil if the frame needs none
}

// subpixel is the number of subpixels per pixel along each axis.
const subpixel = 256

// triangle is ready to be rasterized: its corners are ordered so that its area is positive, and its box
// contains a pixel centre of the picture. Pixel centres are multiples of subpixel.
type triangle struct {
	x, y                   [3]int32  // subpixels
	minX, maxX, minY, maxY int32     // pixels whose centres are in its box, clipped to the picture
	number                 uint32    // in the source
	z                      [3]uint32 // fixed point (depth.go)
	primitive
}

// primitive holds the values shared by the parts of a clipped triangle.
type primitive struct {
	posClip [3][4]float32
	lights  mgl32.Vec3 // of the corners, of 255
	base    [3]float32 // colour before lighting; not used by the counts view
	times   [3]uint8   // in the counts view how often each corner was shaded, 1 to 6
	shown   *shown     // in views that interpolate what vertices store; else nil

	textured *textured // nil if the triangle has neither a texture nor distances
}

// setup converts triangles of a source into triangle records, in order.
type setup struct {
	source
	width, height int
	guard         guardBand
	triangles     []triangle
}

// place is a vertex's position in the picture.
type place struct {
	subX, subY int32
	z          float32
}

// addSeen adds a triangle if it may cover a pixel's centre.
func (s *setup) addSeen(number int) {
	var p polygon
	p.count = 3
	inAll, inAny := ^0, 0
	beyond := ^0
	var drawn primitive
	if s.look.view.Interpolates() {
		drawn.shown = new(shown)
	}
	for c := range 3 {
		vertex := s.queues.Corner(s.form, number, c)
		pos, attributes := &s.queues.Positions[vertex], s.queues.Attributes[vertex]
		for _, f := range pos {
			if f-f != 0 { // infinite or not a number
				return
			}
		}
		if c == 0 {
			drawn.base = s.base(attributes)
		}
		p.corners[c] = corner{x: float64(pos[0]), y: float64(pos[1]), z: float64(pos[2]), w: float64(pos[3])}
		drawn.posClip[c], drawn.lights[c] = *pos, float32(attributes[1]>>24)
		if drawn.shown != nil {
			for k, v := range loadShown(attributes) {
				drawn.shown[k][c] = v
			}
			drawn.lights[c] = shownLight(attributes)
		}
		if s.look.view == renderer.Counts {
			drawn.times[c] = uint8(min(max(s.counts[attributes[0]], 1), 6))
		}
		outside := s.guard.outside(&p.corners[c])
		inAll, inAny = inAll&outside, inAny|outside
		beyond &= beyondOf(pos)
	}
	if inAll != 0 || beyond != 0 {
		return
	}
	if inAny != 0 {
		p.clip(s.guard, inAny)
	}
	if drawn.textured = s.textured(number); drawn.textured != nil {
		if drawn.textured.culled() {
			return
		}
		drawn.textured.mask(&drawn.posClip, s.width, s.height)
	}
	s.addPolygon(&p, &drawn, uint32(number))
}

// misses reports whether a triangle is wholly within the view, and its box contains no pixel centre. addSeen
// would not add such a triangle either, but takes longer; in large scenes most triangles are so small.
func (s *setup) misses(number int) bool {
	var x, y [3]int32
	for c := range 3 {
		p := &s.queues.Positions[s.queues.Corner(s.form, number, c)]
		if within := p[3] >= smallestW && p[2] >= 0 && p[2] <= p[3] && absolute(p[0]) <= p[3] && absolute(p[1]) <= p[3]; !within {
			return false
		}
		inverseW := reciprocal(p[3])
		px, py := s.pixel(p[0], p[1], inverseW)
		var okX, okY bool
		x[c], okX = snap(px)
		y[c], okY = snap(py)
		if !okX || !okY {
			return false
		}
	}
	return ceilPixel(min(x[0], x[1], x[2])) > floorPixel(max(x[0], x[1], x[2])) ||
		ceilPixel(min(y[0], y[1], y[2])) > floorPixel(max(y[0], y[1], y[2]))
}

// pixel applies the viewport transform to a position in clip space.
func (s *setup) pixel(x, y, inverseW float32) (px, py float32) {
	halfW, halfH := 0.5*float32(s.width), 0.5*float32(s.height)
	return float32(float32(x*inverseW)*halfW) + halfW, float32(float32(y*inverseW)*halfH) + halfH
}

// beyondOf returns a mask: a bit for each side of the view, including the near and far planes, beyond
// which the vertex lies, and one more bit if w is below smallestW.
func beyondOf(p *[4]float32) (mask int) {
	for side, beyond := range [...]bool{p[0] < -p[3], p[0] > p[3], p[1] < -p[3], p[1] > p[3], p[2] < 0, p[2] > p[3], p[3] < smallestW} {
		if beyond {
			mask |= 1 << side
		}
	}
	return mask
}

// base returns the colour of a primitive, taken from its corner 0.
func (s *setup) base(attributes [2]uint32) [3]float32 {
	switch s.look.view {
	case renderer.Batches:
		c := picture.BatchColor(attributes[0])
		return unpackColor(uint32(c.R) | uint32(c.G)<<8 | uint32(c.B)<<16)
	case renderer.Shaded:
		return unpackColor(attributes[1])
	}
	return [3]float32{}
}

// addPolygon splits a convex polygon into a fan of triangles, and adds these.
func (s *setup) addPolygon(p *polygon, drawn *primitive, number uint32) {
	var places [len(p.corners)]place
	for i := range p.count {
		var ok bool
		if places[i], ok = s.project(&p.corners[i]); !ok {
			return
		}
	}
	for i := 2; i < p.count; i++ {
		s.addTriangle([3]*place{&places[0], &places[i-1], &places[i]}, drawn, number)
	}
}

// reciprocal returns 1 / w within 1.5 parts of 2^24, like setup_reciprocal.
func reciprocal(w float32) float32 {
	word := math.Float32bits(w)
	if word >= 0x7e000000 {
		return 0
	}
	y := math.Float32frombits(0x7ef311c7 - word)
	for range 2 {
		y *= 2 - float32(w*y)
	}
	return y + float32(y*(1-float32(w*y)))
}

// project applies the viewport transform and snaps to subpixels. It returns false for a position out of range.
func (s *setup) project(c *corner) (place, bool) {
	inverseW := reciprocal(float32(c.w))
	x, y := s.pixel(float32(c.x), float32(c.y), inverseW)
	p := place{z: float32(c.z) * inverseW}
	var okX, okY bool
	p.subX, okX = snap(x)
	p.subY, okY = snap(y)
	return p, okX && okY && inverseW >= smallestInverseW && p.z-p.z == 0
}

// snap returns the subpixel nearest to a position in pixels, counted from the centre of pixel 0;
// it returns false beyond the guard band, with a margin for rounding.
func snap(px float32) (int32, bool) {
	const most = 2 * guardPx * subpixel
	f := math.RoundToEven(float64(float32(px-0.5) * subpixel))
	if !(f >= -most && f <= most) {
		return 0, false
	}
	return int32(f), true
}

func (s *setup) addTriangle(p [3]*place, drawn *primitive, number uint32) {
	area := edge(p[0], p[1], p[2])
	if area == 0 {
		return
	}
	if area < 0 {
		p[1], p[2] = p[2], p[1]
	}
	a, b, c := p[0], p[1], p[2]
	// The first and last pixel centres within the box.
	minX, maxX := ceilPixel(min(a.subX, b.subX, c.subX)), floorPixel(max(a.subX, b.subX, c.subX))
	minY, maxY := ceilPixel(min(a.subY, b.subY, c.subY)), floorPixel(max(a.subY, b.subY, c.subY))
	minX, maxX = max(minX, 0), min(maxX, int32(s.width)-1)
	minY, maxY = max(minY, 0), min(maxY, int32(s.height)-1)
	if minX > maxX || minY > maxY {
		return
	}
	t := triangle{minX: minX, maxX: maxX, minY: minY, maxY: maxY, primitive: *drawn, number: number}
	for i, p := range p {
		t.x[i], t.y[i] = p.subX, p.subY
		t.z[i] = fixDepth(p.z)
	}
	s.triangles = append(s.triangles, t)
}

// edge returns twice the area of the triangle a, b, c, exactly, in square subpixels: positive if the
// corners are in clockwise order in the picture, whose y grows downwards.
func edge(a, b, c *place) int64 {
	return int64(b.subX-a.subX)*int64(c.subY-a.subY) - int64(c.subX-a.subX)*int64(b.subY-a.subY)
}

func ceilPixel(sub int32) int32  { return (sub + subpixel - 1) >> 8 }
func floorPixel(sub int32) int32 { return sub >> 8 }
