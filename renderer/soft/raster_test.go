package soft

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// clipSource returns triangles given by clip positions, three per triangle, white and fully lit
// unless lights say otherwise.
func clipSource(positions [][4]float32, lights ...uint8) source {
	q := &renderer.Queues{Positions: positions, Attributes: make([][2]uint32, len(positions))}
	for i := range q.Attributes {
		q.Attributes[i][1] = 0xffffffff
		if len(lights) != 0 {
			q.Attributes[i][1] = 0xffffff | uint32(lights[i])<<24
		}
	}
	return source{queues: q, form: renderer.Expanded, look: look{view: renderer.Shaded, light: 1}, triangleCount: len(positions) / 3}
}

func drawClip(width, height int, positions [][4]float32, lights ...uint8) *raster {
	r := &raster{}
	r.begin(width, height, picture.Background)
	r.draw(clipSource(positions, lights...), 2)
	return r
}

// covered returns for each pixel, row by row, whether it was drawn, by its depth.
func (r *raster) covered() []bool {
	c := make([]bool, len(r.depth))
	for i, d := range r.depth {
		c[i] = d < farDepth
	}
	return c
}

// point is a position in subpixels, from the centre of pixel 0.
type point struct{ x, y int64 }

// clip returns the point in clip space; exact for sides that are powers of two.
func (p point) clip(width, height int, z float32) [4]float32 {
	px, py := (float32(p.x)+128)/256, (float32(p.y)+128)/256
	return [4]float32{px/float32(width)*2 - 1, py/float32(height)*2 - 1, z, 1}
}

// insideOracle tests a pixel's centre moved right by 2^-15 and down by 2^-30 subpixels. That is
// the top-left rule without a rule for edges, since the moved point lies on no edge. Exact for
// pictures of up to 32 pixels.
func insideOracle(corners [3]point, px, py int64) bool {
	positive, negative := 0, 0
	for i := range corners {
		a, b := corners[i], corners[(i+1)%3]
		dx, dy := b.x-a.x, b.y-a.y
		value := dx*(256*py-a.y) - dy*(256*px-a.x)
		if value = value<<30 - dy<<15 + dx; value > 0 {
			positive++
		} else if value < 0 {
			negative++
		}
	}
	return positive == 3 || negative == 3
}

func randomPoint(r *rand.Rand, side int64) point {
	// Half of the coordinates are at pixel centres, where the rule decides.
	coordinate := func() int64 {
		c := r.Int64N(256*side+512) - 256
		if r.IntN(2) == 0 {
			c = c / 256 * 256
		}
		return c
	}
	return point{coordinate(), coordinate()}
}

func coverage(width, height int, corners [3]point) []bool {
	return drawClip(width, height, clips(width, height, corners[:])).covered()
}

func clips(width, height int, points []point) (positions [][4]float32) {
	for _, p := range points {
		positions = append(positions, p.clip(width, height, 0.5))
	}
	return positions
}

func TestSharedEdgeIsDrawnOnceAndWithoutGaps(t *testing.T) {
	const side = 16
	r := rand.New(rand.NewPCG(3, 4))
	drawn := 0
	for range 10000 {
		a, b, c, d := randomPoint(r, side), randomPoint(r, side), randomPoint(r, side), randomPoint(r, side)
		sideOf := func(p point) int64 { return (b.x-a.x)*(p.y-a.y) - (b.y-a.y)*(p.x-a.x) }
		if (sideOf(c) < 0) == (sideOf(d) < 0) {
			c.x, c.y = a.x+b.x-d.x, a.y+b.y-d.y // to the other side of the edge
		}
		first, second := [3]point{a, b, c}, [3]point{d, b, a}
		got1, got2 := coverage(side, side, first), coverage(side, side, second)
		for i := range got1 {
			x, y := int64(i%side), int64(i/side)
			if got1[i] != insideOracle(first, x, y) || got2[i] != insideOracle(second, x, y) || got1[i] && got2[i] {
				require.Failf(t, "wrong coverage", "%v draws %d,%d: %t; %v: %t", first, x, y, got1[i], second, got2[i])
			}
			if got1[i] || got2[i] {
				drawn++
			}
		}
	}
	require.Greater(t, drawn, 10000)
}

