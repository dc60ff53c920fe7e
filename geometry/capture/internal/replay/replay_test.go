package replay

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/indextest"
)

// whole is the window of a Vulkan viewport that covers the whole target.
var whole = Window{1, 0, 1, 0, 1, 0}

// cloud returns points in a box that spread along the given number of axes.
func cloud(n, dimensions int) []mgl32.Vec3 {
	r := rand.New(rand.NewPCG(1, uint64(dimensions)))
	points := make([]mgl32.Vec3, n)
	for i := range points {
		points[i] = mgl32.Vec3{3, -7, 300}
		for k := range dimensions {
			points[i][k] += r.Float32()*4 - 2
		}
	}
	return points
}

func all(n int) []uint32 { return indextest.Distinct(n / 3 * 3) }

// shaded returns the outputs of a vertex shader that multiplies by m.
func shaded(points []mgl32.Vec3, m mgl64.Mat4) [][4]float32 {
	out := make([][4]float32, len(points))
	for i, p := range points {
		c := m.Mul4x1(wide(p).Vec4(1))
		out[i] = [4]float32{float32(c[0]), float32(c[1]), float32(c[2]), float32(c[3])}
	}
	return out
}

// vulkan is a projection with y down and z from 0 to w.
func vulkan(fov, aspect, near, far float64) mgl64.Mat4 {
	y := 1 / math.Tan(fov*math.Pi/360)
	return mgl64.Mat4FromRows(mgl64.Vec4{y / aspect, 0, 0, 0}, mgl64.Vec4{0, -y, 0, 0},
		mgl64.Vec4{0, 0, -far / (far - near), -near * far / (far - near)}, mgl64.Vec4{0, 0, -1, 0})
}

// someView looks down by 20 degrees from above, turned by 30 degrees.
func someView() mgl64.Mat4 {
	return mgl64.HomogRotate3DX(mgl64.DegToRad(20)).Mul4(mgl64.HomogRotate3DY(mgl64.DegToRad(30))).Mul4(mgl64.Translate3D(4, -9, -12))
}

func TestSolveFindsTheTransform(t *testing.T) {
	m := vulkan(60, 1.5, .5, 900).Mul4(someView()).Mul4(mgl64.Translate3D(1, 2, -300))
	for dimensions := range 4 {
		points := cloud(40, dimensions)
		f := Solve(points, shaded(points, m), all(len(points)), whole)
		require.Equal(t, dimensions, f.Rank)
		require.Less(t, f.Residual, 2e-6)
		require.True(t, f.Linear())
		require.False(t, f.Flat)
		level := shaded(points, m)
		level[38][3] = 1 // one w of 1 does not make the draw flat: in a parallel projection all are 1
		require.False(t, Solve(points, level, all(len(points)), whole).Flat)
		for i := range level {
			level[i][3] = .5
		}
		require.False(t, Solve(points, level, all(len(points)), whole).Flat, "w is less than 1")
		if dimensions == 3 {
			for r := range 4 {
				require.InDelta(t, 0, f.Rows[r].Sub(m.Row(r)).Vec3().Len(), 1e-4, "row %d", r)
			}
			for i := range points {
				points[i][0] *= .01
			}
			require.Equal(t, 3, Solve(points, shaded(points, m), all(len(points)), whole).Rank, "thin, but no plane")
		}
	}
}

func TestSolveTellsWhatIsNotLinear(t *testing.T) {
	m := vulkan(60, 1, .5, 900).Mul4(someView())
	points := cloud(40, 3)
	bent := append([]mgl32.Vec3(nil), points...)
	for i := range bent {
		bent[i][1] += .3 * bent[i][0] * bent[i][0]
	}
	f := Solve(points, shaded(bent, m), all(len(points)), whole)
	require.False(t, f.Linear())
	require.Greater(t, f.Residual, 10*Bound)

	one := shaded(points, m)
	one[39] = [4]float32{1e6, 0, 0, 1} // an unreferenced vertex
	f = Solve(points, one, all(39), whole)
	require.True(t, f.Linear())
	require.Equal(t, 39, f.Vertices)
	none := Solve(points, one, nil, whole)
	require.False(t, none.Linear())
}

