package inspect

import (
	"cmp"
	"image"
	"math/rand/v2"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
)

// nearestOfAll returns the triangle that a pixel shows by testing all triangles, without boxes.
func nearestOfAll(s *geometry.Scene, c renderer.Camera, size, at image.Point) (draw, triangle int, far float64, found bool) {
	world := pixelRay(c, size, at)
	far = float64(c.Far)
	for i := range s.Draws {
		d := &s.Draws[i]
		inverse, ok := inverted(d.Transform)
		if !ok {
			continue
		}
		r := ray{inverse.Mul4x1(world.origin.Vec4(1)).Vec3(), inverse.Mul4x1(world.direction.Vec4(0)).Vec3()}
		indices, pool := s.DrawIndices(i), s.Positions[d.VertexOffset:]
		for k := 0; k < len(indices); k += 3 {
			if t, ok := r.triangle(pool[indices[k]], pool[indices[k+1]], pool[indices[k+2]]); ok && t >= float64(c.Near) && t < far {
				far, draw, triangle, found = t, i, k/3, true
			}
		}
	}
	return draw, triangle, far, found
}

// Pickers follow the scene and its marks: only hidden draws are left out.
func TestHiddenDrawsAreNotPicked(t *testing.T) {
	t.Parallel()
	size, pickers := image.Pt(20, 20), NewPickers(&Keeper{}, func() {})
	for _, name := range []string{"cube", "sphere3"} {
		scene := viewtest.Scene(t, name)
		for _, marks := range [][]renderer.Mark{nil, {renderer.Hidden}, {renderer.Dimmed}, {renderer.Plain}, nil} {
			p := pickers.Of(&plan.Plan{Frame: renderer.Frame{Scene: scene, Marks: marks}})
			require.Same(t, scene, p.Scene)
			_, found := p.Pick(renderer.FitCamera(scene.Bounds(), 1), size, size.Div(2))
			require.Equal(t, marks == nil || marks[0] != renderer.Hidden, found)
		}
	}
}

// TestBordersAreMet: rays along an axis meet the corners of a triangle and the faces of its box. A changed file is not picked from.
func TestBordersAreMet(t *testing.T) {
	t.Parallel()
	a, b, c := mgl32.Vec3{}, mgl32.Vec3{1, 0, 0}, mgl32.Vec3{0, 1, 0}
	for _, p := range []mgl32.Vec3{a, b, c} {
		r := ray{wide(p.Sub(mgl32.Vec3{0, 0, 2})), wide(mgl32.Vec3{0, 0, 1})}
		depth, ok := r.triangle(a, b, c)
		require.True(t, ok && depth == 2 && r.meets(geometry.BoxOf(a, b, c), 1, 3), p)
	}
	scene := viewtest.Scene(t, "cube")
	p, camera := NewPicker(scene), renderer.FitCamera(scene.Bounds(), 1)
	for _, changed := range []bool{false, true} {
		scene.Backing = geometry.NewBacking(func() {}, func() bool { return changed })
		_, found := p.Pick(camera, image.Pt(20, 20), image.Pt(10, 10))
		require.Equal(t, !changed, found)
	}
}

// TestPickLeavesNothingOut: picking by boxes finds the same as testing all triangles, for one large draw,
// instances, draws of a few triangles, draws that share indices, flat scenes, and triangles in random order.
func TestPickLeavesNothingOut(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"terrain100", "copies", "city1", "flat", "shared", "random"} {
		scene := viewtest.Scene(t, cmp.Or(map[string]string{"copies": "knot16", "flat": "terrain100", "shared": "sphere4", "random": "terrain200"}[name], name))
		switch name {
		case "copies":
			scene = must.Get(scene.Copies(9))
		case "flat":
			for v := range scene.Positions {
				scene.Positions[v][1] = 0.5
			}
		case "shared": // a second draw shares the indices and has other vertices
			d := scene.Draws[0]
			d.VertexOffset = uint32(len(scene.Positions))
			scene.Draws = append(scene.Draws, d)
			for _, v := range scene.Positions {
				scene.Positions = append(scene.Positions, v.Add(mgl32.Vec3{3, 0, 0}))
			}
			scene.Normals = nil
		case "random":
			scene = must.Get(order.Apply(t.Context(), scene, "random"))
		}
		p := NewPicker(scene)
		require.Equal(t, name == "random", p.draws[0].order != nil)
		size := image.Pt(300, 200)
		hits := 0
		for _, view := range []string{"", "top,ortho", "az=200,el=-30,zoom=3", "az=33,el=2,zoom=2"} {
			camera := must.Get(cli.ParseCamera(view, scene.Bounds(), 1.5))
			for range 40 {
				at := image.Pt(random.IntN(size.X), random.IntN(size.Y))
				for c, behind := camera, 0; behind < 2; behind++ { // first what is seen, then what lies behind it
					draw, triangle, depth, want := nearestOfAll(scene, c, size, at)
					got, found := p.Pick(c, size, at)
					require.Equal(t, want, found, "%s %q: %v", name, view, at)
					if !want {
						break
					}
					hits++
					require.Equal(t, [2]int{draw, triangle}, [2]int{got.Draw, got.Triangle}, "%s %q: %v", name, view, at)
					c.Near = float32(depth) * 1.0001
				}
			}
		}
		require.Greater(t, hits, 20, name)
		if name == "random" { // a ray straight down meets only a few boxes
			camera := must.Get(cli.ParseCamera("top,ortho", scene.Bounds(), 1.5))
			r, met := pixelRay(camera, size, size.Div(2)), 0
			for _, box := range p.draws[0].blocks {
				if r.meets(box, float64(camera.Near), float64(camera.Far)) {
					met++
				}
			}
			require.Positive(t, met)
			require.Less(t, met, len(p.draws[0].blocks)/20)
		}
		if name == "copies" {
			require.Same(t, &p.draws[0].blocks[0], &p.draws[8].blocks[0], "instances share boxes")
		}
	}
}
