package plan

import (
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
)

// Costs for devices that are not calibrated. They were fitted to the median times in docs/results, which
// cover several meshes, frames, index orders and loads.
var (
	// GPUCosts are the costs on an H200. Frames of several draws mostly are of buildings and landscapes, whose triangles
	// are large, so they take longer for a pixel.
	GPUCosts = renderer.Costs{Source: "by times of an H200, which stand for every GPU that is not calibrated", Multiprocessors: 132, Parts: map[string]renderer.Cost{
		"geometry:naive-index": {renderer.Launch: 11.7, renderer.Triangle: 23, renderer.Wait: .4, renderer.Work: 5.3},
		"geometry:claim":       {renderer.Launch: 11.7, renderer.Triangle: 7.3, renderer.Shading: 9.9, renderer.Wait: .7, renderer.Work: 5.4},
		"geometry:multi":       {renderer.Launch: 15, renderer.Triangle: 4.7, renderer.Shading: 12.9, renderer.Wait: .3, renderer.Work: 4.8},
		"raster:hardware":      {renderer.Launch: 403, renderer.Draws: 76, renderer.Pixels: 6.3, renderer.Triangle: 473, renderer.Shading: 461, renderer.Work: 1},
		"raster:compute":       {renderer.Launch: 8.1, renderer.Draws: 9.4, renderer.Box: 30, renderer.Pixels: 9.1, renderer.Triangle: 16.4, renderer.Shading: 13.6, renderer.Wait: .3},
		"fused:naive-index":    {renderer.Launch: 11.5, renderer.Draws: 20, renderer.Box: 83, renderer.Pixels: 9.7, renderer.Triangle: 18.7, renderer.Sifted: 8.8, renderer.Wait: .3, renderer.Work: 7.9},
		"fused:claim":          {renderer.Launch: 12.8, renderer.Draws: 20, renderer.Box: 66, renderer.Pixels: 10.3, renderer.Triangle: 9.3, renderer.Sifted: 5.4, renderer.Shading: 12.9, renderer.Wait: 1.6, renderer.Work: 7.3},
		"fused:multi":          {renderer.Launch: 16.4, renderer.Draws: 18, renderer.Box: 64, renderer.Pixels: 10.5, renderer.Triangle: 4.2, renderer.Shading: 15.7, renderer.Wait: .3, renderer.Work: 6.7},
		"together:naive-index": {renderer.Launch: 9.8, renderer.Draws: 15.2, renderer.Box: 60, renderer.Pixels: 10.9, renderer.Triangle: 24, renderer.Wait: 1.1, renderer.Work: 4.1},
	}}
	// cpuCosts are the costs on two cores. Lanes are virtual there, so claim and warp are slow, and have no costs here.
	cpuCosts = renderer.Costs{Source: "by times of Mesa 22's CPU driver, which stand for every CPU that is not calibrated", Parts: map[string]renderer.Cost{
		"geometry:naive-index": {renderer.Launch: 29, renderer.Triangle: 60e3, renderer.Work: 76e3},
		"geometry:hash":        {renderer.Launch: 29, renderer.Triangle: 70e3, renderer.Shading: 16e3, renderer.Work: 115e3},
		"geometry:multi":       {renderer.Launch: 29, renderer.Triangle: 14.5e3, renderer.Shading: 1e3, renderer.Work: 79e3},
		"raster:hardware":      {renderer.Launch: 31, renderer.Pixels: 4e3, renderer.Triangle: 161e3, renderer.Shading: 23e3},
	}}
)

// leastMultiprocessors is how many multiprocessors an uncalibrated device needs at least, for auto to
// consider hosts other than the graphics pipeline: small GPUs were not measured.
const leastMultiprocessors = 16

// costsOf returns the costs for a device.
func costsOf(l *renderer.Limits) *renderer.Costs {
	switch {
	case l.Costs != nil:
		return l.Costs
	case l.Multiprocessors == 0:
		return &cpuCosts
	}
	return &GPUCosts
}

// Parts returns the names of a frame's parts, as in renderer.Costs.
func Parts(f *renderer.Frame, l *renderer.Limits) []string {
	strategy, host := f.Reuse.Strategy.Name, f.Raster.String()
	switch {
	case f.NoRaster:
		return []string{"geometry:" + strategy}
	case f.Raster == renderer.FusedRaster && resolve(f).sink.together(f, l):
		return []string{"together:" + strategy}
	case f.Raster == renderer.FusedRaster:
		return []string{host + ":" + strategy}
	}
	return []string{"geometry:" + strategy, "raster:" + host}
}

