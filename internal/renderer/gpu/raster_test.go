package gpu

import (
	"encoding/binary"
	"math"
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
		out := must.Get(b.Exec(p, flatCamera, renderer.WantVisible))
		lists := must.Get(Download[shaders.RasterList](b.device, b.recordings[0].buffer("RasterLists"), shaders.RasterClasses))
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
	want := must.Get(b.Exec(p, flatCamera, renderer.WantColor))
	require.NotEmpty(t, want.Timings)
	f := p.Frame
	f.TimeWhole = true
	whole := must.Get(plan.New(f, b.Limits()))
	got := must.Get(b.Exec(whole, flatCamera, renderer.WantColor))
	require.Empty(t, got.Timings)
	require.Positive(t, got.Elapsed)
	require.Equal(t, want.Color.Pix, got.Color.Pix)
}

// TestMultiAssemblesBesideShading: in the indexed form no barrier lies between multi's passes. In
// the expanded form one does, since the second pass reads what the first has written. The test
// also checks that a repeated pass waits for its previous run.
func TestMultiAssemblesBesideShading(t *testing.T) {
	s := &geometry.Scene{
		Name: "quad", Positions: []mgl32.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, Indices: []uint32{0, 1, 2, 2, 1, 3},
		Draws: []geometry.Draw{{IndexCount: 6, VertexCount: 4, Transform: mgl32.Ident4(), Color: geometry.DefaultColor}},
	}
	require.NoError(t, s.MakeNormals(t.Context()))
	config := resolve(t, "multi", 0, 0)
	for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
		b := newBackend(t)
		p := must.Get(plan.New(renderer.Frame{Scene: s, Reuse: config, Queue: queue, NoRaster: true}, b.Limits()))
		must.Get(b.Exec(p, renderer.FitCamera(s.Bounds(), 1), 0))
		r := b.recordings[0]
		setOf := func(pass *plan.Pass) *Set {
			return r.set(b.pipeline(p, pass), pass)
		}
		shade, assemble := setOf(&p.Passes[2]), setOf(&p.Passes[3])
		require.Equal(t, "geometry/multi", shade.pipeline.Name)
		require.Equal(t, queue == renderer.Expanded, waits(t, b.device, shade, assemble), queue)
		require.True(t, waits(t, b.device, shade, shade))
		require.True(t, waits(t, b.device, assemble, assemble))
	}
}

// waits reports whether a dispatch with the second set needs a barrier after one with the first.
func waits(t *testing.T, d *Device, first, second *Set) bool {
	c := newCommands(t, d)
	c.Begin()
	first.use(c)
	c.settle()
	second.use(c)
	needed := false
	for _, x := range c.bufferUses {
		barrier, _ := c.buffers[x.buffer].next(x.use)
		needed = needed || barrier.src != 0
	}
	c.settle()
	require.NoError(t, c.End())
	return needed
}

func flatPipeline(t *testing.T, d *Device, o RasterOptions) *Pipeline {
	t.Helper()
	vertex := testShader(t, shaders.Shader{
		Name: "corners.vert", Stage: shaders.Vertex,
		Bindings:      []shaders.Binding{{Binding: 0, Name: "Corners", ReadOnly: true}},
		SpecConstants: []shaders.SpecConstant{{ID: 1, Name: "STRIDE"}},
	})
	fragment := testShader(t, shaders.Shader{
		Name: "flat.frag", Stage: shaders.Fragment,
		Bindings: []shaders.Binding{{Binding: 1, Name: "Colors", ReadOnly: true}},
	})
	p := must.Get(d.NewGraphicsPipeline(vertex, fragment, o))
	closing(t, p)
	_, err := d.NewGraphicsPipeline(vertex, fragment, RasterOptions{Spec: Spec{"X": 1}})
	require.ErrorContains(t, err, "no shader has a specialization constant X")
	return p
}

