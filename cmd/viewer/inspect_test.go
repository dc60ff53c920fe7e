package main

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHoverAndClickTellOfAVertexAndItsBatch(t *testing.T) {
	d := newDesktop(t)
	d.start("--size", "1000x700", "asset:cube")
	d.titled("cube")
	// The middle of the window shows the cube; nothing is marked before the cursor rests there.
	d.do("mousemove", "--window", d.window, "980", "20")
	plain := d.settled("the cube is shown", func(img *image.RGBA) bool { return img.RGBAAt(500, 350) != background() })
	d.do("mousemove", "--window", d.window, "500", "350")
	around := image.Rect(440, 250, 700, 450)
	hovered := d.settled("the vertex is told of", func(img *image.RGBA) bool { return !agree(plain, img, around) })
	d.do("mousemove", "--window", d.window, "980", "20")
	d.settled("leaving it takes the text away", func(img *image.RGBA) bool { return agree(plain, img, around) })
	require.False(t, agree(plain, hovered, around))

	d.click(500, 350)
	d.do("mousemove", "--window", d.window, "980", "20")
	marked := d.settled("the batch is marked", func(img *image.RGBA) bool { return img.RGBAAt(500, 350) != plain.RGBAAt(500, 350) })
	list := image.Rect(760, 380, 980, 560)
	require.False(t, agree(plain, marked, list), "its vertices are listed")
	d.click(500, 30)
	d.do("mousemove", "--window", d.window, "980", "20")
	d.settled("a click beside it ends that", func(img *image.RGBA) bool { return agree(plain, img, around) && agree(plain, img, list) })
	d.key("q")
	d.end()
}
