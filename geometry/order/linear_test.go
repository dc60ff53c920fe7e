package order_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
)

// TestLinear runs each order on many triangles in shapes that make greedy searches quadratic;
// those would take hours.
func TestLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("a million triangles round one vertex")
	}
	const n = 1 << 18
	dense := make([]uint32, 3*n) // 300 vertices, each in thousands of triangles
	for k := range dense {
		dense[k] = uint32(k) * 2654435769 >> 8 % 300
	}
	for name, indices := range map[string][]uint32{
		"fan": indextest.Fan(4 * n), "soup": indextest.Distinct(3 * n), "repeated": slices.Repeat([]uint32{0, 1, 2}, n), "dense": dense,
	} {
		s := scene(4*n+2, indices)
		for _, o := range order.Names() {
			t.Run(name+"/"+o, func(t *testing.T) {
				start := time.Now()
				got := must.Get(order.Apply(t.Context(), s, o))
				require.Len(t, got.Indices, len(indices))
				t.Logf("%.2f s", time.Since(start).Seconds())
			})
		}
	}
	// Thousands of draws that share one large vertex range.
	many := scene(n, indextest.Fan(30_000))
	many.Draws = nil
	for k := range 30_000 {
		many.Draws = append(many.Draws, draw(3*k, 3, 0, n))
	}
	_ = must.Get(order.Apply(t.Context(), many, "forsyth+fetch"))
}
