package plan

import (
	"fmt"

	"github.com/shadeonce/shadeonce/renderer"
)

// host holds a rasterizer's fixed properties. The rasterizer's methods choose its buffers and passes.
type host struct {
	name    string
	backend string // the only backend that has this rasterizer; empty if all have it
	draws   bool   // whether it draws a picture
	corners bool   // whether the triangle queue is its index buffer
	visible bool   // whether it keeps which triangle each pixel shows
	sliced  bool   // whether Frame.Slice bounds its passes
	leaves  bool   // whether its last pass can leave the visibility buffer as the next frame needs it
	ahead   bool   // whether the counts view needs the counts before a triangle is drawn
}

func (h host) about() host { return h }

func (h host) needs(f *renderer.Frame, _ *renderer.Limits, n *Needs) {
	if h.draws {
		n.Picture = &[2]int{f.Width, f.Height}
	}
}

func (host) cleared(*planner) []Block { return nil }
func (host) buffers(*planner)         {}
func (host) fits(*planner) error      { return nil }

// hardwareRaster draws with the graphics pipeline, which uses the triangle queue as its index
// buffer.
type hardwareRaster struct{ host }

// byHardware leaves `backend` empty, since the CPU backend can draw its queues, too.
var byHardware = hardwareRaster{host{name: "hardware", draws: true, corners: true, sliced: true}}

func (h hardwareRaster) needs(f *renderer.Frame, l *renderer.Limits, n *Needs) {
	h.host.needs(f, l, n)
	if f.Distances().Total() > 0 {
		n.Shaders = append(n.Shaders, "raster/queue"+distancedSuffix)
	}
}

func (hardwareRaster) fits(p *planner) error {
	if most := p.limits.MaxIndex; most > 0 && p.Cornered() && int64(p.VertexCapacity) > most {
		return fmt.Errorf("the queue has room for %d vertices, the device draws %d by index: a smaller --queue-budget helps", p.VertexCapacity, most)
	}
	return nil
}

// passes draws a chunk in one pass if Frame.Slice allows that, else in several. Only a chunk of whole
// draws can be too large for one pass, and such a chunk cannot overflow.
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

// drawQueue draws all triangles that a chunk left in the queues.
func drawQueue(p *planner, t target) []step {
	finish := p.dispatch(t, "queue:finish", "queue/finish", nil, [2]uint32{1, 1}, touched{writes: []Block{QueueStates}})
	return []step{{finish}, {p.draw(t, [2]int{})}}
}

// draw draws a range of the triangles that a chunk left in the queues.
func (p *planner) draw(t target, triangles [2]int) Pass {
	f, distanced := &p.Frame, p.Frame.Distances().Total() > 0
	names := []string{"raster/queue", "raster/view"}
	if f.View.Interpolates() {
		names = []string{"raster/queue-varying", "raster/view-varying"}
	}
	if distanced || f.Textured() {
		names = []string{"raster/queue" + texturedSuffix, "raster/view" + texturedSuffix}
	}
	if distanced {
		names[0] = "raster/queue" + distancedSuffix
	}
	pipeline := Pipeline{names, p.lookSpec(p.textureSpec(map[string]uint32{
		"QUEUE": uint32(f.Queue), "CORNERS": flag(p.Cornered()),
	}))}
	return Pass{
		Name: "raster:" + f.Raster.String(), Chunk: t.chunk,
		Uses: p.uses(t, pipeline.Shaders, touched{reads: withTextures(distanced || f.Textured(), p.shown(QueueStates, VertexPositions, VertexAttributes, Corners))}),
		Op:   &Draw{Pipeline: pipeline, Push: p.push(t.chunk), First: t.chunk == 0 && triangles[0] == 0, Range: triangles},
	}
}

// softRaster draws the queues in Go.
type softRaster struct{ host }

var bySoft = softRaster{host{name: "soft", backend: "cpu", draws: true, visible: true}}

func (softRaster) passes(p *planner, t target) []step { return drawQueue(p, t) }

// noRaster runs only the geometry stage.
type noRaster struct{ host }

var byNone = noRaster{host{name: "none", visible: true}}

func (noRaster) passes(*planner, target) []step { return nil }
