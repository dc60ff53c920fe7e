package order

import (
	"cmp"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
)

// span is the range of a pool that a draw uses.
type span struct {
	from, to uint32
	draw     int
}

// cluster is a run of a pool that overlapping ranges cover together. Ranges that only touch
// belong to different clusters.
type cluster struct {
	cuts  []uint32 // start and end positions of the ranges, ascending, without duplicates
	draws []int    // indices of the draws with these ranges, ascending
}

// aligned reports whether the ranges of an index cluster begin and end at multiples of three
// indices from each other, so that triangles begin at the same places in all of them.
func (c cluster) aligned() bool {
	for _, cut := range c.cuts {
		if (cut-c.cuts[0])%3 != 0 {
			return false
		}
	}
	return true
}

// indexClusters finds the clusters of the index pool, ordered by their first draws.
func indexClusters(s *geometry.Scene) []cluster {
	clusters := group(s, func(d *geometry.Draw) (first, count uint32) { return d.FirstIndex, d.IndexCount })
	slices.SortFunc(clusters, func(a, b cluster) int { return a.draws[0] - b.draws[0] })
	return clusters
}

// vertexClusters finds the clusters of the vertex pool, in pool order.
func vertexClusters(s *geometry.Scene) []cluster {
	return group(s, func(d *geometry.Draw) (first, count uint32) { return d.VertexOffset, d.VertexCount })
}

// group sorts the draws' ranges and merges those that overlap. Draws with an empty range are in
// no cluster.
func group(s *geometry.Scene, rangeOf func(*geometry.Draw) (first, count uint32)) []cluster {
	spans := make([]span, 0, len(s.Draws))
	for i := range s.Draws {
		if first, count := rangeOf(&s.Draws[i]); count != 0 {
			spans = append(spans, span{first, first + count, i})
		}
	}
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.draw, b.draw))
	})
	var clusters []cluster
	end := uint32(0)
	for _, p := range spans {
		if len(clusters) == 0 || p.from >= end {
			clusters = append(clusters, cluster{})
		}
		c := &clusters[len(clusters)-1]
		c.cuts = append(c.cuts, p.from, p.to)
		c.draws = append(c.draws, p.draw)
		end = max(end, p.to)
	}
	for i := range clusters {
		c := &clusters[i]
		slices.Sort(c.cuts)
		c.cuts = slices.Compact(c.cuts)
		slices.Sort(c.draws)
	}
	return clusters
}
