package oracle

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
)

// shownBy returns a frame that shows an output of testdata/vertex/shown.vert.
func shownBy(t testing.TB, s *geometry.Scene, output, values string, camera uint32) renderer.Frame {
	f := pictureFrame(t, s, renderer.Varying)
	f.Shading = shadedBy(s, link.Program{
		Name: "shown.vert", Vertex: customFile(t, "shown", map[uint32]uint32{0: camera}), Inputs: positionAndNormal,
	}, [][]byte{nil}, matrix4(0, 0, geometry.ModelViewProjectionMatrix))
	f.Shading.Shown = output
	f.Look.Range = must.Get(renderer.ParseRange(values))
	return f
}

// shownHosts draws a frame with soft, compute and fused, which must agree in every pixel, with hardware, in equalShare of
// them, and compares hardware with raw and mesh. It returns the pictures of soft and hardware.
func shownHosts(t *testing.T, f renderer.Frame, what string) (exact, hardware *renderer.Output) {
	b, cpu := backends(t)
	exact = renderPicture(t, cpu, f)
	for _, f.Raster = range []renderer.RasterHost{renderer.ComputeRaster, renderer.FusedRaster} {
		got := renderPicture(t, b, f)
		require.Equal(t, exact.Depth, got.Depth, "%s, %s", what, f.Raster)
		require.True(t, bytes.Equal(exact.Color.Pix, got.Color.Pix), "%s, %s", what, f.Raster)
	}
	f.Raster = renderer.HardwareRaster
	hardware = renderPicture(t, b, f)
	require.NoError(t, compared(t, exact, hardware).Check(equalShare), what)
	requireRawEqual(t, b, f, what)
	if b.GPU().Info.Features.MeshShader && f.Distances() == (module.Distances{}) {
		f.Raster = renderer.MeshRaster
		requireMeshColors(t, &f, hardware, renderPicture(t, b, f), what+", mesh")
	}
	return exact, hardware
}

// quadScene is two triangles that fill most of the picture, with a different w at each corner. The
// triangles' corners lie on pixel corners, so that devices with coarse subpixels keep them exactly.
func quadScene() *geometry.Scene {
	s := &geometry.Scene{Name: "quad", Indices: []uint32{0, 1, 2, 2, 1, 3}}
	for i, w := range []float32{1, 1.5, 4, 2} {
		s.Positions = append(s.Positions, mgl32.Vec3{.875 * float32(2*(i%2)-1), .875 * float32(2*(i/2)-1), w - 1})
		s.Normals = append(s.Normals, mgl32.Vec3{0, 0, 1})
	}
	s.Draws = []geometry.Draw{{IndexCount: 6, VertexCount: 4, Transform: mgl32.Ident4(), Color: geometry.DefaultColor}}
	return s
}

// TestShownValues: values are first interpolated with w and then mapped to colours. A formula gives
// the expected pixels.
func TestShownValues(t *testing.T) {
	s := quadScene()
	steep := func(i uint32) [3]float64 {
		p := s.Positions[i]
		return [3]float64{4 * float64(p[0]), -3 * float64(p[1]) * (float64(p[2]) + 1), 1000*float64(p[0]) - 200}
	}
	list := func(i uint32) [3]float64 { return [3]float64{steep(i)[0], 0, 0} }
	unit := func(v float64) float64 { return v }
	for _, c := range []struct {
		output, values string
		of             func(uint32) [3]float64
		shown          func(float64) float64
	}{
		{"steep", "0..1", steep, unit},
		{"steep", "abs", steep, math.Abs},
		{"basis[1]", "-1..1", steep, func(v float64) float64 { return v*.5 + .5 }},
		{"list[1]", "0.5..3", list, func(v float64) float64 { return (v - .5) / 2.5 }},
	} {
		f := shownBy(t, s, c.output, c.values, 0)
		_, cpu := backends(t)
		outs := []*renderer.Output{renderPicture(t, cpu, f)}
		if c.values == renderer.AbsRange || c.values == "-1..1" || !testing.Short() {
			exact, hardware := shownHosts(t, f, c.output+" "+c.values)
			outs = append(outs, exact, hardware)
		}
		for _, out := range outs {
			checkShown(t, s, out, c.output+" "+c.values, func(triangle []uint32, weights [3]float64) (want [3]float64) {
				for k := range want {
					for i, v := range triangle {
						want[k] += weights[i] * c.of(v)[k]
					}
					if want[k] = c.shown(want[k]); c.output == "list[1]" && k > 0 {
						want[k] = c.shown(0)
					}
				}
				return want
			})
		}
	}
}

