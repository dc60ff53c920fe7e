package plan

import (
	"slices"

	"github.com/shadeonce/shadeonce/renderer"
)

// way is a raster host with a strategy, and a model of a frame's time in microseconds: linear in
// the triangles, in the shaded vertices, and in the cycles per vertex.
type way struct {
	raster   renderer.RasterHost
	strategy string

	launch   float64 // for any scene
	draws    float64 // if there are several
	triangle float64 // per million triangles
	sifted   float64 // the same in a frame that sifts them
	shading  float64 // per million vertices shaded
	wait     float64 // per 1,000 cycles of a vertex and round of a batch, until the last vertex is shaded
	work     float64 // per 1,000 cycles of a vertex and million shading lanes, including idle ones on a GPU
}

// The times are fitted to medians over the meshes and frames, orders and loads of docs/results.
var (
	// geometryWays are times of the geometry pass alone, on an H200.
	geometryWays = []way{
		{strategy: "naive-index", launch: 3.6, draws: .9, triangle: 22.5, wait: .71, work: 4.2},
		{strategy: "claim", launch: 4.6, triangle: 12.5, shading: 6.4, wait: .86, work: 4.2},
	}
	// frameWays are times of whole frames, on an H200. The number of pixels affects all hosts
	// alike. Frames of many draws have large triangles, which fused draws more slowly.
	frameWays = []way{
		{raster: renderer.HardwareRaster, strategy: "naive-index", launch: 500, triangle: 1950, wait: .71, work: 7.1},
		{raster: renderer.HardwareRaster, strategy: "claim", launch: 500, triangle: 550, shading: 100, wait: .86, work: 7.1},
		{raster: renderer.ComputeRaster, strategy: "naive-index", launch: 77.5, triangle: 60, wait: .71, work: 7.1},
		{raster: renderer.ComputeRaster, strategy: "claim", launch: 78, triangle: 36, shading: 7, wait: .86, work: 7.1},
		{raster: renderer.FusedRaster, strategy: "naive-index", launch: 73, draws: 50, triangle: 22.3, sifted: 8.8, wait: .71, work: 8.2},
		{raster: renderer.FusedRaster, strategy: "claim", launch: 85, draws: 50, triangle: 13.5, sifted: 10.3, shading: 5, wait: .86, work: 9.1},
	}
	// cpuWays are times of the geometry pass with Mesa's driver on two cores. Lanes are virtual
	// there, which makes claim and warp two to five times slower than these. Idle lanes cost
	// nothing.
	cpuWays = []way{
		{strategy: "naive-index", shading: 28e3, work: 30e3},
		{strategy: "hash", triangle: 88e3, shading: 3e3, work: 75e3},
	}
)

const (
	// timedMultiprocessors is the number of multiprocessors of the H200 on which the times were
	// measured.
	timedMultiprocessors = 132
	// leastMultiprocessors is the least number with which hosts other than the graphics pipeline
	// may be chosen, since nothing was measured on small GPUs.
	leastMultiprocessors = 16
)

// micros returns the expected time of a frame with that many triangles and draws, and that many
// cycles per vertex in addition to its transform.
func (w *way) micros(triangles, draws int, of sample, cycles, multiprocessors int) float64 {
	millions, thousands := float64(triangles)/1e6, float64(cycles)/1e3
	lanes, scale := of.shaded, 1.
	if multiprocessors > 0 {
		lanes, scale = of.lanes, timedMultiprocessors/float64(multiprocessors)
	}
	work := scale * (w.triangle*millions + 3*millions*(w.shading*of.shaded+w.work*thousands*lanes))
	if draws > 1 {
		work += w.draws
	}
	return w.launch + w.wait*thousands*of.rounds + work
}

// shadedAgain is the additional time of raster:resolve with fused, which shades visible vertices
// again: per 1,000 cycles of a vertex without its load, and million pixels.
const shadedAgain = 4.3

// resolves returns that time in microseconds.
func (w *way) resolves(f *renderer.Frame, cycles, multiprocessors int) float64 {
	if w.raster != renderer.FusedRaster || f.NoRaster || multiprocessors == 0 {
		return 0
	}
	pixels := float64(f.Width) * float64(f.Height)
	return shadedAgain * float64(cycles-f.Load) / 1e3 * pixels / 1e6 * timedMultiprocessors / float64(multiprocessors)
}

// waysFor returns the ways that a frame leaves open; none if it leaves nothing open, or if the
// device is a CPU and only the raster host is open.
func waysFor(f *renderer.Frame, l renderer.Limits) (list []way) {
	anyStrategy, anyHost, cpu := f.Reuse.Auto, f.Raster == renderer.AutoRaster && !f.NoRaster, l.Multiprocessors == 0
	all := frameWays
	switch {
	case !anyStrategy && (!anyHost || cpu):
		return nil
	case cpu:
		all = cpuWays
	case f.NoRaster:
		all = geometryWays
	}
	named := f.Reuse.Strategy.Name
	times := func(w way) bool { return w.strategy == named }
	if !slices.ContainsFunc(all, times) { // claim's times are the closest
		times = func(w way) bool { return w.strategy == "claim" && w.raster != renderer.FusedRaster }
	}
	for _, w := range all {
		switch {
		case !anyStrategy && !times(w):
			continue
		case cpu || f.NoRaster:
			w.raster = f.Raster
		case !anyHost && w.raster != f.Raster, anyHost && l.Multiprocessors < leastMultiprocessors && w.raster != renderer.HardwareRaster:
			continue
		}
		if w.raster == renderer.AutoRaster {
			w.raster = renderer.HardwareRaster
		}
		if !anyStrategy {
			w.strategy = named
		}
		list = append(list, w)
	}
	return list
}