// TestFanCoversEveryPixelOnce: triangles around an inner point that cover the picture must draw
// every pixel exactly once.
func TestFanCoversEveryPixelOnce(t *testing.T) {
	const side = 16
	r := rand.New(rand.NewPCG(5, 6))
	rim := []point{{-300, -300}, {1000, -400}, {4500, -300}, {4400, 2000}, {4500, 4500}, {2222, 4300}, {-300, 4500}, {-500, 1900}}
	for range 500 {
		center := point{r.Int64N(256*side - 1), r.Int64N(256*side - 1)}
		requireOnce(t, side, 0, coverTimes(side, side, center.clip(side, side, .5), clips(side, side, rim)))
	}
}

func TestSnap(t *testing.T) {
	for _, tt := range []struct {
		px   float32
		want int32
		ok   bool
	}{
		{0.5, 0, true}, {1.5, 256, true}, {0, -128, true},
		{0.5 + 0.5/256, 0, true}, {0.5 + 1.5/256, 2, true}, {0.5 - 0.5/256, 0, true}, // ties to even
		{65536, 65536*256 - 128, true}, {65537, 0, false}, {-65540, 0, false},
		{float32(math.Inf(1)), 0, false}, {float32(math.NaN()), 0, false},
	} {
		got, ok := snap(tt.px)
		require.Equal(t, tt.ok, ok, "%v", tt.px)
		require.Equal(t, tt.want, got, "%v", tt.px)
	}
}

func TestDepthOrder(t *testing.T) {
	at := func(z float32) [][4]float32 {
		return [][4]float32{{-1, -1, z, 1}, {3, -1, z, 1}, {-1, 3, z, 1}}
	}
	for name, tt := range map[string]struct {
		first, second float32
		want          uint8 // light of the visible triangle
	}{
		"nearer last":      {0.6, 0.4, 255},
		"nearer first":     {0.4, 0.6, 85},
		"equal keeps":      {0.4, 0.4, 85},
		"first at the far": {1, 0.99, 255},
	} {
		t.Run(name, func(t *testing.T) {
			r := drawClip(20, 20, append(at(tt.first), at(tt.second)...), 85, 85, 85, 255, 255, 255)
			for i, d := range r.depths() {
				require.Equal(t, min(tt.first, tt.second), d)
				require.Equal(t, tt.want, r.color[4*i])
			}
		})
	}
	require.False(t, slices.Contains(drawClip(8, 8, at(1)).covered(), true), "depth 1 is not LESS than the cleared 1")
}

// TestCrossingTriangles draws two planes that cross in the middle of the picture.
func TestCrossingTriangles(t *testing.T) {
	const side = 64
	rising := [][4]float32{{-1, -1, 0, 1}, {3, -1, 1, 1}, {-1, 3, 0, 1}}         // z = (x+1)/4
	falling := [][4]float32{{-1, -1, 0.5, 1}, {3, -1, -0.5, 1}, {-1, 3, 0.5, 1}} // z = (1-x)/4
	r := drawClip(side, side, append(rising, falling...), 85, 85, 85, 255, 255, 255)
	for i := range r.depth {
		want := uint8(85)
		if i%side >= side/2 {
			want = 255
		}
		require.Equal(t, want, r.color[4*i], "pixel %d,%d", i%side, i/side)
	}
}

func TestAttributesArePerspectiveCorrect(t *testing.T) {
	// A strip that extends away from the eye: left edge at w 1, right edge at w 4.
	const width, height = 128, 8
	quad := [][4]float32{{-1, -1, 0, 1}, {4, -4, 2, 4}, {-1, 1, 0, 1}, {-1, 1, 0, 1}, {4, -4, 2, 4}, {4, 4, 2, 4}}
	r := drawClip(width, height, quad, 64, 252, 64, 64, 252, 252) // no light is below 64
	for x := range width {
		u := (float64(x) + 0.5) / width
		l := (64 + u/4/((1-u)+u/4)*(252-64)) / 255
		step := math.Floor(l*63+0.5) / 63
		require.InDelta(t, 255*step, float64(r.color[4*(3*width+x)]), 0.5, "column %d", x)
	}
}

func TestPictureIsClearedToTheBackground(t *testing.T) {
	r := &raster{}
	r.begin(7, 5, picture.Background)
	for i := range r.depth {
		require.Equal(t, uint32(farDepth), r.depth[i])
		require.Equal(t, []uint8{28, 31, 36, 255}, r.color[4*i:4*i+4])
	}
}

