package plan

import (
	"fmt"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer"
)

// Legend returns the legend of the plan's picture: the strategy, its statistics and what the
// colours mean. seen is what the picture shows; nil if that is not known.
func (p *Plan) Legend(st reuse.Stats, seen *picture.Seen) picture.Panel {
	f := &p.Frame
	lines := []string{
		fmt.Sprintf("%s: %s", shorten(f.Scene.Name), p.reuseText()),
		fmt.Sprintf("reuse %.4f (ideal %.4f)  ACMR %.3f", st.Reuse(), st.Ideal(), st.ACMR()),
	}
	lines[1] += p.leftText(st.Triangles)
	if note := f.Scene.PlaceNote(); note != "" {
		lines = append(lines, note)
	}
	legend := picture.Panel{Lines: lines}
	if dark := f.Look.Light.Darkest(); dark > 0 && (f.View == renderer.Counts || f.View == renderer.Batches) {
		legend.Darkest, legend.Lines = dark, append(lines, picture.LightLine)
	}
	switch f.View {
	case renderer.Counts:
		legend.Title = "Times each vertex was shaded"
		if legend.Keys = picture.ScaleKeys(f.Palette, nil); seen != nil {
			legend.Title += " (% of what is seen)"
			legend.Keys = picture.ScaleKeys(f.Palette, seen.Shares())
		}
	case renderer.Batches:
		legend.Title = fmt.Sprintf("Which of %d batches shaded each vertex", p.BatchCount)
		if p.BatchCount == 1 {
			legend.Title = "One batch shaded every vertex"
		}
		legend.Keys = picture.BatchKeys(p.BatchCount)
	case renderer.Normals:
		legend.Title, legend.Keys = "Which way each vertex's normal points", picture.NormalKeys()
	}
	return legend
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
