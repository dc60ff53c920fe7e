package geometry

import (
	"math"
	"slices"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
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
