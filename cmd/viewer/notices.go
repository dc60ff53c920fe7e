package main

import (
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
)

// doneRest is how long the window says that something was done.
const doneRest = 5 * time.Second

// notices are what went wrong or was done, as far as that still holds: until it is
// dismissed, something else is asked for, or its time is over.
type notices []notice

type notice struct {
	text  string
	until time.Time     // zero: as long as the same is asked for
	asked *views.Wishes // what is asked for since it was noted, but for the camera; nil before that is known
}

// add appends a notice, which replaces one that says the same.
func (n *notices) add(text string, until time.Time) {
	n.drop(func(old notice) bool { return old.text == text })
	*n = append(*n, notice{text: text, until: until})
}

// drop removes some notices, and reports whether there were any.
func (n *notices) drop(gone func(notice) bool) (any bool) {
	var left notices
	for _, x := range *n {
		if !gone(x) {
			left = append(left, x)
		}
	}
	any = len(left) < len(*n)
	*n = left
	return any
}

// follow drops what does not hold any more now that something is asked for.
func (n *notices) follow(asked views.Wishes, now time.Time) (dropped bool) {
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

// due is how long it is until the next notice goes; negative for none.
func (n notices) due(now time.Time) time.Duration {
	wait := time.Duration(-1)
	for _, x := range n {
		if d := x.until.Sub(now); !x.until.IsZero() && (wait < 0 || d < wait) {
			wait = max(d, 0)
		}
	}
	return wait
}

func (n notices) String() string { return n.join("; ") }

func (n notices) join(between string) string {
	texts := make([]string, len(n))
	for i, x := range n {
		texts[i] = x.text
	}
	return strings.Join(texts, between)
}

// say prints an error on standard error, and shows it in the window.
func (a *app) say(err error) {
	fmt.Fprintf(a.stderr, "%s: %s\n", programName, inspect.OneLine(err.Error()))
	a.notices.add(err.Error(), time.Time{})
}

// done shows for a while that something was done.
func (a *app) done(text string) { a.notices.add(text, time.Now().Add(doneRest)) }

// dismiss takes all notices away, and reports whether there were any.
func (a *app) dismiss() bool {
	a.unshown, a.rest = true, guiRest
	return a.notices.drop(func(notice) bool { return true })
}

// followNotices takes away what does not hold any more.
func (a *app) followNotices() {
	if a.notices.follow(a.Wishes(), time.Now()) {
		a.unshown, a.rest = true, guiRest
	}
}

// noticeShown reports whether there is a notice in the window.
func (a *app) noticeShown() bool { return len(a.notices) > 0 && !a.busyShown() }

// noticePanel shows the notices whole: what does not fit scrolls.
func (a *app) noticePanel(size image.Point) {
	if !a.noticeShown() {
		a.noticed = ""
		return
	}
	s := a.gui.scale
	wide, high := min(460*s, float32(size.X)), float32(size.Y)
	text := printable(a.notices.join("\n"))
	inner := wide - 2*imgui.CurrentStyle().WindowPadding().X - imgui.CurrentStyle().ScrollbarSize()
	need := imgui.CalcTextSize(text, false, inner).Y + imgui.FrameHeightWithSpacing() + 3*imgui.CurrentStyle().WindowPadding().Y
	imgui.SetNextWindowPosV(imgui.Vec2{X: float32(size.X) / 2, Y: max(high-guiLegend*s, min(need, high))}, imgui.ConditionAlways, imgui.Vec2{X: .5, Y: 1})
	imgui.SetNextWindowSize(imgui.Vec2{X: wide, Y: min(need, high)})
	if a.noticed != text { // once: a window that takes the focus takes clicks on the others away
		imgui.SetNextWindowFocus()
		a.noticed = text
	}
	imgui.BeginV("##notice", nil, imgui.WindowFlagsNoTitleBar|imgui.WindowFlagsNoResize|imgui.WindowFlagsNoMove|imgui.WindowFlagsNoNav|imgui.WindowFlagsNoFocusOnAppearing)
	imgui.PushTextWrapPosV(0)
	imgui.Text(text)
	imgui.PopTextWrapPos()
	if a.button("dismiss (Esc)") {
		a.dismiss()
	}
	imgui.End()
}

// printable takes what no font has out of a text of several lines.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
}
