package order_test

import (
	"context"
	"fmt"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
)

// Which of two orders of my mesh is better?
func ExampleApply() {
	scene, err := assets.Make("sphere4")
	if err != nil {
		panic(err)
	}
	config, err := reuse.Resolve("warp", 32, 0)
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"random", "forsyth"} {
		ordered, err := order.Apply(context.Background(), scene, name)
		if err != nil {
			panic(err)
		}
		stats, _, err := reuse.Summarize(ordered, config)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%-8s shades %5d times, %.2f per triangle\n", name, stats.Invocations, stats.ACMR())
	}
	// Output:
	// random   shades 16116 times, 3.15 per triangle
	// forsyth  shades  4380 times, 0.86 per triangle
}
