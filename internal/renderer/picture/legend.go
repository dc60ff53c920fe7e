package picture

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// Heights of a legend's letters, in pixels: a share of the picture's height, but never too small
// to read.
const (
	legendShare   = 1. / 50
	legendLeast   = 10.
	legendAtWorst = 9. // if the legend would not fit otherwise
)

// Shares of the picture's height and width that a legend may take.
const (
	legendHigh = 0.45
	legendWide = 0.9
)

// DrawLegend draws a legend into the corner of the picture where it covers least of what is drawn, the lower left one
// if several are as good, in letters that suit the picture's size. If it does not fit, DrawLegend leaves out the lines, then
// everything except the colours and their labels. It reports whether it drew; very small pictures have no legend. Pixels
// that show nothing are transparent, or have the colour `background`.
func DrawLegend(img draw.Image, background color.RGBA, p Panel) bool {
	size := img.Bounds().Size()
	room := image.Pt(int(legendWide*float64(size.X)), int(legendHigh*float64(size.Y)))
	p, em, ok := p.Fit(room, max(legendShare*float64(size.Y), legendLeast), legendAtWorst)
	if ok {
		panel, margin := p.Draw(em), Margin(em)
		left, top := img.Bounds().Min.X+margin, img.Bounds().Min.Y+margin
		right, bottom := left+size.X-2*margin-panel.Rect.Dx(), top+size.Y-2*margin-panel.Rect.Dy()
		best, least := image.Rectangle{}, math.MaxInt
		for _, at := range []image.Point{{left, bottom}, {right, bottom}, {left, top}, {right, top}} {
			if n := drawnIn(img, panel.Rect.Add(at), background); n < least {
				best, least = panel.Rect.Add(at), n
			}
		}
		draw.Draw(img, best, panel, image.Point{}, draw.Src)
	}
	return ok
}

// drawnIn counts the pixels of a rectangle that show something, of every fourth one in both directions.
func drawnIn(img image.Image, in image.Rectangle, background color.RGBA) (n int) {
	for y := in.Min.Y; y < in.Max.Y; y += 4 {
		for x := in.Min.X; x < in.Max.X; x += 4 {
			if c := color.RGBAModel.Convert(img.At(x, y)).(color.RGBA); c.A > 0 && c != background {
				n++
			}
		}
	}
	return n
}

// Fit returns as much of a legend as fits a room: all of it, else without lines, else only the
// colours and their labels. em is the height of its letters, between `least` and `most` pixels. ok
// is false if not even the colours and labels fit.
func (p Panel) Fit(room image.Point, most, least float64) (fit Panel, em float64, ok bool) {
	short := p
	short.Lines = nil
	for _, p := range []Panel{p, short, p.Bare()} {
		for em := most; em >= least; em-- {
			if s := p.Size(em); s.X <= room.X && s.Y <= room.Y {
				return p, em, true
			}
		}
	}
	return p, 0, false
}

// Bare returns the panel with colours and their labels only.
func (p Panel) Bare() Panel {
	bare := Panel{Keys: slices.Clone(p.Keys), Ramp: p.Ramp, Labels: p.Labels, Light: p.Light, Darkest: p.Darkest}
	for i := range bare.Keys {
		bare.Keys[i].Share = ""
	}
	return bare
}

// LightLine is the legend's line on how light darkens the colours, if Panel.Darkest is set.
const LightLine = "light darkens a colour as shown; its hue stays"

// ScaleKeys returns the keys of a palette. shares has the share of the picture that shows each step; nil if unknown.
func ScaleKeys(p Palette, shares []string) []Key {
	keys := make([]Key, 0, len(Heat))
	labels, colors := p.Labels(), p.Colors()
	for i, c := range colors[:p.Steps()] {
		k := Key{Color: c, Label: labels[i]}
		if shares != nil {
			k.Share = shares[i]
		}
		keys = append(keys, k)
	}
	return keys
}

// NormalKeys returns the keys of the normals view: the directions of the axes.
func NormalKeys() []Key {
	dirs := [][]Key{nil, nil}
	for axis, name := range []string{"x", "y", "z"} {
		for i, sign := range []string{"+", "-"} {
			c := [3]uint8{128, 128, 128}
			c[axis] = uint8(255 * (1 - i))
			dirs[i] = append(dirs[i], Key{Color: color.RGBA{c[0], c[1], c[2], 255}, Label: sign + name})
		}
	}
	return append(dirs[0], dirs[1]...)
}

// BatchKeys returns the keys of the batches view: the colours of the first batches, six at most.
func BatchKeys(batches int) []Key {
	var keys []Key
	for i := range min(batches, len(Heat)) {
		keys = append(keys, Key{Color: BatchColor(uint32(i)), Label: strconv.Itoa(i)})
	}
	if batches > len(keys) {
		keys[len(keys)-1].Label += ".."
	}
	return keys
}

// The fonts of pictures: Go's own.
var (
	plainFont = parsed(goregular.TTF)
	boldFont  = parsed(gobold.TTF)
)

// parsed returns a function that parses a font on first use.
func parsed(ttf []byte) func() *opentype.Font {
	return sync.OnceValue(func() *opentype.Font {
		f, err := opentype.Parse(ttf)
		if err != nil {
			panic(err) // the font is part of the program
		}
		return f
	})
}

// face returns a font whose letters are em pixels high.
func face(of func() *opentype.Font, em float64) font.Face {
	f, err := opentype.NewFace(of(), &opentype.FaceOptions{Size: em, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		panic(err) // only for options that no face can have
	}
	return f
}

func textWidth(f font.Face, text string) int { return font.MeasureString(f, text).Ceil() }
