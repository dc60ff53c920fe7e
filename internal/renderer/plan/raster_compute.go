package plan

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"

	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// computeRaster draws with compute shaders. For each chunk, raster:setup sorts the triangles into lists
// by size, and sets the size of each list's dispatch. One pass per list then draws into the visibility
// buffer, which all chunks share. At last raster:resolve colours the chunk's pixels, while its vertices
// are still in the queues.
//
// The lists hold every triangle of the chunk at most once, so they cannot overflow, whatever the
// camera sees: a clipped triangle is clipped in the pass that draws it.
type computeRaster struct {
	host
	lists  string // the pass that fills the lists
	places int    // entries of all lists per triangle
}

// rasterLists names the passes that draw, by list.
var rasterLists = [shaders.RasterClasses]string{
	shaders.ListSmall: "small", shaders.ListMedium: "medium", shaders.ListLarge: "large", shaders.ListTiled: "tiled", shaders.ListClipped: "clipped",
}

// drawnLists are the lists in the order of their passes, which may overlap. Lists that have triangles in most scenes
// come first, since a dispatch without work delays the next; the fused host has no pass for the first. A clipped triangle takes
// longer than a tiled one.
var drawnLists = [shaders.RasterClasses]int{shaders.ListSmall, shaders.ListMedium, shaders.ListLarge, shaders.ListClipped, shaders.ListTiled}

const (
	narrowSuffix  = "-narrow"
	wideAtomics   = "Int64Atomics"
	doubles       = "Float64"
	visibleBytes  = 8  // depth and triangle
	indirectBytes = 16 // a RasterList, which begins with the arguments of a dispatch
	rasterPlaces  = 3  // entries of all lists per triangle
	resolveName   = "raster:resolve"
)

var byCompute = computeRaster{host{name: "compute", backend: "gpu", draws: true, visible: true, leaves: true}, "raster:setup", rasterPlaces}

func (r computeRaster) needs(f *renderer.Frame, l *renderer.Limits, n *Needs) {
	r.host.needs(f, l, n)
	n.Shaders = append(n.Shaders, "raster/setup")
	if !narrows(f, l) {
		n.Shaders = append(n.Shaders, "raster/small")
	}
}

// narrows reports whether the frame's visibility buffer must do without 64-bit atomics.
func narrows(f *renderer.Frame, l *renderer.Limits) bool {
	return f.NarrowAtomics || slices.Contains(l.Missing, wideAtomics)
}

// listShader returns the shader of the pass that draws a list, by compute. Triangles are clipped in doubles, which the shader
// computes with integers if the device has none.
func (p *planner) listShader(list int) string {
	if list == shaders.ListClipped && !p.Narrow && !slices.Contains(p.limits.Missing, doubles) {
		return "clipped-doubles"
	}
	return rasterLists[list]
}

// visible returns the blocks of the visibility buffer.
func (p *planner) visible() []Block {
	if p.Narrow {
		return []Block{VisibleDepths, VisibleTriangles, VisibleBefore}
	}
	return []Block{Visible}
}

func (r computeRaster) buffers(p *planner) {
	p.Narrow = narrows(&p.Frame, &p.limits)
	pixels := p.Frame.Width * p.Frame.Height
	p.add(RasterLists, p.Buffers[p.ids[QueueStates][0]].Filled, r.lists, "RasterList", len(p.Chunks)*shaders.RasterLists, shaders.RasterListSize).Usage = Commands
	p.add(RasterTriangles, ByPasses, r.lists, "uint triangle", r.places*p.TriangleCapacity, 4)
	if p.Narrow {
		p.add(VisibleDepths, ByPasses, "raster:small", "uint depth", pixels, 4)
		p.add(VisibleTriangles, ByPasses, "raster:small", "uint triangle", pixels, 4)
		p.add(VisibleBefore, ByPasses, resolveName, "uint depth", pixels, 4)
	} else {
		p.add(Visible, ByPasses, "raster:small", "uint64 depth, triangle", pixels, visibleBytes)
	}
	p.add(TileMarks, ByPasses, "raster:small", "uint chunk", p.tiles(shaders.RasterTile), 4)
	p.add(PictureColor, ByPasses, resolveName, "RGBA8", pixels, 4)
}

func (computeRaster) cleared(p *planner) []Block {
	return append([]Block{RasterLists, TileMarks}, p.visible()...)
}

func (computeRaster) passes(p *planner, t target) []step {
	c := &p.Chunks[t.chunk]
	spec := p.textureSpec(map[string]uint32{"QUEUE": uint32(p.Frame.Queue), "CORNERS": flag(p.Cornered()), "MAX_GROUPS": uint32(p.limits.MaxGroups)})
	queue := []Block{VertexPositions, Triangles, Corners}
	visible := p.visible()
	pass := func(name, shader string, spec map[string]uint32, groups [2]uint32, x touched) Pass {
		pass := p.dispatch(t, "raster:"+name, "raster/"+shader, spec, groups, x)
		pass.Op.(*Dispatch).Raster = p.rasterPush(t.chunk)
		return pass
	}
	steps := []step{{pass("setup", "setup", spec, p.groupsOf(c.TriangleCount, shaders.RasterSetupLanes), touched{
		reads: slices.Concat(queue, []Block{QueueStates}), writes: []Block{RasterLists, RasterTriangles},
	})}}
	stages, suffix := 1, ""
	if p.Narrow {
		stages, suffix = 2, narrowSuffix
	}
	for stage := range stages {
		staged := withSpec(spec, "STAGE", uint32(stage))
		var lists step
		for _, list := range drawnLists {
			lists = append(lists, p.indirect(t, list, pass(rasterLists[list], p.listShader(list)+suffix, staged, p.listGroups(list, c), touched{
				reads:   withTextures(p.drops(), slices.Concat(queue, []Block{RasterLists, RasterTriangles}, slices.Delete(slices.Clone(visible), stage, stage+1))),
				updates: []Block{visible[stage], TileMarks},
			})))
		}
		steps = append(steps, lists)
	}
	return append(steps, step{pass("resolve", "resolve"+suffix, p.resolveSpec(t, spec), p.resolveGroups(), touched{
		reads:  withTextures(p.showsTextures(), p.shown(slices.Concat(queue, []Block{VertexAttributes, TileMarks, RasterLists, Cameras})...)),
		writes: append([]Block{PictureColor}, visible...),
	})})
}

