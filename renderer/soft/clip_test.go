package soft

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/shaders"
)

// all reports whether every pixel is drawn.
func all(r *raster) bool { return !slices.Contains(r.covered(), false) }

// quad returns two triangles with the given clip positions, listed around the rim.
func quad(a, b, c, d [4]float32) [][4]float32 { return [][4]float32{a, b, c, a, c, d} }

func TestClippingByDepth(t *testing.T) {
	const width, height = 64, 48
	for name, tt := range map[string]struct {
		depth func(x, y float32) float32 // at a corner of the view
		want  func(x, y int) bool
	}{
		"all inside":    {func(x, y float32) float32 { return 0.5 }, func(x, y int) bool { return true }},
		"all before":    {func(x, y float32) float32 { return -0.1 }, func(x, y int) bool { return false }},
		"all beyond":    {func(x, y float32) float32 { return 1.1 }, func(x, y int) bool { return false }},
		"left nearer":   {func(x, y float32) float32 { return x / 2 }, func(x, y int) bool { return x >= width/2 }},
		"upper nearer":  {func(x, y float32) float32 { return y / 2 }, func(x, y int) bool { return y >= height/2 }},
		"right farther": {func(x, y float32) float32 { return 1 + x/2 }, func(x, y int) bool { return x < width/2 }},
		"both planes":   {func(x, y float32) float32 { return 0.5 + x }, func(x, y int) bool { return x >= width/4 && x < width*3/4 }},
		"slanted":       {func(x, y float32) float32 { return (x + y) / 2 }, func(x, y int) bool { return 3*(2*x+1)+4*(2*y+1) >= 6*width }},
	} {
		t.Run(name, func(t *testing.T) {
			corner := func(x, y float32) [4]float32 { return [4]float32{x, y, tt.depth(x, y), 1} }
			r := drawClip(width, height, quad(corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)))
			depths := r.depths()
			for i, got := range r.covered() {
				x, y := i%width, i/width
				require.Equal(t, tt.want(x, y), got, "pixel %d,%d", x, y)
				if got {
					z := tt.depth(float32(2*x+1)/width-1, float32(2*y+1)/height-1)
					require.InDelta(t, z, depths[i], 1e-5)
				}
			}
		})
	}
}

// ground is a plane one unit below the eye that extends from behind the eye to the distance end,
// seen with clip planes at 1 and 100.
func ground(end, half float32) [][4]float32 {
	at := func(x, distance float32) [4]float32 {
		return [4]float32{x, 1, (distance - 1) * 100 / 99, distance}
	}
	return quad(at(-half, -10), at(half, -10), at(half, end), at(-half, end))
}

func TestGroundPlaneThroughTheEye(t *testing.T) {
	const width, height = 96, 80
	for name, tt := range map[string]struct {
		end, half float32
		first     int // row
	}{
		"to 10":            {10, 1e3, 44},
		"to 10, wide":      {10, 1e7, 44},
		"to 2":             {2, 1e3, 60},
		"beyond the far":   {1e4, 1e5, 40}, // the far plane is at y = 40.4; the centre of row 40 shows distance 80
		"ends at the near": {1, 1e3, 80},
		"behind":           {-1, 1e3, 80},
	} {
		t.Run(name, func(t *testing.T) {
			r := drawClip(width, height, ground(tt.end, tt.half))
			depths := r.depths()
			for i, got := range r.covered() {
				y := i / width
				require.Equal(t, y >= tt.first, got, "pixel %d,%d", i%width, y)
				if got {
					distance := 1 / (float64(2*y+1)/height - 1)
					// Snapping a corner keeps its depth and moves it by at most half a subpixel.
					const slope = 100.0 / 99 * 2 / height // depth per pixel
					require.InDelta(t, (distance-1)*100/99/distance, float64(depths[i]), slope/512+1e-6, "row %d", y)
				}
			}
		})
	}
}

