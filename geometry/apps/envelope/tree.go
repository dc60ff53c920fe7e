package envelope

import (
	"context"
	"math"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/internal/progress"
)

// Node is a node of the tree, 32 bytes: a box that all triangles below it stay in at
// every level. Who skips it goes on at Skip, who enters it at the next node; a leaf has
// triangles besides, and Skip is the next node.
type Node struct {
	Lo    mgl32.Vec3
	Skip  uint32
	Hi    mgl32.Vec3
	First uint32 // of a leaf: place of its first triangle in Leaves, times 8, plus how many there are; else 0
}

const leafTriangles = 4

// addTree sorts the triangles along a Morton curve and halves the list until there are
// few enough.
func (e *Envelope) addTree(ctx context.Context) error {
	keys := make([]uint64, len(e.Triangles))
	e.Leaves = make([]uint32, len(e.Triangles))
	if err := apps.OnAll(progress.Part(ctx, 0, .3), len(keys), func(from, to int) {
		for t := from; t < to; t++ {
			c := e.Triangles[t]
			keys[t] = morton(add(add(e.Positions[c[0]], e.Positions[c[1]]), e.Positions[c[2]]))
			e.Leaves[t] = uint32(t)
		}
	}); err != nil {
		return err
	}
	slices.SortFunc(e.Leaves, compareBy(keys))
	if err := context.Cause(ctx); err != nil {
		return err
	}
	e.Nodes = make([]Node, 0, nodesOf(len(e.Leaves)))
	e.addNode(0, len(e.Leaves))
	return context.Cause(ctx)
}

// morton is the place on the curve of the middle of a triangle, a third of whose
// coordinates' sums are within -1 to 1.
func morton(sum mgl32.Vec3) uint64 {
	key := uint64(0)
	for k, x := range sum {
		cell := uint64(math.Floor((float64(x)/3 + 1) * (1 << 20)))
		for bit := range 21 {
			key |= (cell >> bit & 1) << (3*bit + k)
		}
	}
	return key
}

// nodesOf is how many nodes a tree of so many triangles has.
func nodesOf(n int) int {
	if n <= leafTriangles {
		return 1
	}
	return 1 + nodesOf(n/2) + nodesOf(n-n/2)
}

// addNode appends the node of a part of Leaves, with all below it.
func (e *Envelope) addNode(from, to int) {
	at := len(e.Nodes)
	e.Nodes = append(e.Nodes, Node{})
	var lo, hi mgl32.Vec3
	first := uint32(0)
	if to-from <= leafTriangles {
		first = uint32(from)<<3 | uint32(to-from)
		lo, hi = e.box(e.Leaves[from], Levels)
		for _, t := range e.Leaves[from+1 : to] {
			otherLo, otherHi := e.box(t, Levels)
			lo, hi = minimum(lo, otherLo), maximum(hi, otherHi)
		}
	} else {
		left := len(e.Nodes)
		e.addNode(from, from+(to-from)/2)
		right := len(e.Nodes)
		e.addNode(from+(to-from)/2, to)
		lo = minimum(e.Nodes[left].Lo, e.Nodes[right].Lo)
		hi = maximum(e.Nodes[left].Hi, e.Nodes[right].Hi)
	}
	e.Nodes[at] = Node{Lo: lo, Hi: hi, Skip: uint32(len(e.Nodes)), First: first}
}