// indirect makes a pass take its number of workgroups from one of the chunk's lists.
func (p *planner) indirect(t target, list int, pass Pass) Pass {
	pass.Rare = p.Lean && list != shaders.ListSmall
	pass.Op.(*Dispatch).Indirect = &Indirect{p.buffer(RasterLists, t), int64(t.chunk*shaders.RasterLists+list) * indirectBytes}
	return pass
}

// resolveSpec returns the specialization of raster:resolve.
func (p *planner) resolveSpec(t target, spec map[string]uint32) map[string]uint32 {
	look := p.lookSpec(spec)
	background := p.Frame.Look.BackgroundColor()
	look["LEAN"] = flag(p.Lean)
	look["FIRST"], look["BACKGROUND"] = flag(t.chunk == 0), binary.LittleEndian.Uint32([]byte{background.R, background.G, background.B, background.A})
	return look
}

// resolveGroups returns the number of workgroups that raster:resolve needs for all tiles.
func (p *planner) resolveGroups() [2]uint32 {
	return p.groups(p.tiles(shaders.RasterTile) * shaders.RasterTile * shaders.RasterTile / shaders.RasterResolveLanes)
}

// rasterPush returns the push constants of shaders that set up a chunk's triangles.
func (p *planner) rasterPush(chunk int) *shaders.RasterPush {
	f, c := &p.Frame, &p.Chunks[chunk]
	return &shaders.RasterPush{
		Chunk: uint32(chunk), FirstTriangle: uint32(c.FirstTriangle), TriangleCount: uint32(c.TriangleCount),
		Width: uint32(f.Width), Height: uint32(f.Height), FirstBatch: uint32(c.FirstBatch), BatchCount: uint32(c.BatchCount),
	}
}

// listGroups returns the most workgroups that drawing a list needs.
func (p *planner) listGroups(list int, c *Chunk) [2]uint32 {
	switch list {
	case shaders.ListSmall:
		return p.groupsOf(c.TriangleCount, shaders.RasterWorkgroup)
	case shaders.ListMedium:
		return p.groupsOf(c.TriangleCount, 1)
	case shaders.ListLarge:
		return p.groups(c.TriangleCount * shaders.RasterPieces)
	case shaders.ListTiled:
		return p.groups(p.tileGroups(c, shaders.RasterTile))
	}
	return p.groups(p.tileGroups(c, shaders.RasterClippedTile))
}

// fits returns an error for chunks that need more workgroups than a two-dimensional dispatch can
// have.
func (computeRaster) fits(p *planner) error {
	most := min(int64(p.limits.MaxGroups)*int64(p.limits.MaxGroups), math.MaxUint32)
	for i := range p.Chunks {
		c := &p.Chunks[i]
		if need := max(p.tileGroups(c, shaders.RasterTile), c.TriangleCount*shaders.RasterPieces); int64(need) > most {
			return fmt.Errorf("%d triangles per chunk at %dx%d pixels may need %d workgroups, the device runs %d: a smaller --queue-budget helps",
				c.TriangleCount, p.Frame.Width, p.Frame.Height, need, most)
		}
	}
	return nil
}

// tileGroups returns the number of workgroups that draw a chunk by tiles of `side` x `side` pixels, if all its triangles
// are in one list.
func (p *planner) tileGroups(c *Chunk, side int) int {
	return max(1, (c.TriangleCount+shaders.RasterSegment-1)/shaders.RasterSegment) * p.tiles(side)
}

// tiles returns how many tiles of `side` x `side` pixels the picture has.
func (p *planner) tiles(side int) int {
	across := func(n int) int { return (n + side - 1) / side }
	return across(p.Frame.Width) * across(p.Frame.Height)
}

// withSpec returns a specialization with one more value.
func withSpec(spec map[string]uint32, name string, value uint32) map[string]uint32 {
	out := maps.Clone(spec)
	out[name] = value
	return out
}

// DepthsOf returns Output.Depth of n pixels from the visibility buffer, which holds complements. It
// keeps the leading 24 bits, so that a depth less than 1 stays less than 1.
func DepthsOf(n int, nearness func(pixel int) uint32) []float32 {
	out := make([]float32, n)
	for i := range out {
		depth := shaders.FarDepth - nearness(i)
		drop := max(bits.Len32(depth)-24, 0)
		out[i] = float32(depth>>drop<<drop) / shaders.FarDepth
	}
	return out
}

// shown adds Counts to blocks if the view shows counts.
func (p *planner) shown(blocks ...Block) []Block {
	if p.Frame.View == renderer.Counts {
		return append(blocks, Counts)
	}
	return blocks
}
