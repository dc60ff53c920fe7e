package order_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/order"
)

func TestLookup(t *testing.T) {
	const have = "have original, random, forsyth, hoppe, tipsify, each also as NAME+fetch"
	for _, c := range []struct {
		name  string
		cache int
		fetch bool
		err   string
	}{
		{"forsyth", 96, false, ""},
		{"forsyth32", 32, false, ""},
		{"tipsify24+fetch", 24, true, ""},
		{"original+fetch", 0, true, ""},
		{"random7", 0, false, `order "random7": random takes no number`},
		{"forsyth3", 0, false, `order "forsyth3": a cache of 3 vertices is out of range 4..128`},
		{"hoppe99999999999999999999", 0, false, "a cache of 99999999999999999999 vertices is out of range 4..128"},
		{"forsith", 0, false, `unknown order "forsith": did you mean forsyth? ` + have},
		{"forsith32+fetch", 0, false, `unknown order "forsith32+fetch": did you mean forsyth32+fetch? ` + have},
		{"hope+fetch", 0, false, `unknown order "hope+fetch": did you mean hoppe+fetch? ` + have},
		{"forsyth+fecth", 0, false, `unknown order "forsyth+fecth": did you mean forsyth+fetch? ` + have},
		{"tipsfy24+f", 0, false, `unknown order "tipsfy24+f": did you mean tipsify24+fetch? ` + have},
		{"", 0, false, `unknown order "": ` + have},
		{"+fetch", 0, false, have},
		{"forsyth+fetch+fetch", 0, false, have},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := order.Lookup(c.name)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				_, err = order.Apply(t.Context(), scene(3, []uint32{0, 1, 2}), c.name)
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.name, o.Name)
			require.Equal(t, c.cache, o.Cache)
			require.Equal(t, c.fetch, o.Fetch)
		})
	}
}
