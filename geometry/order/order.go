// Package order changes the order in which a draw's triangles are processed, and
// if asked the order in which its vertices are stored, so that the strategies of
// the geometry stage find more (or less) to reuse.
//
// An order permutes whole triangles within a draw. It never moves a triangle to
// another draw, never rotates or flips a triangle's corners (winding and
// provoking vertex stay), and never looks at positions: it sees indices alone.
// The result is the same on every platform: scores are integers. The package
// knows geometry.Scene and nothing of files, strategies or devices.
package order

import "github.com/shadeonce/shadeonce/geometry"

// Order is one way to order the triangles of a draw.
type Order struct {
	Name   string // registry key, flag value, benchmark row
	Doc    string // one line for help texts
	Source string // where it is from

	// Cache is how many vertices the modelled cache holds; 0 where the order
	// models none. A number behind the name sets another ("forsyth32").
	Cache int

	// Fetch says that the vertices are then renumbered by first use: the name
	// has FetchSuffix behind it.
	Fetch bool

	// Apply returns the triangles' numbers in their new order, or nil where the
	// order stays. It takes time linear in the list for a given cache. Nil where
	// every order stays: no list is then made.
	Apply func(l List, cache int) []uint32
}

// List is a triangle list whose vertices are numbered 0..Vertices-1 by first
// use: every number is used, whatever range the draw names.
type List struct {
	Indices  []uint32 // three a triangle
	Vertices int
}

// Triangles is the number of triangles in the list.
func (l List) Triangles() int { return len(l.Indices) / 3 }

// none stands for no vertex, triangle or corner.
const none = ^uint32(0)

// Apply returns the scene in the order of that name (see Lookup), which is the
// only thing that can fail. The scene must have passed Validate; it is not
// changed, and the new one shares with it whatever is the same.
//
// Draws that name the same index range are ordered once and still share it.
// Where ranges overlap in part, each piece between their ends is ordered on its
// own, and where such ranges do not even agree on where triangles begin, they
// stay as they are.
func Apply(s *geometry.Scene, name string) (*geometry.Scene, error) {
	o, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	out := *s
	clusters := indexClusters(s)
	orderTriangles(&out, o, clusters)
	if o.Fetch {
		orderVertices(&out, clusters)
	}
	return &out, nil
}

func orderTriangles(s *geometry.Scene, o *Order, clusters []cluster) {
	if o.Apply == nil {
		return
	}
	most := uint32(0)
	for i := range s.Draws {
		most = max(most, s.Draws[i].VertexCount)
	}
	n := numbering{number: make([]uint32, most)}
	for v := range n.number {
		n.number[v] = none
	}
	var fresh []uint32
	for _, c := range clusters {
		if !c.aligned() {
			continue
		}
		for i := range len(c.cuts) - 1 {
			from, to := c.cuts[i], c.cuts[i+1]
			permutation := o.Apply(n.list(s.Indices[from:to]), o.Cache)
			if permutation == nil {
				continue
			}
			if fresh == nil {
				fresh = append([]uint32(nil), s.Indices...)
			}
			for k, t := range permutation {
				copy(fresh[int(from)+3*k:][:3], s.Indices[int(from)+3*int(t):])
			}
		}
	}
	if fresh != nil {
		s.Indices = fresh
	}
}

// numbering makes Lists. Its table spans the largest vertex range and is cleaned
// by what a list used, so that thousands of draws over one large range cost no
// more than their indices.
type numbering struct {
	number []uint32 // by vertex: its number in the list at hand, or none
	used   []uint32 // by number: the vertex
}

func (n *numbering) list(indices []uint32) List {
	l := List{Indices: make([]uint32, len(indices))}
	n.used = n.used[:0]
	for k, id := range indices {
		if n.number[id] == none {
			n.number[id] = uint32(len(n.used))
			n.used = append(n.used, id)
		}
		l.Indices[k] = n.number[id]
	}
	l.Vertices = len(n.used)
	for _, id := range n.used {
		n.number[id] = none
	}
	return l
}