// shadedAgain estimates how much fused frames shade again in raster:resolve: the average number of lanes
// per pixel that shade a vertex there.
const shadedAgain = .5

// Measures returns the frame's properties, such as millions of triangles, that are multiplied with a
// part's costs. Choose must have made the frame's choices.
func Measures(f *renderer.Frame, l *renderer.Limits) renderer.Cost {
	of := resolve(f).sink.sample(f.Scene, f.Reuse)
	return measures(f, l, of, largestBox(f))
}

func measures(f *renderer.Frame, l *renderer.Limits, of sample, largest float64) (x renderer.Cost) {
	const million, thousand = 1e6, 1e3
	triangles, cycles := float64(f.Scene.Triangles())/million, vertexCycles(f)
	lanes := of.lanes
	if l.Multiprocessors == 0 {
		lanes = of.shaded
	}
	x[renderer.Launch] = 1
	each := 1.0 // invocations per triangle
	if resolve(f).sink.together(f, l) {
		each = reuse.TriangleLanes
	}
	x[renderer.Box] = min(largest/each, 2*MostAtOnce) / thousand
	x[renderer.Triangle] = triangles
	if resolve(f).sink.sifts(f, l) {
		x[renderer.Triangle], x[renderer.Sifted] = 0, triangles
	}
	x[renderer.Shading] = 3 * triangles * of.shaded
	x[renderer.Wait] = float64(cycles) / thousand * of.rounds
	x[renderer.Work] = 3 * triangles * float64(cycles) / thousand * lanes
	if !f.NoRaster {
		x[renderer.Pixels] = float64(f.Width) * float64(f.Height) / million
	}
	if len(f.Scene.Draws) > 1 {
		x[renderer.Draws] = x[renderer.Pixels]
	}
	if f.Raster == renderer.FusedRaster && !f.NoRaster && l.Multiprocessors > 0 { // raster:resolve shades visible vertices again, without Frame.Load
		x[renderer.Work] += shadedAgain * x[renderer.Pixels] * float64(cycles-f.Load) / thousand
	}
	return x
}

// largestBox returns the number of pixels in the largest bounding box of a triangle, seen by the camera of
// FitCamera. It looks at a sample of triangles. It is 0 if the scene has several draws, or without a picture.
func largestBox(f *renderer.Frame) (largest float64) {
	s := f.Scene
	if f.NoRaster || len(s.Draws) != 1 {
		return 0
	}
	var corners []mgl32.Vec3
	for _, batch := range reuse.SampleBatches(s, must.Get(reuse.Resolve("naive-index", 0, 96))) {
		for _, id := range batch {
			if s.Computed == nil {
				corners = append(corners, s.Positions[s.Draws[0].VertexOffset+id])
				continue
			}
			corner, _ := s.Computed.Vertex(id)
			corners = append(corners, corner)
		}
	}
	if len(corners) == 0 {
		return 0
	}
	toWorld, aspect := s.Draws[0].Transform, float32(f.Width)/float32(f.Height)
	around := func(corners []mgl32.Vec3, by mgl32.Mat4) geometry.Box {
		box := geometry.BoxOf()
		for _, corner := range corners {
			box.Add(mgl32.TransformCoordinate(corner, by))
		}
		return box
	}
	toClip := renderer.FitCamera(around(corners, toWorld), aspect).ViewProj(aspect).Mul4(toWorld)
	for ; len(corners) >= 3; corners = corners[3:] {
		box := around(corners[:3], toClip)
		size := box.Max.Sub(box.Min)
		if pixels := float64(size[0]*size[1]) * float64(f.Width) * float64(f.Height) / 4; pixels > largest {
			largest = pixels
		}
	}
	return largest
}

// micros returns a frame's expected time in microseconds. It multiplies the costs that grow with the scene or picture by the
// number of multiprocessors of the device for which the costs hold, divided by this device's number.
func micros(c *renderer.Costs, parts []string, x renderer.Cost, multiprocessors int) (sum float64) {
	if c.Multiprocessors > 0 && multiprocessors > 0 {
		for _, growing := range []int{renderer.Draws, renderer.Pixels, renderer.Triangle, renderer.Sifted, renderer.Shading, renderer.Work} {
			x[growing] *= float64(c.Multiprocessors) / float64(multiprocessors)
		}
	}
	for _, part := range parts {
		sum += c.Parts[part].Of(x)
	}
	return sum
}

