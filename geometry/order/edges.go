package order

import (
	"context"

	"github.com/shadeonce/shadeonce/internal/progress"
)

// Edge k of a list goes from corner k to the next corner of its triangle.

// nextEdge is the edge after k in its triangle.
func nextEdge(k uint32) uint32 {
	if k%3 == 2 {
		return k - 2
	}
	return k + 1
}

// pairEdges gives each edge the edge of the neighbouring triangle, which runs the
// other way, or none. An edge of more than two triangles pairs them in input
// order, forward with backward; unpaired edges and edges of no length are boundary.
// Two counting sorts make it linear, whatever the valence.
func pairEdges(ctx context.Context, l List) ([]uint32, error) {
	low := func(k uint32) uint32 { return min(l.Indices[k], l.Indices[nextEdge(k)]) }
	high := func(k uint32) uint32 { return max(l.Indices[k], l.Indices[nextEdge(k)]) }
	sorted, err := countingSort(progress.Part(ctx, 0, .4), identity(len(l.Indices)), l.Vertices, high)
	if err != nil {
		return nil, err
	}
	if sorted, err = countingSort(progress.Part(ctx, .4, .8), sorted, l.Vertices, low); err != nil {
		return nil, err
	}
	meter := progress.NewMeter(progress.Part(ctx, .8, 1), len(sorted))
	across := make([]uint32, len(l.Indices))
	for k := range across {
		across[k] = none
	}
	for from := 0; from < len(sorted); {
		if err := meter.At(from); err != nil {
			return nil, err
		}
		to := from + 1
		for to < len(sorted) && low(sorted[to]) == low(sorted[from]) && high(sorted[to]) == high(sorted[from]) {
			to++
		}
		if low(sorted[from]) != high(sorted[from]) {
			pairGroup(l, sorted[from:to], across)
		}
		from = to
	}
	return across, nil
}

// pairGroup pairs edges that have the same two ends.
func pairGroup(l List, edges []uint32, across []uint32) {
	forward := func(k uint32) bool { return l.Indices[k] < l.Indices[nextEdge(k)] }
	f, b := 0, 0
	for {
		for f < len(edges) && !forward(edges[f]) {
			f++
		}
		for b < len(edges) && forward(edges[b]) {
			b++
		}
		if f == len(edges) || b == len(edges) {
			return
		}
		across[edges[f]], across[edges[b]] = edges[b], edges[f]
		f++
		b++
	}
}

// countingSort sorts items by key, which is below keys, and keeps the order of
// equals.
func countingSort(ctx context.Context, items []uint32, keys int, key func(uint32) uint32) ([]uint32, error) {
	next := make([]uint32, keys+1)
	if err := progress.Each(progress.Part(ctx, 0, .4), len(items), func(from, to int) {
		for _, k := range items[from:to] {
			next[key(k)+1]++
		}
	}); err != nil {
		return nil, err
	}
	for k := range keys {
		next[k+1] += next[k]
	}
	sorted := make([]uint32, len(items))
	return sorted, progress.Each(progress.Part(ctx, .4, 1), len(items), func(from, to int) {
		for _, k := range items[from:to] {
			at := &next[key(k)]
			sorted[*at] = k
			*at++
		}
	})
}
