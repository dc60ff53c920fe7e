package shadeonce_test

import (
	"context"
	"fmt"
	"image/png"
	"io"

	"github.com/shadeonce/shadeonce"
)

// The picture of a user's mesh, in ten lines: how often was each of its vertices shaded?
func Example() {
	positions := [][3]float32{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}
	scene, err := shadeonce.NewScene(context.Background(), positions, []uint32{0, 1, 2, 2, 1, 3})
	if err != nil {
		panic(err)
	}
	device, err := shadeonce.OpenDevice(shadeonce.CPU) // "" is a GPU
	if err != nil {
		panic(err)
	}
	defer device.Close()
	picture, err := device.Render(scene, shadeonce.Frame{Strategy: "claim", Width: 320, Height: 240})
	if err != nil {
		panic(err)
	}
	fmt.Println(picture.Bounds().Size(), "vertices shaded", picture.Counts.PerVertex)
	_ = png.Encode(io.Discard, picture) // or a file
	// Output: (320,240) vertices shaded [1 1 1 1]
}

// How much do strategies and index orders save?
func ExampleCount() {
	ctx := context.Background()
	scene, err := shadeonce.Open(ctx, "asset:sphere3")
	if err != nil {
		panic(err)
	}
	for _, order := range []string{"random", "forsyth"} {
		ordered, err := shadeonce.Reorder(ctx, scene, order)
		if err != nil {
			panic(err)
		}
		for _, strategy := range []string{"naive", "claim"} {
			counts, err := shadeonce.Count(ordered, strategy)
			if err != nil {
				panic(err)
			}
			fmt.Printf("%-7s %-5s shades %.2f times a vertex\n", order, strategy, counts.ATVR())
		}
	}
	// Output:
	// random  naive shades 5.98 times a vertex
	// random  claim shades 4.71 times a vertex
	// forsyth naive shades 5.98 times a vertex
	// forsyth claim shades 1.36 times a vertex
}

// Draw with your own vertex shader: examples/vertex-shaders/wind.vert bends the upper part of a mesh.
func ExampleDevice_Render() {
	ctx := context.Background()
	scene, err := shadeonce.Open(ctx, "asset:tree3")
	if err != nil {
		panic(err)
	}
	shader, err := shadeonce.OpenShader(ctx, "examples/vertex-shaders/wind.vert", "examples/vertex-shaders/wind.yaml")
	if err != nil {
		panic(err)
	}
	device, err := shadeonce.OpenDevice(shadeonce.CPU)
	if err != nil {
		panic(err)
	}
	defer device.Close()
	picture, err := device.Render(scene, shadeonce.Frame{View: "shaded", Shader: shader, Width: 320, Height: 240})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d runs of the shader for %d indices\n", picture.Counts.Invocations, picture.Counts.Indices)
	// Output: 4204 runs of the shader for 6075 indices
}
