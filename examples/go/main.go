// Command go runs the geometry stage in a renderer that has its own Vulkan instance, device,
// queue, command buffer and buffers, and reads the counts back:
//
//	go run ./examples/go claim
//
// vulkan.go has what any renderer needs. docs/embedding.md explains the inputs and the results.
package main

import (
	"fmt"
	"os"
	"slices"

	vk "github.com/vulkan-go/vulkan"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./examples/go STRATEGY")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(strategy string) error {
	scene, err := assets.Make("sphere5")
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
	c, err := reuse.Resolve(strategy, 0, 0)
	if err != nil {
		return err
	}
	stats, want := reuse.Analyze(scene, c)
	fmt.Printf("%s: %s; %d vertices, %d indices, %d invocations: reuse %.4f\n",
		v.name, c, len(counts), stats.Indices, stats.Invocations, stats.Reuse())
	if !slices.Equal(counts, want) {
		return fmt.Errorf("the counts are not the CPU reference's")
	}
	return nil
}

// shade runs a strategy on the renderer's own device, and returns how often it shaded each of the
// scene's vertices.
func shade(v *vulkan, scene *geometry.Scene, strategy string) ([]uint32, error) {
	device, err := gpu.Adopt(gpu.Handles{
		Instance: v.instance, API: vk.Version(version), Physical: v.physical, Device: v.device, Queue: v.queue, Family: int(v.family),
	})
	if err != nil {
		return nil, err
	}
	defer device.Close()
	backend := gpu.NewBackend(device)
	defer backend.Close()

	// The plan determines the buffers' sizes. A queue with space for the worst case cannot
	// overflow.
	c, err := reuse.Resolve(strategy, 0, 0)
	if err != nil {
		return nil, err
	}
	p, err := plan.New(renderer.Frame{Scene: scene, Reuse: c, NoRaster: true, View: renderer.NoView, VertexShare: 1}, backend.Limits())
	if err != nil {
		return nil, err
	}
	given, own := map[plan.Block]*gpu.Buffer{}, map[plan.Block]*buffer{}
	for _, block := range []plan.Block{plan.Positions, plan.Indices, plan.Counts, plan.VertexPositions} {
		size := p.Buffer(block).Bytes
		b, err := v.newBuffer(size)
		if err != nil {
			return nil, err
		}
		defer b.close(v)
		own[block], given[block] = b, device.AdoptBuffer(string(block), b.handle, size)
	}
	for i, position := range scene.Positions {
		copy(floats(own[plan.Positions].data)[3*i:], position[:])
	}
	copy(words(own[plan.Indices].data), scene.Indices)

	recorder, err := backend.NewRecorder(p, given)
	if err != nil {
		return nil, err
	}
	defer recorder.Close()
	if err := recorder.SetCamera(renderer.CountCamera(scene.Bounds())); err != nil {
		return nil, err
	}
	if err := v.submit(recorder.Record); err != nil {
		return nil, err
	}
	if err := recorder.Overflow(); err != nil {
		return nil, err
	}
	return slices.Clone(words(own[plan.Counts].data)), nil
}
