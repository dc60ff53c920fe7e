package picture

import (
	"image"
	"image/color"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// The fonts of pictures: Go's own.
var (
	plainFont = parsed(goregular.TTF)
	boldFont  = parsed(gobold.TTF)
)

// parsed returns a function that parses a font when it is first needed.
func parsed(ttf []byte) func() *opentype.Font {
	return sync.OnceValue(func() *opentype.Font {
		f, err := opentype.Parse(ttf)
		if err != nil {
			panic(err) // the font is part of the program
		}
		return f
	})
}

// face returns a font whose letters have that height, in pixels.
func face(of func() *opentype.Font, em float64) font.Face {
	f, err := opentype.NewFace(of(), &opentype.FaceOptions{Size: em, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		panic(err) // only for options that no face can have
	}
	return f
}

func textWidth(f font.Face, text string) int { return font.MeasureString(f, text).Ceil() }

func writeText(img *image.RGBA, f font.Face, text string, x, baseline int, c color.RGBA) {
	d := font.Drawer{Dst: img, Src: image.NewUniform(c), Face: f, Dot: fixed.P(x, baseline)}
	d.DrawString(text)
}
