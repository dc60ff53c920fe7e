package geometry

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// plainBounds computes Bounds by its definition.
func plainBounds(s *Scene) Box {
	box := emptyBox()
	for i := range s.Draws {
		d := &s.Draws[i]
		for _, id := range s.DrawIndices(i) {
			p := d.Transform.Mul4x1(s.Positions[d.VertexOffset+id].Vec4(1)).Vec3()
			for k := range p {
				box.Min[k], box.Max[k] = min(box.Min[k], p[k]), max(box.Max[k], p[k])
			}
		}
	}
	return box
}

// TestBoundsOfManyDraws checks instances whose vertex ranges differ in length, empty draws, and a
// draw that several cores share.
func TestBoundsOfManyDraws(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	r := rand.New(rand.NewPCG(1, 1))
	for round := range 30 {
		s := &Scene{Positions: make([]mgl32.Vec3, 500), Indices: make([]uint32, 3*validateGrain)}
		for i := range s.Positions {
			s.Positions[i] = mgl32.Vec3{r.Float32() - 0.5, 10 * r.Float32(), -r.Float32()}
		}
		for i := range s.Indices {
			s.Indices[i] = r.Uint32N(200)
		}
		for range 1 + r.IntN(8) {
			d := Draw{FirstIndex: 3 * r.Uint32N(2), IndexCount: 3 * r.Uint32N(40), VertexOffset: 50 * r.Uint32N(2), Transform: mgl32.Ident4()}
			d.VertexCount = 200 + r.Uint32N(200)
			if r.IntN(2) == 0 {
				d.Transform = mgl32.HomogRotate3DX(r.Float32()).Mul4(mgl32.Translate3D(r.Float32(), 2, 3))
			}
			s.Draws = append(s.Draws, d, d)
			s.Draws[len(s.Draws)-1].VertexCount = 210
		}
		if round%3 == 0 {
			whole := s.Draws[0]
			whole.FirstIndex, whole.IndexCount = 0, uint32(len(s.Indices))
			s.Draws = append(s.Draws, whole)
		}
		require.Equal(t, plainBounds(s), s.Bounds(), round)
	}
	require.Equal(t, emptyBox(), (&Scene{}).Bounds())
}

// TestDrawsOfOneIndexRange: draws that share indices, but not vertices, have boxes and normals of their own.
func TestDrawsOfOneIndexRange(t *testing.T) {
	s := &Scene{
		Positions: []mgl32.Vec3{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {5, 0, 2}, {5, 1, 0}}, Indices: []uint32{0, 1, 2},
		Draws: []Draw{{IndexCount: 3, VertexCount: 3, Transform: mgl32.Ident4()}, {IndexCount: 3, VertexOffset: 3, VertexCount: 3, Transform: mgl32.Ident4()}},
	}
	require.Equal(t, []Box{{Max: mgl32.Vec3{1, 1, 0}}, {Min: mgl32.Vec3{5, 0, 0}, Max: mgl32.Vec3{5, 1, 2}}}, s.DrawBoxes())
	require.Equal(t, Box{Max: mgl32.Vec3{5, 1, 2}}, s.Bounds())
	require.NoError(t, s.MakeNormals(t.Context()))
	for i := range s.Positions {
		require.Equal(t, []mgl32.Vec3{{0, 0, 1}, {-1, 0, 0}}[i/3], s.Normals[i])
	}
}

func TestCopies(t *testing.T) {
	s := quad()
	s.Draws[0].Transform = mgl32.Scale3D(2, 2, 2)
	same := must.Get(s.Copies(1))
	require.Same(t, s, same)
	five := must.Get(s.Copies(5))
	require.NoError(t, five.Validate(t.Context()))
	require.Len(t, s.Draws, 1)
	require.Len(t, five.Draws, 5)
	require.Equal(t, 10, five.Triangles())
	require.Same(t, &s.Indices[0], &five.Indices[0])
	// Three copies in a row, each 2 units wide, with gaps of 0.2 units.
	require.InDelta(t, 3*2+2*0.2, five.Bounds().Max[0], 1e-5)
	require.InDelta(t, 2.2, five.Bounds().Max[2], 1e-5)
	for n, cause := range map[int]string{
		0: "0 copies: at least 1", -5: "at least 1", MaxCopiedDraws + 1: "at most 100000 draws are allowed", 1 << 62: "at most 100000 draws are allowed",
	} {
		_, err := s.Copies(n)
		require.ErrorContains(t, err, cause)
	}
	s.Indices = make([]uint32, 3<<20)
	s.Draws[0].IndexCount = uint32(len(s.Indices))
	_, err := s.Copies(1000)
	require.EqualError(t, err, "1000 copies of 3145728 indices and 5 vertices: at most 2147483647 of each are supported")
	s.Draws[0].IndexCount = 3
	s.Positions[0][0] = -3e38
	_, err = s.Copies(9)
	require.ErrorContains(t, err, "too far for single precision")
}

