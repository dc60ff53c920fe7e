// Package replay puts the draws of a replayed frame into one space: from the inputs and outputs
// of vertex shaders it recovers each draw's transform, the camera of a pass, and the transforms
// between passes.
//
// It computes in float64 and knows nothing of files.
package replay

import (
	"cmp"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
)

// Bound is the residual above which a vertex shader does not count as linear, relative to a
// vertex's distance: a tenth of a pixel in a picture 2000 pixels high. In real frames rounding leaves
// a residual of 1e-6, rarely 5e-5, and skinning at rest one of 2e-4.
const Bound = 1e-4

// Window maps a draw's clip space to that of the whole target, in Vulkan's conventions. With q for the
// clip coordinate w, it maps x to w[0]*x + w[1]*q, y to w[2]*y + w[3]*q, and z to w[4]*z + w[5]*q. q stays.
type Window [6]float64

func (w *Window) apply(c [4]float32) mgl64.Vec4 {
	x, y, z, q := float64(c[0]), float64(c[1]), float64(c[2]), float64(c[3])
	return mgl64.Vec4{w[0]*x + w[1]*q, w[2]*y + w[3]*q, w[4]*z + w[5]*q, q}
}

// Matrix returns the window as a matrix.
func (w *Window) Matrix() mgl64.Mat4 {
	return mgl64.Mat4FromRows(mgl64.Vec4{w[0], 0, 0, w[1]}, mgl64.Vec4{0, w[2], 0, w[3]}, mgl64.Vec4{0, 0, w[4], w[5]}, mgl64.Vec4{0, 0, 0, 1})
}

// Target says how a draw's clip space maps to the target that it draws into.
type Target struct {
	Pass        int
	Window      Window
	DepthWrites bool
	Culls       string // triangles that are not drawn, by their winding on the target: "", "cw", "ccw", "both"
}

// Fit is the linear map from inputs to outputs that is nearest to a draw's vertex shader.
type Fit struct {
	Rows     [4]mgl64.Vec4 // rows for clip x, y, z, w of the target; each holds the factors of x, y, z, 1 of an input
	Residual float64       // the largest distance between an output and the map's result, relative to the output's length
	Rank     int           // 3; 2 if all inputs lie in a plane, 1 on a line, 0 in a point
	Axes     [3]mgl64.Vec3 // orthonormal; the inputs span the first Rank of them
	Flat     bool          // whether w is 1 everywhere: a parallel projection, or a draw flat on the screen
	Center   mgl64.Vec3    // mean of the inputs
	Mean     mgl64.Vec4    // mean of the outputs
	Vertices int           // number of referenced vertices
}

// Linear reports whether the vertex shader is linear as far as its outputs tell.
func (f *Fit) Linear() bool { return f.Vertices > 0 && f.Residual <= Bound }

// Solve finds a draw's Fit by least squares over the vertices that indices reference.
func Solve(positions []mgl32.Vec3, clip [][4]float32, indices []uint32, window Window) Fit {
	used := make([]bool, len(positions))
	for _, id := range indices {
		used[id] = true
	}
	f := Fit{Flat: true}
	for v, ok := range used {
		if ok {
			f.Vertices++
			f.Center = f.Center.Add(wide(positions[v]))
			f.Mean = f.Mean.Add(window.apply(clip[v]))
			f.Flat = f.Flat && math.Abs(float64(clip[v][3])-1) < 1e-6
		}
	}
	if f.Vertices == 0 {
		return f
	}
	f.Center = f.Center.Mul(1 / float64(f.Vertices))
	f.Mean = f.Mean.Mul(1 / float64(f.Vertices))
	var square [3][3]float64 // products of inputs with inputs
	var cross [4]mgl64.Vec3  // products of outputs with inputs
	for v, ok := range used {
		if !ok {
			continue
		}
		p, c := wide(positions[v]).Sub(f.Center), window.apply(clip[v]).Sub(f.Mean)
		for r := range 3 {
			for k := range 3 {
				square[r][k] += p[r] * p[k]
			}
		}
		for r := range 4 {
			cross[r] = cross[r].Add(p.Mul(c[r]))
		}
	}
	values, axes := eigen(square)
	f.Axes = axes
	// Inputs have 24 bits, so a smaller spread along a direction is rounding.
	for f.Rank < 3 && values[f.Rank] > 1e-13*values[0] {
		f.Rank++
	}
	for r := range f.Rows {
		var row mgl64.Vec3
		for k := range f.Rank {
			row = row.Add(axes[k].Mul(cross[r].Dot(axes[k]) / values[k]))
		}
		f.Rows[r] = row.Vec4(f.Mean[r] - row.Dot(f.Center))
	}
	f.Residual = f.residual(positions, clip, used, window)
	return f
}

