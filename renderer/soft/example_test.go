package soft_test

import (
	"fmt"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// Render a picture without a GPU.
func Example() {
	scene, err := assets.Make("sphere4") // or format.Open(ctx, "bunny.ply")
	if err != nil {
		panic(err)
	}
	strategy, err := reuse.Resolve("warp", 32, 0)
	if err != nil {
		panic(err)
	}
	backend := soft.New()
	defer backend.Close()
	frame := renderer.Frame{Scene: scene, Reuse: strategy, Width: 64, Height: 48}
	camera := renderer.FitCamera(scene.Bounds(), 64./48)
	out, _, err := plan.Render(backend, frame, camera, renderer.WantColor|renderer.WantDepth|renderer.WantCounts)
	if err != nil {
		panic(err)
	}
	covered := 0
	for _, depth := range out.Depth {
		if depth < 1 {
			covered++
		}
	}
	// out.Color is an *image.RGBA.
	fmt.Println(out.Color.Bounds().Size(), "pixels,", covered, "of them covered")
	fmt.Printf("%d triangles, %.2f invocations per vertex\n", out.Stats.Triangles, out.Stats.ATVR())
	// Output:
	// (64,48) pixels, 560 of them covered
	// 5120 triangles, 1.69 invocations per vertex
}
