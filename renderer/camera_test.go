package renderer

import (
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
)

var unitBox = geometry.Box{Min: mgl32.Vec3{-1, -1, -1}, Max: mgl32.Vec3{1, 1, 1}}

func project(c Camera, aspect float32, p mgl32.Vec3) mgl32.Vec3 {
	q := c.ViewProj(aspect).Mul4x1(p.Vec4(1))
	return q.Vec3().Mul(1 / q[3])
}

func TestFitCameraSeesTheWholeBox(t *testing.T) {
	deep := geometry.Box{Min: mgl32.Vec3{-1, -1, -50}, Max: mgl32.Vec3{1, 1, 50}}
	for _, aspect := range []float32{0.4, 1, 16.0 / 9} {
		c := Camera{FovY: 35, Orthographic: true}
		c.Fit(deep, aspect)
		c.Zoom(4, deep)
		for _, z := range []float32{-50, 50} {
			depth := project(c, aspect, mgl32.Vec3{0, 0, z})[2]
			require.True(t, depth > 0 && depth < 1, "a parallel projection cuts nothing open: depth %v", depth)
		}
		for _, c := range []Camera{
			{Azimuth: 30, Elevation: 20}, {}, {Elevation: 90}, {Azimuth: -90, Orthographic: true}, {Azimuth: 77, Elevation: -40},
		} {
			c.FovY = 35
			c.Fit(geometry.Box{Min: mgl32.Vec3{-9, -9, -9}, Max: mgl32.Vec3{9, 9, 9}, Core: &unitBox}, aspect)
			depth := project(c, aspect, c.Forward().Mul(9))[2]
			require.True(t, depth > 0 && depth < 1, "what the camera need not show is not cut off either: depth %v", depth)
			require.Less(t, project(c, aspect, c.Forward().Mul(-2))[2], float32(0), "a dome before what is shown does not hide it")
			c.Fit(unitBox, aspect)
			for i := range 8 {
				p := mgl32.Vec3{float32(i&1)*2 - 1, float32(i>>1&1)*2 - 1, float32(i>>2)*2 - 1}
				q := project(c, aspect, p)
				require.LessOrEqual(t, math.Abs(float64(q[0])), 1.001, "%+v %v", c, p)
				require.LessOrEqual(t, math.Abs(float64(q[1])), 1.001, "%+v %v", c, p)
				require.True(t, q[2] > 0 && q[2] < 1, "%+v depth %v", c, q[2])
			}
		}
	}
}

func TestCameraAxes(t *testing.T) {
	c := Camera{FovY: 35}
	c.Fit(unitBox, 1)
	require.Greater(t, project(c, 1, mgl32.Vec3{1, 0, 0})[0], float32(0), "+X is to the right")
	require.Less(t, project(c, 1, mgl32.Vec3{0, 1, 0})[1], float32(0), "+Y is up, where Vulkan's y points down")
	near, far := project(c, 1, mgl32.Vec3{0, 0, 1})[2], project(c, 1, mgl32.Vec3{0, 0, -1})[2]
	require.Less(t, near, far, "+Z is nearer from the front")
	right, up := c.Basis()
	require.InDelta(t, 0, right.Dot(up), 1e-6)
	require.InDelta(t, 1, right.Cross(up).Dot(c.Forward().Mul(-1)), 1e-6)
}

func TestZoomHalvesTheDistance(t *testing.T) {
	c := FitCamera(unitBox, 1)
	before := c.Distance
	c.Zoom(2, unitBox)
	require.InDelta(t, before/2, c.Distance, 1e-5)
	require.NoError(t, c.Check())
	for range 60 {
		c.Zoom(2, unitBox)
	}
	require.NoError(t, c.Check(), "however near")
}

// TestCameraCheckRefuses: cameras that cannot project are refused, cameras that see little are not.
func TestCameraCheckRefuses(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, change := range map[string]func(c *Camera){
		"NaN azimuth": func(c *Camera) { c.Azimuth = nan }, "NaN elevation": func(c *Camera) { c.Elevation = nan },
		"infinite azimuth": func(c *Camera) { c.Azimuth = inf },
		"NaN target":       func(c *Camera) { c.Target[1] = nan }, "infinite target": func(c *Camera) { c.Target[2] = -inf },
		"NaN distance": func(c *Camera) { c.Distance = nan }, "no distance": func(c *Camera) { c.Distance = 0 }, "behind": func(c *Camera) { c.Distance = -1 },
		"NaN field of view": func(c *Camera) { c.FovY = nan }, "no field of view": func(c *Camera) { c.FovY = 0 }, "half a turn": func(c *Camera) { c.FovY = 180 },
		"NaN near": func(c *Camera) { c.Near = nan }, "NaN far": func(c *Camera) { c.Far = nan }, "infinite far": func(c *Camera) { c.Far = inf },
		"far is near": func(c *Camera) { c.Far = c.Near }, "far before near": func(c *Camera) { c.Far = c.Near / 2 },
		"near at the eye": func(c *Camera) { c.Near = 0 }, "near behind the eye": func(c *Camera) { c.Near = -1 },
	} {
		c := FitCamera(unitBox, 1)
		change(&c)
		require.ErrorContains(t, c.Check(), "", name)
		require.NotContains(t, c.Check().Error(), "\n", name)
		require.Error(t, c.CheckFor(1), name)
	}
	for name, change := range map[string]func(c *Camera){
		"within the scene": func(c *Camera) { c.Distance = 0.01 }, "the scene is before the near plane": func(c *Camera) { c.Near, c.Far = 1000, 1001 },
		"a plane behind the eye, parallel": func(c *Camera) { c.Orthographic, c.Near = true, -5 }, "planes that touch": func(c *Camera) { c.Far = math.Nextafter32(c.Near, inf) },
	} {
		c := FitCamera(unitBox, 1)
		change(&c)
		require.NoError(t, c.Check(), name)
	}
}

// TestMovesOfTheCamera: LookAround keeps the eye, Move the angles. The target stays where float32 is precise.
func TestMovesOfTheCamera(t *testing.T) {
	start := FitCamera(unitBox, 1)
	c := start
	c.Zoom(.01, unitBox)
	c.Fit(unitBox, 1)
	require.Equal(t, start, c, "a fit does not depend on the distance before")
	c.LookAround(unitBox, .25, .125) // 120 degrees for a window's height
	require.InDelta(t, start.Azimuth-30, c.Azimuth, 1e-4)
	require.InDelta(t, start.Elevation+15, c.Elevation, 1e-4)
	require.InDelta(t, 0, c.Eye().Sub(start.Eye()).Len(), 1e-5)
	c = start
	c.Move(unitBox, mgl32.Vec3{1e9, 0, 0})
	require.InEpsilon(t, FurthestTarget*unitBox.Radius(), c.Target.Len(), 1e-4)
}