// unknownTo returns a function that reports whether the costs of a part are unknown.
func unknownTo(c *renderer.Costs) func(part string) bool {
	return func(part string) bool { _, known := c.Parts[part]; return !known }
}

// hosts are the raster hosts that auto may choose. Without a picture, and on uncalibrated CPUs and small GPUs, it may only
// choose the first.
var hosts = []renderer.RasterHost{renderer.HardwareRaster, renderer.ComputeRaster, renderer.FusedRaster}

// waysFor returns a candidate for each combination of the frame's open choices whose costs are known; none if
// nothing is open. If only one host is possible and its costs are unknown, the costs of the geometry stage decide.
// A strategy that the user named gets the geometry costs of claim if it has none.
func waysFor(f *renderer.Frame, l *renderer.Limits) (list []candidate) {
	c := costsOf(l)
	unknown := unknownTo(c)
	raster := []renderer.RasterHost{f.Raster}
	if f.Raster == renderer.AutoRaster {
		if raster = hosts; f.NoRaster || l.Costs == nil && l.Multiprocessors < leastMultiprocessors {
			raster = hosts[:1]
		}
	}
	strategies := []*reuse.Strategy{f.Reuse.Strategy}
	if f.Reuse.Auto {
		strategies = reuse.Strategies
	}
	if len(raster) == 1 && !f.Reuse.Auto {
		return nil
	}
	for _, host := range raster {
		for _, s := range strategies {
			one := candidate{frame: *f}
			one.frame.Raster = host
			if f.Reuse.Auto {
				var err error
				one.frame.Reuse, err = reuse.Params{FitBatch: true, Lanes: f.Reuse.Lanes}.Resolve(s.Name)
				if err != nil || f.Reuse.Streaming && s.WholeDraws {
					continue
				}
			}
			one.parts = Parts(&one.frame, l)
			if len(raster) == 1 && slices.ContainsFunc(one.parts, unknown) {
				one.parts = []string{"geometry:" + s.Name}
			}
			if !f.Reuse.Auto && host != renderer.FusedRaster && unknown("geometry:"+s.Name) {
				one.parts[0] = "geometry:claim"
			}
			if !slices.ContainsFunc(one.parts, unknown) {
				list = append(list, one)
			}
		}
	}
	return list
}

// instructionCycles is the cost, in cycles, of each computing instruction that a vertex shader has in
// addition to those of a transform. Memory reads are not counted; their cost is part of this number. The
// number was chosen so that our own skin and displace, written as a user's shaders, cost about what
// renderer.Frame.VertexCycles says.
const instructionCycles = 16

// transformInstructions is the number of instructions in a product with a matrix.
const transformInstructions = 8

// vertexCycles returns the cost of shading a vertex in addition to transforming it, in cycles. For
// a user's vertex shader it is estimated from its instructions: those of a function are counted per
// call, those of a loop once. Draws are weighted by their indices.
func vertexCycles(f *renderer.Frame) int {
	s := f.Shading
	if s == nil {
		return f.VertexCycles()
	}
	each := make([]float64, len(s.Programs))
	for i := range s.Programs {
		each[i] = instructionCycles * float64(max(0, instructions(s.Programs[i].Vertex)-transformInstructions))
	}
	sum, indices := 0.0, 0.0
	for i := range s.Draws {
		n := float64(f.Scene.Draws[i].IndexCount)
		if indices += n; s.Draws[i].Program >= 0 {
			sum += n * each[s.Draws[i].Program]
		}
	}
	return f.Load + int(sum/max(1, indices))
}

// computing lists the classes of the instructions that `instructions` counts, by the headings of the SPIR-V specification.
var computing = []module.Class{"Arithmetic", "Bit", "Conversion", "Extension", "Relational"}

// instructions counts a vertex shader's computing instructions, at most renderer.MaxLoad: those of a
// function for each call, those of a loop once.
func instructions(v *module.Vertex) int {
	counts := map[uint32]int{}
	// Functions may call later and earlier functions, so repeat as often as calls can be nested.
	for range v.Functions {
		for _, f := range v.Functions {
			n := 0
			for _, in := range f.Body {
				switch {
				case in.Op == module.OpFunctionCall:
					n += counts[in.At(2)]
				case slices.Contains(computing, in.Op.Class()):
					n++
				}
			}
			counts[f.ID] = min(n, renderer.MaxLoad)
		}
	}
	return counts[v.Entry.Function]
}
