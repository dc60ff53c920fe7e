package plan

import (
	"slices"
	"sort"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

// chunksOf are the chunks of a window, from first to before end.
func (p *Plan) chunksOf(window int) (first, end int) {
	if !p.Windowed() {
		return 0, len(p.Chunks)
	}
	return p.Windows[window].chunks[0], p.Windows[window].chunks[1]
}

// addClips adds the pass that joins the camera with the draws that there are.
func (p *Plan) addClips(l renderer.Limits) {
	p.Passes = append(p.Passes, Pass{
		Name: "camera:clips", Kind: Dispatch, Shaders: []string{"camera/clips"}, Groups: groups((p.drawCount()+63)/64, l),
		Reads: []string{"Draws", "Cameras"}, Writes: []string{"Clips"},
	})
}

// enter begins a window: with the counts of the whole scene where these are known.
// It returns the window's first pass.
func (p *Plan) enter(window int, counted bool, l renderer.Limits) (first int) {
	first = len(p.Passes)
	if p.Windowed() {
		p.Passes = append(p.Passes, Pass{Name: "upload", Kind: Upload, Window: window, Slot: p.uploads % 2, Counted: counted, Writes: p.windowed()})
		p.addClips(l)
	}
	return first
}

// leave ends a window, whose passes work on its copy of the buffers.
func (p *Plan) leave(window, first int, counts bool) {
	if !p.Windowed() {
		return
	}
	slot := p.uploads % 2
	p.uploads++
	if counts {
		p.Passes = append(p.Passes, Pass{Name: "counts:fetch", Kind: Fetch, Window: window, Slot: slot, Reads: []string{"Counts"}})
	}
	if slot == 0 {
		return
	}
	for i := first; i < len(p.Passes); i++ {
		p.Passes[i].rebind(secondCopies(p.windowed()))
	}
}

// windowed are the buffers that hold a window.
func (p *Plan) windowed() []string {
	if p.Gathered {
		return slices.Concat(poolBuffers, windowBuffers)
	}
	return windowBuffers
}

// doubleWindows adds the second copies of the buffers that hold a window.
func (p *Plan) doubleWindows() {
	if !p.Windowed() {
		return
	}
	p.double(p.windowed())
}

func (p *Plan) drawCount() int {
	if p.Windowed() {
		return p.windowMost.draws
	}
	return len(p.Frame.Scene.Draws)
}

// batchNumber is the number in the stream of the first of the batches that a chunk
// counts its own from.
func (p *Plan) batchNumber(chunk int) uint32 {
	w := sort.Search(len(p.Windows), func(i int) bool { return p.Windows[i].chunks[1] > chunk })
	if w == len(p.Windows) {
		return 0
	}
	return uint32(p.Windows[w].FirstBatch)
}

// sample is the scene as the shaders will see its ids, or a part of it.
func (p *Plan) sample() *geometry.Scene {
	if !p.Gathered {
		return p.Frame.Scene
	}
	var d WindowData
	d.Fill(p, 0)
	return d.Scene
}

// BatchCount is how many batches the stream has.
func (p *Plan) BatchCount() int {
	if p.Windowed() {
		return p.batchCount
	}
	return len(p.Batches)
}