// TestFirstBad finds the lowest of many bad elements, whichever core finds one first.
func TestFirstBad(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	bad := func(list ...int) func(from, to int) int {
		return func(from, to int) int {
			for i := from; i < to; i++ {
				for _, b := range list {
					if i == b {
						return i
					}
				}
			}
			return -1
		}
	}
	first := func(n, grain int, bad func(from, to int) int) int {
		return must.Get(FirstBad(t.Context(), n, grain, bad))
	}
	require.Equal(t, -1, first(0, 10, bad(0)))
	require.Equal(t, -1, first(1000, 7, bad()))
	require.Equal(t, 5, first(10, 1, bad(5)))
	_, err := FirstBad(t.Context(), 1, 0, bad(0))
	require.EqualError(t, err, "geometry: no function to call, or ranges of 0 elements")
	for range 100 {
		require.Equal(t, 501, first(1000, 7, bad(990, 502, 501, 700)))
		require.Equal(t, 999, first(1000, 1000, bad(999)))
	}
	require.PanicsWithValue(t, "stop", func() { first(1000, 7, func(int, int) int { panic("stop") }) })
	var runs atomic.Int32
	cores.OnAll(1, func() { runs.Add(1) })
	cores.OnAll(0, func() { runs.Add(1) })
	require.Equal(t, int32(2), runs.Load())
}

// TestValidateNamesTheFirst: the error names the first bad element, even if several cores check the pool.
func TestValidateNamesTheFirst(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	s := quad()
	s.Indices = make([]uint32, 3*validateGrain)
	s.Draws[0].IndexCount = uint32(len(s.Indices))
	s.Draws = append(s.Draws, s.Draws[0], s.Draws[0])
	require.NoError(t, s.Validate(t.Context()))
	s.Indices[700_000], s.Indices[700_001] = 5, 6
	require.ErrorContains(t, s.Validate(t.Context()), `draw 0 ("q"): index 700000 is 5, but the draw has 5 vertices`)
	s.Indices[700_000], s.Indices[700_001] = 4, 4
	s.Draws[2].VertexCount = 4 // an instance with fewer vertices
	require.ErrorContains(t, s.Validate(t.Context()), `draw 2 ("q"): index 700000 is 4, but the draw has 4 vertices`)
}

// TestRelease: memory is freed once, whichever copy of the scene is released. Releasing a scene on
// the heap does nothing.
func TestRelease(t *testing.T) {
	freed := 0
	s := quad()
	s.Release()
	require.NotEmpty(t, s.Positions)
	s.Backing = NewBacking(func() { freed++ }, nil)
	other := *s
	s.Release()
	s.Release()
	other.Release()
	require.Equal(t, 1, freed)
	require.Equal(t, &Scene{Name: "quad"}, s)
}

// frameOf returns a captured frame of a hundred quads, in 10 rows of 10 from the origin on, and one more
// quad for each of the given transforms.
func frameOf(others ...mgl32.Mat4) *Scene {
	s := quad()
	one := s.Draws[0]
	s.Draws = nil
	for i := range 100 {
		one.Transform = mgl32.Translate3D(float32(i%10), 0, float32(i/10))
		s.Draws = append(s.Draws, one)
	}
	for _, m := range others {
		one.Transform = m
		s.Draws = append(s.Draws, one)
	}
	s.Capture = &Capture{}
	return s
}

// Sky domes and stray draws do not affect what a camera shows of a captured frame.
func TestCoreLeavesOutWhatSurrounds(t *testing.T) {
	own := Box{Min: mgl32.Vec3{0, 0, 0}, Max: mgl32.Vec3{10, 1, 9}}
	sky, stray := mgl32.Scale3D(500, 500, 500), mgl32.Translate3D(0, -900, 0)
	for _, others := range [][]mgl32.Mat4{nil, {sky}, {stray}, {stray, sky}} {
		b := frameOf(others...).Bounds()
		require.Equal(t, own, b.Shown(), others)
		require.Equal(t, len(others) == 0, b.Min == own.Min && b.Max == own.Max, "the box holds all")
	}
	// A draw only a little larger than the core, or with many of the frame's triangles, belongs to the core.
	large := frameOf(mgl32.Scale3D(7, 7, 7)).Bounds()
	require.Equal(t, large.Max, large.Shown().Max)
	terrain := frameOf(sky, sky, sky).Bounds()
	require.Equal(t, terrain.Max, terrain.Shown().Max)
	// A scene that is not a captured frame is shown whole.
	s := frameOf(sky)
	s.Capture = nil
	require.Nil(t, s.Bounds().Core)
}

