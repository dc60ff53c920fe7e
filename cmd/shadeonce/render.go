package main

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

// renderFlags are those of the render command.
type renderFlags struct {
	strategyFlags
	output, view, size, raster, camera, budget, queue string
	plan, noLegend                                    bool
}

func newRender() *cobra.Command {
	var f renderFlags
	cmd := &cobra.Command{
		Use:   "render FILE -o out.png",
		Short: "Draw a mesh into a PNG, coloured by how often each vertex was shaded",
		Args:  files(true),
		RunE:  func(_ *cobra.Command, args []string) error { return f.render(args[0]) },
	}
	f.add(cmd.Flags(), "warp")
	flags := cmd.Flags()
	flags.StringVarP(&f.output, "output", "o", "", "the PNG to write")
	flags.StringVar(&f.view, "view", "counts", "what to show: "+strings.Join(renderer.ViewNames, ", "))
	flags.StringVar(&f.size, "size", "1280x720", "picture size in pixels")
	flags.StringVar(&f.raster, "raster", "hardware", "who rasterizes: "+strings.Join(renderer.RasterHostNames, ", "))
	flags.StringVar(&f.queue, "queue", "indexed", "queue form: "+strings.Join(renderer.QueueFormNames, ", "))
	flags.StringVar(&f.camera, "camera", "", renderer.CameraHelp)
	flags.StringVar(&f.budget, "queue-budget", "64MiB", "memory for the queues of one chunk")
	flags.BoolVar(&f.plan, "plan", false, "print the plan and draw nothing")
	flags.BoolVar(&f.noLegend, "no-legend", false, "leave the legend out of the picture")
	return cmd
}

// frame turns the flags into a frame without its scene.
func (f *renderFlags) frame() (frame renderer.Frame, err error) {
	configs, err := f.configs()
	if err != nil {
		return frame, err
	}
	if len(configs) != 1 {
		return frame, usagef("render takes one strategy, got %d", len(configs))
	}
	frame.Reuse = configs[0]
	if frame.View, err = parseName[renderer.View]("view", renderer.ViewNames, f.view); err != nil {
		return frame, err
	}
	if frame.Raster, err = parseName[renderer.RasterHost]("raster host", renderer.RasterHostNames, f.raster); err != nil {
		return frame, err
	}
	if frame.Queue, err = parseName[renderer.QueueForm]("queue form", renderer.QueueFormNames, f.queue); err != nil {
		return frame, err
	}
	if frame.Subgroups, err = parseName[renderer.Subgroups]("subgroups", renderer.SubgroupsNames, f.subgroups); err != nil {
		return frame, err
	}
	if frame.QueueBudget, err = parseBytes(f.budget); err != nil {
		return frame, err
	}
	frame.Width, frame.Height, err = parseSize(f.size)
	return frame, err
}

func (f *renderFlags) render(path string) error {
	frame, err := f.frame()
	if err != nil {
		return err
	}
	if f.output == "" && !f.plan {
		return usagef("render: no output: -o out.png")
	}
	if frame.Raster == renderer.SoftRaster {
		if err := f.backend.preferCPU(); err != nil {
			return err
		}
	}
	scene, err := openScene(path)
	if err != nil {
		return err
	}
	frame.Scene = scene
	camera, err := renderer.ParseCamera(f.camera, scene.Bounds(), float32(frame.Width)/float32(frame.Height))
	if err != nil {
		return usageError{err}
	}
	backend, err := f.backend.open()
	if err != nil {
		return err
	}
	defer backend.Close()
	if backend.Name() == cpuBackend {
		frame.Raster = renderer.SoftRaster
	}
	if f.plan {
		plan, err := renderer.NewPlan(frame, backend.Limits())
		if err != nil {
			return err
		}
		_, err = fmt.Print(plan)
		return err
	}
	return f.draw(backend, frame, camera, scene)
}

func (f *renderFlags) draw(backend renderer.Backend, frame renderer.Frame, camera renderer.Camera, scene *geometry.Scene) error {
	out, plan, err := renderer.Render(backend, frame, camera, renderer.WantColor|renderer.WantCounts)
	if err != nil {
		return err
	}
	if !f.noLegend {
		renderer.DrawLegend(out.Color, plan, out.Stats)
	}
	var file bytes.Buffer
	if err := png.Encode(&file, out.Color); err != nil {
		return err
	}
	if err := writeWhole(f.output, file.Bytes()); err != nil {
		return err
	}
	fmt.Printf("%s: %dx%d, %s of %s, %s on %s\n", f.output, frame.Width, frame.Height, frame.View, scene.Name, frame.Reuse.Strategy.Name, backend.Device())
	fmt.Printf("reuse %.4f of %.4f ideal, %d invocations for %d triangles\n", out.Stats.Reuse(), out.Stats.Ideal(), out.Stats.Invocations, out.Stats.Triangles)
	for _, t := range out.Timings {
		fmt.Printf("  %-18s %9.3f ms\n", t.Pass, t.Duration.Seconds()*1e3)
	}
	return nil
}

// writeWhole writes a file so that no half of it is ever seen under its name.
func writeWhole(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".shadeonce-*")
	if err != nil {
		return fmt.Errorf("%s: cannot write here: %w", path, err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
