package plan

import (
	"slices"
	"sort"

	"github.com/shadeonce/shadeonce/geometry"
)

// windowed are the buffers that hold a window.
func (p *planner) windowed() []Block {
	if p.Gathered {
		return slices.Concat(poolBuffers, windowBuffers)
	}
	return windowBuffers
}

func (p *planner) drawCount() int {
	if p.Windowed() {
		return p.windowMost.draws
	}
	return len(p.Frame.Scene.Draws)
}

// batchNumber is the number in the stream of the first of the batches that a chunk
// counts its own from.
func (p *planner) batchNumber(chunk int) uint32 {
	w := sort.Search(len(p.Windows), func(i int) bool { return p.Windows[i].chunks[1] > chunk })
	if w == len(p.Windows) {
		return 0
	}
	return uint32(p.Windows[w].FirstBatch)
}

// sample is the scene as the shaders will see its ids, or a part of it.
func (p *planner) sample() *geometry.Scene {
	if !p.Gathered {
		return p.Frame.Scene
	}
	var d WindowData
	d.Fill(p.Plan, 0)
	return d.Scene
}