func TestTrianglesBeyondOneBlockKeepTheirOrder(t *testing.T) {
	// All at one depth: each pixel keeps the first triangle drawn.
	var positions [][4]float32
	var lights []uint8
	for i := range 3 * trianglesPerPart * partsPerBlock {
		positions = append(positions, [][4]float32{{-1, -1, 0.5, 1}, {-0.9, -1, 0.5, 1}, {-1, -0.9, 0.5, 1}}[i%3])
		lights = append(lights, uint8(255-255*min(i/3, 1)))
	}
	positions = append(positions, [][4]float32{{-1, -1, 0.5, 1}, {3, -1, 0.5, 1}, {-1, 3, 0.5, 1}}...)
	r := drawClip(64, 64, positions, append(lights, 85, 85, 85)...)
	require.Equal(t, uint8(255), r.color[0])
	require.Equal(t, uint8(85), r.color[len(r.color)-4])
}

// flat returns a frame of 8x8 pixels, and a camera that shows x and y from -1 to 1, so that a pixel is 1/4 unit wide.
func flat(t testing.TB, corners ...mgl32.Vec3) (renderer.Frame, renderer.Camera) {
	s := &geometry.Scene{Name: "flat", Positions: corners}
	for i := range corners {
		s.Indices = append(s.Indices, uint32(i))
	}
	s.Draws = []geometry.Draw{{IndexCount: uint32(len(corners)), VertexCount: uint32(len(corners)), Transform: mgl32.Ident4(), OneSided: true}}
	require.NoError(t, s.MakeNormals(t.Context()))
	f := frameOf(t, s, "naive", 8, renderer.Shaded)
	f.Width, f.Height, f.Cull = 8, 8, true
	return f, renderer.Camera{FovY: 90, Distance: 1, Near: 0, Far: 2, Orthographic: true}
}

// TestCullVerdicts tests one triangle of each kind, made by hand. y points up.
func TestCullVerdicts(t *testing.T) {
	v := func(x, y float32) mgl32.Vec3 { return mgl32.Vec3{x, y, 0} }
	const p = 0.25 // a pixel
	for name, c := range map[string]struct {
		corners [3]mgl32.Vec3
		want    renderer.Culling
	}{
		"counter-clockwise":   {[3]mgl32.Vec3{v(-.5, -.5), v(.5, -.5), v(0, .5)}, renderer.Culling{Survived: 1, Shaded: 3}},
		"clockwise":           {[3]mgl32.Vec3{v(.5, -.5), v(-.5, -.5), v(0, .5)}, renderer.Culling{BackFace: 1}},
		"right of the view":   {[3]mgl32.Vec3{v(1.1, 0), v(2, 0), v(1.5, 1)}, renderer.Culling{Frustum: 1}},
		"behind the far side": {[3]mgl32.Vec3{{0, 0, -1.1}, {.5, 0, -1.1}, {0, .5, -2}}, renderer.Culling{Frustum: 1}},
		"on the far side":     {[3]mgl32.Vec3{{0, 0, -1}, {.5, 0, -1}, {0, .5, -1}}, renderer.Culling{Survived: 1, Shaded: 3}},
		"on the near side":    {[3]mgl32.Vec3{{0, 0, 1}, {.5, 0, 1}, {0, .5, 1}}, renderer.Culling{Survived: 1, Shaded: 3}},
		"across the far side": {[3]mgl32.Vec3{{.5, 0, -.5}, {0, 0, -.5}, {0, .5, -2}}, renderer.Culling{Survived: 1, Shaded: 3}},
		"around a corner":     {[3]mgl32.Vec3{v(1.2, .9), v(1.2, 1.2), v(.9, 1.2)}, renderer.Culling{NoSample: 1}},
		"a line":              {[3]mgl32.Vec3{v(-.5, -.5), v(.5, .5), v(0, 0)}, renderer.Culling{ZeroArea: 1}},
		"less than a step":    {[3]mgl32.Vec3{v(-.5, -.5), v(.5, -.5), v(0, -.5+p/1024)}, renderer.Culling{ZeroArea: 1}},
		"between centres":     {[3]mgl32.Vec3{v(-p*.45, -p*.45), v(p*.45, -p*.45), v(0, p*.45)}, renderer.Culling{NoSample: 1}},
		"about a centre":      {[3]mgl32.Vec3{v(.2*p, .2*p), v(.8*p, .2*p), v(.5*p, .9*p)}, renderer.Culling{Survived: 1, Shaded: 3}},
		"beside the centre":   {[3]mgl32.Vec3{v(.1*p, .1*p), v(.6*p, .1*p), v(.1*p, .6*p)}, renderer.Culling{NoSample: 1}},
		"beyond the guard":    {[3]mgl32.Vec3{v(0, 0), v(1e5, 0), v(0, .5)}, renderer.Culling{Survived: 1, Shaded: 3}},
	} {
		f, camera := flat(t, c.corners[:]...)
		want := c.want
		want.Positioned = 3
		out, _ := must.Get2(plan.Render(New(), f, camera, wantAll))
		require.Equal(t, want, out.Culling, name)
		require.Equal(t, want.Shaded, out.Stats.Invocations, name)
		plain := f
		plain.Cull = false
		whole, _ := must.Get2(plan.Render(New(), plain, camera, wantAll|renderer.WantVisible))
		if want.BackFace == 0 {
			samePicture(t, whole, out, name)
		}
	}
}