func TestFinite(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		require.False(t, finite(mgl64.Mat4{15: x}))
	}
	require.True(t, finite(mgl64.Ident4()))
}

func TestEigen(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var a mgl64.Mat3
		for i := range a {
			a[i] = r.NormFloat64()
		}
		s := a.Mul3(a.Transpose())
		values, vectors := eigen([3][3]float64{{s.At(0, 0), s.At(0, 1), s.At(0, 2)}, {s.At(1, 0), s.At(1, 1), s.At(1, 2)}, {s.At(2, 0), s.At(2, 1), s.At(2, 2)}})
		require.True(t, values[0] >= values[1] && values[1] >= values[2])
		for k := range 3 {
			require.InDelta(t, 0, s.Mul3x1(vectors[k]).Sub(vectors[k].Mul(values[k])).Len(), 1e-9)
			require.InDelta(t, 0, vectors[k].Dot(vectors[(k+1)%3]), 1e-9)
			require.InDelta(t, 1, vectors[k].Len(), 1e-9)
		}
	}
}

// object is a draw of a frame as a game makes it.
type object struct {
	points []mgl32.Vec3
	world  mgl64.Mat4
}

func objects() []object {
	var list []object
	for i := range 6 {
		world := mgl64.Translate3D(float64(8*i-20), float64(i), float64(-30-5*i)).Mul4(mgl64.HomogRotate3DY(float64(i))).Mul4(mgl64.Translate3D(0, 0, -300))
		list = append(list, object{cloud(30+3*i, 3), world})
	}
	list[2].points = cloud(30, 2) // lies in a plane
	return list
}

func draws(list []object, pass int, viewProj mgl64.Mat4, window Window) []Draw {
	var out []Draw
	for i, o := range list {
		out = append(out, Draw{Fit: Solve(o.points, shaded(o.points, viewProj.Mul4(o.world)), all(len(o.points)), window), Pass: pass, Mesh: i, Triangles: len(o.points) / 3})
	}
	return out
}

// requireShown requires that the draws, as the frame places them and its View shows them, are where the
// game's projection puts them.
func requireShown(t *testing.T, f *Frame, list []object, first int, viewProj mgl64.Mat4) {
	el := float64(f.View.Elevation) * math.Pi / 180
	back := tilt(el).Inv()
	proj := vulkan(float64(f.View.FovY), float64(f.View.Aspect), float64(f.View.Near), float64(f.View.Far))
	for i, o := range list {
		require.True(t, f.Shown(first+i))
		m := f.Transform(first + i)
		for _, p := range o.points {
			q := m.Mul4x1(p.Vec4(1))
			got := proj.Mul4(back).Mul4x1(mgl64.Vec4{float64(q[0]), float64(q[1]), float64(q[2]), 1})
			want := viewProj.Mul4(o.world).Mul4x1(wide(p).Vec4(1))
			require.InDelta(t, want[0]/want[3], got[0]/got[3], 1e-4)
			require.InDelta(t, want[1]/want[3], got[1]/got[3], 1e-4)
			require.InDelta(t, want[2]/want[3], got[2]/got[3], 1e-4)
		}
	}
}

