package plan

import (
	"fmt"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// Legend is the legend of the plan's picture: the strategy, its statistics and what the
// colours mean. seen is what the picture shows; nil where that is not known.
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
	if f.Look.Light == renderer.FullLight && (f.View == renderer.Counts || f.View == renderer.Batches) { // soft light leaves every colour nearest to its own
		legend.Darkest = float64(f.Look.Light.Darkest())
		legend.Lines = append(lines, "light darkens a colour as shown; its hue stays")
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
