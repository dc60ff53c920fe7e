package main

import (
	"fmt"
	"image"
	pixels "image/draw"
	"strings"

	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// picture is the picture that is written: of one pixel per square of samples, without
// background or legend where flags say so. legendless says that the legend did not fit.
func (f *renderFlags) picture(out *renderer.Output, legend *picture.Panel) (img pixels.Image, legendless bool) {
	img = out.Color
	if f.Transparent || f.side > 1 {
		samples := &image.NRGBA{Pix: out.Color.Pix, Stride: out.Color.Stride, Rect: out.Color.Rect} // opaque so far
		if f.Transparent {
			picture.CutOut(samples, out.Color, out.Depth, samples.Rect)
		}
		img = picture.Shrink(samples, f.side)
	}
	if legend == nil || f.noLegend {
		return img, false
	}
	return img, !picture.DrawLegend(img, *legend)
}

// seenText says what the pixels or samples of a counts view show.
func seenText(s *picture.Seen, p picture.Palette, what string) string {
	var parts []string
	labels := p.Labels()
	for i, share := range s.Shares() {
		if s.Times[i] > 0 {
			parts = append(parts, strings.Replace(labels[i]+"x ", "+x", "x+", 1)+share)
		}
	}
	if parts == nil {
		return "seen: nothing"
	}
	return fmt.Sprintf("seen: %s of %s", strings.Join(parts, ", "), names.Count(s.Drawn(), what))
}
