package plan

import (
	"slices"

	"github.com/shadeonce/shadeonce/renderer"
)

// way is a raster host with a strategy, and what a frame takes that way in microseconds:
// linear in the triangles, in the vertices that are shaded, and in the cycles of a vertex.
type way struct {
	raster   renderer.RasterHost
	strategy string

	launch   float64 // whatever the scene
	triangle float64 // per million triangles
	shading  float64 // per million vertices shaded
	wait     float64 // per 1,000 cycles of a vertex, until the last ones are shaded
	work     float64 // per 1,000 cycles of a vertex, and million vertices shaded
}

// The times are fitted to the medians in docs/results, so that the greatest relative
// error over meshes and frames, orders and loads is least.
var (
	// geometryWays are of the geometry pass alone, on an H200.
	geometryWays = []way{
		{strategy: "naive-index", launch: 3.89, triangle: 23.5, wait: 1.55, work: 4.9},
		{strategy: "claim", launch: 4.57, triangle: 8.35, shading: 9.53, wait: .53, work: 9.33},
	}
	// frameWays are of whole frames, on the same.
	frameWays = []way{
		{raster: renderer.HardwareRaster, strategy: "naive-index", launch: 450, triangle: 1950, wait: 1.55, work: 4.9},
		{raster: renderer.HardwareRaster, strategy: "claim", launch: 450, triangle: 550, shading: 50, wait: .53, work: 9.33},
		{raster: renderer.ComputeRaster, strategy: "naive-index", launch: 70, triangle: 62, wait: 1.55, work: 4.9},
		{raster: renderer.ComputeRaster, strategy: "claim", launch: 70, triangle: 36, shading: 9.53, wait: .53, work: 9.33},
		{raster: renderer.FusedRaster, strategy: "naive-index", launch: 80, triangle: 25, wait: 1.55, work: 7},
		{raster: renderer.FusedRaster, strategy: "claim", launch: 80, triangle: 43, shading: 9.53, wait: .53, work: 14},
	}
	// cpuWays are of the geometry pass with Mesa's driver on two cores. Lanes are virtual
	// there, which makes claim and warp two to five times as slow as these. The invocations
	// of a workgroup run one after the other, also those that have nothing to shade.
	cpuWays = []way{
		{strategy: "naive-index", shading: 28e3, work: 30e3},
		{strategy: "hash", triangle: 90e3, shading: 4e3, work: 75e3},
	}
)

const (
	// timedMultiprocessors are those of the device that the times are of.
	timedMultiprocessors = 132
	// leastMultiprocessors is where hosts other than the graphics pipeline may be chosen:
	// nothing was measured on small GPUs.
	leastMultiprocessors = 16
)

// micros is what a frame of so many triangles is expected to take where a share of its
// indices is shaded, each for so many cycles beside its transform.
func (w *way) micros(triangles int, share float64, cycles, multiprocessors int) float64 {
	millions, thousands := float64(triangles)/1e6, float64(cycles)/1e3
	work := w.triangle*millions + (w.shading+w.work*thousands)*3*millions*share
	if multiprocessors > 0 {
		work *= timedMultiprocessors / float64(multiprocessors)
	}
	return w.launch + w.wait*thousands + work
}

// waysFor are the ways that a frame leaves open; none where it leaves nothing open, or the
// device is a CPU that is only asked for a raster host.
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
	if !slices.ContainsFunc(all, times) { // that of claim come nearest
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
