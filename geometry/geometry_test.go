package geometry

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

func quad() *Scene {
	return &Scene{
		Name:      "quad",
		Positions: []mgl32.Vec3{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {99, 99, 99}},
		Indices:   []uint32{0, 1, 2, 0, 2, 3},
		Draws:     []Draw{{Name: "q", IndexCount: 6, VertexCount: 5, Transform: mgl32.Ident4(), Color: DefaultColor}},
	}
}

func TestValidate(t *testing.T) {
	require.NoError(t, quad().Validate(t.Context()))
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, tt := range []struct {
		name   string
		change func(*Scene)
		want   string
	}{
		{"no vertices", func(s *Scene) { s.Positions = nil }, "no vertices"},
		{"no draws", func(s *Scene) { s.Draws = nil }, "no triangles"},
		{"empty draw", func(s *Scene) { s.Draws[0].IndexCount = 0 }, "no triangles"},
		{"normals", func(s *Scene) { s.Normals = make([]mgl32.Vec3, 2) }, "2 normals for 5 vertices"},
		{"index stream", func(s *Scene) { s.Draws[0].IndexCount = 1 << 31 }, "index stream of 2147483648 indices, at most 2147483647 are supported"},
		{"all vertices", func(s *Scene) { s.Draws[0].VertexCount = 1 << 31 }, "2147483648 vertices over all draws, at most 2147483647 are supported"},
		{"not triangles", func(s *Scene) { s.Draws[0].IndexCount = 5 }, `draw 0 ("q"): index count 5 is not a multiple of 3`},
		{"index range", func(s *Scene) { s.Draws[0].FirstIndex = 3 }, "indices 3+6 exceed the pool of 6"},
		{"index range wraps", func(s *Scene) { s.Draws[0].FirstIndex = math.MaxUint32 - 2 }, "exceed the pool"},
		{"vertex range", func(s *Scene) { s.Draws[0].VertexOffset = 1 }, "vertices 1+5 exceed the pool of 5"},
		{"index", func(s *Scene) { s.Indices[4] = 5 }, "index 4 is 5, but the draw has 5 vertices"},
		{"NaN", func(s *Scene) { s.Positions[2][1] = nan }, "vertex 2: position is not finite"},
		{"infinity", func(s *Scene) { s.Positions[0][0] = inf }, "vertex 0: position is not finite"},
		{"transform", func(s *Scene) { s.Draws[0].Transform[3] = inf }, "transform is not finite"},
		{"colour", func(s *Scene) { s.Draws[0].Color[3] = nan }, "colour is not finite"},
		{"normal", func(s *Scene) { require.NoError(t, s.MakeNormals(t.Context())); s.Normals[1][0] = nan }, "vertex 1: normal is not finite"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := quad()
			tt.change(s)
			require.ErrorContains(t, s.Validate(t.Context()), tt.want)
		})
	}
}

func TestBoundsLeaveOutUnreferencedVertices(t *testing.T) {
	s := quad()
	require.Equal(t, Box{Min: mgl32.Vec3{0, 0, 0}, Max: mgl32.Vec3{1, 1, 0}}, s.Bounds())
	s.Draws = append(s.Draws, s.Draws[0])
	s.Draws[1].Transform = mgl32.Translate3D(5, 0, 0)
	require.Equal(t, mgl32.Vec3{6, 1, 0}, s.Bounds().Max)
	s.Draws[0].Transform, s.Draws[1].Transform = mgl32.Scale3D(0, 1, 1), mgl32.Scale3D(0, 2, 1)
	require.Equal(t, mgl32.Vec3{0, 2, 0}, s.Bounds().Max, "a flat box is not empty")
	s.Indices = []uint32{1, 1, 2, 2, 2, 1}
	require.Equal(t, slices.Repeat([]Box{BoxOf(s.Positions[1], s.Positions[2])}, 2), s.DrawBoxes(), "in model space")
	require.Equal(t, 10, s.DrawVertices())
	require.Equal(t, 4, s.Triangles())
}

