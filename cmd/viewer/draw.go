package main

import (
	"errors"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// draw makes the picture follow the state: a scene that was opened, settings
// that were changed, another size, a moved camera. It reports whether the
// device drew anything. Errors end the viewer.
func (a *app) draw(size image.Point) (bool, error) {
	if a.next != nil {
		if err := a.enter(size); err != nil {
			return false, err
		}
	}
	if a.plan == nil {
		return false, nil
	}
	if a.want != a.good || a.resized(size) && time.Since(a.resizedAt) >= resizeRest {
		if err := a.replan(size); err != nil {
			return false, err
		}
	}
	if !a.redraw {
		return false, nil
	}
	var want renderer.Want
	if a.plan.Frame.Cull { // what is shaded follows from what is seen
		want = renderer.WantCounts
	}
	begin := time.Now()
	out, err := a.screen.backend.Exec(a.plan, a.camera, want)
	if err != nil {
		return false, err
	}
	a.redraw, a.timings, a.execTime = false, out.Timings, time.Since(begin)
	if a.plan.Frame.Cull {
		a.stats, a.legend = out.Stats, enlarge(renderer.Legend(a.plan, out.Stats), a.screen.scale())
	}
	return true, nil
}

// enter shows the scene that was opened. One that cannot be drawn is refused,
// and the files after it are tried.
func (a *app) enter(size image.Point) error {
	l := *a.next
	a.next = nil
	if l.reordered {
		return a.enterOrder(l, size)
	}
	before := a.state
	a.captured = l.source.View
	err := a.look(l.box, float32(size.X)/float32(size.Y))
	if err == nil {
		err = a.attempt(l.scene, a.want, size)
	}
	if err == nil {
		if a.source != nil {
			a.source.Release() // no order of it is being made: followOrder waits for files
		}
		a.files, a.at, a.source, a.shownOrder = l.files, l.at, l.source, l.indexOrder
		for _, e := range a.firstErrs {
			a.report(e)
		}
		a.firstErrs = nil
		if text := l.source.LeftOut(); text != "" {
			a.say(fmt.Errorf("%s: %s", l.files[l.at], text))
		}
		return nil
	}
	if a.fatal(err) {
		return err
	}
	l.source.Release()
	a.camera, a.box, a.aspect, a.redraw = before.camera, before.box, before.aspect, true
	a.captured = before.captured
	return a.refuse(loaded{files: l.files, rest: l.rest, refused: []error{naming(l.files[l.at], err)}})
}

// replan draws the scene with the wanted settings, or the next that work, for a
// window of that size.
func (a *app) replan(size image.Point) error {
	if a.want != a.good {
		_, notice := settle(a.good, a.want, a.turned, a.step, func(s settings) error {
			if a.screen.device.Lost() {
				return gpu.ErrDeviceLost
			}
			return a.attempt(a.scene, s, size)
		})
		if notice != nil && a.fatal(notice) {
			return notice
		}
		if notice != nil {
			a.say(notice)
		}
	}
	a.want, a.turned = a.good, nil
	a.aspect = float32(size.X) / float32(size.Y)
	if !a.resized(size) {
		return nil
	}
	// The settings that worked before, at the new size; else the old picture is
	// stretched.
	if err := a.attempt(a.scene, a.good, size); err != nil {
		if a.fatal(err) {
			return err
		}
		a.say(err)
		a.stuck = size
	}
	return nil
}

// resized reports whether the picture has another size than the window.
func (a *app) resized(size image.Point) bool { return size != planSize(a.plan) && size != a.stuck }

// attempt plans and draws a scene; where that works, it is what is shown.
func (a *app) attempt(scene *geometry.Scene, s settings, size image.Point) error {
	frame, err := s.frame(scene, size.X, size.Y)
	if err != nil {
		return err
	}
	out, plan, err := renderer.Render(a.screen.backend, frame, a.camera, renderer.WantCounts)
	if err != nil {
		a.redraw = true // the old plan has to be recorded again
		return err
	}
	a.scene, a.plan, a.good, a.stats, a.timings = scene, plan, s, out.Stats, out.Timings
	a.legend = enlarge(renderer.Legend(plan, out.Stats), a.screen.scale())
	// Drawn once more: the times of a plan's first run hold its preparation.
	a.redraw, a.unshown, a.frameTime = true, true, 0
	return nil
}

// fatal reports whether the device can do nothing more.
func (a *app) fatal(err error) bool {
	return errors.Is(err, gpu.ErrDeviceLost) || errors.Is(err, gpu.ErrTimeout) || a.screen.device.Lost()
}

// show puts the picture and the panels into the window.
func (a *app) show(size image.Point) error {
	scale := a.screen.scale()
	var help *image.RGBA
	if a.help {
		lines := helpLines(&a.state)
		if text := strings.Join(lines, "\n"); text != a.helpText {
			a.helpText, a.helpPanel = text, enlarge(textPanel(lines), scale)
		}
		help = a.helpPanel
	}
	picture, err := a.screen.backend.Color()
	if err != nil {
		return err
	}
	shown, err := a.screen.swapchain.Present(picture, size, overlays(a.legend, help, size, scale)...)
	if err != nil {
		return err
	}
	a.unshown = !shown
	return nil
}

// takeShots writes the screenshots that were asked for into the current folder.
// A picture that cannot be written is no reason to end.
func (a *app) takeShots() error {
	shots := a.shots
	a.shots = nil
	for _, s := range shots {
		out, err := a.screen.backend.Exec(a.plan, a.camera, renderer.WantColor)
		if err != nil {
			return err
		}
		if s.legend {
			renderer.DrawLegend(out.Color, a.plan, a.stats)
		}
		data, err := encodePicture(out.Color, describe(&a.plan.Frame, a.shownOrder, a.stats.Invocations))
		var path string
		if err == nil {
			path, err = savePicture(".", pictureName(&a.plan.Frame, a.shownOrder), data)
		}
		if err != nil {
			a.say(fmt.Errorf("screenshot: %w", err))
			continue
		}
		fmt.Println(path)
		a.notice = "saved " + path
	}
	return nil
}
