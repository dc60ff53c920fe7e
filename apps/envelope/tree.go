package envelope

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Node is a node of the tree, 32 bytes: a box that contains all triangles below it at every
// level. A traversal that skips the node continues at Skip, else at the next node. A leaf has one
// triangle, and its Skip is the next node.
type Node struct {
	Lo   mgl32.Vec3
	Skip uint32
	Hi   mgl32.Vec3
	Leaf uint32 // of a leaf: its triangle's number plus 1; else 0
}

// mortonCells is the number of buckets for the first bits of Morton codes; cores sort the buckets
// independently.
const mortonCells = 1 << 18

// addTree sorts the triangles along a Morton curve and splits the list in half repeatedly, down
// to single triangles.
func (e *Envelope) addTree(ctx context.Context) {
	keys := make([]uint64, len(e.Triangles))
	must.OK(apps.OnEach(progress.Part(ctx, 0, .2), len(keys), func(t int) {
		c := e.Triangles[t]
		keys[t] = morton(exact.Add(exact.Add(e.Positions[c[0]], e.Positions[c[1]]), e.Positions[c[2]]))
	}))
	cells := must.Get(apps.GroupBy(progress.Part(ctx, .2, .5), len(keys), mortonCells, func(t int) (uint32, uint64) {
		return uint32(keys[t] >> 45), uint64(t)
	}))
	sorted := make([]uint32, len(keys))
	must.OK(apps.OnEach(progress.Part(ctx, .5, .7), mortonCells, func(cell int) {
		of := cells.Of(cell)
		slices.SortFunc(of, func(s, t uint64) int { return cmp.Or(cmp.Compare(keys[s], keys[t]), cmp.Compare(s, t)) })
		for i, t := range of {
			sorted[int(cells.First[cell])+i] = uint32(t)
		}
	}))
	e.Nodes = make([]Node, 2*len(sorted)-1)
	e.addNode(0, sorted)
	must.OK(context.Cause(ctx))
}

// morton returns the Morton code of a triangle's centroid, from the sum of its corners. A third
// of each component of the sum is within -1 to 1.
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

// manyTriangles is the least number of triangles for which both halves of a node are built in
// parallel.
const manyTriangles = 1 << 13

// addNode makes the node of some triangles at index at of Nodes, and everything below it from the
// next index on.
func (e *Envelope) addNode(at int, triangles []uint32) {
	node := &e.Nodes[at]
	node.Skip = uint32(at + 2*len(triangles) - 1)
	if len(triangles) == 1 {
		node.Lo, node.Hi = e.box(triangles[0], Levels)
		node.Leaf = triangles[0] + 1
		return
	}
	half := len(triangles) / 2
	left, right := at+1, at+2*half
	if len(triangles) >= manyTriangles {
		var other sync.WaitGroup
		other.Go(func() { e.addNode(left, triangles[:half]) })
		e.addNode(right, triangles[half:])
		other.Wait()
	} else {
		e.addNode(left, triangles[:half])
		e.addNode(right, triangles[half:])
	}
	node.Lo = minimum(e.Nodes[left].Lo, e.Nodes[right].Lo)
	node.Hi = maximum(e.Nodes[left].Hi, e.Nodes[right].Hi)
}
