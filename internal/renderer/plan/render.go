package plan

import (
	"errors"

	"github.com/shadeonce/shadeonce/renderer"
)

// CheckExec refuses what no backend can execute: it is every Exec's first step.
func (p *Plan) CheckExec(camera renderer.Camera, want renderer.Want) error {
	if want&renderer.WantCounts != 0 && p.Frame.NoCounts {
		return errors.New("counts are wanted of a frame that keeps none")
	}
	if want&renderer.WantCounts != 0 && p.Frame.ShownByShape {
		return errors.New("counts of all draws are wanted of a frame that shows those of shapes")
	}
	if want&renderer.WantQueues != 0 && p.Buffer(VertexPositions) == nil {
		return errors.New("queues are wanted of a plan that fills none")
	}
	if want&renderer.WantVisible != 0 && !p.KeepsVisible() {
		return errors.New("visible triangles are wanted of the hardware rasterizer, which does not keep them")
	}
	return camera.CheckFor(float32(max(1, p.Frame.Width)) / float32(max(1, p.Frame.Height)))
}

// KeepsVisible reports whether the plan's raster host keeps which triangle each pixel shows. Those
// that do agree on it in every pixel.
func (p *Plan) KeepsVisible() bool { return p.parts().raster.about().visible }

// Overflow returns the error for what the queues would have to hold; nil if they hold it.
func (p *Plan) Overflow(vertices, triangles int) error {
	switch {
	case triangles > p.TriangleCapacity:
		return &renderer.OverflowError{Stage: renderer.TriangleQueue, Need: triangles, Have: p.TriangleCapacity}
	case vertices > p.VertexCapacity:
		return &renderer.OverflowError{Stage: renderer.VertexQueue, Need: vertices, Have: p.VertexCapacity}
	}
	return nil
}

// maxReplans is how often a frame is planned again after an overflow.
const maxReplans = 3

// Render plans a frame and executes it (Exec). The plan that worked is returned, to be
// executed for further cameras.
func Render(b Backend, f renderer.Frame, camera renderer.Camera, want renderer.Want) (*renderer.Output, *Plan, error) {
	p, err := newAside(b, f)
	if err != nil {
		return nil, nil, err
	}
	return Exec(b, p, camera, want)
}

// Exec executes a plan. If a queue overflows, it plans again with the need that the backend
// reported. The need of some plans depends on the camera, so a plan that worked for one may
// overflow for another. Exec returns the plan that worked.
func Exec(b Backend, p *Plan, camera renderer.Camera, want renderer.Want) (*renderer.Output, *Plan, error) {
	for try := 1; ; try++ {
		out, err := b.Exec(p, camera, want)
		var overflow *renderer.OverflowError
		if !errors.As(err, &overflow) || try > maxReplans {
			return out, p, err
		}
		f := replan(p, overflow)
		if try == maxReplans {
			f.VertexShare = 1 // the worst case always fits
		}
		next, err := newAside(b, f)
		if err != nil {
			return nil, nil, err
		}
		next.Choice, next.FittedTo = p.Choice, p.FittedTo
		p = next
	}
}

// newAside is New, run while the backend serves its user.
func newAside(b Backend, f renderer.Frame) (p *Plan, err error) {
	limits := b.Limits()
	plan := func() {
		err = f.Scene.Guard(func() (err error) {
			p, err = New(f, limits)
			return err
		})
	}
	if aside := b.Info().Aside; aside != nil {
		aside(plan)
	} else {
		plan()
	}
	return p, err
}

// replan returns the frame with the vertex share that the overflow showed to be needed, at the
// same budget: chunks become smaller.
func replan(p *Plan, e *renderer.OverflowError) renderer.Frame {
	f := p.Frame
	f.VertexShare = 1
	if e.Stage == renderer.VertexQueue && e.Have > 0 {
		// A tenth more than the need, since the next cut is at other batches.
		f.VertexShare = min(1, 1.1*p.VertexShare*float64(e.Need)/float64(e.Have))
	}
	return f
}
