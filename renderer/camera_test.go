package renderer

import (
	"image"
	"math"
	"math/rand/v2"
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

func TestCapturedCamera(t *testing.T) {
	view := geometry.View{Eye: mgl32.Vec3{1, 2, 3}, Azimuth: 90, Elevation: 30, Distance: 10, FovY: 50, Near: .5, Far: 400, Aspect: 2}
	c := CapturedCamera(&view, 2)
	require.NoError(t, c.Check())
	require.InDelta(t, 0, c.Eye().Sub(view.Eye).Len(), 1e-5)
	require.InDelta(t, 10, c.Target.Sub(view.Eye).Len(), 1e-5)
	require.Equal(t, [3]float32{50, .5, 400}, [3]float32{c.FovY, c.Near, c.Far})
	world := geometry.Box{Min: mgl32.Vec3{-9e3, -9e3, -9e3}, Max: mgl32.Vec3{9e3, 9e3, 9e3}}
	moved := c
	moved.Zoom(1.1, world)
	require.Equal(t, float32(.5), moved.Near, "a large world does not push the near plane away")
	require.Greater(t, moved.Far, float32(9e3))
	wide := CapturedCamera(&view, 3)
	require.Equal(t, c.FovY, wide.FovY)

	// A narrow picture still shows what the game showed at the sides.
	edge := c.Target.Add(mgl32.Vec3{0, 0, 1}.Mul(-9))
	narrow := CapturedCamera(&view, 1)
	require.InDelta(t, project(c, 2, edge)[0], project(narrow, 1, edge)[0], 1e-4)
}

func TestFitIntoAPartOfThePicture(t *testing.T) {
	require.Equal(t, Part{}, PartOf(image.Rectangle{}, image.Pt(800, 600)))
	require.Equal(t, Part{}, PartOf(image.Rect(0, 0, 800, 600), image.Pt(800, 600)))
	for _, r := range []image.Rectangle{image.Rect(300, 0, 800, 600), image.Rect(300, 200, 800, 600), image.Rect(0, 0, 100, 80)} {
		part := PartOf(r, image.Pt(800, 600))
		for _, c := range []Camera{{Azimuth: 30, Elevation: 20, FovY: 35}, {FovY: 60, Orthographic: true}} {
			c.FitInto(unitBox, 800./600, part)
			most := 0.
			for i := range 8 {
				q := project(c, 800./600, mgl32.Vec3{float32(i&1)*2 - 1, float32(i>>1&1)*2 - 1, float32(i>>2)*2 - 1})
				for axis := range 2 {
					most = max(most, math.Abs(float64((q[axis]-part.Center[axis])/part.Half[axis])))
				}
			}
			require.LessOrEqual(t, most, 1.001, "the box lies in %v", r)
			require.Greater(t, most, .8, "and fills %v", r)
			middle := project(c, 800./600, c.Target)
			require.InDelta(t, part.Center[0], middle[0], 1e-6)
			require.InDelta(t, part.Center[1], middle[1], 1e-6)
		}
	}
}

func TestEveryAxisCanPointUp(t *testing.T) {
	for up, axis := range map[UpAxis]mgl32.Vec3{
		UpY: {0, 1, 0}, UpZ: {0, 0, 1}, UpX: {1, 0, 0}, DownY: {0, -1, 0}, DownZ: {0, 0, -1}, DownX: {-1, 0, 0},
	} {
		c := Camera{FovY: 35, Up: up, Azimuth: 40, Elevation: 15}
		c.Fit(unitBox, 1)
		require.Less(t, project(c, 1, axis)[1], project(c, 1, mgl32.Vec3{})[1], "%v is up", up)
		right, above := c.Basis()
		require.InDelta(t, 1, right.Cross(above).Dot(c.Forward().Mul(-1)), 1e-6, "%v mirrors nothing", up)
		require.InDelta(t, 0, right.Dot(axis), 1e-6, "%v: the horizon is level", up)
		for _, from := range []mgl32.Vec3{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {1, 2, -3}} {
			c.LookFrom(from)
			require.InDelta(t, -1, c.Forward().Dot(from.Normalize()), 1e-6, "%v from %v", up, from)
		}
	}
}

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