func TestHugeTrianglesCoverEverything(t *testing.T) {
	for _, size := range []float32{3, 1e2, 1e4, 1e8, 1e19, 1e30, 1e38} {
		for _, w := range []float32{1, 1e-20, 1e20} {
			if float64(size)*float64(w) > 3e38 {
				continue
			}
			s := size * w
			r := drawClip(50, 30, [][4]float32{{-s, -s, w / 2, w}, {s, -s, w / 2, w}, {0, s, w / 2, w}})
			if size == 3 {
				require.True(t, r.covered()[15*50+25])
				continue
			}
			require.True(t, all(r), "size %g, w %g", size, w)
		}
	}
}

// TestLargestPicture draws at the positions that take the most bits.
func TestLargestPicture(t *testing.T) {
	for _, size := range [][2]int{{16384, 4}, {4, 16384}} {
		r := drawClip(size[0], size[1], quad([4]float32{-1e9, -1e9, 0.5, 1}, [4]float32{1e9, -1e9, 0.5, 1}, [4]float32{1e9, 1e9, 0.5, 1}, [4]float32{-1e9, 1e9, 0.5, 1}))
		require.True(t, all(r))
	}
}

func TestOffScreenDrawsNothing(t *testing.T) {
	for _, by := range [][2]float32{{2.5, 0}, {-2.5, 0}, {0, 2.5}, {0, -2.5}, {1e30, 0}, {2.5, 2.5}, {0, -1e38}} {
		r := drawClip(40, 40, [][4]float32{{by[0] - 1, by[1] - 1, 0.5, 1}, {by[0] + 1, by[1] - 1, 0.5, 1}, {by[0], by[1] + 1, 0.5, 1}})
		require.False(t, slices.Contains(r.covered(), true), "%v", by)
		require.Empty(t, r.parts[0].triangles)
	}
}

// coverTimes draws the triangles of a fan one by one and counts how often each pixel is drawn.
func coverTimes(width, height int, center [4]float32, rim [][4]float32) []int {
	times := make([]int, width*height)
	for i := range rim {
		for k, drawn := range drawClip(width, height, [][4]float32{center, rim[i], rim[(i+1)%len(rim)]}).covered() {
			if drawn {
				times[k]++
			}
		}
	}
	return times
}

// requireOnce requires that every pixel from a row on is drawn once, and none above.
func requireOnce(t *testing.T, width, first int, times []int) {
	for k, got := range times {
		if want := k/width >= first; got > 1 || want != (got == 1) {
			require.Failf(t, "not drawn once", "pixel %d,%d: %d times", k%width, k/width, got)
		}
	}
}

// TestSharedEdgesStayClosedAtTheGuardBand: a fan whose rim lies far outside the
// picture leaves no gap and no overlap.
func TestSharedEdgesStayClosedAtTheGuardBand(t *testing.T) {
	const width, height, n = 61, 47, 9
	r := rand.New(rand.NewPCG(8, 9))
	for range 300 {
		center := [4]float32{r.Float32() - 0.5, r.Float32() - 0.5, 0.5, 1}
		rim := make([][4]float32, n)
		for i := range rim {
			angle := (float64(i) + 0.8*r.Float64()) * 2 * math.Pi / n
			reach := math.Exp(3 + 25*r.Float64())
			rim[i] = [4]float32{float32(math.Cos(angle) * reach), float32(math.Sin(angle) * reach), 0.5, 1}
		}
		requireOnce(t, width, 0, coverTimes(width, height, center, rim))
	}
}

// TestSharedEdgesStayClosedBehindTheEye: a fan on the ground whose rim lies all around, behind
// the eye and beyond the far plane, leaves no gap and no overlap.
func TestSharedEdgesStayClosedBehindTheEye(t *testing.T) {
	const width, height, n = 61, 80, 9
	r := rand.New(rand.NewPCG(10, 11))
	at := func(x, distance float64) [4]float32 {
		return [4]float32{float32(x), 1, float32((distance - 1) * 100 / 99), float32(distance)}
	}
	for range 300 {
		rim := make([][4]float32, n)
		for i := range rim {
			angle := (float64(i) + 0.8*r.Float64()) * 2 * math.Pi / n
			reach := math.Exp(7 + 10*r.Float64())
			rim[i] = at(math.Cos(angle)*reach, math.Sin(angle)*reach)
		}
		// The far plane, at 100, appears at row 40.4.
		requireOnce(t, width, 40, coverTimes(width, height, at(r.Float64()-0.5, 2+3*r.Float64()), rim))
	}
}

