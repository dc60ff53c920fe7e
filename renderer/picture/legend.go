package picture

import (
	"image"
	"image/color"
	"image/draw"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// PanelMargin is the space between a panel and the edges of its picture, in pixels.
const PanelMargin = 12

// Metrics of a panel, in pixels.
const (
	legendPad    = 8
	legendLine   = 16
	legendSwatch = 34
)

// DrawLegend draws a legend into the picture's lower left corner: lines of text and,
// where there is a palette, its scale. It leaves small pictures alone: those where the
// legend would take a third of the height or half of the width.
func DrawLegend(img *image.RGBA, lines []string, scale *Palette) {
	panel := LegendPanel(lines, scale)
	at := image.Pt(PanelMargin, img.Bounds().Dy()-PanelMargin-panel.Bounds().Dy())
	if 3*panel.Bounds().Dy() > img.Bounds().Dy() || 2*panel.Bounds().Dx() > img.Bounds().Dx() {
		return
	}
	draw.Draw(img, panel.Bounds().Add(at), panel, image.Point{}, draw.Src)
}

// LegendPanel is a panel of lines of text and, where there is a palette, its scale.
func LegendPanel(lines []string, scale *Palette) *image.RGBA {
	img := newPanel(lines, scale != nil)
	if scale != nil {
		drawScale(img, *scale, legendPad+len(lines)*legendLine+4)
	}
	return img
}

// RampPanel is a panel of lines of text and a ramp of colours, with labels at even places.
func RampPanel(lines []string, ramp []color.RGBA, labels []string) *image.RGBA {
	img := newPanel(lines, true)
	top, wide := legendPad+len(lines)*legendLine+4, img.Rect.Dx()-2*legendPad
	for x := range wide {
		for y := range legendLine {
			img.SetRGBA(legendPad+x, top+y, ramp[x*len(ramp)/wide])
		}
	}
	for i, text := range labels {
		long := font.MeasureString(basicfont.Face7x13, text).Ceil()
		drawText(img, text, legendPad+(wide-long)*i/max(len(labels)-1, 1), top+2*legendLine-3)
	}
	return img
}

// newPanel is a panel of lines of text, with room for a scale below.
func newPanel(lines []string, scale bool) *image.RGBA {
	width := len(Heat) * legendSwatch
	for _, text := range lines {
		width = max(width, font.MeasureString(basicfont.Face7x13, text).Ceil())
	}
	height := len(lines) * legendLine
	if scale {
		height += 2*legendLine + 4
	}
	img := image.NewRGBA(image.Rect(0, 0, width+2*legendPad, height+2*legendPad))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.RGBA{24, 26, 30, 255}), image.Point{}, draw.Src)
	for i, text := range lines {
		drawText(img, text, legendPad, legendPad+(i+1)*legendLine-4)
	}
	return img
}

// drawScale draws one labelled swatch per step.
func drawScale(img *image.RGBA, p Palette, top int) {
	labels, colors := p.Labels(), p.Colors()
	for i, c := range colors[:p.Steps()] {
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
