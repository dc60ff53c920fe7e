package main

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// frameEdgeDepth is the step of depth that counts as an edge between two surfaces.
const frameEdgeDepth = 0.002

// compare draws every finalist's picture and holds it against the first's. The
// compute and soft rasterizers have one set of rules: among frames of these,
// colour, depth and the triangle that each pixel shows must be equal. Pictures of
// the hardware rasterizer must equal the first in a share of the pixels, and lie
// within a pixel of an edge where coverage differs; with a share of 0 anything goes.
func (fb *frameBench) compare(b plan.Backend, field []*finalist, camera renderer.Camera) error {
	var first, exact *renderer.Output
	var nameExact string
	for _, one := range field {
		ruled := one.plan.Frame.Raster != renderer.HardwareRaster
		want := renderer.WantColor | renderer.WantDepth
		if ruled {
			want |= renderer.WantVisible
		}
		out, err := b.Exec(one.plan, camera, want)
		if err != nil {
			return fmt.Errorf("%s: %w", one.name(), err)
		}
		one.equal = 1
		if first == nil {
			first = out
		} else if err := fb.comparePictures(one, field[0].name(), first, out); err != nil {
			return err
		}
		switch {
		case !ruled:
		case exact == nil:
			exact, nameExact = out, one.name()
		default:
			if what := differs(exact, out); what != "" {
				return fmt.Errorf("%s differs from %s in the %s", one.name(), nameExact, what)
			}
		}
	}
	return nil
}

// comparePictures holds a picture against the first.
func (fb *frameBench) comparePictures(one *finalist, nameFirst string, first, out *renderer.Output) error {
	r, err := picture.Compare(first.Color, out.Color, picture.CompareOptions{DepthA: first.Depth, DepthB: out.Depth, DepthStep: frameEdgeDepth})
	if err == nil {
		one.equal = r.Equal()
		if fb.frames.share > 0 {
			err = r.Check(fb.frames.share)
		}
	}
	if err != nil {
		return fmt.Errorf("%s against %s: %w", one.name(), nameFirst, err)
	}
	return nil
}

// differs names what two frames of one set of rules differ in; empty for nothing.
func differs(a, b *renderer.Output) string {
	switch {
	case !slices.Equal(a.Visible, b.Visible):
		return "triangle that a pixel shows"
	case !slices.Equal(a.Depth, b.Depth):
		return "depth"
	case !bytes.Equal(a.Color.Pix, b.Color.Pix):
		return "colour"
	}
	return ""
}
