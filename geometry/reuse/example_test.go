package reuse_test

import (
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/geometry/reuse"
)

// wheel is a fan of eight triangles around vertex 0, in an order that jumps.
var wheel = []uint32{
	0, 1, 2, 0, 5, 6, 0, 2, 3, 0, 6, 7,
	0, 3, 4, 0, 7, 8, 0, 4, 5, 0, 8, 1,
}

// How often is each vertex of my mesh shaded?
func ExampleConfig_Count() {
	config, err := reuse.Resolve("warp", 8, 0) // subgroups of 8 lanes, batches of the default size
	if err != nil {
		panic(err)
	}
	stats, counts, err := config.Count(wheel, 9)
	if err != nil {
		panic(err)
	}
	fmt.Println("times shaded:", counts)
	fmt.Printf("%d invocations for %d indices: reuse %.2f of %.2f at best\n",
		stats.Invocations, stats.Indices, stats.Reuse(), stats.Ideal())
	// Output:
	// times shaded: [2 2 1 1 2 2 1 2 1]
	// 14 invocations for 24 indices: reuse 0.42 of 0.62 at best
}

// Which batches shade vertex 5, and which triangles do they shade it for?
func ExampleConfig_Run() {
	config, err := reuse.Params{Batching: "static", Batch: 12}.Resolve("hash")
	if err != nil {
		panic(err)
	}
	for batch, it := range config.Run(wheel) {
		slot := slices.Index(it.Unique, 5)
		if slot < 0 {
			continue
		}
		for k, s := range it.Slots {
			if int(s) == slot {
				fmt.Printf("batch %d, triangle %d\n", batch, (it.First+k)/3)
			}
		}
	}
	// Output:
	// batch 0, triangle 1
	// batch 1, triangle 6
}

// Where do dynamic batches of at most five vertices end?
func ExampleConfig_Batches() {
	config, err := reuse.Params{Batching: "dynamic", Unique: 5}.Resolve("hash")
	if err != nil {
		panic(err)
	}
	for batch := range config.Batches(wheel) {
		fmt.Println(batch)
	}
	// Output:
	// [0 1 2 0 5 6]
	// [0 2 3 0 6 7]
	// [0 3 4 0 7 8]
	// [0 4 5 0 8 1]
}
