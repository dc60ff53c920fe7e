package gpu

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// flatCamera keeps x and negates y; z = 1 is the near plane, -1 the far plane.
var flatCamera = renderer.Camera{FovY: 90, Distance: 1, Near: 0, Far: 2, Orthographic: true}

func computePlan(t *testing.T, b *Backend, narrow bool, triangles ...[3]mgl32.Vec3) *plan.Plan {
	config := resolve(t, "naive", 0, 0)
	p, err := plan.New(renderer.Frame{
		Scene: triangleScene(t, triangles...), Reuse: config, View: renderer.Shaded, Raster: renderer.ComputeRaster, NarrowAtomics: narrow, Width: 512, Height: 512,
	}, b.Limits())
	require.NoError(t, err)
	return p
}

// triangleScene returns one draw of triangles.
func triangleScene(t *testing.T, triangles ...[3]mgl32.Vec3) *geometry.Scene {
	s := &geometry.Scene{Name: "triangles"}
	for i, corners := range triangles {
		s.Positions = append(s.Positions, corners[:]...)
		s.Indices = append(s.Indices, uint32(3*i), uint32(3*i+1), uint32(3*i+2))
	}
	s.Draws = []geometry.Draw{{
		Name: "triangles", IndexCount: uint32(len(s.Indices)), VertexCount: uint32(len(s.Positions)),
		Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
	}}
	require.NoError(t, s.MakeNormals(t.Context()))
	return s
}

// TestRasterLists: each kind of triangle goes into its list; those that cover no pixel go into
// none.
func TestRasterLists(t *testing.T) {
	b := newBackend(t)
	right := func(x, y, z, side float32) [3]mgl32.Vec3 { // side in pixels
		d := side / 256
		return [3]mgl32.Vec3{{x, y, z}, {x + d, y, z}, {x, y + d, z}}
	}
	kinds := []struct {
		list     int // RasterClasses means none
		triangle [3]mgl32.Vec3
	}{
		{shaders.ListSmall, right(-0.5, -0.5, 0, 4)},
		{shaders.ListSmall, right(-0.3, -0.5, 0, 2)},
		{shaders.ListMedium, right(0, 0, 0.5, 40)},
		{shaders.ListMedium, right(-0.5, 0, 0.5, 40)},
		{shaders.ListMedium, right(-0.5, 0.5, 0.5, 40)},
		{shaders.ListMedium, right(0.6, 0.2, 0.5, 40)},
		{shaders.ListMedium, [3]mgl32.Vec3{{-1, 0.69766, 0}, {1, 0.69766 + 1.0/300, 0}, {1, 0.69766 + 1.0/200, 0}}}, // few rows, wide
		{shaders.ListLarge, right(-0.9, -0.9, -0.4, 200)},
		{shaders.ListTiled, right(-0.9, -0.9, -0.5, 400)},
		{shaders.ListClipped, [3]mgl32.Vec3{{-0.5, 0, 0}, {0.5, 0, 0}, {0, 0.5, 3}}}, // through the near plane
		{shaders.ListClipped, right(0, 0, -0.2, 256*2000)},                           // beyond the guard band
		{shaders.RasterClasses, right(0, 0, 2, 10)},                                  // in front of the near plane
		{shaders.RasterClasses, right(1.5, 0, 0, 10)},                                // outside the view
		{shaders.RasterClasses, [3]mgl32.Vec3{{0, 0, 0}, {0.2, 0.2, 0}, {0.4, 0.4, 0}}},
		{shaders.RasterClasses, right(0.001, 0.001, 0, 0.1)},    // between pixel centres
		{shaders.RasterClasses, right(0.00075, -0.004, 0, 0.6)}, // misses the only centre in its box
	}
	var triangles [][3]mgl32.Vec3
	var want [shaders.RasterClasses + 1]uint32
	for _, k := range kinds {
		triangles = append(triangles, k.triangle)
		want[k.list]++
	}
	for _, narrow := range []bool{false, true} {
		p := computePlan(t, b, narrow, triangles...)
		out, err := b.Exec(p, flatCamera, renderer.WantVisible)
		require.NoError(t, err)
		lists, err := Download[shaders.RasterList](b.device, b.recordings[0].buffer("RasterLists"), shaders.RasterClasses)
		require.NoError(t, err)
		for i, l := range lists {
			require.Equal(t, want[i], l.Count, "list %d", i)
		}
		require.Equal(t, [3]uint32{1, 1, 1}, [3]uint32{lists[shaders.ListSmall].GroupsX, lists[shaders.ListSmall].GroupsY, lists[shaders.ListSmall].GroupsZ})
		require.Equal(t, (want[shaders.ListMedium]+shaders.RasterMediumTriangles-1)/shaders.RasterMediumTriangles, lists[shaders.ListMedium].GroupsX)
		require.Equal(t, uint32(shaders.RasterPieces), lists[shaders.ListLarge].GroupsX)
		require.Equal(t, uint32(512*512/shaders.RasterTile/shaders.RasterTile), lists[shaders.ListTiled].GroupsX)
		require.Equal(t, uint32(512*512/shaders.RasterClippedTile/shaders.RasterClippedTile), lists[shaders.ListClipped].GroupsX)
		seen := map[uint32]bool{}
		for _, v := range out.Visible {
			seen[v] = true
		}
		for i, k := range kinds {
			require.Equal(t, k.list != shaders.RasterClasses, seen[uint32(i+1)], "triangle %d", i)
		}
	}
}

// TestRasterOverflow: a chunk whose queue was too small reports the overflow, with what it needs.
func TestRasterOverflow(t *testing.T) {
	b := newBackend(t)
	p := computePlan(t, b, false, [3]mgl32.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, [3]mgl32.Vec3{{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}})
	for i := range p.Passes {
		if op, ok := p.Passes[i].Op.(*plan.Dispatch); ok {
			op.Push.VertexCapacity = 3
		}
	}
	p.VertexCapacity = 3
	var overflow *renderer.OverflowError
	_, err := b.Exec(p, flatCamera, renderer.WantColor)
	require.ErrorAs(t, err, &overflow)
	require.Equal(t, 6, overflow.Need)
}

// TestTimeWhole: a frame timed as a whole has one time, and no times of passes.
func TestTimeWhole(t *testing.T) {
	b := newBackend(t)
	p := computePlan(t, b, false, [3]mgl32.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}})
	want, err := b.Exec(p, flatCamera, renderer.WantColor)
	require.NoError(t, err)
	require.NotEmpty(t, want.Timings)
	f := p.Frame
	f.TimeWhole = true
	whole := must.Get(plan.New(f, b.Limits()))
	got, err := b.Exec(whole, flatCamera, renderer.WantColor)
	require.NoError(t, err)
	require.Empty(t, got.Timings)
	require.Positive(t, got.Elapsed)
	require.Equal(t, want.Color.Pix, got.Color.Pix)
}