func TestFrameSeesWhatTheGameSaw(t *testing.T) {
	const aspect = 16.0 / 9
	list := objects()
	viewProj := vulkan(72, aspect, .4, 800).Mul4(someView())
	f := NewFrame(draws(list, 0, viewProj, whole), []float64{aspect}, -1)
	require.NotNil(t, f)
	require.InDelta(t, 72, f.View.FovY, .01)
	require.InDelta(t, .4, f.View.Near, .01)
	require.InDelta(t, 800, f.View.Far, 8)
	require.InDelta(t, 20, f.View.Elevation, .1, "upright objects tell where up is")
	require.False(t, f.View.Orthographic)
	requireShown(t, f, list, 0, viewProj)
	reversed := NewFrame(draws(list, 0, mgl64.Mat4{0: 1, 5: 1, 10: -1, 14: 1, 15: 1}.Mul4(viewProj), whole), []float64{aspect}, -1) // depth 1 is near
	require.InDelta(t, .4, reversed.View.Near, .01)
	require.InDelta(t, 800, reversed.View.Far, 8)
	for i := range 5 { // add objects that lean, no two by the same angle
		leans := mgl64.HomogRotate3DY(mgl64.DegToRad(-30)).Mul4(mgl64.HomogRotate3DX(.1 * float64(i+1)))
		list = append(list, object{cloud(30, 3), mgl64.Translate3D(0, 0, -90).Mul4(leans).Mul4(mgl64.Translate3D(-3, 7, -300))})
	}
	require.InDelta(t, 20, NewFrame(draws(list, 0, viewProj, whole), []float64{aspect}, -1).View.Elevation, .1)
	require.InDelta(t, 0, f.Point(0, [4]float32{0, 0, 0, 0}, whole).Len(), 1e-9, "the eye is at the origin")
}

// TestLargeDrawsDecide: the camera's distance and the projection come from the few draws with the
// most triangles, not from many small ones.
func TestLargeDrawsDecide(t *testing.T) {
	viewProj := vulkan(72, 1, .4, 800).Mul4(someView())
	list := draws(objects(), 0, viewProj, whole)
	for _, large := range []int{1, 4} {
		list[large].Triangles = 1000
		for i, d := range draws(objects()[:4], 0, vulkan(30, 1, .4, 800).Mul4(someView()), whole) { // small draws with another projection
			d.Mesh = 10 + i
			list = append(list, d)
		}
		require.InDelta(t, 72, NewFrame(list, []float64{1}, -1).View.FovY, .01)
		require.InDelta(t, list[large].Mean[3], NewFrame(list, []float64{1}, -1).View.Distance, 1e-3)
		behind := draws([]object{{cloud(30, 3), someView().Inv().Mul4(mgl64.Translate3D(0, 0, -240))}}, 0, viewProj, whole)[0] // wholly behind the eye
		behind.Mesh, behind.Triangles = 99, 1e6
		require.InDelta(t, list[large].Mean[3], NewFrame(append(list, behind), []float64{1}, -1).View.Distance, 1e-3)
		list[large].Triangles = 1
	}
	one := draws(objects()[:1], 1, viewProj, whole)[0]
	one.Triangles = 1000
	passes := append(draws(objects()[:4], 0, vulkan(30, 1, .4, 800).Mul4(someView()), whole), one)
	require.InDelta(t, 72, NewFrame(passes, []float64{1, 1}, -1).View.FovY, .01, "the pass of the most triangles, not of the most draws")
	y := func(s sample) float64 { return s.y }
	require.Equal(t, 3., samples{{y: 1, weight: 1}, {y: 9, weight: 1}, {y: 3, weight: 2}, {weight: 99}, {y: math.NaN(), weight: 99}, {y: math.Inf(1), weight: 99}}.median(y, 7))
	require.Equal(t, 7., samples{{weight: 1}}.median(y, 7))
}

// TestFrameTakesTheWindow places a frame in OpenGL's conventions (y up, z from -w to w), in the
// left half of the target.
func TestFrameTakesTheWindow(t *testing.T) {
	list := objects()
	opengl := mgl64.Perspective(mgl64.DegToRad(50), 1, 2, 500).Mul4(someView())
	window := Window{.5, -.5, -1, 0, .5, .5}
	f := NewFrame(draws(list, 0, opengl, window), []float64{2}, -1)
	seen := mgl64.Mat4FromRows(mgl64.Vec4{.5, 0, 0, -.5}, mgl64.Vec4{0, -1, 0, 0}, mgl64.Vec4{0, 0, .5, .5}, mgl64.Vec4{0, 0, 0, 1}).Mul4(opengl)
	require.InDelta(t, 2, f.View.Near, .05)
	requireShown(t, f, list, 0, seen)
}

