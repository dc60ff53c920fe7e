// Command function shades its own data by its own function on a GPU: it finds the nearest of some
// stations for each point of a mesh. functions/own.glsl has the function; docs/apps.md says how to
// compile it into a strategy:
//
//	go run ./examples/function claim nearest.spv
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/shadeonce/shadeonce"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: function STRATEGY FILE.spv")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "function:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, strategy, file string) error {
	spirv, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	function, err := shadeonce.ReadFunction(strategy, spirv)
	if err != nil {
		return err
	}
	mesh, err := shadeonce.Open(ctx, "asset:sphere5")
	if err != nil {
		return err
	}
	points := mesh.Positions
	stations := points[:12] // the corners of the icosahedron that the sphere was made of
	device, err := shadeonce.OpenDevice(os.Getenv("SHADEONCE_DEVICE"))
	if err != nil {
		return err
	}
	defer device.Close()
	results, err := device.Shade(ctx, shadeonce.Stream{Name: "points", Indices: mesh.Indices, IDs: len(points)}, shadeonce.Stage{
		Strategy: strategy, Function: function, Arguments: [4]uint32{uint32(len(stations))},
		Tables: []shadeonce.Table{ // by the names of the function's blocks
			shadeonce.Read("Points", points), shadeonce.Read("Stations", stations), shadeonce.Write[uint32]("Nearest", len(points)),
		},
	})
	if err != nil {
		return err
	}
	defer results.Close()
	nearest, err := shadeonce.Load[uint32](results, "Nearest", len(points))
	if err != nil {
		return err
	}
	var near [12]int
	for _, station := range nearest {
		near[station]++
	}
	fmt.Printf("%s: %d points in %d triangles, searched %d times\n", strategy, len(points), len(mesh.Indices)/3, results.Counts.Invocations)
	fmt.Println("points by nearest station:", near)
	return nil
}
