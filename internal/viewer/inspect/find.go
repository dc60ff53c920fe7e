package inspect

import (
	"fmt"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
)

// FindVertex returns the first triangle of a draw that names a vertex.
func FindVertex(s *geometry.Scene, draw int, vertex uint32) (Hit, error) {
	d := &s.Draws[draw]
	if vertex >= d.VertexCount {
		return Hit{}, fmt.Errorf("vertex %d: draw %d has vertices 0 to %d", vertex, s.Number(draw), int(d.VertexCount)-1)
	}
	triangle, found := 0, Hit{Draw: -1}
	s.EachIndices(draw, func(indices []uint32) {
		if at := slices.Index(indices, vertex); at >= 0 && found.Draw < 0 {
			found = hitAt(draw, triangle, indices, at)
		}
		triangle += len(indices) / 3
	})
	if found.Draw < 0 {
		return found, fmt.Errorf("vertex %d: no triangle of draw %d names it", vertex, s.Number(draw))
	}
	return found, nil
}

// FindBatch returns the first triangle of a batch of a plan.
func FindBatch(p *plan.Plan, n int) (Hit, error) {
	switch {
	case p.Batchless() != "":
		return Hit{}, fmt.Errorf("batch %d: %s has no batches", n, p.Frame.Reuse.Strategy.Name)
	case p.Batches == nil:
		return Hit{}, fmt.Errorf("batch %d: a scene in windows keeps no batches; a click finds that of a triangle", n)
	case n < 0 || n >= len(p.Batches):
		return Hit{}, fmt.Errorf("batch %d: there are batches 0 to %d", n, len(p.Batches)-1)
	}
	return InBatch(p, p.Batches[n], Indices(p, p.Batches[n])[0]), nil
}

// InBatch returns the first triangle of a batch that names a vertex of the batch.
func InBatch(p *plan.Plan, b reuse.Batch, vertex uint32) Hit {
	indices := Indices(p, b)
	first := int(b.FirstIndex-p.Frame.Scene.Draws[b.Draw].FirstIndex) / 3
	return hitAt(int(b.Draw), first, indices, slices.Index(indices, vertex))
}

// hitAt returns the triangle that contains indices[at]. indices begin with triangle first of the
// draw.
func hitAt(draw, first int, indices []uint32, at int) Hit {
	corner := at % 3
	return Hit{draw, first + at/3, [3]uint32(indices[at-corner:][:3]), corner}
}

// BoxEdges are the pairs of corners that the edges of a box join, four along each axis.
var BoxEdges = [12][2]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}}

// Corners returns the corners of the box of a draw's triangles, in the draw's own space.
func (p *Picker) Corners(draw int) []mgl32.Vec3 {
	box := p.draws[draw].whole
	corners := make([]mgl32.Vec3, 8)
	for i := range corners {
		corners[i] = Corner(box, i)
	}
	return corners
}

// Corner returns a corner of a box: each bit of its number says which end of an axis.
func Corner(box geometry.Box, i int) (p mgl32.Vec3) {
	for k := range p {
		p[k] = [2]float32{box.Min[k], box.Max[k]}[i>>k&1]
	}
	return p
}

// Of is the projector for other points in the space of the draw.
func (p Projector) Of(points []mgl32.Vec3) Projector {
	p.pool = points
	return p
}
