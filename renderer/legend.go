package renderer

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/shadeonce/shadeonce/geometry/reuse"
)

// Metrics of the legend, in pixels.
const (
	legendMargin = 12
	legendPad    = 8
	legendLine   = 16
	legendSwatch = 34
)

// DrawLegend draws what the picture shows into its lower left corner: the
// strategy and its figures and, in the counts view, the scale. Pictures
// of which it would take a third of the height or half of the width are left alone.
func DrawLegend(img *image.RGBA, p *Plan, st reuse.Stats) {
	panel := Legend(p, st)
	at := image.Pt(legendMargin, img.Bounds().Dy()-legendMargin-panel.Bounds().Dy())
	if 3*panel.Bounds().Dy() > img.Bounds().Dy() || 2*panel.Bounds().Dx() > img.Bounds().Dx() {
		return
	}
	draw.Draw(img, panel.Bounds().Add(at), panel, image.Point{}, draw.Src)
}

// Legend is the panel that DrawLegend places. It is opaque.
func Legend(p *Plan, st reuse.Stats) *image.RGBA {
	f := &p.Frame
	lines := []string{
		fmt.Sprintf("%s  %s", shorten(f.Scene.Name), p.reuseText()),
		fmt.Sprintf("reuse %.4f (ideal %.4f)  ACMR %.3f", st.Reuse(), st.Ideal(), st.ACMR()),
	}
	if f.Cull { // reuse is of what was culled, too
		lines[1] = fmt.Sprintf("%d attribute shadings after culling, %.3f a triangle", st.Invocations, st.ACMR())
	}
	if f.View != Counts {
		return LegendPanel(lines, nil)
	}
	return LegendPanel(lines, &f.Palette)
}

// LegendPanel is a panel of lines of text and, where there is a palette, its scale.
func LegendPanel(lines []string, scale *Palette) *image.RGBA {
	width := len(Heat) * legendSwatch
	for _, text := range lines {
		width = max(width, font.MeasureString(basicfont.Face7x13, text).Ceil())
	}
	height := len(lines) * legendLine
	if scale != nil {
		height += 2*legendLine + 4
	}
	img := image.NewRGBA(image.Rect(0, 0, width+2*legendPad, height+2*legendPad))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{24, 26, 30, 255}), image.Point{}, draw.Src)
	for i, text := range lines {
		drawText(img, text, legendPad, legendPad+(i+1)*legendLine-4)
	}
	if scale != nil {
		drawScale(img, *scale, legendPad+len(lines)*legendLine+4)
	}
	return img
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

// drawScale draws one swatch a step, with what it stands for.
func drawScale(img *image.RGBA, p Palette, top int) {
	labels := p.Labels()
	for i, c := range p.Colors() {
		left := legendPad + i*legendSwatch
		swatch := image.Rect(left, top, left+legendSwatch, top+legendLine)
		draw.Draw(img, swatch, image.NewUniform(c), image.Point{}, draw.Src)
		drawText(img, labels[i], left+legendSwatch/2-4-max(0, len(labels[i])-2)*4, top+2*legendLine-3)
	}
}

func drawText(img *image.RGBA, text string, x, baseline int) {
	d := font.Drawer{Dst: img, Src: image.NewUniform(color.RGBA{225, 228, 232, 255}), Face: basicfont.Face7x13, Dot: fixed.P(x, baseline)}
	d.DrawString(text)
}
