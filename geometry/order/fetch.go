package order

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

// orderVertices renumbers vertices by first use, so that they are read from
// memory in the order in which they are shaded; those that no index names come
// last. Positions and normals move along, indices follow.
//
// A vertex stays within the ranges of exactly those draws that had it before:
// where ranges overlap in part, each piece between their ends is renumbered on
// its own. Where draws read the same indices at different vertex offsets, what
// the one gains the other would lose, and their ranges stay as they are.
func orderVertices(s *geometry.Scene, clusters []cluster) {
	piece, ends := pieces(s)
	pinned := make([]bool, len(ends))
	for _, c := range clusters {
		if !oneOffset(s, c) {
			pin(s, c, piece, pinned)
		}
	}
	// next is where the piece's next vertex goes.
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
	move := func(v uint32) {
		if place[v] == none {
			place[v] = next[piece[v]]
			next[piece[v]]++
		}
	}
	for _, c := range clusters {
		offset := s.Draws[c.draws[0]].VertexOffset
		if !oneOffset(s, c) {
			continue // pinned
		}
		for _, id := range s.Indices[c.cuts[0]:c.cuts[len(c.cuts)-1]] {
			move(offset + id)
		}
	}
	for v := range place {
		move(uint32(v))
	}
	moveVertices(s, clusters, place)
}

// moveVertices puts vertex v at place[v], in pools of its own where any moves, and
// keeps where each is from.
func moveVertices(s *geometry.Scene, clusters []cluster, place []uint32) {
	moved := false
	for v, to := range place {
		moved = moved || to != uint32(v)
	}
	if !moved {
		return
	}
	positions := make([]mgl32.Vec3, len(s.Positions))
	for v, to := range place {
		positions[to] = s.Positions[v]
	}
	s.Positions = positions
	origin := make([]uint32, len(place))
	for v, to := range place {
		origin[to] = uint32(v)
		if s.Origin != nil {
			origin[to] = s.Origin[v]
		}
	}
	s.Origin = origin
	if len(s.Normals) != 0 {
		normals := make([]mgl32.Vec3, len(s.Normals))
		for v, to := range place {
			normals[to] = s.Normals[v]
		}
		s.Normals = normals
	}
	indices := append([]uint32(nil), s.Indices...)
	for _, c := range clusters {
		if !oneOffset(s, c) {
			continue
		}
		offset := s.Draws[c.draws[0]].VertexOffset
		for k := c.cuts[0]; k < c.cuts[len(c.cuts)-1]; k++ {
			indices[k] = place[offset+indices[k]] - offset
		}
	}
	s.Indices = indices
}

// oneOffset says whether all draws of an index cluster add the same offset.
func oneOffset(s *geometry.Scene, c cluster) bool {
	for _, d := range c.draws {
		if s.Draws[d].VertexOffset != s.Draws[c.draws[0]].VertexOffset {
			return false
		}
	}
	return true
}

// pieces cuts the vertex pool where a draw's range begins or ends. It gives each
// vertex its piece, and each piece its end.
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
	for _, c := range vertexClusters(s) {
		for _, to := range c.cuts {
			cut(to)
		}
	}
	cut(uint32(len(s.Positions)))
	return piece, ends
}

// pin marks the pieces of the ranges of the cluster's draws.
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
