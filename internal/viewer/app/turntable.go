package app

import (
	"fmt"
	"image"
	"time"

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
	since  time.Time
}

func (t *turntable) words() string {
	return fmt.Sprintf("the turntable after %d of %d pictures", t.done, t.frames)
}

// turnStep begins to save each step's picture once it is drawn, without overlay, and ends the viewer
// after the last.
func (a *App) turnStep(size image.Point) {
	t := &a.turn
	if t.frames == 0 || a.Drawing != nil || a.pending(size) {
		return
	}
	if !t.begun {
		t.begun, t.from, t.since = true, a.Camera.Azimuth, time.Now()
	}
	a.Drawing = a.painter.BeginTask(t.words(), func() error {
		file := a.pictureFile(fmt.Sprintf("-turn%04d", t.done+1))
		img, err := a.picture(size, false)
		if err != nil {
			return err
		}
		var path string
		if a.painter.Aside(func() { path, err = file.save(img) }); err != nil {
			return fmt.Errorf("turntable: %w", err)
		}
		fmt.Fprintln(a.Stdout, path)
		if t.frames > 0 { // it was not given up meanwhile
			t.done++
			a.Quit = t.done == t.frames
			a.Move(func(c *renderer.Camera) {
				c.Azimuth = renderer.WrapDegrees(float64(t.from) + 360*float64(t.done)/float64(t.frames))
			})
		}
		return nil
	})
}

// pending reports whether the window does not yet show what is wanted: an order, or the other
// side of a comparison, may still be missing.
func (a *App) pending(size image.Point) bool {
	w, err := a.asked(size)
	_, some := a.Job(w)
	return err != nil || some || a.loader.Busy || w.Waits || a.appPending() || a.IndexOrder != a.Shown.Left.Order || a.Compare != a.Shown.Compare
}
