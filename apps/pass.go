package apps

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Pass is a shade function and the functions that take its results. All cores call them concurrently.
type Pass[R any] struct {
	// Shade runs each time that the strategy shades an id. It must return the same result for an id each time.
	Shade func(id uint32) R

	// Keep, unless it is nil, is called with the result of an id when the id is first shaded.
	Keep func(id uint32, result R)

	// Corner, unless it is nil, is called with the result for each corner k of the stream.
	Corner func(k int, result *R)
}

// Run runs a strategy over a stream. It returns the statistics and how often each id was shaded.
// If Check refuses the stream or the configuration, Run shades nothing and returns the error.
//
// A whole-draw strategy shades every id below IDs, including unreferenced ones.
func (p Pass[R]) Run(ctx context.Context, s reuse.Stream, c reuse.Config) (reuse.Stats, []uint32, error) {
	if p.Shade == nil {
		return reuse.Stats{}, nil, errors.New("apps: Pass without Shade")
	}
	if err := cmp.Or(c.Check(), s.Check()); err != nil {
		return reuse.Stats{}, nil, err
	}
	r := run[R]{pass: p, stream: s, config: c, counts: make([]uint32, s.IDs), window: grain(len(s.Indices))}
	if c.Strategy.WholeDraws {
		st, counts, err := c.Count(s.Indices, s.IDs)
		return st, counts, cmp.Or(err, r.whole(ctx))
	}
	next, stop := iter.Pull(c.Batches(s.Indices))
	defer stop()
	r.next, r.meter = next, progress.NewMeter(ctx, len(s.Indices))
	cores.OnAll((len(s.Indices)+r.window-1)/r.window, r.work)
	if err := context.Cause(ctx); err != nil {
		return reuse.Stats{}, nil, err
	}
	st, err := reuse.StatsOf(s.Indices, r.counts)
	st.Batches, st.Iterations, st.LaneSlots = r.done.Batches, r.done.Iterations, r.done.LaneSlots
	return st, r.counts, err
}

// run is a pass in progress.
type run[R any] struct {
	pass   Pass[R]
	stream reuse.Stream
	config reuse.Config
	counts []uint32
	window int // the least number of corners in the batches that a core takes at a time

	lock  sync.Mutex // guards the following fields
	next  func() ([]uint32, bool)
	first int // first corner of the next batch
	meter progress.Meter
	done  reuse.Stats
}

// work runs batches until none are left.
func (r *run[R]) work() {
	var batches [][]uint32
	var results []R
	for {
		var first int
		if batches, first = r.take(batches[:0]); len(batches) == 0 {
			return
		}
		own := reuse.Stats{Batches: len(batches)}
		for _, batch := range batches {
			corner := first
			r.config.Strategy.Reference(r.config, batch, func(it *reuse.Iteration) {
				results = r.shade(it, corner, results[:0])
				corner += len(it.Slots)
				own.Iterations++
				own.LaneSlots += it.LaneSlots
			})
			first += len(batch)
		}
		r.lock.Lock()
		r.done.Add(own, 1)
		r.lock.Unlock()
	}
}

// take takes the next batches, which begin at corner `first`. It returns none after the last batch, or if the
// context has ended.
func (r *run[R]) take(batches [][]uint32) (_ [][]uint32, first int) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.meter.At(r.first) != nil {
		return nil, 0
	}
	first = r.first
	for r.first-first < r.window {
		batch, ok := r.next()
		if !ok {
			break
		}
		batches = append(batches, batch)
		r.first += len(batch)
	}
	return batches, first
}

// shade shades the unique ids of an iteration that begins at the given corner. It appends their
// results to `results`, and returns the slice so that the next call can reuse its memory.
func (r *run[R]) shade(it *reuse.Iteration, corner int, results []R) []R {
	for _, id := range it.Unique {
		result := r.pass.Shade(id)
		if atomic.AddUint32(&r.counts[id], 1) == 1 && r.pass.Keep != nil {
			r.pass.Keep(id, result)
		}
		results = append(results, result)
	}
	if r.pass.Corner != nil {
		for k, slot := range it.Slots {
			r.pass.Corner(corner+k, &results[slot])
		}
	}
	return results
}

// whole shades all ids, then calls Corner for all corners.
func (r *run[R]) whole(ctx context.Context) error {
	results := make([]R, r.stream.IDs)
	if err := OnEach(progress.Part(ctx, 0, .9), len(results), func(id int) {
		results[id] = r.pass.Shade(uint32(id))
		if r.pass.Keep != nil {
			r.pass.Keep(uint32(id), results[id])
		}
	}); err != nil || r.pass.Corner == nil {
		return err
	}
	return OnEach(progress.Part(ctx, .9, 1), len(r.stream.Indices), func(k int) {
		r.pass.Corner(k, &results[r.stream.Indices[k]])
	})
}

// Groups is a list of values for each key.
type Groups struct {
	First  []uint32 // by key: index of its first value; one extra entry holds the end
	Values []uint64 // ascending within a key
}

// Of returns the values of a key.
func (g Groups) Of(key int) []uint64 { return g.Values[g.First[key]:g.First[key+1]] }

// GroupBy groups the values of items 0 to n-1 by key, in ascending order within a key. `item`
// returns an item's key and value; items with the key None are left out. Keys must be below `keys`.
// GroupBy runs on all cores in linear time, whatever the keys, and calls `item` twice per item.
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
		must.Fail("key %d, and there are %d keys", key-1, keys)
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
	// The slices were swapped eight times, so the result is in `values`.
}
