package measure

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

// compareFrames draws every frame's picture and compares it with the first's. The
// compute and soft rasterizers follow the same rules: among frames of these,
// colour, depth and the triangle that each pixel shows must be equal. Pictures of
// the hardware rasterizer must equal the first in a share of the pixels, and where
// coverage differs lie within a pixel of an edge; a share of 0 takes any picture.
func compareFrames(b plan.Backend, frames []*wholeFrame, camera renderer.Camera, share float64) error {
	var first, exact *renderer.Output
	var nameExact string
	for _, one := range frames {
		ruled := one.plan.Frame.Raster != renderer.HardwareRaster
		want := renderer.WantColor | renderer.WantDepth
		if ruled {
			want |= renderer.WantVisible
		}
		out, made, err := plan.Exec(b, one.plan, camera, want)
		if err != nil {
			return About(one.name(), err)
		}
		if err := one.take(b, made); err != nil {
			return err
		}
		one.equal = 1
		if first == nil {
			first = out
		} else if one.equal, err = equalPixels(first, out, share); err != nil {
			return fmt.Errorf("%s against %s: %w", one.name(), frames[0].name(), err)
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

// equalPixels is the share of the pixels in which a picture equals the first.
func equalPixels(first, out *renderer.Output, share float64) (float64, error) {
	r, err := picture.Compare(first.Color, out.Color, picture.CompareOptions{DepthA: first.Depth, DepthB: out.Depth, DepthStep: frameEdgeDepth})
	if err == nil && share > 0 {
		err = r.Check(share)
	}
	if err != nil {
		return 0, err
	}
	return r.Equal(), nil
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
