package apps

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Groups is a list of values for each key.
type Groups struct {
	First  []uint32 // by key: where its values begin; one more entry marks the end
	Values []uint64 // ascending within a key
}

// Of returns the values of a key.
func (g Groups) Of(key int) []uint64 { return g.Values[g.First[key]:g.First[key+1]] }

// GroupBy groups the values of items 0 to n-1 by key, in ascending order within a key. item
// returns both; an item with the key None is left out. It runs on all cores in linear time,
// whatever the keys, and calls item twice. A key that is not below keys is an error.
func GroupBy(ctx context.Context, n, keys int, item func(i int) (key uint32, value uint64)) (_ Groups, err error) {
	defer must.Catch(&err)
	if n < 0 || keys < 0 || item == nil {
		must.Fail("groups of %d items by %d keys", n, keys)
	}
	var bad atomic.Uint64 // a key that is too large, plus 1
	g := Groups{First: make([]uint32, keys+1)}
	must.OK(OnEach(progress.Part(ctx, 0, .3), n, func(i int) {
		switch key, _ := item(i); {
		case key == None:
		case int(key) >= keys:
			bad.Store(uint64(key) + 1)
		default:
			atomic.AddUint32(&g.First[key+1], 1)
		}
	}))
	if key := bad.Load(); key != 0 {
		must.Fail("key %d: there are %d", key-1, keys)
	}
	for key := range keys {
		g.First[key+1] += g.First[key]
	}
	g.Values = make([]uint64, g.First[keys])
	next := slices.Clone(g.First[:keys])
	must.OK(OnEach(progress.Part(ctx, .3, .7), n, func(i int) {
		if key, value := item(i); key != None {
			g.Values[atomic.AddUint32(&next[key], 1)-1] = value
		}
	}))
	return g, OnEach(progress.Part(ctx, .7, 1), keys, func(key int) {
		sortValues(g.Of(key))
	})
}

// sortValues sorts in linear time. Long lists are sorted byte by byte, from the lowest byte;
// short lists by comparison, which is faster for them.
func sortValues(values []uint64) {
	if len(values) <= 1<<10 {
		slices.Sort(values)
		return
	}
	from, to := values, make([]uint64, len(values))
	for shift := 0; shift < 64; shift += 8 {
		var next [257]int
		for _, v := range from {
			next[v>>shift&255+1]++
		}
		for digit := range 256 {
			next[digit+1] += next[digit]
		}
		for _, v := range from {
			at := &next[v>>shift&255]
			to[*at] = v
			*at++
		}
		from, to = to, from
	}
	// After eight passes the result is in values.
}