func TestMakeNormals(t *testing.T) {
	s := quad()
	s.Draws = append(s.Draws, s.Draws[0]) // the faces of an instance must not count twice
	require.NoError(t, s.MakeNormals(t.Context()))
	for v, n := range s.Normals {
		require.Equal(t, mgl32.Vec3{0, 0, 1}, n, "vertex %d", v)
	}
	s.Normals[0] = mgl32.Vec3{1, 0, 0}
	require.NoError(t, s.MakeNormals(t.Context()))
	require.Equal(t, mgl32.Vec3{1, 0, 0}, s.Normals[0], "normals that are there stay")
	// Faces of equal area in two planes, of which one is drawn twice; no draw has vertex 4.
	s = quad()
	s.Positions[3], s.Indices = mgl32.Vec3{1, 0, 1}, []uint32{0, 1, 2, 0, 3, 1}
	s.Draws[0].VertexCount, s.Draws[0].IndexCount = 4, 3
	s.Draws = append(s.Draws, s.Draws[0], s.Draws[0])
	s.Draws[2].FirstIndex = 3
	require.NoError(t, s.MakeNormals(t.Context()))
	require.InDelta(t, math.Sqrt(.5), s.Normals[0][2], 1e-6)
	require.Equal(t, []mgl32.Vec3{{0, 0, 1}, {0, 1, 0}, {0, 0, 1}}, s.Normals[2:])
}

func TestMakeNormalsOfDegenerateFaces(t *testing.T) {
	s := quad()
	s.Indices = []uint32{0, 0, 1, 2, 2, 2}
	for i := range s.Positions {
		s.Positions[i] = s.Positions[i].Mul(1e30) // areas overflow float32
	}
	require.NoError(t, s.MakeNormals(t.Context()))
	require.NoError(t, s.Validate(t.Context()))
}

func TestLeftOut(t *testing.T) {
	require.Empty(t, (&Scene{}).LeftOut())
	require.Equal(t, "left out: 2 x glDrawArrays: 2D positions; lines", (&Scene{Skipped: []string{"2 x glDrawArrays: 2D positions", "lines"}}).LeftOut())
}

// TestPlacingsFollowTheirDraws: placings stay with their draws when draws are copied or left out.
func TestPlacingsFollowTheirDraws(t *testing.T) {
	s := quad()
	require.Zero(t, s.Placing(0))
	require.Nil(t, s.View())
	s.Draws = append(s.Draws, s.Draws[0])
	s.Draws[1].Name = "other"
	s.Capture = &Capture{View: &View{FovY: 50}, Placings: []Placing{{How: Fitted, Residual: .5}, {How: Hidden}}}
	copies := must.Get(s.Copies(2))
	for i, d := range copies.Draws {
		require.Equal(t, d.Name == "other", copies.Placing(i).How == Hidden)
	}
	only := copies.Only([]int{3, 0})
	require.Equal(t, []Placing{{How: Hidden}, {How: Fitted, Residual: .5}}, only.Capture.Placings)
	require.Equal(t, "other", only.Draws[0].Name)
	require.Equal(t, float32(50), only.View().FovY)
	require.Nil(t, quad().Only([]int{0}).Capture)
}

// TestGuardOfALostFile: Guard returns ErrLost, not ErrChanged, for a file that was cut short.
func TestGuardOfALostFile(t *testing.T) {
	s := &Scene{Backing: NewBacking(nil, func() bool { return true })}
	require.Equal(t, ErrLost, s.Guard(func() error { return ErrLost }))
	require.Equal(t, ErrChanged, s.Guard(func() error { return nil }))
	require.Equal(t, ErrChanged, s.Guard(nil))
	for _, same := range []*Scene{{}, {Backing: NewBacking(nil, nil)}, {Backing: NewBacking(nil, func() bool { return false })}} {
		require.NoError(t, same.Guard(func() error { return nil }))
		require.NoError(t, same.Guard(nil))
	}
}

func TestNarrow(t *testing.T) {
	require.Equal(t, mgl32.Translate3D(.1, 2, 3), Narrow(mgl64.Translate3D(.1, 2, 3)))
}