// The test draws the left half at depth 0.5, then everything at 0.75. It covers fetched vertices, an
// indirect draw, the depth test, clear and load, and reading both images back.
func TestDrawOverClearThenOverWhatIsThere(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	p := flatPipeline(t, d, RasterOptions{})
	set := func(color [4]float32, corners ...float32) *Set {
		c := newBuffer(t, d, "Corners", int64(len(corners))*4, UsageStorage)
		require.NoError(t, Upload(d, c, corners))
		f := newBuffer(t, d, "Colors", 16, UsageStorage)
		require.NoError(t, Upload(d, f, color[:]))
		s := must.Get(p.NewSet(Resources{"Corners": c, "Colors": f}))
		closing(t, s)
		return s
	}
	near := set([4]float32{1, 0, 0, 1}, -1, -3, 0.5, 1, -1, 1, 0.5, 1, 0, 1, 0.5, 1, -1, -3, 0.5, 1, 0, 1, 0.5, 1, 0, -3, 0.5, 1)
	far := set([4]float32{0, 1, 0, 1}, -1, -1, 0.75, 1, -1, 3, 0.75, 1, 3, -1, 0.75, 1)
	indirect := newBuffer(t, d, "indirect", 20, UsageIndirect)
	require.NoError(t, Upload(d, indirect, []uint32{9, 6, 1, 0, 0}))
	target := must.Get(d.NewTarget("picture", 16, 8))
	closing(t, target)
	color, depth := newBuffer(t, d, "color", 16*8*4, 0), newBuffer(t, d, "depth", 16*8*4, 0)

	c := newCommands(t, d)
	c.Begin()
	c.Pass("raster", func() {
		c.Render(target, &Clear{Color: [4]float32{0, 0, 1, 1}, Depth: 1}, Draw{Pipeline: p, Set: near, Indirect: indirect, Offset: 4})
		c.Render(target, nil, Draw{Pipeline: p, Set: far, Vertices: 3})
	})
	c.CopyImage(color, 0, target.Color)
	c.CopyImage(depth, 0, target.Depth)
	require.NoError(t, c.End())
	for range 2 { // the second frame must not see state of the first
		require.NoError(t, c.Run())
		pixels := must.Get(Download[uint32](d, color, 16*8))
		depths := must.Get(Download[float32](d, depth, 16*8))
		for i := range pixels {
			if i%16 < 8 {
				require.Equal(t, uint32(0xff0000ff), pixels[i], "pixel %d", i)
				require.Equal(t, float32(0.5), depths[i])
			} else {
				require.Equal(t, uint32(0xff00ff00), pixels[i], "pixel %d", i)
				require.Equal(t, float32(0.75), depths[i])
			}
		}
	}
}

func TestFillImageThenReadBack(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	m := must.Get(d.NewImage("m", 5, 3, FormatColor))
	closing(t, m)
	in, out := newBuffer(t, d, "in", 60, 0), newBuffer(t, d, "out", 60, 0)
	data := make([]uint32, 15)
	for i := range data {
		data[i] = uint32(i) * 0x01020304
	}
	require.NoError(t, Upload(d, in, data))
	c := newCommands(t, d)
	require.NoError(t, c.RunOnce(func() {
		c.FillImage(m, in, 0)
		c.CopyImage(out, 0, m)
	}))
	got := must.Get(Download[uint32](d, out, 15))
	require.Equal(t, data, got)
	c.Begin()
	c.CopyImage(newBuffer(t, d, "small", 56, 0), 0, m)
	require.ErrorContains(t, c.End(), "image m needs 60 bytes, buffer small has 56")
	c.Begin()
	c.FillImage(m, in, 4)
	require.ErrorContains(t, c.End(), "image m needs 60 bytes, buffer in has 56")
}

func TestFloatsAreLittleEndianWords(t *testing.T) {
	b := asBytes([]float32{1.5})
	require.Equal(t, math.Float32bits(1.5), binary.LittleEndian.Uint32(b))
	require.Len(t, asBytes([][3]float32{{}, {}}), 24)
	require.Panics(t, func() { asBytes([]string{"a"}) })
	require.Panics(t, func() { asBytes([]struct{ p *int }{}) })
}
