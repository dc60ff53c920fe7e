package oracle

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/renderer"
)

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
		"claim": func(f *renderer.Frame) { f.Raster, f.QueueBudget = renderer.FusedRaster, 16<<10 }, // in chunks
		"warp":  func(f *renderer.Frame) { f.Raster, f.QueueBudget = renderer.ComputeRaster, 32<<10 },
		"hash":  func(f *renderer.Frame) { f.Raster, f.Cull = renderer.ComputeRaster, true },
		"multi": func(f *renderer.Frame) { f.Raster, f.Queue = renderer.ComputeRaster, renderer.Expanded },
		"phash": func(f *renderer.Frame) { f.Raster, f.NarrowAtomics = renderer.ComputeRaster, true },
	} {
		if testing.Short() && strategy == "phash" {
			continue // narrow atomics have five more pipelines, and take the same distances
		}
		way := f
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
