package order

import (
	"context"
	"math/bits"
	"math/rand/v2"

	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// random shuffles the triangles (Fisher-Yates, over PCG), so that neighbours are far apart.
var random = Order{Name: "random", Apply: randomOrder}

// randomSeed is fixed, so that figures can be compared.
const randomSeed = 1

// randomOrder shuffles every list with the same seed, so that a draw's order does not depend on
// the draws before it.
func randomOrder(ctx context.Context, l List, _ int) ([]uint32, error) {
	r := rand.NewPCG(randomSeed, 0)
	order := identity(l.Triangles())
	last := len(order) - 1
	return order, progress.Each(ctx, max(last, 0), func(from, to int) {
		for k := last - from; k > last-to; k-- {
			// The mapping to 0..k is written out here, since Go promises only that the generator's
			// own output stays the same.
			other, _ := bits.Mul64(r.Uint64(), uint64(k+1))
			order[k], order[other] = order[other], order[k]
		}
	})
}

func identity(n int) []uint32 {
	order := make([]uint32, n)
	for k := range order {
		order[k] = uint32(k)
	}
	return order
}
