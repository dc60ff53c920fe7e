// Package order changes the order in which a draw's triangles are processed, and
// if asked the order in which its vertices are stored, so that the strategies of
// the geometry stage find more (or less) to reuse.
//
// An order permutes whole triangles within a draw. It never moves a triangle to
// another draw, never rotates or flips a triangle's corners (winding and
// provoking vertex stay), and never looks at positions, only at indices.
// The result is the same on every platform: scores are integers. The package
// knows geometry.Scene and nothing of files, strategies or devices.
package order

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Order is one way to order the triangles of a draw.
type Order struct {
	Name string // registry key, flag value, benchmark row

	// Cache is the number of vertices in the modelled cache; 0 if the order models none. A number
	// after the name sets another size ("forsyth32").
	Cache int

	// Fetch renumbers the vertices by first use afterwards; the name then ends in FetchSuffix.
	Fetch bool

	// Apply returns the triangles' numbers in their new order, or nil to keep the order. For a
	// given cache its time is linear in the list. Its only error is the context's cause. If Apply
	// is nil, triangles stay in the file's order.
	Apply func(ctx context.Context, l List, cache int) ([]uint32, error)
}

// List is a triangle list. Its vertices are numbered 0..Vertices-1 by first use.
type List struct {
	Indices  []uint32 // three per triangle
	Vertices int
}

// Triangles is the number of triangles in the list.
func (l List) Triangles() int { return len(l.Indices) / 3 }

// none means no vertex, triangle or corner.
const none = ^uint32(0)

// Apply returns the scene in the named order (see Lookup). It fails if there is no such order, or
// with the context's cause if the context ends first. Progress is reported through the context. The
// scene must have passed Validate. It is not changed, and the new scene shares all unchanged data
// with it.
//
// Draws with the same index range are ordered once and still share it. Where ranges overlap in
// part, each piece between their ends is ordered on its own. Overlapping ranges that disagree on
// where triangles begin stay as they are.
func Apply(ctx context.Context, s *geometry.Scene, name string) (out *geometry.Scene, err error) {
	o, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	err = s.Guard(func() (err error) {
		out, err = apply(ctx, s, o)
		return err
	})
	return out, err
}

func apply(ctx context.Context, s *geometry.Scene, o *Order) (_ *geometry.Scene, err error) {
	defer must.Catch(&err)
	out := *s
	clusters := indexClusters(s)
	triangles := 1. // estimated share of the time that goes to ordering triangles
	switch {
	case o.Fetch && o.Apply == nil:
		triangles = 0
	case o.Fetch && o.Cache == 0:
		triangles = .4
	case o.Fetch:
		triangles = .8
	}
	orderTriangles(progress.Part(ctx, 0, triangles), &out, o, clusters)
	if o.Fetch {
		orderVertices(progress.Part(ctx, triangles, 1), &out, clusters)
	}
	must.OK(context.Cause(ctx))
	return &out, nil
}

// prepared estimates the share of an order's time that goes to building its tables.
const prepared = .2

func orderTriangles(ctx context.Context, s *geometry.Scene, o *Order, clusters []cluster) {
	if o.Apply == nil {
		return
	}
	most := uint32(0)
	for i := range s.Draws {
		most = max(most, s.Draws[i].VertexCount)
	}
	n := numbering{number: slices.Repeat([]uint32{none}, int(most))}
	var fresh []uint32
	done, share := 0., 1/float64(max(len(s.Indices), 1))
	copied := .03 // estimated share of the time that goes to moving the triangles
	if o.Cache == 0 {
		copied = .5
	}
	for _, c := range clusters {
		if !c.aligned() {
			continue
		}
		for i := range len(c.cuts) - 1 {
			from, to := c.cuts[i], c.cuts[i+1]
			before := done
			done += float64(to-from) * share
			part := progress.Part(ctx, before, done)
			permutation := n.permute(progress.Part(part, 0, 1-copied), o, s.Indices[from:to])
			if permutation == nil {
				continue
			}
			if fresh == nil {
				fresh = slices.Clone(s.Indices)
			}
			must.OK(progress.Each(progress.Part(part, 1-copied, 1), len(permutation), func(first, end int) {
				for k, t := range permutation[first:end] {
					copy(fresh[int(from)+3*(first+k):][:3], s.Indices[int(from)+3*int(t):])
				}
			}))
		}
	}
	if fresh != nil {
		s.Indices = fresh
	}
}

