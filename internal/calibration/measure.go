package calibration

import (
	"context"
	"time"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// subject is a scene that is timed, in pictures 16 to 9.
type subject struct {
	asset, order string
	height       int // pixels
}

// A GPU needs scenes that fill it; a CPU takes a millisecond for a thousand triangles. Indices of a
// sphere are scattered as those of files are: Forsyth's order repeats most, random order few. A tree
// has few vertices to repeat, a city many draws. The last scene has so many triangles per pixel that
// fused sifts them.
var (
	gpuSubjects = []subject{
		{"sphere5", "forsyth", 360}, {"sphere5", "random", 1080}, {"tree7", "original", 720}, {"city16", "original", 1080},
		{"sphere7", "random", 360}, {"sphere7", "forsyth", 1080}, {"terrain640", "original", 90},
	}
	cpuSubjects = []subject{
		{"sphere3", "forsyth", 90}, {"sphere3", "random", 270}, {"tree4", "original", 90}, {"city4", "original", 180},
		{"sphere5", "random", 90}, {"sphere5", "forsyth", 270}, {"sphere5", "original", 18},
	}
)

// strategies are those whose costs are measured, the two first with all raster hosts. warp and sort were the fastest nowhere, and
// meshlet preprocesses the scene.
var strategies = []string{"naive-index", "multi", "hash", "phash", "claim"}

// loads are in cycles.
var loads = []int{0, 1024}

// Each frame is executed leastRuns to mostRuns times, until its runs have taken enough. A GPU raises
// its clocks only after a while of work (warmUp).
const (
	leastRuns = 4
	mostRuns  = 80
	enough    = 30 * time.Millisecond
	warmUp    = 300 * time.Millisecond
)

// contestant is a frame that is timed.
type contestant struct {
	frame  renderer.Frame
	camera renderer.Camera
	plan   *plan.Plan
	row    Row
	took   time.Duration // all runs
}

// Measure times frames on the device. It replaces the backend's options by the given ones, but for
// Options.Keep, and reports its progress to the context.
func Measure(ctx context.Context, b plan.Backend, o plan.Options) (rows []Row, err error) {
	defer must.Catch(&err)
	subjects, patience := gpuSubjects, warmUp
	if b.Limits().Multiprocessors == 0 {
		subjects, patience = cpuSubjects, 0
	}
	for i, of := range subjects {
		part := progress.Part(ctx, float64(i)/float64(len(subjects)), float64(i+1)/float64(len(subjects)))
		scene := must.Get(order.Apply(progress.Silent(ctx), must.Get(assets.Make(of.asset)), of.order))
		rows = append(rows, must.Get(measure(part, b, o, frames(scene, of.height), patience))...)
	}
	return rows, nil
}

// measure times the frames of a scene in turns, so that drift affects all alike, until each has run
// often enough and the patience is over. The least time of each counts.
func measure(ctx context.Context, b plan.Backend, o plan.Options, list []*contestant, patience time.Duration) (rows []Row, err error) {
	var field []*contestant
	o.Keep = len(list)
	b.Set(o)
	limits := b.Limits()
	for i, one := range list {
		progress.Tell(ctx, .7*float64(i)/float64(len(list)))
		if plan.Fits(one.frame, limits) != nil {
			continue // the device does not run it
		}
		if _, one.plan, err = plan.Render(b, one.frame, one.camera, 0); err != nil {
			return nil, err
		}
		f := &one.plan.Frame
		one.row.Parts, one.row.Measures = plan.Parts(f), plan.Measures(f, &limits)
		field = append(field, one)
	}
	begin, runs := time.Now(), 1
	for round := 0; runs > 0 && round < mostRuns; round++ {
		runs = 0
		for _, one := range field {
			if round >= leastRuns && one.took >= enough && time.Since(begin) >= patience {
				continue
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			start := time.Now()
			out, err := b.Exec(one.plan, one.camera, 0)
			if err != nil {
				return nil, err
			}
			one.took, runs = one.took+time.Since(start), runs+1
			if micros := float64(out.Elapsed.Nanoseconds()) / 1e3; round == 0 || micros < one.row.Micros {
				one.row.Micros = micros
			}
		}
		progress.Tell(ctx, .7+.3*float64(min(round, leastRuns))/leastRuns)
	}
	for _, one := range field {
		if one.row.Micros > 0 { // else the device has no clock
			rows = append(rows, one.row)
		}
	}
	return rows, nil
}

// frames lists the frames of a scene that are timed: the geometry stage of each strategy, fused
// with each, and other raster hosts with the strategies that fill the queues most and least.
func frames(scene *geometry.Scene, height int) (list []*contestant) {
	const aspect = 16. / 9
	box := scene.Bounds()
	for _, load := range loads {
		for i, name := range strategies {
			f := renderer.Frame{
				Scene: scene, Reuse: must.Get(reuse.Params{FitBatch: true}.Resolve(name)), Load: load,
				NoRaster: true, View: renderer.NoView, NoCounts: true, TimeWhole: true, Width: int(float64(height) * aspect), Height: height,
			}
			list = append(list, &contestant{frame: f, camera: renderer.CountCamera(box)})
			f.NoRaster, f.View = false, renderer.Shaded
			hosts := []renderer.RasterHost{renderer.FusedRaster, renderer.HardwareRaster, renderer.ComputeRaster}
			if i >= 2 {
				hosts = hosts[:1]
			}
			for _, f.Raster = range hosts {
				list = append(list, &contestant{frame: f, camera: renderer.FitCamera(box, aspect)})
			}
		}
	}
	return list
}
