package app

import (
	"fmt"
	"image"

	"github.com/shadeonce/shadeonce/renderer"
)

// maxTurntable is the limit of --turntable: a frame for every tenth of a degree.
const maxTurntable = 3600

// turntable is a turn about the scene, one picture per step.
type turntable struct {
	frames int // 0 if there is no turntable
	done   int
	begun  bool
	from   float32 // first azimuth
}

// turnStep saves each step's picture once it is shown, without overlay, and ends the viewer after
// the last.
func (a *App) turnStep(size image.Point) error {
	t := &a.turn
	if t.frames == 0 || a.pending(size) {
		return nil
	}
	if !t.begun {
		t.begun, t.from = true, a.Camera.Azimuth
	} else if err := a.saveTurn(size); err != nil {
		return err
	}
	if a.Again = true; t.done == t.frames {
		a.Quit = true
		return nil
	}
	a.Move(func(c *renderer.Camera) {
		c.Azimuth = renderer.WrapDegrees(float64(t.from) + 360*float64(t.done)/float64(t.frames))
	})
	return nil
}

func (a *App) saveTurn(size image.Point) error {
	t := &a.turn
	img, err := a.picture(size, false)
	if err != nil {
		return err
	}
	file := a.pictureFile(fmt.Sprintf("-turn%04d", t.done+1))
	path, err := file.save(img)
	if err != nil {
		return fmt.Errorf("turntable: %w", err)
	}
	fmt.Fprintln(a.Stdout, path)
	t.done++
	a.Unshown = true
	a.Dismiss()
	a.done(fmt.Sprintf("turntable %d of %d", t.done, t.frames))
	return nil
}

// pending reports whether the window does not yet show what is wanted: an order, or the other
// side of a comparison, may still be missing.
func (a *App) pending(size image.Point) bool {
	w, err := a.asked(size)
	_, some := a.Job(w)
	return err != nil || some || a.loader.Busy || w.Waits || a.appPending() || a.IndexOrder != a.Shown.Left.Order || a.Compare != a.Shown.Compare
}
