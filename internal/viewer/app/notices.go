package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/renderer"
)

const doneRest = 5 * time.Second // how long the window shows that something was done

// Notices are errors and finished actions. A notice stays until it is dismissed, the user
// requests something else, or its time is over.
type Notices []notice

type notice struct {
	text  string
	until time.Time     // zero: no limit
	asked *model.Wishes // wishes when it was noted, without the camera; nil before they are known
}

// add appends a notice. It replaces a notice with the same text.
func (n *Notices) add(text string, until time.Time) {
	n.drop(func(old notice) bool { return old.text == text })
	*n = append(*n, notice{text: text, until: until})
}

// drop removes the notices for which `gone` returns true, and reports whether there were any.
func (n *Notices) drop(gone func(notice) bool) bool {
	before := len(*n)
	*n = slices.DeleteFunc(*n, gone)
	return len(*n) < before
}

// follow drops notices that were noted for other wishes, or whose time is over.
func (n *Notices) follow(asked model.Wishes, now time.Time) (dropped bool) {
	asked.Camera, asked.Within = renderer.Camera{}, renderer.Part{}
	for i := range *n {
		if x := &(*n)[i]; x.asked == nil {
			x.asked = &asked
		}
	}
	return n.drop(func(x notice) bool {
		return *x.asked != asked || !x.until.IsZero() && !now.Before(x.until)
	})
}

// due returns the time until the next notice ends; negative means never.
func (n Notices) due(now time.Time) time.Duration {
	wait := time.Duration(-1)
	for _, x := range n {
		if d := x.until.Sub(now); !x.until.IsZero() && (wait < 0 || d < wait) {
			wait = max(d, 0)
		}
	}
	return wait
}

func (n Notices) String() string { return n.Join("; ") }

func (n Notices) Join(between string) string {
	return strings.Join(names.Of(n, func(x notice) string { return x.text }), between)
}

// say prints an error on standard error, and shows it in the window.
func (a *App) say(err error) { a.tell(err, err.Error()) }

// tell prints an error on standard error, on one line, and shows other words about it in the window.
func (a *App) tell(err error, words string) {
	fmt.Fprintf(a.Stderr, "%s: %s\n", ProgramName, names.Printable(strings.ReplaceAll(err.Error(), "\n", " ")))
	a.note(words, time.Time{})
}

// done shows a finished action for a while.
func (a *App) done(text string) { a.note(text, time.Now().Add(doneRest)) }

// note shows a notice until the user requests something else or, if `until` is not zero, until that time at the latest.
func (a *App) note(text string, until time.Time) {
	a.Notices.add(text, until)
	a.Unshown, a.rest = true, guiRest
}

// Dismiss removes all notices, and reports whether there were any.
func (a *App) Dismiss() bool {
	a.Unshown, a.rest = true, guiRest
	return a.Notices.drop(func(notice) bool { return true })
}

// followNotices removes notices for earlier requests, and those whose time is over.
func (a *App) followNotices() {
	if a.Notices.follow(a.Wishes(), time.Now()) {
		a.Unshown, a.rest = true, guiRest
	}
}

// NoticeShown reports whether there is a notice in the window.
func (a *App) NoticeShown() bool { return len(a.Notices) > 0 && !a.BusyShown() }

// Title returns the window's title: the file, how it is shaded, and how much is reused.
func Title(a *App) string {
	l, r, loading := &a.Shown.Left, &a.Shown.Right, a.loading()
	switch {
	case l.Plan == nil && loading != "":
		return "loading " + inspect.OneLine(loading) + " - shadeonce"
	case l.Plan == nil:
		return "shadeonce"
	}
	name, stats := inspect.OneLine(l.Plan.Frame.Scene.Name), &l.Stats
	if a.Walked != nil {
		name, stats = "walk", &a.Walked.Stats
	}
	if len(a.Files) > 1 {
		name += fmt.Sprintf(" (%d/%d)", a.At+1, len(a.Files))
	}
	how := l.Name()
	if l.Plan.Choice.Strategy != "" {
		how = l.Plan.StrategyName() + ": " + how
	}
	if r.Plan != nil && r.Name() != l.Name() {
		how += " and " + r.Name()
	}
	return fmt.Sprintf("%s: %s, reuse %s - shadeonce", name, how, inspect.Ratio(stats.Reuse(), 4))
}

// loading returns the name of the file that is being opened, or waits to be drawn.
func (a *App) loading() string {
	switch {
	case a.loader.Busy:
		return a.loader.Name
	case a.Next != nil:
		return filepath.Base(a.Next.Files[a.Next.At])
	}
	return ""
}

// Status names the device and the time of a frame. While the device is calibrated it says so in place of the name. It is short,
// so that the panel shows the whole name of a device such as "llvmpipe (LLVM 15.0.6, 256 bits)".
func (a *App) Status() string {
	name := a.Device.Info.Name
	if a.calibrator.under != nil {
		name = calibrating + " (Backspace: stop)"
	}
	if a.frameTime == 0 {
		return name
	}
	return fmt.Sprintf("%.1f ms, %s", inspect.Milliseconds(a.frameTime), name)
}

// followTitle updates the title.
func (a *App) followTitle() {
	if text := a.Title(a); text != a.titleText {
		a.SetTitle(text)
		a.titleText = text
	}
}