// numbering makes Lists. Its table spans the largest vertex range, and only the entries that a
// list used are reset, so that thousands of draws over one large range cost no more than their
// indices.
type numbering struct {
	number []uint32 // by vertex: its number in the current list, or none
	used   []uint32 // by number in the current list: the vertex
}

func (n *numbering) list(ctx context.Context, indices []uint32) List {
	l := List{Indices: make([]uint32, len(indices))}
	n.used = n.used[:0]
	number, numbered := n.number, l.Indices
	must.OK(progress.Each(ctx, len(indices), func(from, to int) {
		for k, id := range indices[from:to] {
			if number[id] == none {
				number[id] = uint32(len(n.used))
				n.used = append(n.used, id)
			}
			numbered[from+k] = number[id]
		}
	}))
	l.Vertices = len(n.used)
	must.OK(progress.Each(progress.Silent(ctx), len(n.used), func(from, to int) {
		for _, id := range n.used[from:to] {
			number[id] = none
		}
	}))
	return l
}

// permute returns the new order of the triangles in a range of indices, or nil to keep it.
func (n *numbering) permute(ctx context.Context, o *Order, indices []uint32) []uint32 {
	listed := .1
	if o.Cache == 0 {
		listed = .5
	}
	l := n.list(progress.Part(ctx, 0, listed), indices)
	return must.Get(o.Apply(progress.Part(ctx, listed, 1), l, o.Cache))
}

// Orders is the registry. To add an order, write its file and a line here: flags,
// tests, benchmark rows and help follow.
var Orders = []*Order{&original, &random, &forsyth, &hoppe, &tipsify}

// FetchSuffix after an order's name renumbers the vertices by first use.
const FetchSuffix = "+fetch"

// Bounds of the cache size that may follow an order's name, in vertices.
const (
	MinCache = 4
	MaxCache = 128
)

// Names lists the registered orders in registry order.
func Names() []string { return names.Of(Orders, func(o *Order) string { return o.Name }) }

// Lookup finds an order by name. The name of an order that models a cache may be followed by the
// cache's size, and any name by FetchSuffix: "forsyth", "forsyth32", "random+fetch",
// "tipsify24+fetch". The returned Order has the full name.
func Lookup(name string) (*Order, error) {
	whole, fetch := strings.CutSuffix(name, FetchSuffix)
	base := strings.TrimRight(whole, "0123456789")
	for _, o := range Orders {
		if o.Name != base {
			continue
		}
		found := *o
		found.Name, found.Fetch = name, fetch
		if digits := whole[len(base):]; digits != "" {
			n, err := strconv.Atoi(digits)
			switch {
			case o.Cache == 0:
				return nil, fmt.Errorf("order %.40q: %s takes no number", name, o.Name)
			case err != nil || n < MinCache || n > MaxCache:
				return nil, fmt.Errorf("order %.40q: a cache of %.20s vertices is out of range %d..%d", name, digits, MinCache, MaxCache)
			}
			found.Cache = n
		}
		return &found, nil
	}
	return nil, names.NotAmong("order", name, nearest(name), strings.Join(Names(), ", ")+", each also as NAME"+FetchSuffix)
}

// nearest returns the known name that is most like an unknown one, or "" if none is similar. It
// appends the unknown name's number, and FetchSuffix if the unknown name has any suffix.
func nearest(name string) string {
	stem, _, suffixed := strings.Cut(name, "+")
	base := strings.TrimRight(stem, "0123456789")
	near := names.Nearest(base, Names())
	if near == "" {
		return ""
	}
	near += stem[len(base):]
	if suffixed {
		near += FetchSuffix
	}
	return near
}

// original keeps the order of the file.
var original = Order{Name: "original"}
