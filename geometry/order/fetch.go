package order

import (
	"cmp"
	"context"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// orderVertices renumbers vertices by first use, so that they are read from memory in the order
// in which they are shaded; unreferenced vertices come last. Positions, normals and attributes
// move along, and the indices are updated.
//
// A vertex stays within the ranges of exactly the draws that had it before: where ranges overlap
// in part, each piece between their ends is renumbered on its own. Draws that read the same
// indices at different vertex offsets cannot both improve, so their vertices stay where they are.
func orderVertices(ctx context.Context, s *geometry.Scene, clusters []cluster) {
	piece, ends := pieces(s)
	pinned := make([]bool, len(ends))
	for _, c := range clusters {
		if !oneOffset(s, c) {
			pin(s, c, piece, pinned)
		}
	}
	// `next` holds, for each piece, the place that its next vertex gets.
	next := make([]uint32, len(ends))
	for k := 1; k < len(ends); k++ {
		next[k] = ends[k-1]
	}
	place := make([]uint32, len(s.Positions))
	for v := range place {
		place[v] = none
		if pinned[piece[v]] {
			place[v] = uint32(v)
		}
	}
	eachCluster(progress.Part(ctx, 0, .4), s, clusters, func(from, to int, offset uint32) {
		for _, id := range s.Indices[from:to] {
			useFirst(place, next, piece, offset+id)
		}
	})
	for v := range place {
		useFirst(place, next, piece, uint32(v))
	}
	moveVertices(progress.Part(ctx, .4, 1), s, clusters, place)
}

// useFirst gives vertex v the next place in its piece, unless v has a place.
func useFirst(place, next, piece []uint32, v uint32) {
	if place[v] == none {
		place[v] = next[piece[v]]
		next[piece[v]]++
	}
}

// eachCluster calls `do` for parts of the index range of each cluster whose draws all have the same
// vertex offset.
func eachCluster(ctx context.Context, s *geometry.Scene, clusters []cluster, do func(from, to int, offset uint32)) {
	done, share := 0., 1/float64(max(len(s.Indices), 1))
	for _, c := range clusters {
		if !oneOffset(s, c) {
			continue // the draws use several offsets: the vertices are pinned
		}
		first, end := int(c.cuts[0]), int(c.cuts[len(c.cuts)-1])
		before := done
		done += float64(end-first) * share
		must.OK(progress.Each(progress.Part(ctx, before, done), end-first, func(from, to int) {
			do(first+from, first+to, s.Draws[c.draws[0]].VertexOffset)
		}))
	}
}

// moveVertices puts vertex v at place[v]. If any vertex moves, the pools are copied
// first, and Scene.Origin records where each vertex was in the file.
func moveVertices(ctx context.Context, s *geometry.Scene, clusters []cluster, place []uint32) {
	moved := false
	for v, to := range place {
		moved = moved || to != uint32(v)
	}
	if !moved {
		return
	}
	origin := s.Origin
	if origin == nil {
		origin = identity(len(place))
	}
	s.Origin = movePool(progress.Part(ctx, 0, .2), origin, place)
	s.Positions = movePool(progress.Part(ctx, .2, .4), s.Positions, place)
	if len(s.Normals) != 0 {
		s.Normals = movePool(progress.Part(ctx, .4, .6), s.Normals, place)
	}
	s.Attributes = slices.Clone(s.Attributes)
	for i := range s.Attributes {
		moveAttribute(progress.Silent(ctx), &s.Attributes[i], place)
	}
	indices := slices.Clone(s.Indices)
	eachCluster(progress.Part(ctx, .6, 1), s, clusters, func(from, to int, offset uint32) {
		for k := from; k < to; k++ {
			indices[k] = place[offset+indices[k]] - offset
		}
	})
	s.Indices = indices
}

// movePool returns a copy of a pool with element v at place[v].
func movePool[T any](ctx context.Context, pool []T, place []uint32) []T {
	moved := make([]T, len(pool))
	must.OK(progress.Each(ctx, len(place), func(from, to int) {
		for v := from; v < to; v++ {
			moved[place[v]] = pool[v]
		}
	}))
	return moved
}

// moveAttribute moves the element of vertex v to place[v], unless the attribute has elements per draw.
func moveAttribute(ctx context.Context, a *geometry.Attribute, place []uint32) {
	if a.PerDraw {
		return
	}
	moved, size := make([]byte, len(a.Data)), a.Format.Size()
	must.OK(progress.Each(ctx, len(place), func(from, to int) {
		for v := from; v < to; v++ {
			copy(moved[int(place[v])*size:][:size], a.Data[v*size:])
		}
	}))
	a.Data = moved
}

// oneOffset reports whether all draws of an index cluster use the same vertex offset.
func oneOffset(s *geometry.Scene, c cluster) bool {
	offset := s.Draws[c.draws[0]].VertexOffset
	return !slices.ContainsFunc(c.draws, func(d int) bool { return s.Draws[d].VertexOffset != offset })
}

// pieces cuts the vertex pool wherever a draw's range begins or ends. It returns each vertex's
// piece, and each piece's end.
func pieces(s *geometry.Scene) (piece, ends []uint32) {
	piece = make([]uint32, len(s.Positions))
	from := uint32(0)
	cut := func(to uint32) {
		if to == from {
			return
		}
		for v := from; v < to; v++ {
			piece[v] = uint32(len(ends))
		}
		ends = append(ends, to)
		from = to
	}
	for _, c := range group(s, func(d *geometry.Draw) (first, count uint32) { return d.VertexOffset, d.VertexCount }) {
		for _, to := range c.cuts {
			cut(to)
		}
	}
	cut(uint32(len(s.Positions)))
	return piece, ends
}

// pin marks as pinned all pieces that the cluster's draws use: their vertices stay where they are.
func pin(s *geometry.Scene, c cluster, piece []uint32, pinned []bool) {
	seen := make(map[[2]uint32]bool)
	for _, i := range c.draws {
		d := &s.Draws[i]
		key := [2]uint32{d.VertexOffset, d.VertexCount}
		if d.VertexCount == 0 || seen[key] {
			continue
		}
		seen[key] = true
		for k := piece[d.VertexOffset]; k <= piece[d.VertexOffset+d.VertexCount-1]; k++ {
			pinned[k] = true
		}
	}
}

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
	return !slices.ContainsFunc(c.cuts, func(cut uint32) bool { return (cut-c.cuts[0])%3 != 0 })
}

// indexClusters finds the clusters of the index pool, ordered by their first draws.
func indexClusters(s *geometry.Scene) []cluster {
	clusters := group(s, func(d *geometry.Draw) (first, count uint32) { return d.FirstIndex, d.IndexCount })
	slices.SortFunc(clusters, func(a, b cluster) int { return a.draws[0] - b.draws[0] })
	return clusters
}

// group sorts the draws' ranges and merges those that overlap, in pool order. Draws with an empty
// range are in no cluster.
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