func TestPassesMeetInSharedMeshes(t *testing.T) {
	list := objects()
	main := vulkan(72, 1, .4, 800).Mul4(someView())
	sun := mgl64.Ortho(-90, 90, -90, 90, -200, 200).Mul4(mgl64.HomogRotate3DX(1.1)).Mul4(mgl64.HomogRotate3DY(.3))
	other := vulkan(40, 1, 1, 100).Mul4(mgl64.HomogRotate3DZ(.2))
	everything := append(draws(list, 0, sun, whole), draws(list, 1, main, whole)...)
	alone := draws(list[:1], 2, other, whole)
	alone[0].Mesh = 99
	everything = append(everything, alone...)
	f := NewFrame(everything, []float64{1, 1, 1}, -1)
	requireShown(t, f, list, len(list), main)
	for i := range list {
		require.True(t, f.Shown(i))
		a, b := f.Transform(i), f.Transform(len(list)+i)
		for _, p := range list[i].points {
			require.InDelta(t, 0, a.Mul4x1(p.Vec4(1)).Sub(b.Mul4x1(p.Vec4(1))).Len(), 2e-2)
		}
	}
	require.False(t, f.Shown(2*len(list)), "no mesh tells where it belongs")

	f = NewFrame(everything, []float64{1, 1, 1}, 0)
	require.True(t, f.View.Orthographic && f.Shown(0) && f.Main() == 0)
	f = NewFrame(everything, []float64{1, 1, 1}, 2)
	require.InDelta(t, 40, f.View.FovY, .01)
	require.Equal(t, []bool{true, false}, []bool{f.Shown(2 * len(list)), f.Shown(0)})
	everything[2*len(list)].Fit = Fit{}
	require.Nil(t, NewFrame(everything, []float64{1, 1, 1}, 2), "no draw of the pass tells where its camera is")
}

func TestParallelProjection(t *testing.T) {
	list := objects()
	// the game's clip space has z from 0 to 1 and y down
	fit := mgl64.Scale3D(1, -1, .5).Mul4(mgl64.Translate3D(0, 0, 1))
	viewProj := fit.Mul4(mgl64.Ortho(-40, 40, -20, 20, 1, 300)).Mul4(someView())
	f := NewFrame(draws(list, 0, viewProj, whole), []float64{2}, -1)
	v := f.View
	require.True(t, v.Orthographic)
	require.InDelta(t, 20, float64(v.Distance)*math.Tan(float64(v.FovY)*math.Pi/360), 1e-2)
	require.InDelta(t, 299, v.Far-v.Near, 1)
}

func TestNothingToPlace(t *testing.T) {
	require.Nil(t, NewFrame(nil, []float64{1}, -1))
	bad := Draw{Fit: Fit{Residual: math.Inf(1), Vertices: 3}, Triangles: 1}
	require.Nil(t, NewFrame([]Draw{bad}, []float64{1}, -1))
	point := draws([]object{{cloud(6, 0), mgl64.Ident4()}}, 0, vulkan(60, 1, 1, 10), whole)
	if f := NewFrame(point, []float64{1}, -1); f != nil {
		m := f.Transform(0)
		for _, v := range m {
			require.False(t, math.IsNaN(float64(v)))
		}
	}
}

// TestLensOfItsOwnDraws: draws in perspective do not affect the lens of a parallel pass.
func TestLensOfItsOwnDraws(t *testing.T) {
	var draws []*Draw
	parallel := mgl64.Ortho(-45, 45, 30, -30, -500, 500)
	for i, projection := range []mgl64.Mat4{parallel, parallel, vulkan(60, 1.5, .5, 900)} {
		points := cloud(40, 3)
		m := projection.Mul4(someView()).Mul4(mgl64.Translate3D(float64(i), 2, -300))
		draws = append(draws, &Draw{Fit: Solve(points, shaded(points, m), all(len(points)), whole), Triangles: 1 + 9*i})
	}
	require.False(t, draws[2].Flat)
	require.Equal(t, newLens(draws[:2], 1.5).y, newLens(draws, 1.5).y)
}