// TestSharedEdgeIsCutAlike: two triangles that traverse an edge in opposite directions get
// bit-equal corners where it is cut.
func TestSharedEdgeIsCutAlike(t *testing.T) {
	g := newGuardBand(64, 48)
	r := rand.New(rand.NewPCG(12, 13))
	random := func() corner {
		f := func() float64 { return float64(float32((r.Float64() - 0.5) * math.Exp(8*r.Float64()))) }
		return corner{x: f(), y: f(), z: f(), w: f()}
	}
	cuts := 0
	for range 20000 {
		a, b := random(), random()
		first, second := polygon{count: 3}, polygon{count: 3}
		copy(first.corners[:], []corner{a, b, random()})
		copy(second.corners[:], []corner{b, a, random()})
		plane := 1 << r.IntN(planeCount)
		if (g.distance(&a, plane) < 0) == (g.distance(&b, plane) < 0) {
			continue
		}
		first.clip(g, plane)
		second.clip(g, plane)
		inner := a
		if g.distance(&a, plane) < 0 {
			inner = b
		}
		// The cut is next to the inner end: after it in one triangle, before it in the other.
		i := slices.Index(first.corners[:first.count], inner)
		k := slices.Index(second.corners[:second.count], inner)
		around := func(p *polygon, i int) []corner {
			return []corner{p.corners[(i+1)%p.count], p.corners[(i+p.count-1)%p.count]}
		}
		one, two := around(&first, i), around(&second, k)
		require.True(t, one[0] == two[1] || one[1] == two[0], "%v to %v at plane %d", a, b, plane)
		cuts++
	}
	require.Greater(t, cuts, 1000)
}

// TestAnyFloatIsDrawn: any bits give no crash, no endless loop, and depths in 0..1.
func TestAnyFloatIsDrawn(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	special := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32,
		-math.SmallestNonzeroFloat32, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), smallestW, 1e-38, 1e20, 32768}
	value := func() float32 {
		switch r.IntN(3) {
		case 0:
			return math.Float32frombits(r.Uint32())
		case 1:
			return special[r.IntN(len(special))]
		}
		return r.Float32()*4 - 2
	}
	positions := make([][4]float32, 3*60000)
	for i := range positions {
		positions[i] = [4]float32{value(), value(), value(), value()}
	}
	for _, size := range [][2]int{{37, 23}, {1, 1}, {1, 300}} {
		drawn := drawClip(size[0], size[1], positions)
		for _, d := range drawn.depth {
			require.True(t, d <= farDepth)
		}
		require.True(t, slices.Contains(drawn.covered(), true))
	}
}

// TestCornersOnAPlaneStay: a triangle with an edge on the near plane loses nothing if its third corner lies
// inside, beyond that plane.
func TestCornersOnAPlaneStay(t *testing.T) {
	p := polygon{count: 3}
	p.corners = [len(p.corners)]corner{{x: -1, z: 0, w: 1}, {x: 1, z: 0, w: 1}, {y: 1, z: 1, w: 2}}
	want := p.corners
	p.clip(newGuardBand(64, 64), 1<<planeCount-1)
	require.Equal(t, want[:3], p.corners[:p.count])
}

func TestClipAddsOneCornerAPlane(t *testing.T) {
	g := newGuardBand(64, 64)
	big := 10 * g.x
	p := polygon{count: 3}
	p.corners = [len(p.corners)]corner{{x: -big, y: -big, z: -3, w: 1}, {x: big, y: -big, z: 2, w: 1}, {x: 0, y: big, z: 0.5, w: 1}}
	p.clip(g, 1<<planeCount-1)
	require.LessOrEqual(t, p.count, len(p.corners))
	for _, c := range p.corners[:p.count] {
		for i := range planeCount {
			require.GreaterOrEqual(t, g.distance(&c, 1<<i), -1e-9)
		}
	}
}

