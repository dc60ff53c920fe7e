package picture

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"

	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"
)

// Panel is a legend: text, and the meanings of colours.
type Panel struct {
	Title  string
	Lines  []string
	Keys   []Key        // swatches, side by side
	Ramp   []color.RGBA // a continuous scale instead of Keys
	Labels []string     // of Ramp, evenly spaced

	Light   bool    // dark letters on a light panel
	Darkest float64 // the share of a key's colour that the weakest light leaves; 0 leaves all of it
}

// Key is a colour and its meaning.
type Key struct {
	Color color.RGBA
	Label string
	Share string // the share of the picture that has the colour, written below the label; may be empty
}

// Lengths in a panel, in ems (the height of its letters).
const (
	panelMargin = 0.9 // between a panel and the edges of its picture
	panelPad    = 0.6 // between a panel's edges and its contents
	panelLine   = 1.2
	panelSwatch = 1.1 // height
	panelKey    = 2.4 // minimum width of a key
	panelGap    = 0.5 // between the texts of keys
)

// PanelEm is the height of letters in a panel, in pixels, in a window of ordinary density.
const PanelEm = 13

// colors returns the colours of a panel and of its letters.
func (p *Panel) colors() (paper, ink color.RGBA) {
	paper, ink = color.RGBA{24, 26, 30, 255}, color.RGBA{225, 228, 232, 255}
	if p.Light {
		paper, ink = color.RGBA{240, 240, 240, 255}, color.RGBA{20, 22, 26, 255}
	}
	return paper, ink
}

// layout holds the sizes of a panel's parts, in pixels.
type layout struct {
	*Panel
	em                  float64
	title, text         font.Face
	pad, line, swatch   int
	key                 int // width of a key
	textWidth, keyWidth int
}

// lay lays out a panel whose letters are `em` pixels high.
func (p *Panel) lay(em float64) layout {
	px := func(ems float64) int { return int(math.Ceil(ems * em)) }
	l := layout{Panel: p, em: em, title: face(boldFont, em), text: face(plainFont, em), pad: px(panelPad), line: px(panelLine), swatch: px(panelSwatch)}
	l.textWidth = textWidth(l.title, p.Title)
	for _, text := range p.Lines {
		l.textWidth = max(l.textWidth, textWidth(l.text, text))
	}
	if len(p.Keys) > 0 {
		l.key = px(panelKey)
		for _, k := range p.Keys {
			l.key = max(l.key, max(textWidth(l.text, k.Label), textWidth(l.text, k.Share))+px(panelGap))
		}
		l.keyWidth = l.key * len(p.Keys)
	}
	if p.Ramp != nil {
		for _, text := range p.Labels {
			l.keyWidth += textWidth(l.text, text) + px(panelGap)
		}
		l.keyWidth = max(l.keyWidth, px(6*panelKey))
	}
	return l
}

// rows returns how many lines of text are above and below the swatches.
func (l *layout) rows() (above, below int) {
	if above = len(l.Lines); l.Title != "" {
		above++
	}
	if l.keyWidth == 0 {
		return above, 0
	}
	if below = 1; slices.ContainsFunc(l.Keys, func(k Key) bool { return k.Share != "" }) {
		below = 2
	}
	return above, below
}

func (l *layout) size() image.Point {
	above, below := l.rows()
	size := image.Pt(max(l.textWidth, l.keyWidth)+2*l.pad, (above+below)*l.line+2*l.pad)
	if below > 0 {
		size.Y += l.swatch + l.pad/2
	}
	return size
}

// Margin returns the space, in pixels, between the edges of a picture and a panel whose letters are em pixels high.
func Margin(em float64) int { return int(panelMargin * em) }

// Size returns the size of the panel, in pixels, if its letters are `em` pixels high.
func (p *Panel) Size(em float64) image.Point {
	l := p.lay(em)
	return l.size()
}

// Draw draws the panel with letters that are `em` pixels high.
func (p *Panel) Draw(em float64) *image.RGBA {
	l := p.lay(em)
	img := image.NewRGBA(image.Rectangle{Max: l.size()})
	paper, _ := p.colors()
	draw.Draw(img, img.Rect, image.NewUniform(paper), image.Point{}, draw.Src)
	y := l.pad
	if p.Title != "" {
		l.write(img, l.title, p.Title, l.pad, y)
		y += l.line
	}
	for _, text := range p.Lines {
		l.write(img, l.text, text, l.pad, y)
		y += l.line
	}
	if y += l.pad / 2; p.Ramp != nil {
		l.drawRamp(img, y)
		return img
	}
	for i, k := range p.Keys {
		left := l.pad + i*l.key
		for dy := range l.swatch {
			draw.Draw(img, image.Rect(left, y+dy, left+l.key, y+dy+1), image.NewUniform(l.lit(k.Color, dy)), image.Point{}, draw.Src)
		}
		for row, text := range []string{k.Label, k.Share} {
			l.write(img, l.text, text, left+(l.key-textWidth(l.text, text))/2, y+l.swatch+row*l.line)
		}
	}
	return img
}

// lit returns a key's colour in a row of its swatch: unchanged in the upper half, then darker down
// to the weakest light.
func (l *layout) lit(c color.RGBA, row int) color.RGBA {
	below := 2*row - l.swatch
	if l.Darkest == 0 || below <= 0 {
		return c
	}
	light := 1 - (1-l.Darkest)*float64(below)/float64(max(l.swatch-2, 1))
	dim := func(x uint8) uint8 { return uint8(float64(x)*light + .5) }
	return color.RGBA{dim(c.R), dim(c.G), dim(c.B), 255}
}

// drawRamp draws the continuous scale and its labels.
func (l *layout) drawRamp(img *image.RGBA, top int) {
	wide := img.Rect.Dx() - 2*l.pad
	for x := range wide {
		draw.Draw(img, image.Rect(l.pad+x, top, l.pad+x+1, top+l.swatch), image.NewUniform(l.Ramp[x*len(l.Ramp)/wide]), image.Point{}, draw.Src)
	}
	for i, text := range l.Labels {
		l.write(img, l.text, text, l.pad+(wide-textWidth(l.text, text))*i/max(len(l.Labels)-1, 1), top+l.swatch)
	}
}

// write writes a line of text with its upper left corner at x, top.
func (l *layout) write(img *image.RGBA, f font.Face, text string, x, top int) {
	_, ink := l.colors()
	d := font.Drawer{Dst: img, Src: image.NewUniform(ink), Face: f, Dot: fixed.P(x, top+int(math.Round(0.95*l.em)))}
	d.DrawString(text)
}