// TestCullLeavesRoom: if a device's rasterizer draws, triangles within a grid step of a pixel centre
// survive, since its grid may differ.
func TestCullLeavesRoom(t *testing.T) {
	const p, step = 0.25, 0.25 / 256
	for _, c := range []struct {
		right  float32
		raster renderer.RasterHost
		want   renderer.Culling
	}{
		{p/2 - step, renderer.SoftRaster, renderer.Culling{NoSample: 1, Positioned: 3}},
		{p/2 - step, renderer.HardwareRaster, renderer.Culling{Survived: 1, Positioned: 3, Shaded: 3}},
		{p/2 - 2*step, renderer.HardwareRaster, renderer.Culling{NoSample: 1, Positioned: 3}},
	} {
		f, camera := flat(t, mgl32.Vec3{0, 0, 0}, mgl32.Vec3{c.right, 0, 0}, mgl32.Vec3{0, p, 0})
		f.Raster = c.raster
		out, _ := must.Get2(plan.Render(New(), f, camera, wantAll))
		require.Equal(t, c.want, out.Culling, c)
	}
}

// TestCullMirrors: balls, every second one mirrored, lose their back faces but no pixel, in one chunk
// or several, on one thread or several.
func TestCullMirrors(t *testing.T) {
	s := balls(12)
	for i := range s.Draws {
		s.Draws[i].OneSided = true
		if i%2 == 1 {
			s.Draws[i].Transform = s.Draws[i].Transform.Mul4(mgl32.Scale3D(1, -1, 1))
		}
	}
	for _, strategy := range []string{"warp", "claim", "multi", "hash"} {
		f := frameOf(t, s, strategy, 8, renderer.Shaded)
		want, _ := render(t, New(), f)
		f.Cull = true
		got, _ := render(t, New(), f)
		samePicture(t, want, got, strategy)
		require.NotZero(t, got.Culling.BackFace)
		require.Less(t, got.Stats.Invocations, want.Stats.Invocations*2/3)
		f.CullFaces = renderer.NoFaces
		kept, _ := render(t, New(), f)
		require.Zero(t, kept.Culling.BackFace, "whatever the file says")
		f.CullFaces = renderer.AllFaces
		all, _ := render(t, New(), f)
		samePicture(t, want, all, strategy)
		require.Equal(t, got.Culling, all.Culling, "all draws are one-sided")
		f.CullFaces = renderer.FacesOfFile
		f.QueueBudget = 32 << 10
		again, _ := render(t, withThreads(5), f)
		samePicture(t, want, again, strategy)
		require.Equal(t, got.Culling, again.Culling)
		require.Equal(t, got.Counts, again.Counts)
		f.View = renderer.Counts
		counted, _ := render(t, New(), f)
		require.Equal(t, got.Culling, counted.Culling)
		require.Equal(t, got.Counts, counted.Counts)
		f.QueueBudget = 0
		whole, _ := render(t, New(), f)
		samePicture(t, whole, counted, strategy)
	}
}

// TestCullInWindows: windows change neither culling nor the picture. In the batches view, culling finds a triangle's draw,
// which says whether it is one-sided, by the triangle's batch.
func TestCullInWindows(t *testing.T) {
	s := ball(8, false)
	for i := range 400 {
		s.Draws = append(s.Draws, s.Draws[0])
		s.Draws[i].OneSided = i%3 == 0
	}
	f := frameOf(t, s, "claim", 8, renderer.Batches)
	f.Cull, f.QueueBudget = true, 64<<10
	want, p := render(t, New(), f)
	f.DeviceBudget = p.DeviceBytes()
	for ; !p.Windowed(); f.DeviceBudget -= 16 << 10 {
		p = must.Get(plan.New(f, New().Limits()))
	}
	got, _ := render(t, New(), f)
	require.Equal(t, want.Culling, got.Culling)
	samePicture(t, want, got, "windows")
}
