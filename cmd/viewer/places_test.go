package main

import (
	"image"
	"testing"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/stretchr/testify/require"
)

// Panels stay on the window, beside each other, and where users put them; the scene is
// fitted into what they leave.
func TestPanelsStayOnTheWindow(t *testing.T) {
	d := newDesktop(t)
	d.start("--size", "700x500", "asset:city1")
	d.do("mousemove", "--window", d.window, "690", "490")
	shown := d.settled("the city is shown", func(img *image.RGBA) bool { return colorful(img) > changed })
	box := seen(shown)
	require.True(t, box.In(image.Rect(290, 0, 700, 500)), "the scene is at %v, beside the panel", box)
	require.Greater(t, box.Dy(), 150, "and fills what is left")

	d.do("windowsize", d.window, "60", "40")
	d.until("the window is small", func() bool { return d.screen().Bounds().Size() == image.Pt(60, 40) })
	d.do("windowsize", d.window, "700", "500")
	d.same("the first size", shown)

	d.do("mousemove", "--window", d.window, "150", "24", "mousedown", "1", "mousemove", "--window", d.window, "250", "34",
		"mousemove", "--window", d.window, "400", "40", "mouseup", "1", "mousemove", "--window", d.window, "690", "490")
	moved := d.settled("the panel is at the right", func(img *image.RGBA) bool { return img.RGBAAt(16, 30) == background() })
	require.Less(t, seen(moved).Min.X, 260, "the scene takes the room that is left now")
	d.key("q")
	d.end()
	d.start("--size", "700x500", "asset:city1")
	d.do("mousemove", "--window", d.window, "690", "490")
	below := image.Rect(0, 50, 700, 500) // the titles, whose colour says which panel was used last
	d.settled("the next run is alike", func(img *image.RGBA) bool { return agree(moved, img, below) })
	d.key("q")
	d.end()
}

// seen is the part of a picture that is green, as vertices are that were shaded once.
func seen(img *image.RGBA) (box image.Rectangle) {
	for y := range above(img).Max.Y {
		for x := range img.Rect.Dx() {
			if c := img.RGBAAt(x, y); int(c.G) > int(max(c.R, c.B))+40 {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return box
}

// Text and panels follow the density that the display tells (Xft.dpi), or --scale.
func TestPanelsFollowTheDisplaysDensity(t *testing.T) {
	d := newDesktop(t)
	args := []string{"--remember=false", "--size", "900x600", "asset:cube"}
	look := func(args ...string) *image.RGBA {
		d.start(args...)
		d.do("mousemove", "--window", d.window, "895", "5")
		img := d.settled("the panels are shown", func(img *image.RGBA) bool { return colorful(img) > changed })
		d.key("q")
		d.end()
		return img
	}
	half := look(append(args, "--scale", "1.5")...)
	title, panel := half.RGBAAt(40, 20), half.RGBAAt(40, 58)
	require.Equal(t, title, half.RGBAAt(40, 49), "the title is one and a half times as high")
	require.NotEqual(t, title, panel)

	conn, err := xgb.NewConnDisplay(d.display)
	require.NoError(t, err)
	defer conn.Close()
	root := xproto.Setup(conn).DefaultScreen(conn).Root
	value := []byte("Xft.dpi:\t144\n")
	require.NoError(t, xproto.ChangePropertyChecked(conn, xproto.PropModeReplace, root, xproto.AtomResourceManager, xproto.AtomString, 8, uint32(len(value)), value).Check())
	require.Equal(t, half.Pix, look(args...).Pix)
	// A window of the standard size grows with its text.
	require.Equal(t, image.Pt(1280, 1024), look("--remember=false", "asset:cube").Rect.Size(), "as far as the monitor allows")
}