// TestMatch matches vertices and counts of orders that renumber vertices within the draws.
func TestMatch(t *testing.T) {
	order := func(origin ...uint32) *Scene {
		return &Scene{Positions: make([]mgl32.Vec3, 5), Origin: origin, Draws: []Draw{{VertexCount: 2}, {VertexOffset: 2, VertexCount: 3}}}
	}
	file, left, right, counts := order(), order(1, 0, 3, 4, 2), order(0, 1, 4, 2, 3), []uint32{10, 11, 12, 13, 14}
	for i, c := range [][2]*Scene{{left, right}, {file, right}, {left, file}} {
		m := MatchVertices(c[0], c[1])
		require.Equal(t, [][]uint32{{11, 10, 14, 12, 13}, {10, 11, 13, 14, 12}, {11, 10, 13, 14, 12}}[i], m.Counts(counts))
		require.Equal(t, []uint32{0, 2, 2}[i], m.Vertex(1, 1))
	}
	for _, m := range []Match{MatchVertices(file, order()), MatchVertices(left, left), MatchVertices(nil, left), MatchVertices(left, nil)} {
		require.Same(t, &counts[0], &m.Counts(counts)[0], "the numbers are the same")
		require.Equal(t, uint32(1), m.Vertex(1, 1))
	}
}

// textured returns a quad with a surface and a texture of 4 x 2 texels in 3 levels. Only attribute 0 holds texture coordinates.
func textured() *Scene {
	s := quad()
	s.Attributes = []Attribute{{Format: vertexformat.R32G32_SFLOAT, Data: make([]byte, 40)}, {Format: vertexformat.R32_SFLOAT, Data: make([]byte, 20)},
		{Format: vertexformat.R32G32_SFLOAT, PerDraw: true, Data: make([]byte, 8)}}
	s.Textures = &Textures{Sets: []int{0}, Texels: make([]uint32, 12), Materials: []Material{{Name: "m", Texel: 1, Width: 4, Height: 2, Levels: 3, Wrap: [2]Wrap{Clamp, Mirror}}}}
	s.Look, s.Draws[0].Material, s.Draws[0].Surface = &Look{Surfaces: make([]Surface, 1)}, 1, 1
	return s
}

func TestTextures(t *testing.T) {
	s := textured()
	require.NoError(t, s.Validate(t.Context()))
	require.False(t, s.Masked())
	s.Textures.Materials[0].Cutoff = .5
	require.True(t, s.Masked())
	invalid := func(want string, change func(s *Scene, m *Material)) {
		s := textured()
		change(s, &s.Textures.Materials[0])
		require.EqualError(t, s.Validate(t.Context()), want)
	}
	for _, set := range []int{-1, 1, 2, 3} {
		invalid(fmt.Sprintf("attribute %d holds no texture coordinates", set), func(s *Scene, _ *Material) { s.Textures.Sets[0] = set })
	}
	for _, change := range []func(m *Material){
		func(m *Material) { m.Texel = -1 }, func(m *Material) { m.Texel = 2 }, func(m *Material) { m.Height = -1 }, func(m *Material) { m.Levels = 0 },
		func(m *Material) { m.Texel, m.Levels = 0, 4 }, func(m *Material) { m.Texel, m.Width, m.Height = 0, 1, 1 },
		func(m *Material) { m.Set = -1 }, func(m *Material) { m.Set = 1 }, func(m *Material) { m.Wrap[1] = Clamp + 1 }, func(m *Material) { m.Tint[0] = float32(math.NaN()) },
	} {
		invalid(`material 0 ("m"): its texture or its texture coordinates do not exist`, func(_ *Scene, m *Material) { change(m) })
	}
	invalid(`material 0 ("m"): its texture or its texture coordinates do not exist`, func(s *Scene, m *Material) {
		m.Width, m.Levels, s.Textures.Texels = MaxTextureSide+1, 1, make([]uint32, 1<<16)
	})
	invalid(`draw 0 ("q"): uses material 1, but the scene has 1`, func(s *Scene, _ *Material) { s.Draws[0].Material = 2 })
	invalid(`draw 0 ("q"): its surface does not exist`, func(s *Scene, _ *Material) { s.Draws[0].Surface = 2 })
	invalid(`draw 0 ("q"): its surface does not exist`, func(s *Scene, _ *Material) { s.Look = nil })
}
