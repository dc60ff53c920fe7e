package geometry

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

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