// A hidden draw is shrunk to a point, which is not part of the core.
func TestCoreLeavesOutHiddenDraws(t *testing.T) {
	s := frameOf(mgl32.Translate3D(0, 0, 15))
	s.Draws = s.Draws[99:] // the quads at 9, 0, 9, and at 0, 0, 15
	s.Capture = &Capture{View: &View{}, Placings: []Placing{{How: Fitted}, {How: Hidden}}}
	require.Equal(t, Box{Min: mgl32.Vec3{9, 0, 9}, Max: mgl32.Vec3{10, 1, 9}}, s.Bounds().Shown())
	none, all := func(int) bool { return false }, func(int) bool { return true }
	require.Equal(t, "1 of 2 draws shown; reuse counts all", s.PlaceNote(none))
	s.Capture.Passes = []Pass{{Name: "pass 1"}, {Name: "pass 2", Shown: 1, Camera: true}}
	require.Equal(t, "pass 2: 1 of 2 draws shown; reuse counts all", s.PlaceNote(none))
	require.Equal(t, "pass 2: 0 of 2 draws shown; reuse counts all", s.PlaceNote(all), "the pass is still the only one placed")
	s.Capture.Passes[0].Shown, s.Capture.Passes[1].Shown = 1, 0
	require.Equal(t, "1 of 2 draws shown; reuse counts all", s.PlaceNote(none), "of several passes")
	s.Capture.Placings[1].How = Captured
	require.Empty(t, s.PlaceNote(none))
	require.Equal(t, "1 of 2 draws shown; reuse counts all", s.PlaceNote(func(draw int) bool { return draw == 0 }))
	s.Capture = &Capture{}
	require.Equal(t, "2 draws, not placed: the capture does not say where they stand", s.PlaceNote(none))
	s.Draws[0].Event, s.Draws[1].Event = 7, 7
	require.Equal(t, "2 instances of 1 draws, not placed: the capture does not say where they stand", s.PlaceNote(none))
	s.Capture = nil
	require.Empty(t, s.PlaceNote(none))
}

// TestNumbered selects draws by event number, which several draws can share, and by index if not every draw has
// an event.
func TestNumbered(t *testing.T) {
	s := quad()
	one := s.Draws[0]
	s.Draws = nil
	for _, event := range []uint32{5, 30, 9, 5} {
		one.Event = event
		s.Draws = append(s.Draws, one)
	}
	for _, c := range []struct {
		first, last int
		draws       []int
		err         string
	}{
		{5, 5, []int{0, 3}, ""}, {6, 40, []int{1, 2}, ""},
		{7, 8, nil, "no draw has this event: the nearest with draws are 5 and 9"},
		{0, 4, nil, "no draw has this event: the first one with a draw is 5"},
		{31, 31, nil, "no draw has this event: the last one with a draw is 30"},
	} {
		draws, err := s.Numbered(c.first, c.last)
		require.Equal(t, c.draws, draws)
		if c.err != "" {
			require.EqualError(t, err, c.err)
		}
	}
	s.Draws[1].Event = 0
	s.CheckEvents()
	draws, err := s.Numbered(1, 2)
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, draws)
	for _, at := range []int{-1, 4} {
		_, err = s.Numbered(at, at)
		require.EqualError(t, err, "there are draws 0 to 3")
	}
	_, err = s.Only([]int{3}).Numbered(1, 1)
	require.EqualError(t, err, "there is only draw 0")
}

// strip is a computed mesh: triangle t has vertices t, t+1 and t+2, and vertex v is at (v, -v, 7).
type strip struct{}

func (strip) FillIndices(first int, into []uint32) {
	for k := range into {
		into[k] = uint32((first+k)/3 + (first+k)%3)
	}
}

func (strip) Vertex(id uint32) (position, normal mgl32.Vec3) {
	return mgl32.Vec3{float32(id), -float32(id), 7}, mgl32.Vec3{0, 0, float32(id)}
}

// TestComputedEqualsStored: a computed mesh and its stored copy have the same indices, vertices and box.
func TestComputedEqualsStored(t *testing.T) {
	const triangles = validateGrain/3 + 10 // the last vertices belong to no triangle
	s := &Scene{Computed: strip{}, Draws: []Draw{{IndexCount: 3 * triangles, VertexCount: triangles + 50, Transform: mgl32.Ident4()}}}
	stored := s.Stored()
	require.Same(t, stored, stored.Stored())
	require.Equal(t, []int{triangles + 50, 0}, []int{s.ComputedVertices(), stored.ComputedVertices()})
	for _, one := range []*Scene{s, stored} {
		var all []uint32
		one.EachIndices(0, func(part []uint32) { all = append(all, part...) })
		require.True(t, slices.Equal(stored.Indices, all))
		p, n := one.Vertex(triangles + 49)
		require.Equal(t, []mgl32.Vec3{{triangles + 49, -triangles - 49, 7}, {0, 0, triangles + 49}}, []mgl32.Vec3{p, n})
		require.Equal(t, BoxOf(mgl32.Vec3{0, -triangles - 1, 7}, mgl32.Vec3{triangles + 1, 0, 7}), one.Bounds())
		require.Equal(t, []uint32{2, 3, 4, 3, 4, 5}, one.PartAt(6, 6, new([]uint32)))
	}
	require.Len(t, s.PartAt(0, 3*triangles, new([]uint32)), computedPart, "few indices are in memory at a time")
	require.Equal(t, []bool{true, false}, []bool{s.HasIndices(3*triangles, 3), stored.HasIndices(3*triangles, 3)})
}
