// Command go runs the geometry stage in a renderer that has its own Vulkan instance, device,
// queue, command buffer and buffers, and reads the counts back:
//
//	go run ./examples/go claim
//
// vulkan.go has what any renderer needs. docs/embedding.md explains the inputs and the results.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"unsafe"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./examples/go STRATEGY\nSTRATEGY is one of", strings.Join(shadeonce.Strategies(), ", "))
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(strategy string) error {
	scene, err := shadeonce.Open(context.Background(), "asset:sphere5")
	if err != nil {
		return err
	}
	v, err := openVulkan()
	if err != nil {
		return err
	}
	defer v.close()
	counts, err := shade(v, scene, strategy)
	if err != nil {
		return err
	}
	want, err := shadeonce.Count(scene, strategy)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s; %d vertices, %d indices, %d invocations: reuse %.4f\n",
		v.name, strategy, len(counts), want.Indices, want.Invocations, want.Reuse())
	if !slices.Equal(counts, want.PerVertex) {
		return fmt.Errorf("the counts are not the CPU reference's")
	}
	return nil
}

// shade runs a strategy on the renderer's own device, and returns how often it shaded each of the
// scene's vertices.
func shade(v *vulkan, scene *shadeonce.Scene, strategy string) ([]uint32, error) {
	device, err := shadeonce.Adopt(shadeonce.Handles{
		Instance: unsafe.Pointer(v.instance), API: uint32(version), Physical: unsafe.Pointer(v.physical), Device: unsafe.Pointer(v.device),
		Queue: unsafe.Pointer(v.queue), Family: int(v.family),
	})
	if err != nil {
		return nil, err
	}
	defer device.Close()

	// The buffers that this renderer has anyway; all others are the recorder's.
	own := map[string]*buffer{"Positions": nil, "Indices": nil, "Counts": nil, "VertexPositions": nil}
	defer func() {
		for _, b := range own {
			b.close(v)
		}
	}()
	recorder, err := device.NewRecorder(scene, shadeonce.Frame{Strategy: strategy}, func(block string, bytes int64) (unsafe.Pointer, error) {
		if _, mine := own[block]; !mine {
			return nil, nil
		}
		b, err := v.newBuffer(bytes)
		if err != nil {
			return nil, err
		}
		own[block] = b
		return unsafe.Pointer(b.handle), nil
	})
	if err != nil {
		return nil, err
	}
	defer recorder.Close()
	for i, position := range scene.Positions {
		copy(floats(own["Positions"].data)[3*i:], position[:])
	}
	copy(words(own["Indices"].data), scene.Indices)
	if err := v.submit(func(c vk.CommandBuffer) error { return recorder.Record(unsafe.Pointer(c)) }); err != nil {
		return nil, err
	}
	if err := recorder.Overflow(); err != nil {
		return nil, err
	}
	return slices.Clone(words(own["Counts"].data)), nil
}
