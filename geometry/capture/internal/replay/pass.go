package replay

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl64"
)

// Draw is one draw of a frame: what Solve found, and where it belongs.
type Draw struct {
	Fit
	Pass      int
	Mesh      int // equal for draws with the same inputs and indices
	Triangles int
}

// lens is the projection of a pass from its eye space: x to the right, y up, z backwards,
// right-handed. For a parallel projection a frame determines only the ratios of the scales.
type lens struct {
	flat      bool
	x, y, z   float64 // scales of clip x, y, and of w or (if flat) z
	near, far float64

	depth, offset float64 // clip z = depth*w + offset, in perspective
}

// eye maps a point of the target's clip space to eye space. It is affine for either kind of
// projection.
func (l *lens) eye(c mgl64.Vec4) mgl64.Vec3 {
	depth := c[3]
	if l.flat {
		depth = c[2]
	}
	return mgl64.Vec3{c[0] / l.x, -c[1] / l.y, -depth / l.z}
}

// homogeneous is eye as a linear map: its result is not divided by the fourth component, which is
// 1 if clip is the output of an affine place.
func (l *lens) homogeneous() mgl64.Mat4 {
	m := mgl64.Diag4(mgl64.Vec4{1 / l.x, -1 / l.y, 0, 0})
	if l.flat {
		m.Set(2, 2, -1/l.z)
		m.Set(3, 3, 1)
		return m
	}
	offset := l.offset
	if offset == 0 {
		offset = -l.near
	}
	m.Set(2, 3, -1/l.z)
	m.Set(3, 2, 1/offset)
	m.Set(3, 3, -l.depth/offset)
	return m
}

// place returns the affine map from a linear draw's inputs to eye space.
func (l *lens) place(f *Fit) mgl64.Mat4 {
	m := mgl64.Ident4()
	for k := range 4 {
		p := l.eye(mgl64.Vec4{f.Rows[0][k], f.Rows[1][k], f.Rows[2][k], f.Rows[3][k]})
		m.SetCol(k, p.Vec4(m.At(3, k)))
	}
	if f.Rank == 2 {
		// The inputs lie in a plane, so its normal is unknown. Choose a normal about the draw's
		// centre, for lighting.
		linear := m.Mat3()
		u, v := linear.Mul3x1(f.Axes[0]), linear.Mul3x1(f.Axes[1])
		n := u.Cross(v)
		if size := n.Len(); size > 0 {
			n = n.Mul(1 / math.Sqrt(size))
			for k := range 3 {
				m.SetCol(k, m.Col(k).Add(n.Mul(f.Axes[2][k]).Vec4(0)))
			}
			m.SetCol(3, m.Col(3).Sub(n.Mul(f.Axes[2].Dot(f.Center)).Vec4(0)))
		}
	}
	return m
}

// solid reports whether a draw tells something about the camera: it is linear, and not in a
// plane.
func (d *Draw) solid() bool { return d.Linear() && d.Rank == 3 }

// flatPass reports whether a pass has a parallel projection.
func flatPass(draws []*Draw) bool {
	flat, all := 0, 0
	for _, d := range draws {
		all += d.Vertices
		if d.Flat {
			flat += d.Vertices
		}
	}
	return 2*flat > all
}

// newLens recovers the projection of a pass, whose target is aspect times as wide as high. It
// assumes square pixels; if they are not, the world is stretched, but still looks the same from
// the game's camera.
func newLens(draws []*Draw, aspect float64) lens {
	l := lens{flat: flatPass(draws)}
	var good, any samples
	for _, d := range draws {
		if !d.solid() || d.Flat != l.flat {
			continue
		}
		s, upright := l.sample(d, aspect)
		any = append(any, s)
		if upright {
			good = append(good, s)
		}
	}
	if len(good) == 0 {
		good = any
	}
	const usual = 1.7320508 // 60 degrees, if the frame tells nothing
	l.y, l.z = good.median(func(s sample) float64 { return s.y }, usual), 1
	if l.flat {
		l.z = good.median(func(s sample) float64 { return s.depth }, 1)
		l.near, l.far = 0, 1/l.z
	} else {
		l.planes(good, draws)
	}
	l.x = l.y / aspect
	return l
}

// planes recovers the distances of the clip planes: z = depth*w + offset.
func (l *lens) planes(good samples, draws []*Draw) {
	a := good.median(func(s sample) float64 { return s.depth }, 1)
	b := good.median(func(s sample) float64 { return s.offset }, 0)
	l.depth, l.offset = a, b
	l.near, l.far = -b/a, b/(1-a)
	if l.near > l.far && l.far > 0 { // reversed
		l.near, l.far = l.far, l.near
	}
	furthest := 0.0
	for _, d := range draws {
		furthest = max(furthest, math.Abs(d.Mean[3]))
	}
	if !(l.far > 0 && l.far < 1e6*furthest) {
		l.far = 100 * max(furthest, 1e-6)
	}
	if !(l.near > 1e-6*l.far && l.near < l.far) {
		l.near = 1e-4 * l.far
	}
}

// sample is what one draw tells about its pass's projection.
type sample struct {
	y, depth, offset float64
	weight           float64
}

type samples []sample

// sample derives the projection from a draw's rows: without shear, x, y and depth of an upright
// camera are orthogonal and equally long before they are scaled.
func (l *lens) sample(d *Draw, aspect float64) (s sample, upright bool) {
	x, y, z, w := d.Rows[0].Vec3(), d.Rows[1].Vec3(), d.Rows[2].Vec3(), d.Rows[3].Vec3()
	s.weight = float64(d.Triangles)
	along := w
	if l.flat {
		along = z
		s.y, s.depth = y.Len(), z.Len()
	} else {
		s.y = y.Len() / w.Len()
		s.depth = z.Dot(w) / w.Dot(w)
		s.offset = d.Rows[2][3] - s.depth*d.Rows[3][3]
	}
	cosine := func(a, b mgl64.Vec3) float64 { return math.Abs(a.Dot(b)) / (a.Len() * b.Len()) }
	const near = 0.02
	upright = math.Abs(x.Len()*aspect/y.Len()-1) < near && cosine(x, y) < near && cosine(x, along) < near && cosine(y, along) < near
	return s, upright
}

// median returns the weighted median of the samples' finite, nonzero values.
func (s samples) median(of func(sample) float64, otherwise float64) float64 {
	s = slices.DeleteFunc(slices.Clone(s), func(e sample) bool {
		v := of(e)
		return v == 0 || math.IsNaN(v) || math.IsInf(v, 0)
	})
	slices.SortFunc(s, func(a, b sample) int { return cmp.Compare(of(a), of(b)) })
	whole, sum := 0.0, 0.0
	for _, e := range s {
		whole += e.weight
	}
	for _, e := range s {
		if sum += e.weight; 2*sum >= whole {
			return of(e)
		}
	}
	return otherwise
}
