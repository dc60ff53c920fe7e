package session

import (
	"context"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
)

// stream returns the scene as a GPU takes it in an order: what open returns, in the order's own
// numbers of vertices.
func stream(o *ordered) Answer {
	var positions []float32
	indices := make([]uint32, 0, o.scene.IndexStreamLen())
	for i := range o.scene.Draws {
		positions, indices = o.scene.AppendWorld(i, positions, indices)
	}
	return Answer{Floats: map[string][]float32{"positions": positions}, Counts: map[string][]uint32{"indices": indices}}
}

// Shape is what a strategy's shader is compiled for.
type Shape struct {
	Row
	Workgroup, MaxUnique, Table int
	Multiplier                  uint32 // 0 for a strategy that mixes no ids
}

// batches returns the batches of the stream, two numbers each (first index and count), and what
// the reference counts in them, in the order's own numbers of vertices.
func batches(ctx context.Context, o *ordered, c reuse.Config) Answer {
	counted := count(ctx, &ordered{o.name, o.scene, geometry.Match{}}, c)
	list := make([]uint32, 0, 2*(o.scene.IndexStreamLen()/c.Batch+len(o.scene.Draws)))
	for _, b := range reuse.Batches(o.scene, c) {
		list = append(list, 3*b.FirstTriangle, b.IndexCount)
	}
	counted.Counts["batches"] = list
	shape := Shape{Row: counted.Value.(Row), Workgroup: c.Workgroup, MaxUnique: c.Strategy.MaxUnique(c), Table: c.Table()}
	if c.Strategy.Multiplier != nil {
		shape.Multiplier = c.Strategy.Multiplier(reuse.SampleBatches(o.scene, c), c)
	}
	counted.Value = shape
	return counted
}
