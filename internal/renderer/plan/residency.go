package plan

import (
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/names"
)

// residency says how much of the scene the device holds at a time.
type residency interface {
	String() string
	cut(p *planner) error              // the stream into chunks
	draws(p *planner) int              // entries of the draw table
	pairs(p *planner) int              // number of (draw, vertex) pairs in Counts
	twice(p *planner) []Block          // blocks that have two copies
	begin(p *planner)                  // the passes before all others
	enter(p *planner, t target) target // begins a target's window in the free copy of its buffers
	leave(p *planner, t target)        // ends the window
	chunks(p *Plan, window int) [2]int // range of a window's chunks
	keeps() bool                       // whether the next frame finds what a round left
}

// whole holds all of the scene.
type whole struct{}

func (whole) String() string { return "whole" }

func (whole) draws(p *planner) int { return len(p.Frame.Scene.Draws) }

func (whole) pairs(p *planner) int {
	if p.Frame.Shown != nil {
		return len(p.Frame.Shown)
	}
	return p.Frame.Scene.DrawVertices()
}

func (whole) twice(*planner) []Block { return nil }

func (whole) begin(p *planner) {
	if p.Fills(Clips) {
		p.then(p.clips(target{}))
	}
}

func (whole) enter(_ *planner, t target) target { return t }

func (whole) leave(*planner, target) {}

func (whole) chunks(p *Plan, _ int) [2]int { return [2]int{0, len(p.Chunks)} }

func (whole) keeps() bool { return true }

// Windowed reports whether the stream is processed in windows.
func (p *Plan) Windowed() bool { return len(p.Windows) > 0 }

// ByWindow reports whether a block's contents are those of a window, and come with each upload.
func (p *Plan) ByWindow(b Block) bool { return p.Windowed() && p.Find(b, 1) != NoBuffer }

// windows is for a scene that the device cannot hold, or may not (Frame.DeviceBudget): the stream
// is processed in windows. There are two copies of the scene's buffers, and each holds a window:
// one is filled while the device uses the other.
type windows struct{}

func (windows) String() string { return "windows" }

func (windows) draws(p *planner) int { return p.windowMost.draws }

func (windows) pairs(p *planner) int { return p.windowMost.pairs }

func (windows) twice(p *planner) []Block {
	switch {
	case p.Gathered && p.Frame.Scene.Textures != nil:
		return slices.Concat(poolBuffers, windowBuffers, []Block{TexCoords})
	case p.Gathered:
		return slices.Concat(poolBuffers, windowBuffers)
	}
	return windowBuffers
}

func (windows) begin(*planner) {}

func (w windows) enter(p *planner, t target) target {
	t.slot = p.uploads % 2
	p.uploads++
	counted := !t.ahead && (p.countsAhead() || p.Frame.Shown != nil)
	p.then(step{{
		Name: "upload", Chunk: NoChunk, Uses: p.uses(t, nil, touched{writes: w.twice(p)}),
		Op: &Upload{Window: t.window, Slot: t.slot, Counted: counted},
	}}, p.clips(t))
	return t
}

func (windows) leave(p *planner, t target) {
	if p.counting(t) {
		p.then(step{{
			Name: "counts:fetch", Chunk: NoChunk, Uses: p.uses(t, nil, touched{reads: []Block{Counts}}), Op: &Fetch{Window: t.window, Slot: t.slot},
		}})
	}
}

func (windows) chunks(p *Plan, window int) [2]int {
	return [2]int{p.Windows[window].FirstChunk, p.Windows[window].EndChunk}
}

func (windows) keeps() bool { return false }

// Holds says how much of the scene the device holds.
func (p *Plan) Holds() string {
	what := "the scene's draws in "
	if !p.Windowed() {
		return "the whole scene on the device"
	}
	if p.Gathered {
		what = "the scene in "
	}
	return what + names.Count(len(p.Windows), "window")
}

// windowsText is what a printed plan says of windows.
func (p *Plan) windowsText() string {
	if !p.Windowed() {
		return ""
	}
	return ", " + names.Count(len(p.Windows), "window")
}
