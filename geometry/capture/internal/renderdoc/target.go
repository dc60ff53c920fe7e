package renderdoc

import (
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/must"
)

// Frame is what a capture holds.
type Frame struct {
	*geometry.Scene

	// Where shaders were asked for:
	Targets []Target  // by draw of the scene
	Aspects []float64 // width by height of what each pass draws into
}

// Target is how a draw's clip space lies on what it draws into.
type Target struct {
	Pass        int        // of Frame.Aspects
	Window      [6]float64 // takes clip space to that of the whole target: see replay.Window
	DepthWrites bool
	Culls       string // triangles that are not drawn, as they are seen on the target: "", "cw", "ccw", "both"
}

// target is the same as the API has it.
type target struct {
	pass        int
	viewport    viewport
	depthWrites bool
	culls       string
	lowerLeft   bool // the viewport's y is up
	yUp         bool // clip space's y is up where the viewport's is
	fullDepth   bool // clip space has depths -w to w
}

type viewport struct{ x, y, width, height, near, far float64 }

// culled says which triangles are not drawn, as they are seen on the target.
func culled(front, back, frontIsCCW bool) string {
	switch {
	case front && back:
		return "both"
	case !front && !back:
		return ""
	case front == frontIsCCW:
		return "ccw"
	}
	return "cw"
}

// size is the width and height of a pass's target: what its draws' viewports reach to.
type size struct{ width, height float64 }

// targets are those of the draws, for whole targets.
func targets(of []target) (out []Target, aspects []float64) {
	numbers, sizes := map[int]int{}, []size{}
	for _, t := range of {
		n, known := numbers[t.pass]
		if !known {
			n = len(sizes)
			numbers[t.pass] = n
			sizes = append(sizes, size{})
		}
		v := t.viewport
		sizes[n] = size{max(sizes[n].width, v.x, v.x+v.width), max(sizes[n].height, v.y, v.y+v.height)}
	}
	for i := range sizes {
		if sizes[i].width <= 0 || sizes[i].height <= 0 {
			sizes[i] = size{1, 1}
		}
		aspects = append(aspects, sizes[i].width/sizes[i].height)
	}
	for _, t := range of {
		n := numbers[t.pass]
		out = append(out, Target{n, t.window(sizes[n]), t.depthWrites, t.culls})
	}
	return out, aspects
}

// window maps clip space to that of the whole target, with Vulkan's conventions.
func (t *target) window(s size) [6]float64 {
	v := t.viewport
	if v.width == 0 || v.height == 0 {
		v = viewport{0, 0, s.width, s.height, 0, 1}
	}
	sx, ox := v.width/s.width, (2*v.x+v.width)/s.width-1
	sy, oy := v.height/s.height, (2*v.y+v.height)/s.height-1
	sz, oz := v.far-v.near, v.near
	if t.lowerLeft {
		sy, oy = -sy, -oy
		if !t.yUp {
			sy = -sy
		}
	}
	if t.fullDepth {
		sz, oz = sz/2, oz+sz/2
	}
	return [6]float64{sx, ox, sy, oy, sz, oz}
}

// frame adds what is known of the targets.
func (r *runner) frame() *Frame {
	out := &Frame{Scene: r.scene}
	must.OK(r.budget.Memory(drawShadingBytes * int64(len(r.shading.targets))))
	out.Targets, out.Aspects = targets(r.shading.targets)
	return out
}
