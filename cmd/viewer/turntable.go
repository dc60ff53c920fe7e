package main

import (
	"fmt"
	"image"

	"github.com/shadeonce/shadeonce/renderer"
)

// maxTurntable bounds --turntable: a frame for every tenth of a degree.
const maxTurntable = 3600

// turntable is a turn about the scene, a picture a step.
type turntable struct {
	frames int // 0 for none
	done   int
	from   float32 // azimuth of the first
}

// step draws and saves the next picture, without overlay, and ends the viewer
// after the last.
func (a *app) turnStep(size image.Point) error {
	t := &a.turn
	if t.frames == 0 || a.pending() {
		return nil
	}
	if t.done == 0 {
		t.from = a.camera.Azimuth
	}
	a.move(func(c *renderer.Camera) {
		c.Azimuth = wrapDegrees(float64(t.from) + 360*float64(t.done)/float64(t.frames))
	})
	if err := a.drawNow(); err != nil {
		return err
	}
	img, err := a.picture(size, false)
	if err != nil {
		return err
	}
	path, err := a.savePicture(img, fmt.Sprintf("-turn%04d", t.done+1))
	if err != nil {
		return fmt.Errorf("turntable: %w", err)
	}
	fmt.Println(path)
	t.done++
	a.unshown, a.again = true, true
	a.notice = fmt.Sprintf("turntable %d of %d", t.done, t.frames)
	if t.done == t.frames {
		a.quit = true
	}
	return nil
}

// pending reports whether what the window shows is not yet what is wanted: an
// order, or the other side of a comparison, may still be under way.
func (a *app) pending() bool {
	return a.indexOrder != a.shownOrder || a.compare != compareOff && a.right.plan == nil ||
		a.compare == compareDifference && a.diff.plan == nil || a.loader.busy
}
