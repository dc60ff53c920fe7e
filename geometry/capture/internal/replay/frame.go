package replay

import (
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/shadeonce/shadeonce/geometry"
)

// Frame is all draws in one space, with +Y up if the frame tells which way is up. The eye of the
// main pass is at the origin.
type Frame struct {
	View   geometry.View
	main   int // number of the main pass
	draws  []Draw
	lenses []lens
	world  []mgl64.Mat4 // by pass: the map from its eye space to the frame's space
	placed []bool       // by pass: whether world is known
}

// NewFrame finds the common space of the draws. `aspects` holds, by pass, the target's width divided by its height.
// `main` is the main pass; if it is negative, NewFrame chooses one. It returns nil if no draw tells where that pass's camera is.
func NewFrame(draws []Draw, aspects []float64, main int) *Frame {
	f := &Frame{
		draws: draws, lenses: make([]lens, len(aspects)),
		world: make([]mgl64.Mat4, len(aspects)), placed: make([]bool, len(aspects)),
	}
	byPass := make([][]*Draw, len(aspects))
	for i := range draws {
		byPass[draws[i].Pass] = append(byPass[draws[i].Pass], &draws[i])
	}
	for p, list := range byPass {
		f.lenses[p] = newLens(list, aspects[p])
	}
	if main < 0 {
		main = f.mainPass(byPass)
	} else if f.placeable(main, byPass[main]) == 0 {
		return nil
	}
	if main < 0 {
		return nil
	}
	f.main = main
	elevation := f.elevation(main, byPass[main])
	f.world[main], f.placed[main] = tilt(elevation), true
	there := f.single(main, byPass[main])
	for p := range byPass {
		if p != main {
			f.world[p], f.placed[p] = f.anchor(p, main, byPass[p], there)
		}
	}
	f.look(main, byPass[main], elevation, aspects[main])
	return f
}

// mainPass returns the pass with the most placeable triangles; -1 if no pass has any. Passes in perspective go before all others.
func (f *Frame) mainPass(byPass [][]*Draw) int {
	best, most := -1, 0
	for _, flat := range []bool{false, true} {
		for p, list := range byPass {
			n := f.placeable(p, list)
			if f.lenses[p].flat == flat && n > most {
				best, most = p, n
			}
		}
		if best >= 0 {
			break
		}
	}
	return best
}

// placeable returns how many triangles of a pass are in linear draws with the pass's kind of projection.
func (f *Frame) placeable(p int, draws []*Draw) (triangles int) {
	for _, d := range draws {
		if d.Linear() && d.Flat == f.lenses[p].flat {
			triangles += d.Triangles
		}
	}
	return triangles
}

// elevation returns the angle by which the camera looks down, in radians. It assumes that objects stand
// upright: up is the axis that most of them share and that a level camera sees as up.
func (f *Frame) elevation(main int, draws []*Draw) float64 {
	const level, window = 0.01, 0.5 * math.Pi / 180
	var angles []float64
	for _, d := range draws {
		if !d.solid() || d.Flat != f.lenses[main].flat {
			continue
		}
		m := f.lenses[main].place(&d.Fit)
		for k := range 3 {
			axis := m.Col(k).Vec3()
			axis = axis.Mul(math.Copysign(1/axis.Len(), axis[1]))
			if math.Abs(axis[0]) < level && axis[1] > 0.5 {
				angles = append(angles, math.Atan2(axis[2], axis[1]))
			}
		}
	}
	slices.Sort(angles)
	best, votes := 0.0, 0
	first := 0
	for last, a := range angles {
		for a-angles[first] > window {
			first++
		}
		n, middle := last-first+1, angles[(first+last)/2]
		if n > votes || n == votes && math.Abs(middle) < math.Abs(best) {
			best, votes = middle, n
		}
	}
	return best
}

// tilt maps the eye space of an eye that looks down by an angle to a space with +Y up.
func tilt(angle float64) mgl64.Mat4 {
	s, c := math.Sincos(angle)
	return mgl64.Mat4FromRows(mgl64.Vec4{1, 0, 0, 0}, mgl64.Vec4{0, c, s, 0}, mgl64.Vec4{0, -s, c, 0}, mgl64.Vec4{0, 0, 0, 1})
}

// anchor finds the transform from a pass's eye space to the frame's space. It assumes that a mesh is in the
// same place in this pass and in the main pass, whose draws `there` holds by mesh. It returns the transform
// on which most meshes agree; false if the passes share none that this pass draws once.
func (f *Frame) anchor(p, main int, draws []*Draw, there map[int]*Draw) (mgl64.Mat4, bool) {
	const most = 64
	here := f.single(p, draws)
	var maps []mgl64.Mat4
	for _, d := range draws {
		if to, ok := there[d.Mesh]; ok && here[d.Mesh] == d && len(maps) < most {
			from := f.lenses[p].place(&d.Fit)
			m := f.world[main].Mul4(f.lenses[main].place(&to.Fit)).Mul4(from.Inv())
			if from.Det() != 0 && finite(m) {
				maps = append(maps, m)
			}
		}
	}
	best, votes := -1, 0
	for i := range maps {
		n := 0
		for k := range maps {
			if near(maps[i], maps[k]) {
				n++
			}
		}
		if n > votes {
			best, votes = i, n
		}
	}
	if best < 0 {
		return mgl64.Mat4{}, false
	}
	return maps[best], true
}

