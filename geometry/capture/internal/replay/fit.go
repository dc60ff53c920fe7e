// Package replay puts the draws of a replayed frame into one space: from the inputs and outputs
// of vertex shaders it recovers each draw's transform, the camera of a pass, and the transforms
// between passes.
//
// It computes in float64 and knows nothing of files.
package replay

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
)

// Bound is the residual above which a vertex shader does not count as linear, relative to a
// vertex's distance: a tenth of a pixel at two thousand lines. In real frames rounding leaves
// 1e-6, rarely 5e-5, and skinning at rest 2e-4.
const Bound = 1e-4

// Window maps a draw's clip space to that of the whole target, in Vulkan's conventions: x' =
// w[0]*x + w[1]*w, y' by the next two, z' by the last two.
type Window [6]float64

func (w *Window) apply(c [4]float32) mgl64.Vec4 {
	x, y, z, q := float64(c[0]), float64(c[1]), float64(c[2]), float64(c[3])
	return mgl64.Vec4{w[0]*x + w[1]*q, w[2]*y + w[3]*q, w[4]*z + w[5]*q, q}
}

// Matrix returns the window as a matrix.
func (w *Window) Matrix() mgl64.Mat4 {
	return mgl64.Mat4FromRows(mgl64.Vec4{w[0], 0, 0, w[1]}, mgl64.Vec4{0, w[2], 0, w[3]}, mgl64.Vec4{0, 0, w[4], w[5]}, mgl64.Vec4{0, 0, 0, 1})
}

// Target says how a draw's clip space maps to what it draws into.
type Target struct {
	Pass        int
	Window      Window
	DepthWrites bool
	Culls       string // triangles that are not drawn, by their winding on the target: "", "cw", "ccw", "both"
}

// Fit is the linear map from inputs to outputs that is nearest to a draw's vertex shader.
type Fit struct {
	Rows     [4]mgl64.Vec4 // rows for x, y, z, w in the target's clip space; factors of x, y, z, 1
	Residual float64       // the largest distance between an output and the map's result, relative to the output's length
	Rank     int           // 3; 2 if all inputs lie in a plane, 1 on a line, 0 in a point
	Axes     [3]mgl64.Vec3 // orthonormal, the first Rank of them spanned by the inputs
	Flat     bool          // whether w is 1 everywhere: a parallel projection, or flat on the screen
	Center   mgl64.Vec3    // mean of the inputs
	Mean     mgl64.Vec4    // mean of the outputs
	Vertices int           // number of referenced vertices
}

// Linear reports whether the vertex shader is linear as far as its outputs tell.
func (f *Fit) Linear() bool { return f.Vertices > 0 && f.Residual <= Bound }

// Solve finds the map by least squares over the referenced vertices.
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
// output. An output's length counts as at least a thousandth of the longest: close to the eye
// there is only the shader's rounding.
func (f *Fit) residual(positions []mgl32.Vec3, clip [][4]float32, used []bool, window Window) float64 {
	longest := 0.0
	for v, ok := range used {
		if ok {
			longest = max(longest, window.apply(clip[v]).Len())
		}
	}
	worst := 0.0
	for v, ok := range used {
		if !ok {
			continue
		}
		c, p := window.apply(clip[v]), wide(positions[v]).Vec4(1)
		off := 0.0
		for r := range 4 {
			d := f.Rows[r].Dot(p) - c[r]
			off += d * d
		}
		if off > 0 {
			worst = max(worst, math.Sqrt(off)/max(c.Len(), 1e-3*longest))
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
	v := [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} // columns
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
	order := [3]int{0, 1, 2}
	for i := range order {
		for k := i + 1; k < 3; k++ {
			if m[order[k]][order[k]] > m[order[i]][order[i]] {
				order[i], order[k] = order[k], order[i]
			}
		}
	}
	for i, at := range order {
		values[i] = m[at][at]
		vectors[i] = mgl64.Vec3{v[0][at], v[1][at], v[2][at]}
	}
	return values, vectors
}
