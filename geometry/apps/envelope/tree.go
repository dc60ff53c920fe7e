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
// every level. Who skips it goes on at Skip, who enters it at the next node. A leaf has
// one triangle, and Skip is the next node.
type Node struct {
	Lo   mgl32.Vec3
	Skip uint32
	Hi   mgl32.Vec3
	Leaf uint32 // of a leaf: its triangle's number plus 1; else 0
}

// addTree sorts the triangles along a Morton curve and halves the list down to single
// triangles.
func (e *Envelope) addTree(ctx context.Context) error {
	keys := make([]uint64, len(e.Triangles))
	sorted := make([]uint32, len(e.Triangles))
	if err := apps.OnAll(progress.Part(ctx, 0, .3), len(keys), func(from, to int) {
		for t := from; t < to; t++ {
			c := e.Triangles[t]
			keys[t] = morton(add(add(e.Positions[c[0]], e.Positions[c[1]]), e.Positions[c[2]]))
			sorted[t] = uint32(t)
		}
	}); err != nil {
		return err
	}
	slices.SortFunc(sorted, compareBy(keys))
	if err := context.Cause(ctx); err != nil {
		return err
	}
	e.Nodes = make([]Node, 0, 2*len(sorted)-1)
	e.addNode(sorted)
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

// addNode appends the node of some triangles, with all below it.
func (e *Envelope) addNode(triangles []uint32) {
	at := len(e.Nodes)
	e.Nodes = append(e.Nodes, Node{})
	var node Node
	if len(triangles) == 1 {
		node.Lo, node.Hi = e.box(triangles[0], Levels)
		node.Leaf = triangles[0] + 1
	} else {
		half := len(triangles) / 2
		e.addNode(triangles[:half])
		right := len(e.Nodes)
		e.addNode(triangles[half:])
		node.Lo = minimum(e.Nodes[at+1].Lo, e.Nodes[right].Lo)
		node.Hi = maximum(e.Nodes[at+1].Hi, e.Nodes[right].Hi)
	}
	node.Skip = uint32(len(e.Nodes))
	e.Nodes[at] = node
}
