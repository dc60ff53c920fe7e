package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/shaders"
)

// The compute rasterizer's passes. For each chunk raster:setup sorts its
// triangles into lists by size and makes dispatches of them, a pass a
// list draws into the visibility buffer, which all chunks share, and
// raster:resolve colours what this chunk is seen of while its queues are there.
//
// The lists hold every triangle of the chunk once at most, so that they cannot
// overflow whatever the camera sees; what is clipped is clipped where it is drawn.

// rasterLists names the passes that draw, by list.
var rasterLists = [shaders.RasterClasses]string{
	shaders.ListSmall: "small", shaders.ListMedium: "medium", shaders.ListLarge: "large", shaders.ListClipped: "clipped",
}

const (
	narrowSuffix   = "-narrow"
	wideAtomics    = "Int64Atomics"
	visibleBytes   = 8  // depth and triangle
	indirectBytes  = 16 // RasterList: where the next one is
	rasterPlaces   = 2  // a triangle, over all lists
	resolveName    = "raster:resolve"
	visibleBuffer  = "Visible"
	tileMarks      = "TileMarks"
	rasterListName = "RasterLists"
)

// computes says whether the compute rasterizer draws the plan.
func (p *Plan) computes() bool { return p.Frame.Raster == renderer.ComputeRaster && !p.Frame.NoRaster }

// Narrow says whether the visibility buffer does without 64-bit atomics.
func (p *Plan) Narrow() bool { return p.Buffer("VisibleDepths") != nil }

func (p *Plan) narrow(l renderer.Limits) bool {
	return p.Frame.NarrowAtomics || slices.Contains(l.Missing, wideAtomics)
}

// visibleBuffers are those of the visibility buffer.
func (p *Plan) visibleBuffers(l renderer.Limits) []string {
	if p.narrow(l) {
		return []string{"VisibleDepths", "VisibleTriangles", "VisibleBefore"}
	}
	return []string{visibleBuffer}
}

// visibleUpdates are those that a stage draws to.
func (p *Plan) visibleUpdates(stage int, l renderer.Limits) []string {
	return p.visibleBuffers(l)[stage : stage+1]
}

// visibleReads are those that a stage leaves as they are.
func (p *Plan) visibleReads(stage int, l renderer.Limits) []string {
	return slices.Delete(p.visibleBuffers(l), stage, stage+1)
}

// rasterBuffers adds what the compute rasterizer keeps.
func (p *Plan) rasterBuffers(l renderer.Limits) {
	add := p.addBuffer
	if !p.computes() {
		return
	}
	pixels := p.Frame.Width * p.Frame.Height
	add(rasterListName, "raster:setup", "RasterList", len(p.Chunks)*shaders.RasterLists, shaders.RasterListSize)
	add("RasterTriangles", "raster:setup", "uint triangle", rasterPlaces*p.TriangleCapacity, 4)
	if p.narrow(l) {
		add("VisibleDepths", "raster:small", "uint depth", pixels, 4)
		add("VisibleTriangles", "raster:small", "uint triangle", pixels, 4)
		add("VisibleBefore", resolveName, "uint depth", pixels, 4)
	} else {
		add(visibleBuffer, "raster:small", "uint64 depth, triangle", pixels, visibleBytes)
	}
	add(tileMarks, "raster:small", "uint chunk", p.tiles(), 4)
	add("PictureColor", resolveName, "RGBA8", pixels, 4)
	add("PictureDepth", resolveName, "float depth", pixels, 4)
}

// clearNames are the buffers that a frame begins with at zero; counted says that
// Counts holds the counts of the scene.
func (p *Plan) clearNames(counted bool, l renderer.Limits) []string {
	names := []string{"Counts", "QueueStates"}
	if counted || p.Frame.Shown != nil {
		names = names[1:] // Counts holds what is shown
	}
	if p.computes() {
		names = append(append(names, rasterListName, tileMarks), p.visibleBuffers(l)...)
	}
	return p.withHalves(append(names, p.cullClears()...))
}

