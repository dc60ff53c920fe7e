package stream_test

import (
	"context"
	"fmt"
	"os"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/stream"
)

// lengths computes the squared lengths of a mesh's edges on a GPU, with a strategy.
func lengths(b *gpu.Backend, mesh *apps.Mesh, edges *apps.Edges, strategy string) (reuse.Stats, []float32, error) {
	c, err := reuse.Resolve(strategy, 0, 0)
	if err != nil {
		return reuse.Stats{}, nil, err
	}
	s := reuse.Stream{Name: "edges", Indices: edges.Triangles, IDs: len(edges.Ends)}
	tables, err := stream.NewTables(b, // by the names of the shader's blocks
		stream.Table("LengthPoints", mesh.Positions), stream.Table("LengthEnds", edges.Ends),
		stream.Result[float32]("EdgeLengths", s.IDs), stream.Result[float32]("CornerLengths", len(s.Indices)))
	if err != nil {
		return reuse.Stats{}, nil, err
	}
	defer tables.Close()
	run, err := stream.NewRun(b, s, tables, stream.Options{Function: plan.Function{Name: "length", Reuse: c, Held: 4}})
	if err != nil {
		return reuse.Stats{}, nil, err
	}
	defer run.Close()
	if _, err := run.Do(context.Background()); err != nil {
		return reuse.Stats{}, nil, err
	}
	stats, _, err := run.Counts()
	if err != nil {
		return reuse.Stats{}, nil, err
	}
	squares, err := gpu.Download[float32](b.GPU(), tables["EdgeLengths"], s.IDs)
	return stats, squares, err
}

// How long is each edge of a sphere? The shade function is shaders/functions/length.glsl.
func ExampleNewRun() {
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
	b, err := gpu.OpenBackend(gpu.BackendOptions{Device: os.Getenv("SHADEONCE_DEVICE")})
	if err != nil {
		panic(err)
	}
	defer b.Close()
	for _, strategy := range []string{"naive", "hash"} {
		stats, squares, err := lengths(b, mesh, edges, strategy)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%-5s measured %d edges %d times; the square of edge 0 is %.6f\n", strategy, len(squares), stats.Invocations, squares[0])
	}
	// Output:
	// naive measured 30720 edges 61440 times; the square of edge 0 is 0.001197
	// hash  measured 30720 edges 33920 times; the square of edge 0 is 0.001197
}
