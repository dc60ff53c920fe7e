package soft

// The planes against which a triangle may be clipped, as bits of a mask. A vertex is inside if
// its distance is zero or more.
const (
	nearPlane  = 1 << iota // z >= 0
	farPlane               // z <= w
	eyePlane               // w >= smallestW
	leftGuard              // x >= -guard*w
	rightGuard             // x <= guard*w
	upperGuard             // y >= -guard*w
	lowerGuard             // y <= guard*w
	planeCount = iota
)

// smallestW keeps 1/w, and products with it, finite in float32.
const smallestW = 1.0 / (1 << 62) / (1 << 34)

// guardPx is how far the guard band reaches from the picture's centre, in pixels. Within it a float32
// still resolves 1/256 pixel.
const guardPx = 1 << 15

// corner is a vertex in the clipper.
type corner struct {
	x, y, z, w float64 // clip space
}

// guardBand is guardPx for both axes, in units of w.
type guardBand struct{ x, y float64 }

func newGuardBand(width, height int) guardBand {
	return guardBand{2 * guardPx / float64(width), 2 * guardPx / float64(height)}
}

func (g guardBand) distance(c *corner, plane int) float64 {
	switch plane {
	case nearPlane:
		return c.z
	case farPlane:
		return c.w - c.z
	case eyePlane:
		return c.w - smallestW
	case leftGuard:
		return float64(g.x*c.w) + c.x
	case rightGuard:
		return float64(g.x*c.w) - c.x
	case upperGuard:
		return float64(g.y*c.w) + c.y
	default:
		return float64(g.y*c.w) - c.y
	}
}

// outside returns a bit for every plane that the vertex lies outside of.
func (g guardBand) outside(c *corner) int {
	mask := 0
	for i := range planeCount {
		if g.distance(c, 1<<i) < 0 {
			mask |= 1 << i
		}
	}
	return mask
}

// moveOnto moves a corner, at which a plane has cut an edge, exactly onto the plane. With huge
// coordinates the rounding error of the cut is wider than the picture.
func (g guardBand) moveOnto(c *corner, plane int) {
	switch plane {
	case nearPlane:
		c.z = 0
	case farPlane:
		c.z = c.w
	case eyePlane:
		c.w = smallestW
	case leftGuard:
		c.x = -g.x * c.w
	case rightGuard:
		c.x = g.x * c.w
	case upperGuard:
		c.y = -g.y * c.w
	case lowerGuard:
		c.y = g.y * c.w
	}
}

// polygon is a clipped triangle: each plane adds at most one corner.
type polygon struct {
	corners [3 + planeCount]corner
	count   int
}

// clip clips the polygon against the planes of the mask (Sutherland and Hodgman, Reentrant polygon
// clipping, 1974). It may change which corner is the first.
func (p *polygon) clip(g guardBand, planes int) {
	for i := range planeCount {
		if plane := 1 << i; planes&plane != 0 && p.count > 0 {
			p.clipPlane(g, plane)
		}
	}
}

func (p *polygon) clipPlane(g guardBand, plane int) {
	var out polygon
	from := &p.corners[p.count-1]
	fromDistance := g.distance(from, plane)
	for i := range p.count {
		to := &p.corners[i]
		toDistance := g.distance(to, plane)
		// Rounding may have made the polygon concave. A plane could then cross it more than twice;
		// corners for which there is no space are left out.
		if (fromDistance < 0) != (toDistance < 0) && out.count < len(out.corners) {
			if fromDistance < 0 {
				out.corners[out.count] = cut(to, from, toDistance, fromDistance)
			} else {
				out.corners[out.count] = cut(from, to, fromDistance, toDistance)
			}
			g.moveOnto(&out.corners[out.count], plane)
			out.count++
		}
		if toDistance >= 0 && out.count < len(out.corners) {
			out.corners[out.count] = *to
			out.count++
		}
		from, fromDistance = to, toDistance
	}
	*p = out
}

// cut returns the point where the edge from an inner to an outer corner meets the plane.
func cut(in, out *corner, inDistance, outDistance float64) corner {
	t := inDistance / (inDistance - outDistance)
	mix := func(a, b float64) float64 { return a + float64(t*float64(b-a)) }
	return corner{x: mix(in.x, out.x), y: mix(in.y, out.y), z: mix(in.z, out.z), w: mix(in.w, out.w)}
}
