package renderdoc

import (
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/replay"
)

// Frame is the result of reading a capture.
type Frame struct {
	*geometry.Scene
	Targets []replay.Target // by draw of the scene
	Aspects []float64       // by pass: width by height of its target

	Textures []Texture // by draw of the scene; nil if they were not wanted, or there are none
	Images   []Image
	blobs    *blobs
}

// targetState is the part of the state for target that both APIs have.
type targetState struct {
	viewport              viewport
	depthTest, depthWrite bool
	cull, front           string // the API's names
	colorless             bool   // whether no colours are written, as in a depth prepass
}

// target is a replay.Target in the API's terms.
type target struct {
	pass        int
	viewport    viewport
	depthWrites bool
	culls       string
	lowerLeft   bool // whether the viewport's y points up
	yUp         bool // whether clip space's y points up in a viewport whose y does
	fullDepth   bool // whether clip space has depths -w to w
	colorless   bool
}

type viewport struct{ x, y, width, height, near, far float64 }

func readViewport(e elem) viewport {
	n := func(name string) float64 { return e.get(name).float() }
	return viewport{n("x"), n("y"), n("width"), n("height"), n("minDepth"), n("maxDepth")}
}

// culled returns which triangles are not drawn, by their winding on the target.
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

// size is the width and height of a pass's target, taken from the largest extent of its draws'
// viewports.
type size struct{ width, height float64 }

// setTargets sets the frame's targets from those of the draws, scaled to whole targets.
func (f *Frame) setTargets(of []target) {
	numbers, sizes := map[int]int{}, []size{}
	for _, t := range of {
		n, known := numbers[t.pass]
		if !known {
			n = len(sizes)
			numbers[t.pass] = n
			sizes = append(sizes, size{})
		}
		v, s := t.viewport, &sizes[n]
		s.width, s.height = max(s.width, v.x, v.x+v.width), max(s.height, v.y, v.y+v.height)
	}
	for i, s := range sizes {
		if s.width <= 0 || s.height <= 0 {
			sizes[i] = size{1, 1}
		}
		f.Aspects = append(f.Aspects, sizes[i].width/sizes[i].height)
	}
	for _, t := range of {
		n := numbers[t.pass]
		f.Targets = append(f.Targets, replay.Target{Pass: n, Window: t.window(sizes[n]), DepthWrites: t.depthWrites, Culls: t.culls})
	}
}

// window maps clip space to that of the whole target, in Vulkan's conventions.
func (t *target) window(s size) replay.Window {
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
	return replay.Window{sx, ox, sy, oy, sz, oz}
}