// near is placed_near of shaders/include/placed.glsl along one axis, with the errors that Vulkan
// allows: quotient is the reciprocal of w, off by up to 2.5 units in the last place, and the last
// product may or may not be rounded before the sum.
func near(x, quotient float32, side int, fused bool) (place float64, ok bool) {
	const origin = 3 << 22
	scale := float32(side) * subpixel / 2
	offset := scale + (origin - float32(subpixel)/2)
	var sum float32
	if ndc := float32(x * quotient); fused {
		sum = float32(float64(ndc)*float64(scale) + float64(offset)) // exact but for the last rounding
	} else {
		sum = float32(ndc*scale) + offset
	}
	place = float64(sum) - origin
	return place, math.Abs(place) <= 1<<20
}

// TestApproximatePlaces: with the errors that Vulkan allows (see near), approximate positions are at most
// 3 subpixels (PLACED_ERROR) from the positions of setup.project, and some are 1 subpixel or more away.
func TestApproximatePlaces(t *testing.T) {
	n := 10_000_000
	if testing.Short() {
		n /= 20
	}
	r := rand.New(rand.NewPCG(11, 0))
	most, tried := 0., 0
	for range n {
		side := 1 + r.IntN(shaders.SiftedSide)
		if r.IntN(4) == 0 {
			side = shaders.SiftedSide
		}
		s := &setup{width: side, height: side}
		w := float32(math.Ldexp(1+r.Float64(), r.IntN(190)-95))
		// Up to 8192 pixels to either side of pixel 0's centre, often in the middle between two subpixels.
		sub := (r.Float64()*4 - 2) * float64(1<<20)
		if r.IntN(2) == 0 {
			sub = math.Floor(sub) + .5
		}
		x := float32((sub/float64(subpixel) + .5 - float64(side)/2) / (float64(side) / 2) * float64(w))
		exact, ok := snap(first(s.pixel(x, 0, reciprocal(w))))
		if !ok {
			continue
		}
		quotient := 1 / float64(w) // the farthest floats that are within 2.5 units in the last place
		unit := math.Ldexp(1, math.Ilogb(quotient)-23)
		for _, off := range []float64{-2, -1, 0, 1, 2} {
			for _, fused := range []bool{false, true} {
				place, ok := near(x, float32(quotient+off*unit), side, fused)
				if !ok {
					continue
				}
				tried++
				most = max(most, math.Abs(place-float64(exact)))
			}
		}
	}
	require.Greater(t, tried, n)
	require.LessOrEqual(t, most, 3.)
	require.GreaterOrEqual(t, most, 1., "the test reaches no bad case")
	t.Logf("at most %g subpixels", most)
}

func first(a, _ float32) float32 { return a }

// TestReciprocals: reciprocals of all float32 of one binade are off by less than 1.5 parts of 2^24 (placed.glsl relies on
// it), those of others are the same but for the exponent, and from 2^125 on they are 0.
func TestReciprocals(t *testing.T) {
	most := 0.
	for word := uint32(0x3f800000); word < 0x40000000; word++ {
		w := math.Float32frombits(word)
		most = max(most, math.Abs(float64(reciprocal(w))*float64(w)-1))
	}
	require.Less(t, most, 1.5*0x1p-24)
	for _, exponent := range []int{-96, -1, 1, 124} {
		require.Equal(t, math.Ldexp(float64(reciprocal(1.7)), -exponent), float64(reciprocal(float32(math.Ldexp(float64(float32(1.7)), exponent)))))
	}
	require.EqualValues(t, 1, reciprocal(1))
	require.Zero(t, reciprocal(0x1p125))
	require.Zero(t, reciprocal(math.MaxFloat32))
}