// checkShown compares the pixels of quadScene with a formula.
func checkShown(t *testing.T, s *geometry.Scene, out *renderer.Output, what string, want func(triangle []uint32, weights [3]float64) [3]float64) {
	checked := 0
	for y := range 128 {
		for x := range 128 {
			at := [2]float64{(float64(x)+.5)/64 - 1, (float64(y)+.5)/64 - 1}
			for triangle := range slices.Chunk(s.Indices, 3) {
				weights, inside := weighed(s, triangle, at)
				if !inside {
					continue
				}
				checked++
				for k, v := range want(triangle, weights) {
					require.InDelta(t, 255*min(max(v, 0), 1), out.Color.Pix[out.Color.PixOffset(x, y)+k], 1.5, "%s: pixel %d, %d, component %d", what, x, y, k)
				}
			}
		}
	}
	require.Greater(t, checked, 10000)
}

// weighed returns the perspective-correct weights of a quadScene triangle's corners at a pixel.
// Pixels near its edges do not count as inside.
func weighed(s *geometry.Scene, triangle []uint32, at [2]float64) (weights [3]float64, inside bool) {
	var p [3][2]float64
	for i, v := range triangle {
		p[i] = [2]float64{float64(s.Positions[v][0]), float64(s.Positions[v][1])}
	}
	area := func(a, b, c [2]float64) float64 { return (b[0]-a[0])*(c[1]-a[1]) - (c[0]-a[0])*(b[1]-a[1]) }
	sum := 0.0
	inside = true
	for i := range weights {
		weights[i] = area(p[(i+1)%3], p[(i+2)%3], at) / area(p[0], p[1], p[2])
		inside = inside && weights[i] > .01
		weights[i] /= float64(s.Positions[triangle[i]][2]) + 1
		sum += weights[i]
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights, inside
}

// TestNormals: pixels show normals in world space, interpolated and then normalized, also in a mirrored draw.
func TestNormals(t *testing.T) {
	s := quadScene()
	s.Draws[0].Transform = mgl32.Scale3D(1, 2, -1)
	of := func(i uint32) mgl32.Vec3 { n := s.Normals[i]; return mgl32.Vec3{n[0], n[1] / 2, -n[2]}.Normalize() }
	for i := range s.Normals {
		s.Normals[i] = mgl32.Vec3{float32(i) - 1, 1 - float32(i%2), 2 - float32(i)}.Normalize()
	}
	f := shownBy(t, s, "steep", "0..1", 0)
	f.View = renderer.Normals
	exact, hardware := shownHosts(t, f, "normals")
	for _, out := range []*renderer.Output{exact, hardware} {
		checkShown(t, s, out, "normals", func(triangle []uint32, weights [3]float64) (want [3]float64) {
			var sum mgl32.Vec3
			for i, v := range triangle {
				sum = sum.Add(of(v).Mul(float32(weights[i])))
			}
			for k, x := range sum.Normalize() {
				want[k] = float64(x)*.5 + .5
			}
			return want
		})
	}
	city := pictureFrame(t, asset(t, "city6"), renderer.Normals)
	city.Marks = make([]renderer.Mark, len(city.Scene.Draws))
	for i := range city.Marks {
		city.Marks[i] = renderer.Mark(i % 3)
	}
	shownHosts(t, city, "marks")
}

// TestShownFlat: flat and integer outputs have the value of the triangle's first vertex.
func TestShownFlat(t *testing.T) {
	s := quadScene()
	fract := func(v float64) float64 { return v - math.Floor(v) }
	for output, of := range map[string]func(v float64) [3]float64{
		"single": func(v float64) [3]float64 { return [3]float64{fract(.37 * v), fract(.71 * v), fract(.13 * v)} },
		"whole":  func(v float64) [3]float64 { return [3]float64{math.Mod(v, 2), math.Mod(v, 3) - 1, -v} },
	} {
		exact, hardware := shownHosts(t, shownBy(t, s, output, "0..1", 0), output)
		for _, out := range []*renderer.Output{exact, hardware} {
			checkShown(t, s, out, output, func(triangle []uint32, _ [3]float64) [3]float64 { return of(float64(triangle[0])) })
		}
	}
}

// TestShownAlike: raster hosts agree on small and on clipped triangles, and strategies on which
// vertex of a triangle is its first.
func TestShownAlike(t *testing.T) {
	b, cpu := backends(t)
	f := shownBy(t, asset(t, "knot24"), "steep", "-30..30", 1)
	shownHosts(t, f, "small")
	camera := renderer.FitCamera(f.Scene.Bounds(), 1)
	camera.Distance, camera.Near = .3*camera.Distance, .25*camera.Distance
	f.Raster = renderer.SoftRaster
	want, _ := render(t, cpu, f, camera, renderer.WantColor)
	for _, f.Raster = range []renderer.RasterHost{renderer.ComputeRaster, renderer.FusedRaster} {
		got, _ := render(t, b, f, camera, renderer.WantColor)
		require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix), "clipped, %s", f.Raster)
	}
	f.Shading.Shown, f.Look.Range = "single", renderer.Range{}
	want = renderPicture(t, cpu, f)
	strategies := reuse.Names()
	if testing.Short() {
		strategies = []string{"claim", "multi"}
	}
	for _, strategy := range strategies {
		f.Reuse, f.Raster = resolve(t, strategy, 8, 0), renderer.ComputeRaster
		f.Cull = strategy == "claim"
		require.True(t, bytes.Equal(want.Color.Pix, renderPicture(t, b, f).Color.Pix), strategy)
	}
}