// addComputeRaster draws a chunk.
func (p *Plan) addComputeRaster(chunk int, l renderer.Limits) {
	f, c := &p.Frame, &p.Chunks[chunk]
	spec := map[string]uint32{"QUEUE": uint32(f.Queue), "CORNERS": flag(f.Reuse.Strategy.WholeDraws), "MAX_GROUPS": uint32(l.MaxGroups)}
	queue := []string{"VertexPositions", "Triangles", "Corners"}
	visible := p.visibleBuffers(l)
	add := func(name, shader string, pass Pass) {
		pass.Name, pass.Kind, pass.Shaders, pass.Push = "raster:"+name, Dispatch, []string{"raster/" + shader}, p.push(chunk)
		pass.Raster = &shaders.RasterPush{
			Chunk: uint32(chunk), FirstTriangle: uint32(c.FirstTriangle), TriangleCount: uint32(c.TriangleCount),
			Width: uint32(f.Width), Height: uint32(f.Height),
		}
		if pass.Spec == nil {
			pass.Spec = spec
		}
		p.Passes = append(p.Passes, pass)
	}
	add("setup", "setup", Pass{
		Groups: groups(max(1, (c.TriangleCount+shaders.RasterSetupLanes-1)/shaders.RasterSetupLanes), l), Reads: append(slices.Clone(queue), "QueueStates"), Writes: []string{rasterListName, "RasterTriangles"},
	})
	stages, suffix := 1, ""
	if p.narrow(l) {
		stages, suffix = 2, narrowSuffix
	}
	for stage := range stages {
		staged := withSpec(spec, "STAGE", uint32(stage))
		for list, name := range rasterLists {
			add(name, name+suffix, Pass{
				Spec: staged, Groups: p.listGroups(list, c, l), Indirect: rasterListName,
				IndirectOffset: int64(chunk*shaders.RasterLists+list) * indirectBytes,
				Reads:          append(append(slices.Clone(queue), rasterListName, "RasterTriangles"), p.visibleReads(stage, l)...),
				Updates:        append(p.visibleUpdates(stage, l), tileMarks), Beside: list > 0,
			})
		}
	}
	resolve := p.heatSpec(withSpec(spec, "VIEW", uint32(f.View)))
	resolve["FIRST"], resolve["BACKGROUND"] = flag(chunk == 0), backgroundRGBA8()
	add("resolve", "resolve"+suffix, Pass{
		Spec: resolve, Groups: groups(p.tiles()*shaders.RasterTile*shaders.RasterTile/shaders.RasterResolveLanes, l),
		Reads:  append(append(slices.Clone(queue), "VertexAttributes", "Counts", tileMarks), visible...),
		Writes: append([]string{"PictureColor", "PictureDepth"}, visible...),
	})
}

// listGroups is what drawing a list needs at most.
func (p *Plan) listGroups(list int, c *Chunk, l renderer.Limits) [2]uint32 {
	switch list {
	case shaders.ListSmall:
		return groups(max(1, (c.TriangleCount+shaders.RasterWorkgroup-1)/shaders.RasterWorkgroup), l)
	case shaders.ListMedium:
		return groups(max(1, c.TriangleCount), l)
	}
	return groups(p.tileGroups(c), l)
}

// checkRaster refuses what would need more workgroups than a dispatch of two
// dimensions can have.
func (p *Plan) checkRaster(l renderer.Limits) error {
	if !p.computes() {
		return nil
	}
	most := min(int64(l.MaxGroups)*int64(l.MaxGroups), math.MaxUint32)
	for i := range p.Chunks {
		if need := p.tileGroups(&p.Chunks[i]); int64(need) > most {
			return fmt.Errorf("renderer: %d triangles a chunk at %dx%d pixels may need %d workgroups, the device runs %d: a smaller --queue-budget helps",
				p.Chunks[i].TriangleCount, p.Frame.Width, p.Frame.Height, need, most)
		}
	}
	return nil
}

// tileGroups is the workgroups where every triangle of a chunk is large.
func (p *Plan) tileGroups(c *Chunk) int {
	segments := max(1, (c.TriangleCount+shaders.RasterSegment-1)/shaders.RasterSegment)
	return segments * p.tiles()
}

// tiles is how many tiles the picture has.
func (p *Plan) tiles() int {
	across := func(n int) int { return (n + shaders.RasterTile - 1) / shaders.RasterTile }
	return across(p.Frame.Width) * across(p.Frame.Height)
}

// withSpec is a specialization with one value more.
func withSpec(spec map[string]uint32, name string, value uint32) map[string]uint32 {
	out := map[string]uint32{name: value}
	for k, v := range spec {
		out[k] = v
	}
	return out
}

// backgroundRGBA8 is the background as a picture stores it.
func backgroundRGBA8() uint32 {
	word := uint32(255) << 24
	for i, c := range picture.Background {
		word |= uint32(c*255+0.5) << (8 * i)
	}
	return word
}

// VisibleTriangles decodes the visibility buffer's lower half: see Output.Visible.
func (p *Plan) VisibleTriangles(words []uint64) []uint32 {
	out := make([]uint32, len(words))
	for i, w := range words {
		if w != 0 {
			out[i] = ^uint32(w) + 1
		}
	}
	return out
}

// VisibleTrianglesNarrow decodes VisibleTriangles: a chunk's words begin past its
// first triangle and fall with the triangle's number.
func (p *Plan) VisibleTrianglesNarrow(words []uint32) []uint32 {
	out := make([]uint32, len(words))
	for i, w := range words {
		if w == 0 {
			continue
		}
		k, _ := slices.BinarySearchFunc(p.Chunks, int(w), func(c Chunk, w int) int { return c.FirstTriangle + c.TriangleCount - w })
		c := p.Chunks[k]
		out[i] = uint32(2*c.FirstTriangle+c.TriangleCount-int(w)) + 1
	}
	return out
}
