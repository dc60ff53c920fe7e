package plan

import (
	"errors"
	"fmt"

	"github.com/shadeonce/shadeonce/renderer"
)

// drawn is what all rasterizers share that draw one.
type drawn struct{}

func (drawn) halves(p *planner) int {
	if p.Frame.OneHalf {
		return 1
	}
	return 2
}

func (drawn) countsAhead(p *planner) bool {
	f := &p.Frame
	return f.View == renderer.Counts && len(p.Chunks) > 1 && f.Shown == nil
}

// memory: lists take about as much as half of the queues.
func (drawn) memory(f *renderer.Frame) (halfQueues, bytes int64) {
	return 1, int64(f.Width) * int64(f.Height) * pictureBytes
}

func (drawn) needs(f *renderer.Frame, _ *renderer.Limits, n *Needs) {
	n.Picture = &[2]int{f.Width, f.Height}
}

func (drawn) check(f *renderer.Frame) error {
	switch {
	case f.View == renderer.Counts && f.NoCounts:
		return errors.New("the counts view needs shading counts")
	case f.View == renderer.NoView:
		return errors.New("nothing can be drawn without a view")
	}
	return nil
}

func (drawn) takesCorners() bool       { return false }
func (drawn) keepsVisible() bool       { return true }
func (drawn) slice(*planner) int       { return 0 }
func (drawn) cleared(*planner) []Block { return nil }
func (drawn) buffers(*planner)         {}
func (drawn) fits(*planner) error      { return nil }

// hardwareRaster draws by the graphics pipeline, which takes the triangle queue as its
// index buffer.
type hardwareRaster struct{ drawn }

func (hardwareRaster) String() string { return "hardware" }

func (hardwareRaster) backend() string { return "" } // the cpu backend draws its queues, too

func (hardwareRaster) takesCorners() bool { return true }

func (hardwareRaster) keepsVisible() bool { return false }

// slice: the graphics pipeline needs about half of the time that the geometry stage needs.
func (hardwareRaster) slice(p *planner) int { return 2 * p.sliceMost() }

func (hardwareRaster) fits(p *planner) error {
	if most := p.limits.MaxIndex; most > 0 && p.Cornered() && int64(p.VertexCapacity) > most {
		return fmt.Errorf("the queue has room for %d vertices, the device draws %d by index: a smaller --queue-budget helps", p.VertexCapacity, most)
	}
	return nil
}

// passes draw a chunk in one pass, or in slices where it cannot be smaller (whole draws);
// nothing in that one overflows.
func (hardwareRaster) passes(p *planner, t target) (steps []step) {
	if p.drawable(p.Chunks[t.chunk]) {
		return drawQueue(p, t)
	}
	most, total := p.drawMost(), p.Chunks[t.chunk].TriangleCount
	for first := 0; first < total; first += most {
		steps = append(steps, step{p.draw(t, [2]int{first, min(most, total-first)})})
	}
	return steps
}

// drawQueue draws what a chunk left in the queues.
func drawQueue(p *planner, t target) []step {
	finish := p.dispatch(t, "queue:finish", "queue/finish", nil, [2]uint32{1, 1}, touched{writes: []Block{QueueStates}})
	return []step{{finish}, {p.draw(t, [2]int{})}}
}

// draw draws triangles that a chunk left in the queues.
func (p *planner) draw(t target, triangles [2]int) Pass {
	f := &p.Frame
	names := []string{"raster/queue", "raster/view"}
	if f.View == renderer.Varying {
		names = []string{"raster/queue-varying", "raster/view-varying"}
	}
	program := Program{names, p.lookSpec(map[string]uint32{
		"QUEUE": uint32(f.Queue), "CORNERS": flag(p.Cornered()),
	})}
	return Pass{
		Name: "raster:" + f.Raster.String(), Chunk: t.chunk,
		Uses: p.uses(t, program.Shaders, touched{reads: p.shown(QueueStates, VertexPositions, VertexAttributes, Corners)}),
		Op:   &Draw{Program: program, Push: p.push(t.chunk), First: t.chunk == 0 && triangles[0] == 0, Range: triangles},
	}
}

// softRaster draws the queues in Go.
type softRaster struct{ drawn }

func (softRaster) String() string { return "soft" }

func (softRaster) backend() string { return "cpu" }

func (softRaster) passes(p *planner, t target) []step { return drawQueue(p, t) }

// noRaster runs only the geometry stage.
type noRaster struct{ drawn }

func (noRaster) String() string { return "none" }

func (noRaster) backend() string { return "" }

func (noRaster) halves(*planner) int { return 1 }

func (noRaster) countsAhead(*planner) bool { return false }

func (noRaster) memory(*renderer.Frame) (halfQueues, bytes int64) { return 0, 0 }

func (noRaster) check(*renderer.Frame) error { return nil }

func (noRaster) needs(*renderer.Frame, *renderer.Limits, *Needs) {}

func (noRaster) passes(*planner, target) []step { return nil }
