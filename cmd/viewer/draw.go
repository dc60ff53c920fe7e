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
	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// draw makes the picture follow the state: a scene that was opened, settings
// that were changed, another size, a moved camera. It reports whether the
// device drew anything for a new camera. Errors end the viewer.
//
// The state may change wherever it waits for the device. What is wished for by
// then is followed by the next call: wishes are only taken back where they still
// are those that failed.
func (a *app) draw(size image.Point) (bool, error) {
	a.drawn = a.camera
	drawn, err := a.follow(size)
	if err != nil || !a.fresh {
		return drawn, err
	}
	return drawn, a.present()
}

// slow reports whether what was drawn last took so long that it is shown before more
// is drawn.
func (a *app) slow() bool { return a.fresh && sumTimings(a.timings) >= promptRedraw }

func (a *app) follow(size image.Point) (bool, error) {
	if a.next != nil {
		if err := a.enter(size); err != nil {
			return false, err
		}
	}
	if a.plan == nil {
		return false, nil
	}
	if a.want != a.good || a.alone != a.shownAlone || a.resized(size) && time.Since(a.resizedAt) >= resizeRest {
		if err := a.replan(size); err != nil {
			return false, err
		}
	}
	if a.slow() {
		if err := a.present(); err != nil {
			return false, err
		}
	}
	if a.quit {
		return false, nil
	}
	if err := a.followCompare(); err != nil {
		return false, err
	}
	if !a.redraw || a.quit {
		return false, nil
	}
	if a.slow() {
		a.again = true
		return false, nil
	}
	return true, a.drawNow()
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
	a.captured = l.source.View()
	if a.plan != nil && !l.again {
		a.alone = 0
	}
	if err := checkAlone(l.scene, a.alone); err != nil {
		a.say(err)
		a.alone = 0
	}
	if a.alone > 0 {
		l.box = a.chosen(l.scene, a.alone).Bounds()
	}
	var err error
	if l.again { // what is looked at stays
		a.box = l.box
		a.move(func(c *renderer.Camera) { c.SetPlanes(l.box) })
	} else {
		err = a.look(l.box, float32(size.X)/float32(size.Y))
	}
	a.drawn = a.camera
	alone := a.alone
	if err == nil {
		err = a.attempt(l.scene, a.want, size)
	}
	if plain := a.fallback; err != nil && plain != nil && !a.fatal(err) { // another device than last time
		a.say(fmt.Errorf("without the settings that were remembered: %w", err))
		a.want, a.fallback = *plain, nil
		err = a.attempt(l.scene, a.want, size)
	}
	if err == nil {
		a.fallback = nil
		// Nobody may look at the old scene any more: it may lie in a mapped file.
		a.right.plan, a.rightSource, a.diff = nil, l.source, difference{}
		a.backend.Keep(1)
		a.keeper.Retire(a.source)
		a.files, a.at, a.source, a.shownOrder = l.files, l.at, l.source, l.indexOrder
		a.orders.put(l.source, l.indexOrder, l.scene)
		a.watcher.watch(l.files[l.at])
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
	a.box, a.aspect, a.captured, a.redraw = before.box, before.aspect, before.captured, true
	a.camera, a.drawn = before.camera, before.camera
	if a.alone == alone {
		a.alone = before.alone
	}
	return a.refuse(loaded{files: l.files, rest: l.rest, refused: []error{naming(l.files[l.at], err)}})
}

// replan draws the scene with the wanted settings, or the next that work, for a
// window of that size.
func (a *app) replan(size image.Point) error {
	if want := a.want; want != a.good {
		_, notice := settle(a.good, want, a.turned, a.step, func(s settings) error {
			if a.screen.device.Lost() {
				return gpu.ErrDeviceLost
			}
			return a.attempt(a.whole, s, size)
		})
		if notice != nil && a.fatal(notice) {
			return notice
		}
		if notice != nil {
			a.say(notice)
		}
		if a.want == want {
			a.want, a.turned = a.good, nil
		}
	}
	a.aspect = float32(size.X) / float32(size.Y)
	if a.alone != a.shownAlone {
		if err := a.followAlone(size); err != nil {
			return err
		}
	}
	if !a.resized(size) {
		return nil
	}
	// The settings that worked before, at the new size; else the old picture is
	// stretched.
	if err := a.attempt(a.whole, a.good, size); err != nil {
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

// attempt plans and draws a scene, or its one draw that is to be shown alone; where that works, it is what is shown.
func (a *app) attempt(scene *geometry.Scene, s settings, size image.Point) error {
	alone := a.alone
	if checkAlone(scene, alone) != nil { // it was wished for of another scene
		alone = 0
	}
	if err := a.side.attempt(a.chosen(scene, alone), s, size, a.drawn); err != nil {
		a.redraw, a.fresh = true, false // the old plan has to be recorded again
		return err
	}
	a.whole, a.shownAlone = scene, alone
	a.fresh, a.legendDue, a.frameTime = true, true, 0
	// Drawn once more, since the times of a plan's first run hold its preparation,
	// unless that takes too long.
	if a.redraw = a.camera != a.drawn || sumTimings(a.timings) < patientRedraw; a.redraw {
		return nil
	}
	a.log.add(a.timings)
	a.frameTime = sumTimings(a.timings)
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
		lines := picture.Columns(helpLines(&a.state), size.Div(scale))
		if text := strings.Join(lines, "\n"); text != a.helpText {
			a.helpText, a.helpPanel = text, picture.Enlarge(picture.LegendPanel(lines, nil), scale)
		}
		help = a.helpPanel
	}
	composed, err := a.compose(size)
	if err != nil {
		return err
	}
	shown, err := a.screen.swapchain.Present(composed, size, a.overlays(help, size, scale)...)
	if err != nil {
		return err
	}
	a.unshown, a.shownAt = !shown, time.Now()
	if a.quota > 0 && len(a.bench) > 0 {
		a.pace.note(a.shownAt)
	}
	return nil
}

// compose is the picture with the panels on it, or the picture itself where there
// is nothing to be put on it.
func (a *app) compose(size image.Point) (*gpu.Image, error) {
	a.rest = max(0, a.rest-1)
	if !a.panels && !a.split() && !a.busyShown() {
		return a.backend.Color(), nil
	}
	a.guiFrame()
	return a.overlay.Compose(size, a.parts(size), a.gui.mesh)
}

// sides are those that are shown.
func (a *app) sides() []*side {
	if r := a.shownRight(); r != nil {
		return []*side{&a.side, r}
	}
	return []*side{&a.side}
}

// surveyed returns the plans of which the panels say how lanes are used.
func (a *app) surveyed() (plans []*plan.Plan) {
	if a.panels {
		for _, d := range a.sides() {
			plans = append(plans, d.plan)
		}
	}
	return plans
}

// relegend makes the legends say what is shown.
func (a *app) relegend() {
	scale := a.screen.scale()
	r := a.shownRight()
	switch {
	case a.diff.plan != nil && r != nil:
		p := picture.DifferencePalette
		a.legend, a.rightLegend = picture.Enlarge(picture.LegendPanel([]string{
			fmt.Sprintf("%s in %s order against %s in %s", r.name(), r.shownOrder, a.name(), a.shownOrder),
			fmt.Sprintf("%s vertices shaded more often (+%s)", thousands(a.diff.More), thousands(a.diff.By)),
			fmt.Sprintf("%s vertices less often (-%s)", thousands(a.diff.Less), thousands(a.diff.Saves)),
		}, &p), scale), nil
	default:
		a.legend, a.rightLegend = picture.Enlarge(picture.LegendPanel(a.plan.Legend(a.stats)), scale), nil
		if r != nil {
			a.rightLegend = picture.Enlarge(picture.LegendPanel(r.plan.Legend(r.stats)), scale)
		}
	}
}
