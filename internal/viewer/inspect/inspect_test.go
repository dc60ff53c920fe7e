package inspect

import (
	"image"
	"sync/atomic"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// What the CPU picks is what the rasterizer shows, wherever a pixel's neighbours
// show the same triangle: there no rounding decides.
func TestPickFindsWhatIsShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		shader renderer.VertexShader
	}{{"cube", 0}, {"city1", 0}, {"knot4", 0}, {"knot4", renderer.Skin}, {"knot4", renderer.Displace}, {"city1", renderer.Displace}} {
		name := c.name
		scene, err := assets.Make(name)
		require.NoError(t, err)
		for _, view := range []string{"", "top,ortho", "az=200,el=-30,zoom=3,up=-x,center=.1:-.2", "front,ortho,zoom=2,up=z,center=-.3:.2"} {
			size := image.Pt(160, 90)
			camera, err := cli.ParseCamera(view, scene.Bounds(), float32(size.X)/float32(size.Y))
			require.NoError(t, err)
			config, err := reuse.Resolve("naive", 0, 0)
			require.NoError(t, err)
			out, made, err := plan.Render(soft.New(), renderer.Frame{
				Scene: scene, Reuse: config, Width: size.X, Height: size.Y, Raster: renderer.SoftRaster,
				VertexShader: c.shader,
			}, camera, renderer.WantVisible)
			require.NoError(t, err)
			drawn := *scene
			drawn.Positions = soft.Moved(made, new(atomic.Bool))
			p := NewPicker(&drawn)
			compared := 0
			for y := 1; y < size.Y-1; y++ {
				for x := 1; x < size.X-1; x++ {
					want := out.Visible[y*size.X+x]
					inside := true
					for _, d := range []int{-size.X - 1, -size.X, -size.X + 1, -1, 1, size.X - 1, size.X, size.X + 1} {
						inside = inside && out.Visible[y*size.X+x+d] == want
					}
					if !inside {
						continue
					}
					compared++
					got, ok := p.Pick(camera, size, image.Pt(x, y))
					require.Equal(t, want != 0, ok, "%s %q: pixel %d,%d", name, view, x, y)
					if !ok {
						continue
					}
					triangle := got.Triangle
					for i := range got.Draw {
						triangle += int(scene.Draws[i].IndexCount) / 3
					}
					require.Equal(t, int(want)-1, triangle, "%s %q: pixel %d,%d", name, view, x, y)
					batch := BatchOf(made, got.Draw, got.Triangle)
					b := made.Batches[batch]
					require.True(t, int(b.FirstTriangle) <= triangle && triangle < int(b.FirstTriangle+b.IndexCount/3))
					require.Contains(t, Indices(made, b), got.Vertex())
				}
			}
			require.Greater(t, compared, 1000)
		}
	}
}

// The nearest vertex is the one nearest to the pixel's centre, through which the ray goes.
func TestNearestToThePixelsCentre(t *testing.T) {
	const size = 16 // pixels, half a unit each side of the centre
	scene := &geometry.Scene{Indices: []uint32{0, 1, 2}, Draws: []geometry.Draw{{IndexCount: 3, VertexCount: 3, Transform: mgl32.Ident4()}}}
	for _, px := range [][2]float32{{1, 1}, {2, 1.5}, {1.3, 9}} {
		scene.Positions = append(scene.Positions, mgl32.Vec3{px[0]/(size/2) - 1, 1 - px[1]/(size/2), 0})
	}
	camera := renderer.Camera{FovY: 90, Distance: 1, Near: 0, Far: 2, Orthographic: true}
	hit, ok := NewPicker(scene).Pick(camera, image.Pt(size, size), image.Pt(1, 1))
	require.True(t, ok)
	require.Equal(t, uint32(1), hit.Vertex(), "vertex 0 is nearer to the pixel's corner")
}

// The batches that are named add up to the shading counts, of every vertex.
func TestBatchesOfAddUpToTheCounts(t *testing.T) {
	t.Parallel()
	scene, err := assets.Make("city1")
	require.NoError(t, err)
	for _, name := range reuse.Names() {
		config, err := reuse.Resolve(name, 8, 0)
		require.NoError(t, err)
		_, counts := reuse.Analyze(scene, config)
		p := &plan.Plan{Frame: renderer.Frame{Scene: scene, Reuse: config}, Batches: reuse.Batches(scene, config)}
		slots := map[[2]int]int{}
		for _, b := range p.Batches {
			for _, s := range Slots(p, b) {
				slots[[2]int{int(b.Draw), int(s.Vertex)}]++
			}
		}
		for draw := range scene.Draws {
			for v := range scene.Draws[draw].VertexCount {
				if config.Strategy.WholeDraws {
					require.Nil(t, BatchesOf(p, draw, v))
					continue
				}
				sum := 0
				for _, u := range BatchesOf(p, draw, v) {
					require.EqualValues(t, draw, p.Batches[u.Batch].Draw)
					sum += u.Times
				}
				require.Equal(t, TimesShaded(scene, counts, draw, v), sum, "%s: draw %d, vertex %d", name, draw, v)
				require.Equal(t, sum, slots[[2]int{draw, int(v)}])
			}
		}
	}
}

func TestRatiosOfCulledDraws(t *testing.T) {
	s, err := assets.Make("cube")
	require.NoError(t, err)
	counts := make([]uint32, s.DrawVertices())
	counts[0], counts[1] = 2, 1
	row := DrawRows(s, counts, true)[0]
	require.Equal(t, 1, row.Lost(), "a vertex that nothing needed is not missing")
	require.Equal(t, []string{"-", "-"}, []string{Ratio(row.Reuse(), 3), Ratio(row.Ideal(), 3)})
	row = DrawRows(s, counts, false)[0]
	require.Equal(t, "0.333", Ratio(row.Ideal(), 3))
}
