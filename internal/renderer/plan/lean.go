package plan

import (
	"slices"
	"unsafe"

	"github.com/shadeonce/shadeonce/internal/shaders"
)

// Before the geometry pass of a lean frame, only counts are cleared, and camera:clips runs only for many draws. The
// host writes the initial contents of small buffers directly to device memory, and raster:resolve leaves the
// visibility buffer as the next frame needs it. In most frames all drawn triangles are small, so the passes that draw
// lists of other triangles can be left out.

// leanDraws is the largest number of draws whose transforms the host multiplies with the camera, at
// 20 ns each. For more draws camera:clips does it.
const leanDraws = 64

// Blocks that must be zero when a lean frame begins. The frame leaves LeftZero zero, and the host clears HostCleared.
var (
	LeftZero    = []Block{Visible, TileMarks, Sifted}
	HostCleared = []Block{QueueStates, RasterLists}
)

// leans reports whether the frame can be lean.
func (p *planner) leans() bool {
	f := &p.Frame
	return p.plugs.raster.about().leaves && p.limits.Shared && len(p.Chunks) == 1 && p.plugs.residency.keeps() && p.cullCleared() == nil && !narrows(f, &p.limits)
}

// The most pixels in the box of a triangle that one lane of the fused pass draws, in scenes of one
// draw; the pass lists larger triangles. MostAtOnce is fastest if it leaves the lists empty, since
// the passes that draw lists are then left out. If some triangles are listed nevertheless, FewAtOnce
// is faster, since lanes that draw many pixels keep others waiting. Scenes of several draws use
// the shaders' FUSED_PIXELS, since some of their draws have few triangles and some many.
const (
	MostAtOnce = 256
	FewAtOnce  = 64
)

// FillSole copies the data of a plan's only draw into the camera's data, where the shaders of such a plan read them.
func (p *Plan) FillSole(c *shaders.Camera) {
	f := &p.Frame
	draw, clip := &DrawData(f, f.Scene, f.Marks)[0], [1][16]float32{}
	ClipData(clip[:], *c, f.Scene.Draws, f.Marks)
	c.Clip, c.NormalRows, c.Color = clip[0], draw.NormalRows, draw.Color
	c.VertexOffset, c.CountOffset, c.Flags = draw.VertexOffset, draw.CountOffset, draw.Flags
	c.AtOnce = p.AtOnce(!mayBeLarge(f))
}

// AtOnce returns the most pixels in the box of a triangle that the fused pass draws itself. If `many` is set, these
// are MostAtOnce for each invocation that draws the triangle. Otherwise they are FewAtOnce, whatever the number of
// invocations, since many triangles are listed then.
func (p *Plan) AtOnce(many bool) uint32 {
	if many {
		return MostAtOnce * max(1, p.TriangleLanes)
	}
	return FewAtOnce
}

// Short returns the passes of a lean plan without the passes that draw lists. If lists have triangles afterwards
// (GroupsX of ListState is set), the passes of Rest must follow. raster:resolve has kept the visibility buffer for
// them: it resets the buffer only if the lists are empty or GroupsY says that passes draw them. The host sets
// GroupsY before the passes of the whole plan and of Rest.
func (p *Plan) Short() []Pass {
	return slices.DeleteFunc(slices.Clone(p.Passes), func(pass Pass) bool { return pass.Rare })
}

// Rest returns the passes that Short leaves out, and the last pass.
func (p *Plan) Rest() []Pass {
	rest := slices.Clone(p.Passes[slices.IndexFunc(p.Passes, func(pass Pass) bool { return pass.Rare }):])
	rest[0].Beside = false // it begins a step: raster:small, beside which it ran, is among the passes of Short
	return rest
}

// ListState returns the entry of one chunk's RasterLists that follows the lists. It says whether any of
// them has triangles (see Short).
func ListState(lists []byte) *shaders.RasterList {
	return (*shaders.RasterList)(unsafe.Pointer(&lists[shaders.RasterClasses*shaders.RasterListSize]))
}
