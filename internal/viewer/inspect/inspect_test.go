package inspect

import (
	"fmt"
	"image"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// The CPU picks what the rasterizer shows at every pixel whose neighbours show the same triangle:
// rounding cannot matter there.
func TestPickFindsWhatIsShown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		shader renderer.VertexShader
	}{{"cube", 0}, {"city1", 0}, {"knot4", 0}, {"knot4", renderer.Skin}, {"knot4", renderer.Displace}, {"city1", renderer.Displace}} {
		name := c.name
		scene := viewtest.Scene(t, name)
		for _, view := range []string{"", "top,ortho", "az=200,el=-30,zoom=3,up=-x,center=.1:-.2", "front,ortho,zoom=2,up=z,center=-.3:.2"} {
			size := image.Pt(160, 90)
			camera := must.Get(cli.ParseCamera(view, scene.Bounds(), float32(size.X)/float32(size.Y)))
			config := must.Get(reuse.Resolve("naive", 0, 0))
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

// The picked vertex is the one nearest to the pixel's centre, through which the ray goes.
func TestNearestToThePixelsCentre(t *testing.T) {
	const size = 16 // pixels; the picture shows -1 to 1 along each axis
	scene := &geometry.Scene{Indices: []uint32{0, 1, 2}, Draws: []geometry.Draw{{IndexCount: 3, VertexCount: 3, Transform: mgl32.Ident4()}}}
	for _, px := range [][2]float32{{1, 1}, {2, 1.5}, {1.3, 9}} {
		scene.Positions = append(scene.Positions, mgl32.Vec3{px[0]/(size/2) - 1, 1 - px[1]/(size/2), 0})
	}
	camera := renderer.Camera{FovY: 90, Distance: 1, Near: 0, Far: 2, Orthographic: true}
	hit, ok := NewPicker(scene).Pick(camera, image.Pt(size, size), image.Pt(1, 1))
	require.True(t, ok)
	require.Equal(t, uint32(1), hit.Vertex(), "vertex 0 is nearer to the pixel's corner")

	scene.Indices, scene.Draws[0].IndexCount = []uint32{0, 1, 2, 1, 2, 0}, 6
	for _, order := range [][]uint32{nil, {1, 0}} {
		p := NewPicker(scene)
		p.draws[0].order = order
		hit, _ = p.Pick(camera, image.Pt(size, size), image.Pt(1, 1))
		require.Zero(t, hit.Triangle, "of equal depths the first is shown")
	}
}

// Vertices behind the eye have no place on the screen. For any other vertex, the ray through its pixel passes it within 1.5 pixels.
func TestPlacesAreInFrontOfTheEye(t *testing.T) {
	scene := viewtest.Scene(t, "city1")
	size := image.Pt(48, 160)
	camera := renderer.FitCamera(scene.Bounds(), 48./160)
	camera.Distance /= 20
	seen := map[bool]int{}
	for i, d := range scene.Draws {
		projector := NewProjector(camera, scene, i, size)
		for v := range d.VertexCount {
			p := mgl32.TransformCoordinate(scene.Positions[d.VertexOffset+v], mgl32.Mat4(d.Transform)).Sub(camera.Eye())
			x, y, ok := projector.Place(v)
			require.Equal(t, p.Dot(camera.Forward()) > 0, ok)
			if seen[ok]++; ok && x > 0 && y > 0 && x < 48 && y < 160 {
				r := pixelRay(camera, size, image.Pt(int(x), int(y)))
				off := wide(p).Mul(1 / wide(p).Dot(wide(camera.Forward()))).Sub(r.direction)
				require.Less(t, off.Len(), 1.5*2*math.Tan(float64(camera.FovY)*math.Pi/360)/160, "a pixel")
			}
		}
	}
	require.True(t, seen[true] > 5 && seen[false] > 5, seen)
}

// The batches listed for a vertex add up to its shading count, for every vertex.
func TestBatchesOfAddUpToTheCounts(t *testing.T) {
	t.Parallel()
	scene := viewtest.Scene(t, "city1")
	for _, name := range reuse.Names() {
		config := must.Get(reuse.Resolve(name, 8, 0))
		_, counts := must.Get2(reuse.Analyze(scene, config))
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

func TestRowsOfDraws(t *testing.T) {
	s := viewtest.Scene(t, "cube")
	row := DrawRows(s, []reuse.DrawSum{{Invocations: 30, Referenced: 24}})[0]
	require.Equal(t, [2]int{6, 6}, [2]int{row.Lost(), row.Saved()})
	require.Equal(t, []string{"0.167", "0.333"}, []string{Ratio(row.Reuse(), 3), Ratio(row.Ideal(), 3)})
	require.Equal(t, -1, DrawRows(s, nil)[0].Invocations, "not known yet")
}

// TestDrawsAreSorted: draws are sorted by each column, in the column's own direction and in the other.
func TestDrawsAreSorted(t *testing.T) {
	table := DrawTable{Rows: []DrawRow{
		{Draw: 0, Number: 7, Name: "event A", Short: "b", Triangles: 10, Referenced: 12, Invocations: 20},
		{Draw: 1, Number: 3, Name: "event C", Short: "C", Triangles: 30, Referenced: 20, Invocations: 75},
		{Draw: 2, Number: 3, Name: "event B", Short: "a", Triangles: 20, Referenced: 30, Invocations: 30},
	}}
	sorted := map[string][]int{
		"#": {1, 2, 0}, "name": {1, 2, 0}, "triangles": {1, 2, 0}, "reuse": {1, 0, 2}, "ideal": {2, 0, 1}, "saved": {2, 1, 0}, "lost": {1, 0, 2},
	}
	for i, c := range DrawColumns {
		table.Column, table.Descending = i, c.Descending
		table.Arrange()
		require.Equal(t, sorted[c.Name], table.Shown, c.Name)
		table.Descending = !c.Descending
		table.Arrange()
		slices.Reverse(table.Shown)
		require.Equal(t, sorted[c.Name], table.Shown, c.Name)
	}
	table.Search = " event c"
	table.Arrange()
	require.Equal(t, []int{1}, table.Shown)
}

// TestShortNames: a short name keeps the parts that distinguish a captured draw from the others, without
// the parts that another column of the table shows.
func TestShortNames(t *testing.T) {
	for name, short := range map[string]string{
		"pass 1 / event 195 vkCmdDrawIndexed (pipeline 4, wall (old).png)": "pass 1 / wall (old).png",
		"pass 1 / event 2 vkCmdDraw (leaves, image 9)":                     "pass 1 / leaves, image 9",
		"pass 1 / trees / event 9 glMultiDrawElements [2] (program 7)":     "pass 1 / trees / program 7 [2]",
		"pass 2 shadows / event 3 glDrawArrays":                            "pass 2 shadows / glDrawArrays",
		"wheel primitive 1":                                                "wheel primitive 1",
		"an event 3 of a file":                                             "an event 3 of a file",
	} {
		require.Equal(t, short, shortName(name))
	}
	short := func(draws ...string) (list []string) {
		s := &geometry.Scene{}
		for _, name := range draws {
			s.Draws = append(s.Draws, geometry.Draw{Name: name, IndexCount: 3})
		}
		for _, r := range DrawRows(s, nil) {
			list = append(list, r.Short)
		}
		return list
	}
	require.Equal(t, []string{"a / image 3", "b"}, short("pass 1 / x / a / event 1 glDrawElements (program 2, image 3)", "pass 1 / x / event 2 glDrawElements (b)"))
	require.Equal(t, []string{"pass 1 / b", "pass 2 / b"}, short("pass 1 / event 1 glDrawElements (b)", "pass 2 / event 2 glDrawElements (b)"))
	require.Equal(t, []string{"x / a", "x / b"}, short("x / a", "x / b"), "names of a mesh's parts stay")
}

// TestNumbersAreFound: a vertex number finds the first triangle that uses it, also in a mesh that is
// computed piece by piece; a batch number finds the batch's first triangle.
func TestNumbersAreFound(t *testing.T) {
	t.Parallel()
	city := viewtest.Scene(t, "city1")
	sphere := viewtest.Scene(t, "sphere5")
	computed := must.Get(subdivide.NewScene(t.Context(), sphere, 1))
	for _, s := range []*geometry.Scene{city, computed} {
		stored := s.Stored()
		for i, d := range s.Draws {
			indices := stored.DrawIndices(i)
			for v := uint32(0); v < d.VertexCount; v += 1 + d.VertexCount/100 {
				at := slices.Index(indices, v)
				hit := must.Get(FindVertex(s, i, v))
				require.Equal(t, Hit{i, at / 3, [3]uint32(indices[at/3*3:]), at % 3}, hit)
			}
			_, err := FindVertex(s, i, d.VertexCount)
			require.ErrorContains(t, err, fmt.Sprintf("has vertices 0 to %d", d.VertexCount-1))
		}
	}
	config := must.Get(reuse.Resolve("warp", 8, 0))
	p := &plan.Plan{Frame: renderer.Frame{Scene: city, Reuse: config}, Batches: reuse.Batches(city, config)}
	for n, b := range p.Batches {
		hit := must.Get(FindBatch(p, n))
		require.Equal(t, []int{int(b.Draw), n}, []int{hit.Draw, BatchOf(p, hit.Draw, hit.Triangle)})
		require.Equal(t, city.Indices[b.FirstIndex], hit.Vertex())
	}
	for _, n := range []int{-1, len(p.Batches)} {
		_, err := FindBatch(p, n)
		require.ErrorContains(t, err, fmt.Sprintf("there are batches 0 to %d", len(p.Batches)-1))
	}
	edges := map[[2]int]bool{}
	for _, e := range BoxEdges {
		require.Equal(t, 1, bits.OnesCount(uint(e[0]^e[1])), "corners that differ in one coordinate")
		edges[[2]int{min(e[0], e[1]), max(e[0], e[1])}] = true
	}
	require.Len(t, edges, 12)
}
