package main

import (
	"image"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// While a picture is drawn that takes long the window answers: panels come over the
// old picture, which stays until the new one is whole.
func TestPanelsAnswerWhileDrawing(t *testing.T) {
	d := newDesktop(t)
	d.start("--size", "1300x700", "--panels=false", "--load", "40000", "--camera", "zoom=1.8", "asset:sphere6")
	d.titled("sphere6")
	last := d.settled("the sphere is shown", func(img *image.RGBA) bool { return colorful(img) > changed })
	help, scene := image.Rect(340, 100, 640, 300), image.Rect(980, 0, 1300, 700)
	// Whether the screen is read before the picture is whole is chance: until it was.
	for seen, n := false, 0; !seen; n++ {
		d.key([]string{"7", "1"}[n%2], "h")
		d.until("help is shown", func() bool {
			now := d.screen()
			seen = seen || !agree(last, now, help) && agree(last, now, scene)
			return !agree(last, now, help)
		})
		whole := d.settled("the picture is drawn", func(*image.RGBA) bool { return true })
		require.False(t, agree(last, whole, scene), "the new picture is shown in the end")
		d.key("h")
		last = d.settled("no help", func(*image.RGBA) bool { return true })
		require.Less(t, n, 40, "panels never came over the old picture")
	}
	// The settings too: those that were asked for last are drawn in the end.
	d.key("s", "s", "v", "shift+s")
	d.titled("hash, indexed, batches")
	d.settled("at rest", func(*image.RGBA) bool { return true })
	require.Contains(t, d.title(), "hash, indexed, batches")
	d.key("9")
	time.Sleep(100 * time.Millisecond)
	d.key("q") // in the middle of a picture
	d.end()

	// And while strategies that were never used are planned and compiled.
	for _, after := range []time.Duration{0, 20, 40, 80} {
		d.start("--size", "300x200", "--panels=false", "--remember=false", "asset:sphere6")
		d.titled("sphere6")
		d.key("shift+s")
		time.Sleep(after * time.Millisecond)
		d.key("q")
		d.end()
	}
}
