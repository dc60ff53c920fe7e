package apps_test

import (
	"context"
	"fmt"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/reuse"
)

// Your own shade function on your own stream: how long is each edge of a mesh, and the perimeter
// of each triangle? Each edge is measured once per batch.
func ExamplePass() {
	ctx := context.Background()
	scene, err := assets.Make("sphere5")
	if err != nil {
		panic(err)
	}
	mesh, err := apps.NewMesh(ctx, scene)
	if err != nil {
		panic(err)
	}
	edges, err := apps.NewEdges(ctx, mesh)
	if err != nil {
		panic(err)
	}

	lengths := make([]float32, len(mesh.Triangles)) // by corner of the stream
	pass := apps.Pass[float32]{
		Shade: func(edge uint32) float32 {
			ends := edges.Ends[edge]
			return mesh.Positions[ends[0]].Sub(mesh.Positions[ends[1]]).Len()
		},
		Corner: func(k int, length *float32) { lengths[k] = *length },
	}
	hash, err := reuse.Resolve("hash", 0, 0)
	if err != nil {
		panic(err)
	}
	stream := reuse.Stream{Name: "edges", Indices: edges.Triangles, IDs: len(edges.Ends)}
	stats, counts, err := pass.Run(ctx, stream, hash)
	if err != nil {
		panic(err)
	}

	fmt.Printf("%d edges, named %d times, were measured %d times: reuse %.3f of %.3f\n",
		len(edges.Ends), stats.Indices, stats.Invocations, stats.Reuse(), stats.Ideal())
	fmt.Printf("edge 0 was measured %d times; the way round triangle 0 is %.4f\n", counts[0], lengths[0]+lengths[1]+lengths[2])
	// Output:
	// 30720 edges, named 61440 times, were measured 33920 times: reuse 0.448 of 0.500
	// edge 0 was measured 2 times; the way round triangle 0 is 0.1099
}