// TestLargestShown: magnitudes of 2^32 and more, infinity too, which a vertex cannot store, look the same with compute and
// fused as with soft.
func TestLargestShown(t *testing.T) {
	b, cpu := backends(t)
	s := quadScene()
	large := float32(math.Inf(1))
	copy(s.Normals, []mgl32.Vec3{{1e12, .5, .25}, {.5, large, .25}, {.5, .25, -large}, {.1, .2, .3}})
	f := shownBy(t, s, "basis[0]", "0..1", 0)
	want := renderPicture(t, cpu, f)
	for _, f.Raster = range []renderer.RasterHost{renderer.ComputeRaster, renderer.FusedRaster} {
		require.True(t, bytes.Equal(want.Color.Pix, renderPicture(t, b, f).Color.Pix), f.Raster)
	}
}

// clippedBy returns a frame with testdata/vertex/clipping.vert. cull is the second cull distance of
// all vertices but the first.
func clippedBy(t testing.TB, s *geometry.Scene, camera uint32, cull float32) renderer.Frame {
	f := pictureFrame(t, s, renderer.Varying)
	f.Width, f.Height = 72, 128
	f.Shading = shadedBy(s, link.Program{
		Name: "clipping.vert", Vertex: customFile(t, "clipping", map[uint32]uint32{0: camera, 1: math.Float32bits(cull)}), Inputs: positionAndNormal,
	}, [][]byte{nil}, matrix4(0, 0, geometry.ModelViewProjectionMatrix))
	f.Shading.Shown = "distances"
	f.Look.Range = must.Get(renderer.ParseRange("-4..4"))
	return f
}

