package order_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// TestFetch checks that vertices come in order of first use, unreferenced ones last, and that
// pinned ones stay.
func TestFetch(t *testing.T) {
	for _, c := range []struct {
		name    string
		scene   *geometry.Scene
		indices []uint32
		from    []float32 // by place: the vertex's old number
	}{
		{"first use", scene(6, []uint32{4, 2, 5, 5, 2, 0}), []uint32{0, 1, 2, 2, 1, 3}, []float32{4, 2, 5, 0, 1, 3}},
		{"by draw order", scene(3, []uint32{0, 1, 2, 2, 1, 0}, draw(3, 3, 0, 3), draw(0, 3, 0, 3)),
			[]uint32{2, 1, 0, 0, 1, 2}, []float32{2, 1, 0}},
		{"within a range", scene(6, []uint32{2, 1, 0, 1, 2, 0}, draw(0, 3, 3, 3), draw(3, 3, 0, 3)),
			[]uint32{0, 1, 2, 0, 1, 2}, []float32{1, 2, 0, 5, 4, 3}},
		{"within a piece", scene(4, []uint32{2, 1, 0, 2, 1, 0}, draw(0, 3, 0, 3), draw(3, 3, 1, 3)),
			[]uint32{1, 2, 0, 2, 0, 1}, []float32{0, 2, 1, 3}},
		{"poses stay", scene(6, []uint32{2, 1, 0}, draw(0, 3, 0, 3), draw(0, 3, 3, 3)),
			[]uint32{2, 1, 0}, []float32{0, 1, 2, 3, 4, 5}},
		{"poses that another draw reads otherwise", scene(9, []uint32{2, 1, 0, 1, 2, 0}, draw(0, 3, 0, 3), draw(0, 3, 3, 3), draw(3, 3, 3, 3)),
			[]uint32{2, 1, 0, 1, 2, 0}, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8}},
		{"poses of which one reads more", scene(9, []uint32{0, 1, 2, 3, 4, 5, 2, 1, 0}, draw(0, 3, 0, 3), draw(0, 6, 0, 6), draw(0, 3, 6, 3), draw(6, 3, 3, 3)),
			[]uint32{0, 1, 2, 3, 4, 5, 2, 1, 0}, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8}},
		{"poses of which the first reads less", scene(9, []uint32{0, 1, 2, 3, 4, 5}, draw(0, 3, 6, 3), draw(0, 6, 0, 6)),
			[]uint32{0, 1, 2, 3, 4, 5}, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8}},
		{"outside of all ranges", scene(5, []uint32{2, 1, 0}, draw(0, 3, 1, 3)),
			[]uint32{0, 1, 2}, []float32{0, 3, 2, 1, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := must.Get(order.Apply(t.Context(), c.scene, "original+fetch"))
			require.Equal(t, c.indices, got.Indices)
			for v, from := range c.from {
				require.Equal(t, from, got.Positions[v][0], "place %d", v)
			}
			requireSame(t, c.scene, got, true)
		})
	}
	s := scene(3, []uint32{2, 1, 0})
	s.Attributes = []geometry.Attribute{{PerDraw: true, Format: vertexformat.R8G8B8_UNORM, Data: []byte{1, 2, 3}}}
	require.Equal(t, []byte{1, 2, 3}, must.Get(order.Apply(t.Context(), s, "original+fetch")).Attributes[0].Data, "draws stay")
	s = scene(3, []uint32{0, 1, 2})
	got := must.Get(order.Apply(t.Context(), s, "original+fetch"))
	require.Same(t, &s.Positions[0], &got.Positions[0], "what is the same is shared")
}

// TestFetchKeepsOrigins: after three orders in sequence, the scene still knows each vertex's
// original number.
func TestFetchKeepsOrigins(t *testing.T) {
	renumbered := 0
	for name, s := range scenes() {
		for _, o := range every() {
			once := must.Get(order.Apply(t.Context(), s, o))
			twice := must.Get(order.Apply(t.Context(), once, "random+fetch"))
			again := must.Get(order.Apply(t.Context(), twice, "forsyth"))
			for _, got := range []*geometry.Scene{once, twice, again} {
				if got.Origin == nil {
					require.Equal(t, s.Positions, got.Positions, "%s/%s", name, o)
					continue
				}
				renumbered++
				require.Len(t, got.Origin, len(s.Positions))
				for v, from := range got.Origin {
					require.Equal(t, s.Positions[from], got.Positions[v], "%s/%s: vertex %d", name, o, v)
				}
			}
		}
	}
	require.NotZero(t, renumbered)
}
