package plan

import (
	"fmt"
	"slices"
	"sort"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// fusedSink is the sink of the fused rasterizer. The geometry pass holds shaded vertices in shared
// memory and draws small triangles at once, so there is no vertex queue. It lists the other
// triangles by size. The passes that draw these lists, and raster:resolve, read a triangle's corners
// from the index stream again. In a frame that sifts its triangles, raster:sifted draws and lists
// them.
//
// The lists and the vertices that claim spills share the queue budget. If the camera sees more
// large triangles than the lists hold, the frame overflows, and is planned again in chunks whose
// triangles all fit the lists. The same happens if it spills more vertices than a sample of its
// batches predicts.
type fusedSink struct{ queueSink }

const (
	fusedLists  = shaders.RasterClasses - 1 // all classes except small
	fusedBytes  = 4 * fusedLists            // bytes of all lists per triangle
	placedBytes = 12                        // bytes of a vertex that waits for its triangles: PlacedVertex

	leastSpilled = 1.0 / 64 // least share of the worst case: room for batches that differ from the sample
)

var toPixels = fusedSink{queueSink{kept{name: "fused"}}}

func (fusedSink) needs(f *renderer.Frame, l *renderer.Limits, n *Needs) {
	n.strategy(f, l, "fused/", placedBytes, true)
}

// share returns how much room lists and spilled vertices get, as a share of their worst case. If VertexShare
// is set, as after an overflow, the share is that. Otherwise it is the share of vertices that a sample spills, or 1
// if none can spill. What the lists need is unknown until they overflow.
func (fusedSink) share(p *planner) float64 {
	r := p.Frame.Reuse
	switch {
	case p.Frame.VertexShare != 0:
		return min(1, p.Frame.VertexShare)
	case p.kernel.spilled(r.Batch) == 0:
		return 1
	}
	// A sample shows which share of the vertices that can spill do spill.
	_, most := worstShare(p.Frame.Scene, r)
	most = min(1, most*shareMargin)
	return max(leastSpilled, float64(p.kernel.spilled(int(most*float64(r.Batch))))/float64(p.kernel.spilled(r.Batch)))
}

// even returns false where triangles are numbered by batch: the shaders compute the length of the last batch from
// positions in the stream.
func (s fusedSink) even(p *planner, chunk int) bool {
	return p.Numbered == 0 && s.queueSink.even(p, chunk)
}

func (s fusedSink) cutAll(p *planner) error {
	p.VertexShare = s.share(p)
	return s.cut(p)
}

// cut makes one chunk if the lists have not overflowed and the spilled vertices fit. Otherwise it makes
// so many chunks that VertexShare of each chunk's worst case fits.
func (fusedSink) cut(p *planner) error {
	f := &p.Frame
	if len(f.Scene.Draws) > 1 || f.Reuse.Batching != reuse.StaticBatching {
		p.Numbered = f.Reuse.Batch / 3
	}
	spilled := p.kernel.spilled(f.Reuse.Batch)
	room := min(f.QueueBudget, p.limits.MaxBufferBytes)
	if spilled > 0 {
		room /= 2
	}
	most := f.Scene.Triangles()
	if f.VertexShare != 0 {
		most = int(float64(room/fusedBytes) / p.VertexShare)
	}
	each := p.VertexShare * float64(spilled) / float64(f.Reuse.Batch/3) // vertices that a triangle spills
	if each > 0 {
		most = min(most, int(float64(room/placedBytes)/each))
	}
	for first := 0; first < len(p.Batches); {
		batches := p.Batches[first:]
		start := int(batches[0].FirstTriangle)
		end := func(i int) int { return int(batches[i].FirstTriangle) + int(batches[i].IndexCount)/3 }
		n := sort.Search(len(batches), func(i int) bool { return end(i)-start > most })
		if n == 0 || room < fusedBytes {
			return fmt.Errorf("queue budget of %s is too small: one batch of %d indices needs %s",
				bytesize.Text(f.QueueBudget), f.Reuse.Batch, bytesize.Text(int64(batches[0].IndexCount)/3*fusedBytes+int64(spilled)*placedBytes))
		}
		c := p.span(first, n)
		p.Chunks = append(p.Chunks, c)
		p.TriangleCapacity = max(p.TriangleCapacity, min(int(room/fusedBytes), c.TriangleCount))
		p.VertexCapacity = max(p.VertexCapacity, spilled, int(each*float64(c.TriangleCount)))
		first += n
	}
	return nil
}

// siftedWork is the least number of triangles per multiprocessor for which a frame sifts its triangles. It is two
// workgroups of raster:sifted, so that the remaining triangles still occupy the device.
const siftedWork = 2 * 32 * shaders.RasterSiftedLanes

// siftedDensity is the least number of triangles per pixel for which a frame sifts its triangles, so that few remain.
// Strategies without reuse take larger batches when they sift, and gain from 7 on: on an H200, sifting then makes
// frames of 5 to 29 million triangles take .71 to 1.02 times as long. With claim, at 14, the factor is .97 to 1.13.
func siftedDensity(s *reuse.Strategy) int {
	if s.Sifted != nil {
		return 7
	}
	return 16
}

// sifts reports whether the geometry pass draws nothing, but notes the triangles that may show
// something. The boxes of most triangles contain no pixel centre, as approximate positions of
// their corners show. raster:sifted positions the others exactly and draws them.
func (fusedSink) sifts(f *renderer.Frame, l *renderer.Limits) bool {
	n := f.Scene.Triangles()
	return drawsAll(f) && max(f.Width, f.Height) <= shaders.SiftedSide &&
		n >= siftedDensity(f.Reuse.Strategy)*f.Width*f.Height && n >= siftedWork*max(1, l.Multiprocessors)
}

// together reports whether the scene has so few triangles that TriangleLanes invocations draw each.
// Only one of them shades a given corner, so that shading counts stay the same. On an H200, frames of scenes
// in one draw take .64 to 1.04 times as long as with one invocation per triangle.
func (fusedSink) together(f *renderer.Frame, l *renderer.Limits) bool {
	return drawsAll(f) && f.Reuse.DrawsTogether(f.Scene.Triangles(), l.Multiprocessors)
}

// drawsAll reports whether triangles are drawn without a test for culling.
func drawsAll(f *renderer.Frame) bool { return !f.Cull }

// mayBeLarge reports whether the scene has so few triangles per pixel of the picture that many of them may be large.
func mayBeLarge(f *renderer.Frame) bool { return 64*f.Scene.Triangles() < f.Width*f.Height }

// sifts reports whether the plan's frame sifts: whether passes fill its buffer Sifted. It is called
// for each chunk, so it does not count the triangles of all draws, as the sink's sifts does.
func (p *planner) sifts() bool { return p.Buffers[p.ids[Sifted][0]].Filled == ByPasses }

func (s fusedSink) buffers(p *planner) {
	if s.sifts(&p.Frame, &p.limits) {
		last := p.numbers(len(p.Chunks) - 1)
		p.add(Sifted, ByPasses, p.geometryName(), "uint bits", (last.first+last.count)/32+len(p.Chunks), 4)
	} else {
		p.add(Sifted, ByNobody, "none", "uint bits", 0, 4)
	}
	if p.Frame.Reuse.Strategy.Spills {
		p.add(Spilled, ByPasses, p.geometryName(), "PlacedVertex", p.VertexCapacity, placedBytes)
	}
}

// passes returns the passes that shade a chunk's batches, and draw its small triangles or sift all
// its triangles.
func (s fusedSink) passes(p *planner, t target) (steps []step) {
	f := &p.Frame
	spec := p.geometrySpec(t, p.kernel.Subgroups())
	spec["MAX_GROUPS"], spec["VIEW"] = uint32(p.limits.MaxGroups), uint32(renderer.Counts) // the pass stores no attributes, whatever the view
	spec["ONE_DRAW"] = flag(p.Numbered == 0)
	p.TriangleLanes = 1
	if r := f.Reuse; s.together(f, &p.limits) && reuse.TriangleLanes*r.Batch <= 3*r.Workgroup {
		p.TriangleLanes = reuse.TriangleLanes
	}
	spec["SIFT"], spec["TRIANGLE_LANES"] = flag(p.sifts()), p.TriangleLanes
	spec = p.textureSpec(spec)
	for _, push := range p.slices(t.chunk) {
		x := touched{reads: except(withTextures(p.drops(), p.strategyBlocks()), Distances)} // the pass may write Distances
		if p.counting(t) {
			x.writes = append(x.writes, Counts)
		}
		if p.writesQueues(t) {
			x.writes = append(x.writes, QueueStates)
			if f.Reuse.Strategy.Spills {
				x.writes = append(x.writes, Spilled)
			}
		}
		if !t.ahead && p.sifts() {
			x.updates = []Block{Sifted}
		} else if !t.ahead {
			x.writes = append(x.writes, RasterLists, RasterTriangles)
			x.updates = []Block{Visible, TileMarks}
		}
		p.cullDrawn(t, &x, spec)
		steps = append(steps, step{p.batchPass(t, "fused", push, spec, x)})
	}
	return steps
}

// fusedRaster is the compute rasterizer after a geometry pass that draws small triangles and
// lists the others, or that sifts all triangles.
type fusedRaster struct{ computeRaster }

// newFusedRaster returns the rasterizer after the pass with the given name, which draws small triangles.
func newFusedRaster(after string) fusedRaster {
	return fusedRaster{computeRaster{byCompute.host, after, fusedLists}}
}

func (r fusedRaster) cleared(p *planner) []Block {
	blocks := r.computeRaster.cleared(p)
	if p.sifts() {
		blocks = append(blocks, Sifted)
	}
	return blocks
}

// fits checks that the triangles' numbers fit the visibility buffer (numbersFit). Dispatches are sized for the lists,
// which the queue budget bounds.
func (fusedRaster) fits(p *planner) error {
	return numbersFit(p.BatchCount, p.Numbered)
}

// drawSpec returns the specialization of a pass that draws numbered triangles, added to its own.
func (p *planner) drawSpec(own map[string]uint32) map[string]uint32 {
	own["MAX_GROUPS"], own["ONE_DRAW"] = uint32(p.limits.MaxGroups), flag(p.Numbered == 0)
	return p.textureSpec(p.vertexSpec(own))
}

// passes returns the passes that draw a chunk's listed triangles, and colour the visible pixels. If the frame sifts its
// triangles, the first pass is raster:sifted, which draws the small triangles and lists the others.
func (fusedRaster) passes(p *planner, t target) []step {
	c := &p.Chunks[t.chunk]
	spec := p.drawSpec(map[string]uint32{})
	if p.Numbered > 0 { // otherwise no pass looks for a triangle's batch, and strategies share pipelines
		spec["BATCH"] = p.largestBatch()
	}
	var steps []step
	if p.sifts() {
		steps = append(steps, step{p.shadingPass(t, "raster:sifted", "raster/sifted-fused", spec, p.groupsOf(p.numbers(t.chunk).count, 32*shaders.RasterSiftedLanes), touched{
			reads:   withTextures(p.drops(), slices.Concat(shadingBlocks, []Block{Sifted})),
			writes:  []Block{QueueStates, RasterLists, RasterTriangles},
			updates: []Block{Visible, TileMarks},
		})})
	}
	listed := Chunk{TriangleCount: min(c.TriangleCount, p.TriangleCapacity)}
	var lists step
	for _, list := range drawnLists[1:] { // small triangles are drawn already
		lists = append(lists, p.indirect(t, list, p.shadingPass(t, "raster:"+rasterLists[list], "raster/"+p.listShader(list)+"-fused", spec, p.listGroups(list, &listed), touched{
			reads:   withTextures(p.drops(), slices.Concat(shadingBlocks, []Block{RasterLists, RasterTriangles})),
			updates: []Block{Visible, TileMarks},
		})))
	}
	if p.Frame.View == renderer.Batches {
		spec = withSpec(spec, "BATCH", p.largestBatch())
	}
	resolve := p.shadingPass(t, resolveName, "raster/resolve-fused", p.resolveSpec(t, spec), p.resolveGroups(), touched{
		reads:  withTextures(p.showsTextures(), p.shown(slices.Concat(shadingBlocks, []Block{TileMarks, RasterLists})...)),
		writes: []Block{PictureColor, Visible},
	})
	return append(steps, lists, step{resolve})
}
