package main

import (
	"fmt"
	"image"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// side is a picture of the scene with a strategy and an index order of its own.
// Alone it fills the window; when two are compared, each has a backend, since a
// backend holds one scene.
type side struct {
	backend *gpu.Backend

	scene      *geometry.Scene
	shownOrder string     // of the scene
	plan       *plan.Plan // of the picture; nil before the first
	good       settings   // of the plan
	stats      reuse.Stats
	counts     []uint32
	timings    []renderer.Timing
	execTime   time.Duration // of the last Exec
}

// attempt plans and draws a scene; where that works, it is what the side shows.
func (d *side) attempt(scene *geometry.Scene, s settings, size image.Point, camera renderer.Camera) error {
	frame, err := s.frame(scene, size.X, size.Y)
	if err != nil {
		return err
	}
	if d.backend.Stepwise {
		frame.Slice = sliceTriangles * evenLoad / (evenLoad + frame.Load)
	}
	out, p, err := plan.Render(d.backend, frame, camera, renderer.WantCounts)
	if err != nil {
		return err
	}
	d.scene, d.plan, d.good = scene, p, s
	d.stats, d.counts, d.timings = out.Stats, out.Counts, out.Timings
	return nil
}

// exec draws the plan for a camera.
func (d *side) exec(camera renderer.Camera) error {
	begin := time.Now()
	var want renderer.Want
	if d.plan.Frame.Cull { // what is shaded follows from what is seen
		want = renderer.WantCounts
	}
	out, err := d.backend.Exec(d.plan, camera, want)
	if err != nil {
		return err
	}
	d.timings, d.execTime = out.Timings, time.Since(begin)
	if d.plan.Frame.Cull {
		d.stats, d.counts = out.Stats, out.Counts
	}
	return nil
}

// batchFill is the share of its batches' room that indices take, 0 without batches.
func (d *side) batchFill() float64 {
	if d.plan == nil || len(d.plan.Batches) == 0 {
		return 0
	}
	used := 0
	for _, b := range d.plan.Batches {
		used += int(b.IndexCount)
	}
	return float64(used) / (float64(len(d.plan.Batches)) * float64(d.plan.Frame.Reuse.Batch))
}

// name is the strategy with what its counts depend on, in short.
func (d *side) name() string {
	c := d.plan.Frame.Reuse
	if c.Strategy.UsesLanes {
		return fmt.Sprintf("%s %d", c.Strategy.Name, c.Lanes)
	}
	return c.Strategy.Name
}