// residual returns the largest distance between outputs and the map's results, relative to the
// output's length. A length counts as at least a thousandth of the longest: outputs close to the
// eye hold only the shader's rounding.
func (f *Fit) residual(positions []mgl32.Vec3, clip [][4]float32, used []bool, window Window) float64 {
	longest := 0.0
	for v, ok := range used {
		if ok {
			longest = max(longest, window.apply(clip[v]).Len())
		}
	}
	worst, m := 0.0, mgl64.Mat4FromRows(f.Rows[0], f.Rows[1], f.Rows[2], f.Rows[3])
	for v, ok := range used {
		if !ok {
			continue
		}
		c := window.apply(clip[v])
		if off := m.Mul4x1(wide(positions[v]).Vec4(1)).Sub(c).Len(); off > 0 {
			worst = max(worst, off/max(c.Len(), 1e-3*longest))
		}
	}
	if math.IsNaN(worst) {
		return math.Inf(1)
	}
	return worst
}

func wide(v mgl32.Vec3) mgl64.Vec3 {
	return mgl64.Vec3{float64(v[0]), float64(v[1]), float64(v[2])}
}

// eigen computes the eigenvalues of a symmetric matrix, largest first, and its eigenvectors, by
// Jacobi rotations.
func eigen(m [3][3]float64) (values [3]float64, vectors [3]mgl64.Vec3) {
	v := [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} // eigenvectors, as columns
	for range 32 {
		p, q := 0, 1
		for _, at := range [][2]int{{0, 2}, {1, 2}} {
			if math.Abs(m[at[0]][at[1]]) > math.Abs(m[p][q]) {
				p, q = at[0], at[1]
			}
		}
		if m[p][q] == 0 {
			break
		}
		theta := (m[q][q] - m[p][p]) / (2 * m[p][q])
		t := math.Copysign(1, theta) / (math.Abs(theta) + math.Sqrt(theta*theta+1))
		c := 1 / math.Sqrt(t*t+1)
		s := t * c
		for k := range 3 {
			m[k][p], m[k][q] = c*m[k][p]-s*m[k][q], s*m[k][p]+c*m[k][q]
		}
		for k := range 3 {
			m[p][k], m[q][k] = c*m[p][k]-s*m[q][k], s*m[p][k]+c*m[q][k]
			v[k][p], v[k][q] = c*v[k][p]-s*v[k][q], s*v[k][p]+c*v[k][q]
		}
		m[p][q], m[q][p] = 0, 0
	}
	order := []int{0, 1, 2}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(m[b][b], m[a][a]) })
	for i, at := range order {
		values[i] = m[at][at]
		vectors[i] = mgl64.Vec3{v[0][at], v[1][at], v[2][at]}
	}
	return values, vectors
}

// Draw is one draw of a frame: what Solve found, and the draw's pass, mesh and size.
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
	x, y, z   float64 // scales of clip x, of clip y, and of clip w (of clip z if flat)
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

// homogeneous returns eye as a matrix of homogeneous coordinates. If a draw's transform is affine, the
// fourth component of the result is 1, so that no division by it is needed.
func (l *lens) homogeneous() mgl64.Mat4 {
	m := mgl64.Diag4(mgl64.Vec4{1 / l.x, -1 / l.y, 0, 0})
	if l.flat {
		m.Set(2, 2, -1/l.z)
		m.Set(3, 3, 1)
		return m
	}
	offset := cmp.Or(l.offset, -l.near)
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

// solid reports whether a draw helps to find the camera: it is linear, and not in a plane.
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

// newLens recovers the projection of a pass, whose target is `aspect` times as wide as high. It
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
	const usual = 1.7320508 // 60 degrees, used if the frame does not determine the scale
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

// planes recovers the distances of the clip planes from clip z = depth*w + offset.
func (l *lens) planes(good samples, draws []*Draw) {
	a := good.median(func(s sample) float64 { return s.depth }, 1)
	b := good.median(func(s sample) float64 { return s.offset }, 0)
	l.depth, l.offset = a, b
	l.near, l.far = -b/a, b/(1-a)
	if l.near > l.far && l.far > 0 { // the frame has reversed depth
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

// sample is one draw's estimate of its pass's projection.
type sample struct {
	y, depth, offset float64
	weight           float64
}

type samples []sample

// sample derives the projection from a draw's rows. Without shear, the x, y and depth rows of an
// upright camera are orthogonal and, before scaling, equally long; upright reports whether they are.
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

// median returns the weighted median of the samples' finite, nonzero values; `otherwise` if there are none.
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