// single lists the solid draws whose mesh is drawn once in a pass.
func (f *Frame) single(p int, draws []*Draw) map[int]*Draw {
	found, count := map[int]*Draw{}, map[int]int{}
	for _, d := range draws {
		if d.solid() && d.Flat == f.lenses[p].flat {
			count[d.Mesh]++
			found[d.Mesh] = d
		}
	}
	for mesh, n := range count {
		if n > 1 {
			delete(found, mesh)
		}
	}
	return found
}

func finite(m mgl64.Mat4) bool {
	return !slices.ContainsFunc(m[:], func(v float64) bool { return v-v != 0 })
}

// near reports whether the columns of two maps differ by at most a hundredth of their lengths.
func near(a, b mgl64.Mat4) bool {
	for c := range 4 {
		size := max(a.Col(c).Vec3().Len(), 1e-9)
		if a.Col(c).Sub(b.Col(c)).Len() > 1e-2*size {
			return false
		}
	}
	return true
}

// look sets View to the game's camera.
func (f *Frame) look(main int, draws []*Draw, elevation, aspect float64) {
	l := &f.lenses[main]
	var depths samples
	for _, d := range draws {
		depth := -l.eye(d.Mean)[2]
		if depth > l.near && depth < l.far && d.Flat == l.flat {
			depths = append(depths, sample{y: depth, weight: float64(d.Triangles)})
		}
	}
	distance := depths.median(func(s sample) float64 { return s.y }, math.Sqrt(max(l.near, 1e-3*l.far)*l.far))
	fov := 2 * math.Atan(1/l.y)
	if l.flat { // any field of view will do: the distance follows, so that the view has the projection's height
		fov = 35 * math.Pi / 180
		distance = 1 / (l.y * math.Tan(fov/2))
	}
	f.View = geometry.View{
		Elevation: float32(elevation * 180 / math.Pi), Distance: float32(distance), FovY: float32(fov * 180 / math.Pi),
		Near: float32(l.near), Far: float32(l.far), Aspect: float32(aspect), Orthographic: l.flat,
	}
}

// Main returns the number of the pass whose camera is View.
func (f *Frame) Main() int { return f.main }

// Shown reports whether a draw can be placed: its pass must be placed, and draw and pass must both
// be in perspective or both parallel.
func (f *Frame) Shown(i int) bool {
	d := &f.draws[i]
	return f.placed[d.Pass] && d.Flat == f.lenses[d.Pass].flat
}

// OtherCamera reports whether a draw is seen by a camera other than the frame's, as in shadows and reflections.
func (f *Frame) OtherCamera(i int) bool { return !f.placed[f.draws[i].Pass] }

// Transform returns the map from the inputs of a shown, linear draw to the frame's space.
func (f *Frame) Transform(i int) mgl32.Mat4 {
	d := &f.draws[i]
	return geometry.Narrow(f.world[d.Pass].Mul4(f.lenses[d.Pass].place(&d.Fit)))
}

// Clip returns the map from the frame's space to the clip space of the main pass's target, in
// which depth increases with distance.
func (f *Frame) Clip() mgl32.Mat4 { return geometry.Narrow(f.forward().Mul4(f.clip())) }

func (f *Frame) clip() mgl64.Mat4 {
	return f.world[f.main].Mul4(f.lenses[f.main].homogeneous()).Inv()
}

// forward reverses the depths of the main pass if they decrease with distance.
func (f *Frame) forward() mgl64.Mat4 {
	m := mgl64.Ident4()
	if f.lenses[f.main].offset > 0 {
		m.Set(2, 2, -1)
		m.Set(2, 3, 1)
	}
	return m
}

// DrawClip returns the map from the outputs of a shown draw to the clip space that Clip maps to.
func (f *Frame) DrawClip(i int, w Window) mgl32.Mat4 {
	p := f.draws[i].Pass
	if p == f.main {
		return geometry.Narrow(f.forward().Mul4(w.Matrix()))
	}
	return geometry.Narrow(f.forward().Mul4(f.clip()).Mul4(f.world[p]).Mul4(f.lenses[p].homogeneous()).Mul4(w.Matrix()))
}

// Point maps an output of a shown draw to the frame's space.
func (f *Frame) Point(i int, clip [4]float32, w Window) mgl32.Vec3 {
	d := &f.draws[i]
	p := f.world[d.Pass].Mul4x1(f.lenses[d.Pass].eye(w.apply(clip)).Vec4(1))
	return mgl32.Vec3{float32(p[0]), float32(p[1]), float32(p[2])}
}
