package renderer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
)

// If Sees returns false, no point of the box is in the view.
func TestSees(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	random := func(size float32) mgl32.Vec3 {
		return mgl32.Vec3{size * (r.Float32() - .5), size * (r.Float32() - .5), size * (r.Float32() - .5)}
	}
	all := geometry.Box{Min: mgl32.Vec3{-5, -5, -5}, Max: mgl32.Vec3{5, 5, 5}}
	unseen := 0
	for i := range 2000 {
		c := FitCamera(all, 2)
		c.Azimuth, c.Elevation, c.Orthographic = 360*r.Float32(), 180*r.Float32()-90, i%3 == 0
		c.Zoom(1+9*r.Float32(), all)
		a, size := random(2), random(2)
		box := geometry.Box{Min: a, Max: a.Add(mgl32.Vec3{max(size[0], 0), max(size[1], 0), max(size[2], 0)})}
		at := random(20)
		transform := mgl32.Translate3D(at[0], at[1], at[2]).Mul4(mgl32.HomogRotate3D(r.Float32(), mgl32.Vec3{0, 1, 0})).Mul4(mgl32.Scale3D(-1, 2, .1))
		if c.Sees(box, &transform, 2) {
			continue
		}
		unseen++
		clip := c.ViewProj(2).Mul4(transform)
		for range 50 {
			p := box.Min
			for axis := range p {
				p[axis] += r.Float32() * (box.Max[axis] - box.Min[axis])
			}
			q := clip.Mul4x1(p.Vec4(1))
			require.False(t, q[2] >= 0 && q[2] <= q[3] && q[0] >= -q[3] && q[0] <= q[3] && q[1] >= -q[3] && q[1] <= q[3], "%v of %v", p, box)
		}
	}
	require.Greater(t, unseen, 500)
	require.Less(t, unseen, 1900)
	c := FitCamera(all, 2)
	identity := mgl32.Ident4()
	require.True(t, c.Sees(all, &identity, 2))
	// A point beside the view by no more than rounding may still be drawn.
	for beside, want := range map[float32]bool{1e-6: true, 1e-3: false} {
		right, _ := c.Basis()
		at := c.Target.Add(right.Mul((1 + beside) * 2 * c.Distance * float32(math.Tan(radians(c.FovY)/2))))
		require.Equal(t, want, c.Sees(geometry.Box{Min: at, Max: at}, nil, 2), beside)
	}
}