// TestUprightDrawsOfWidePictures: a draw of an upright camera is recognized only with the picture's right aspect ratio.
func TestUprightDrawsOfWidePictures(t *testing.T) {
	points := cloud(40, 3)
	d := Draw{Fit: Solve(points, shaded(points, vulkan(60, 2, .5, 900)), all(len(points)), whole)}
	for aspect, want := range map[float64]bool{2: true, 1: false, .5: false} {
		_, upright := new(lens).sample(&d, aspect)
		require.Equal(t, want, upright, aspect)
	}
}

// TestClipFollowsOutputs: from every pass, the outputs of a draw's vertex shader map to where the
// frame's space has the vertices, and depth increases with distance.
func TestClipFollowsOutputs(t *testing.T) {
	list := objects()
	main := vulkan(72, 1, .4, 800).Mul4(someView())
	reversed := mgl64.Mat4FromRows(mgl64.Vec4{1, 0, 0, 0}, mgl64.Vec4{0, 1, 0, 0}, mgl64.Vec4{0, 0, -1, 1}, mgl64.Vec4{0, 0, 0, 1}).Mul4(main)
	other := vulkan(50, 1, 1, 600).Mul4(mgl64.HomogRotate3DY(.4)).Mul4(mgl64.Translate3D(3, 2, -40)).Mul4(someView())
	sun := mgl64.Scale3D(1, -1, .5).Mul4(mgl64.Translate3D(0, 0, 1)).Mul4(mgl64.Ortho(-90, 90, -90, 90, 1, 400)).Mul4(mgl64.HomogRotate3DX(1.1)).Mul4(mgl64.Translate3D(0, 0, -30))
	half := Window{.5, -.5, -1, 0, .5, .5}
	for name, c := range map[string]struct {
		shaders [2]mgl64.Mat4 // vertex shaders of two passes; the first is the main pass
		windows [2]Window
	}{
		"two cameras":    {[2]mgl64.Mat4{main, other}, [2]Window{whole, half}},
		"a shadow":       {[2]mgl64.Mat4{main, sun}, [2]Window{whole, whole}},
		"reversed depth": {[2]mgl64.Mat4{reversed, other}, [2]Window{whole, whole}},
	} {
		var clips [2]mgl32.Mat4
		for main := range 2 { // the main pass may come second
			everything := draws(list[main:], 0, c.shaders[main], c.windows[main])
			everything = append(everything, draws(list[1-main:], 1, c.shaders[1-main], c.windows[1-main])...)
			for i := range everything[:6-main] {
				everything[i].Mesh += main
			}
			for i := range everything[6-main:] {
				everything[6-main:][i].Mesh += 1 - main
			}
			f := NewFrame(everything, []float64{1, 1}, -1)
			for i := range everything {
				require.True(t, f.Shown(i), name)
				pass, o := everything[i].Pass^main, list[everything[i].Mesh]
				clip, model := f.DrawClip(i, c.windows[pass]), f.Transform(i)
				for k, out := range shaded(o.points, c.shaders[pass].Mul4(o.world)) {
					want := f.Clip().Mul4(model).Mul4x1(o.points[k].Vec4(1))
					got := clip.Mul4x1(out)
					require.Greater(t, got[3], float32(0), name)
					for axis := range 3 {
						require.InDelta(t, want[axis]/want[3], got[axis]/got[3], 2e-3, "%s draw %d", name, i)
					}
				}
			}
			clips[main] = f.Clip()
			near, far := f.Clip().Mul4x1([4]float32{0, 0, -1, 1}), f.Clip().Mul4x1([4]float32{0, 0, -200, 1})
			require.Less(t, near[2]/near[3], far[2]/far[3], name)
		}
		require.InDeltaSlice(t, clips[0][:], clips[1][:], 1e-5, name)
	}
}
