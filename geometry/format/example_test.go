package format_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/shadeonce/shadeonce/geometry/format"
)

// Convert a mesh, and print what it contains.
func ExampleOpen() {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	obj, glb := filepath.Join(folder, "quad.obj"), filepath.Join(folder, "quad.glb")
	text := "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"
	if err := os.WriteFile(obj, []byte(text), 0o600); err != nil {
		panic(err)
	}
	scene, err := format.Open(context.Background(), obj)
	if err != nil {
		panic(err)
	}
	if err := format.Save(context.Background(), glb, scene); err != nil {
		panic(err)
	}
	scene, err = format.Open(context.Background(), glb)
	if err != nil {
		panic(err)
	}
	defer scene.Release()
	fmt.Println(scene.Name, len(scene.Draws), "draw,", len(scene.Positions), "vertices,", scene.Indices)
	// Output: quad.glb 1 draw, 4 vertices, [0 1 2 0 2 3]
}
