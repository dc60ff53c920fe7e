package plan

import (
	"maps"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/renderer"
)

// Where a scene takes several chunks the queues exist twice, and a chunk's
// geometry fills the one half while the chunk before is drawn from the other.
// Passes say so by steps: those of one step may run at the same time, and none
// touches what another of them writes.

// SecondHalf ends the names of the buffers that odd chunks use.
const SecondHalf = "#2"

// The buffers of which each half has one.
var halvedBuffers = []string{"VertexPositions", "VertexAttributes", "Triangles", "Corners", "QueueStates", rasterListName, "RasterTriangles"}

// What a pass binds in place of Counts that it neither keeps nor shows, so that
// it need not wait for those who do.
const (
	countsUnwritten = "CountsUnwritten"
	countsUnread    = "CountsUnread"
)

// chunkPasses is where a chunk's passes are in Plan.Passes: those of the geometry
// stage, then those that draw.
type chunkPasses struct{ geometry, raster, end int }

// Half is the half of the queues that a chunk uses, 0 or 1.
func (p *Plan) Half(chunk int) int { return chunk % p.Halves }

// HalfName is the name of a buffer's copy in a half.
func HalfName(buffer string, half int) string {
	if half == 0 {
		return buffer
	}
	return buffer + SecondHalf
}

// withHalves adds the second copies of buffers.
func (p *Plan) withHalves(names []string) []string {
	for _, name := range names {
		if p.Buffer(HalfName(name, 1)) != nil {
			names = append(names, HalfName(name, 1))
		}
	}
	return names
}

// double adds second copies of the buffers that the plan has of these.
func (p *Plan) double(names []string) {
	for _, name := range names {
		if b := p.Buffer(name); b != nil {
			second := *b
			second.Name = HalfName(name, 1)
			p.Buffers = append(p.Buffers, second)
		}
	}
}

// doubleBuffers adds the second halves.
func (p *Plan) doubleBuffers() {
	if p.Halves < 2 {
		return
	}
	p.double(halvedBuffers)
	p.addBuffer(countsUnwritten, "none", "uint", 0, 4)
	p.addBuffer(countsUnread, "none", "uint", 0, 4)
}

// bindHalf makes the passes of a chunk work on its half.
func (p *Plan) bindHalf(chunk int, passes []Pass) {
	if p.Halves < 2 {
		return
	}
	for i := range passes {
		pass := &passes[i]
		if pass.Kind == Clear {
			continue
		}
		bind := map[string]string{}
		if p.Half(chunk) > 0 {
			bind = secondCopies(halvedBuffers)
		}
		switch {
		case slices.Contains(pass.Writes, "Counts") && (pass.Spec["COUNT"] == 0 || onlyPlaces(pass)):
			bind["Counts"] = countsUnwritten
		case slices.Contains(pass.Reads, "Counts") && p.Frame.View != renderer.Counts:
			bind["Counts"] = countsUnread
		}
		pass.rebind(bind)
	}
}

// secondCopies bind second copies of buffers.
func secondCopies(names []string) map[string]string {
	bind := make(map[string]string, len(names))
	for _, name := range names {
		bind[name] = HalfName(name, 1)
	}
	return bind
}

// onlyPlaces says whether a pass is a strategy's that culling follows: it counts no vertex.
func onlyPlaces(pass *Pass) bool {
	return pass.Spec["CULL"] != 0 && strings.HasPrefix(pass.Shaders[0], "geometry/")
}

// Bound is the buffer that a pass finds under a block's name.
func (pass *Pass) Bound(block string) string {
	if other, ok := pass.Bind[block]; ok {
		return other
	}
	return block
}

// rebind gives a pass other buffers. What it was given before stays.
func (pass *Pass) rebind(bind map[string]string) {
	maps.Copy(bind, pass.Bind)
	pass.Bind = bind
	pass.Reads, pass.Writes, pass.Updates = pass.bound(pass.Reads), pass.bound(pass.Writes), pass.bound(pass.Updates)
	pass.Indirect = pass.Bound(pass.Indirect)
}

func (pass *Pass) bound(names []string) []string {
	out := slices.Clone(names)
	for i, name := range out {
		out[i] = pass.Bound(name)
	}
	return out
}

// overlap orders the passes from start on by steps. A chunk's geometry begins beside the first
// pass that draws the chunk before, and that chunk's last pass runs beside the first
// that draws the new one.
func (p *Plan) overlap(start int, chunks []chunkPasses) {
	if p.Halves < 2 {
		return
	}
	steps := make([]int, len(p.Passes)) // those of earlier passes stay 0
	// assign gives passes their steps, from one on, and returns the last.
	assign := func(step, first, end int) int {
		for i := first; i < end; i++ {
			if i > first && !p.Passes[i].Beside {
				step++
			}
			steps[i] = step
		}
		return step
	}
	step := assign(1, chunks[0].geometry, chunks[0].raster) + 1
	for i, c := range chunks {
		last := assign(step, c.raster, c.end)
		if i+1 == len(chunks) {
			break
		}
		next := chunks[i+1]
		draws := slices.IndexFunc(p.Passes[c.raster:c.end], func(pass Pass) bool { return pass.Kind == Raster || pass.Indirect != "" })
		filled := assign(steps[c.raster+draws], next.geometry, next.raster)
		step = max(last, filled+1)
	}
	order := make([]int, len(steps)-start)
	for i := range order {
		order[i] = start + i
	}
	slices.SortStableFunc(order, func(a, b int) int { return steps[a] - steps[b] })
	sorted := make([]Pass, len(order))
	for i, from := range order {
		sorted[i] = p.Passes[from]
		sorted[i].Beside = i > 0 && steps[from] == steps[order[i-1]]
	}
	copy(p.Passes[start:], sorted)
}
