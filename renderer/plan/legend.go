package plan

import (
	"fmt"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// Legend is what a legend says of the plan's picture: lines with the strategy and
// its statistics and, in the counts view, the palette to draw the scale of.
func (p *Plan) Legend(st reuse.Stats) (lines []string, scale *picture.Palette) {
	f := &p.Frame
	lines = []string{
		fmt.Sprintf("%s  %s", shorten(f.Scene.Name), p.reuseText()),
		fmt.Sprintf("reuse %.4f (ideal %.4f)  ACMR %.3f", st.Reuse(), st.Ideal(), st.ACMR()),
	}
	if f.Cull { // reuse is of what was culled, too
		lines[1] = fmt.Sprintf("%d attribute shadings after culling, %.3f a triangle", st.Invocations, st.ACMR())
	}
	if f.View == renderer.Counts {
		scale = &f.Palette
	}
	return lines, scale
}

// shorten keeps a long name's end, where files of one series differ.
func shorten(name string) string {
	const most = 40
	runes := []rune(name)
	if len(runes) <= most {
		return name
	}
	return "..." + string(runes[len(runes)-most:])
}