// TestDistances: a pixel shows a triangle if all clip distances there, interpolated with w, are at least
// 0, unless a cull distance is negative at all three corners. A formula gives the expected pixels.
func TestDistances(t *testing.T) {
	s := quadScene()
	distance := [2]func(v uint32) float64{
		func(v uint32) float64 { return 2*float64(s.Positions[v][0]) + float64(s.Positions[v][1]) + .75 },
		func(v uint32) float64 { return 1.5 - float64(s.Positions[v][2]) },
	}
	for _, cull := range []float32{1, -1} {
		f := clippedBy(t, s, 0, cull)
		exact, hardware := shownHosts(t, f, "quad")
		for _, out := range []*renderer.Output{exact, hardware} {
			shows := [2][2]int{} // by triangle: pixels that are dropped, and shown
			for y := range f.Height {
				for x := range f.Width {
					at := [2]float64{2*(float64(x)+.5)/float64(f.Width) - 1, 2*(float64(y)+.5)/float64(f.Height) - 1}
					for i, triangle := range slices.Collect(slices.Chunk(s.Indices, 3)) {
						weights, inside := weighed(s, triangle, at)
						least := math.Inf(1)
						for _, of := range distance {
							sum := 0.0
							for k, v := range triangle {
								sum += weights[k] * of(v)
							}
							least = min(least, sum)
						}
						if !inside || math.Abs(least) < .02 {
							continue
						}
						shown := least > 0 && (i == 0 || cull > 0)
						require.Equal(t, shown, out.Depth[y*f.Width+x] < 1, "cull %g: pixel %d, %d of triangle %d", cull, x, y, i)
						if shown {
							shows[i][1]++
						} else {
							shows[i][0]++
						}
					}
				}
			}
			require.Greater(t, min(shows[0][0], shows[0][1], shows[1][0]), 100)
			require.Equal(t, cull > 0, shows[1][1] > 100)
		}
	}
}

// TestDistancesAlike: raster hosts agree on small triangles, on many draws of different programs in
// several chunks, and on triangles that the view volume clips as well.
func TestDistancesAlike(t *testing.T) {
	_, cpu := backends(t)
	f := clippedBy(t, asset(t, "city6"), 1, 1)
	plain := f.Shading.Programs[0]
	plain.Vertex = customFile(t, "shown", map[uint32]uint32{0: 1}) // without distances
	f.Shading.Programs = append(f.Shading.Programs, plain)
	for i := range f.Shading.Draws {
		f.Shading.Draws[i].Program = i % 2
		if i%5 == 0 {
			f.Shading.Draws[i].Program = -1
		}
	}
	f.View, f.Shading.Shown = renderer.Shaded, ""
	exact, _ := shownHosts(t, f, "small")
	f.Shading.Programs[0] = plain
	whole := renderPicture(t, cpu, f)
	dropped := 0
	for i, z := range whole.Depth {
		if z < exact.Depth[i] {
			dropped++
		}
	}
	require.Greater(t, dropped, 300)
}

// TestDistancesOfStrategies: five strategies, fused, culled, in chunks or with the expanded queue, draw the same picture;
// with -short without narrow atomics (Frame.NarrowAtomics). Mesh shaders are refused.
func TestDistancesOfStrategies(t *testing.T) {
	b, cpu := backends(t)
	f := clippedBy(t, asset(t, "knot24"), 1, 1)
	f.View, f.Shading.Shown = renderer.Shaded, ""
	want := renderPicture(t, cpu, f)
	for strategy, change := range map[string]func(f *renderer.Frame){
		"claim":        func(f *renderer.Frame) { f.Raster, f.QueueBudget = renderer.FusedRaster, 16<<10 }, // in chunks
		"warp":         func(f *renderer.Frame) { f.Raster, f.QueueBudget = renderer.ComputeRaster, 32<<10 },
		"hash":         func(f *renderer.Frame) { f.Raster, f.Cull = renderer.ComputeRaster, true },
		"multi":        func(f *renderer.Frame) { f.Raster, f.Queue = renderer.ComputeRaster, renderer.Expanded },
		"multi, fused": func(f *renderer.Frame) { f.Raster = renderer.FusedRaster },
		"phash":        func(f *renderer.Frame) { f.Raster, f.NarrowAtomics = renderer.ComputeRaster, true },
	} {
		if testing.Short() && strategy == "phash" {
			continue // narrow atomics have five more pipelines, and take the same distances
		}
		way := f
		strategy, _, _ = strings.Cut(strategy, ",")
		way.Reuse = resolve(t, strategy, 8, 0)
		change(&way)
		got := renderPicture(t, b, way)
		require.Equal(t, want.Depth, got.Depth, strategy)
		require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix), strategy)
	}
	f.Raster = renderer.MeshRaster
	_, err := plan.New(f, b.Limits())
	require.ErrorContains(t, err, "a mesh shader draws without the clip and cull distances that vertex shader clipping.vert writes: --raster hardware does")
}
