package panels

import (
	"fmt"
	"image"
	"sort"
	"strings"
	"time"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// busyPanel shows the current work, its progress and a button to cancel it. If the progress is
// unknown, a short bar moves from left to right again and again.
func (ui *Panels) busyPanel(size image.Point) {
	if !ui.BusyShown() {
		return
	}
	s := ui.gui.scale
	busy := ui.Busy()
	text := fmt.Sprintf("%s, %.1f s", inspect.OneLine(busy.What), busy.Passed.Seconds())
	done := float32(busy.Done)
	if done > 0 {
		text += fmt.Sprintf(", %d %%", int(100*done))
	}
	wide := imgui.CalcTextSize(text, false, 0).X + 2*imgui.CurrentStyle().WindowPadding().X
	room := ui.places.strip(size, image.Pt(ceil(wide), ceil(4*imgui.FrameHeight()+app.Margin*s)), ceil(wide), ui.gizmoPlace())
	if room.Dx() < ceil(wide) {
		room = image.Rect(0, 0, size.X, 1) // over the panels
	}
	at, pivot := edgeOf(room, size, app.Margin*s)
	imgui.SetNextWindowPosV(at, imgui.ConditionAlways, pivot)
	imgui.BeginV("##busy", nil, imgui.WindowFlagsAlwaysAutoResize|imgui.WindowFlagsNoDecoration|imgui.WindowFlagsNoNav|imgui.WindowFlagsNoFocusOnAppearing)
	imgui.Text(text)
	from := .75 * float32(busy.Passed%(2*time.Second)) / float32(2*time.Second)
	to := from + .25
	if done > 0 {
		from, to = 0, done
	}
	ui.bar(imgui.WindowDrawList(), imgui.Vec2{X: 220 * s, Y: 8 * s}, from, to, ink(90, 170, 255, 255))
	if ui.button("cancel (Backspace)") {
		ui.Stop = true
	}
	imgui.End()
}

// edgeOf returns the position and the pivot, for imgui, of a message centred in its room (see places.strip)
// at the window's lower edge or at the upper edge of the room.
func edgeOf(room image.Rectangle, size image.Point, margin float32) (at, pivot imgui.Vec2) {
	at, pivot = imgui.Vec2{X: float32(room.Min.X+room.Max.X) / 2, Y: float32(room.Min.Y) + margin}, imgui.Vec2{X: .5}
	if room.Max.Y == size.Y {
		at.Y, pivot.Y = float32(size.Y)-margin, 1
	}
	return at, pivot
}

// noticePanel shows the notices in one line (see places.strip), or in full if the user opens them.
func (ui *Panels) noticePanel(size image.Point) {
	if !ui.NoticeShown() {
		ui.noticed, ui.spread = "", false
		return
	}
	text := printable(ui.Notices.Join("\n"))
	if ui.noticed != text { // only for new text, since a focused window takes clicks from the others
		imgui.SetNextWindowFocus()
		ui.noticed, ui.spread = text, false
	}
	s, style, shown := ui.gui.scale, imgui.CurrentStyle(), strings.ReplaceAll(text, "\n", "  |  ")
	pad, margin := 2*style.WindowPadding().X, app.Margin*s
	buttons := buttonWidth("dismiss (Esc)")
	wide, high := imgui.CalcTextSize(shown, false, 0).X, imgui.FrameHeight()
	least := buttons + buttonWidth("more") + 6*imgui.FontSize()
	cramped := ceil(min(least, wide+buttons) + 2*margin + pad)
	room := ui.places.strip(size, image.Pt(ceil(wide+buttons+2*margin+pad), ceil(high+2*margin+pad)), cramped, ui.gizmoPlace())
	if room.Dx() < cramped {
		room = image.Rect(0, size.Y-1, size.X, size.Y) // the room covers the legend, but no titles of panels
	}
	most := float32(room.Dx()) - 2*margin - pad
	cut := wide+buttons > most
	small := cut && most < least
	switch more := buttonWidth("more"); {
	case small:
		buttons = more
	case cut:
		buttons += more
	}
	if cut {
		wide = max(most-buttons, 1)
		shown = shortened(shown, wide)
	}
	if ui.spread {
		wide = max(most, 1)
		text = wrapped(text, wide-style.ScrollbarSize())
		high = min(imgui.CalcTextSize(text, false, wide).Y+imgui.FrameHeightWithSpacing(), .8*float32(size.Y)-pad)
		buttons = style.ScrollbarSize()
	}
	at, pivot := edgeOf(room, size, margin)
	imgui.SetNextWindowPosV(at, imgui.ConditionAlways, pivot)
	imgui.SetNextWindowSize(imgui.Vec2{X: wide + buttons + pad, Y: high + 2*style.WindowPadding().Y})
	imgui.BeginV("##notice", nil, imgui.WindowFlagsNoTitleBar|imgui.WindowFlagsNoResize|imgui.WindowFlagsNoMove|imgui.WindowFlagsNoNav|imgui.WindowFlagsNoFocusOnAppearing)
	defer imgui.End()
	if ui.spread {
		imgui.PushTextWrapPosV(0)
		imgui.Text(text)
		imgui.PopTextWrapPos()
	} else {
		imgui.AlignTextToFramePadding()
		imgui.Text(shown)
		imgui.SameLine()
		if cut && ui.button("more") {
			ui.spread = true
		}
		if small {
			return
		} else if cut {
			imgui.SameLine()
		}
	}
	if ui.button("dismiss (Esc)") {
		ui.Dismiss()
	}
}

// buttonWidth returns the width of a button in a line, including the space before it.
func buttonWidth(text string) float32 {
	style := imgui.CurrentStyle()
	return imgui.CalcTextSize(text, false, 0).X + 2*style.FramePadding().X + style.ItemSpacing().X
}

// shortened cuts a text to a width, with dots at the cut.
func shortened(text string, wide float32) string {
	return fitted(text, wide, func(letters []rune, n int) string { return string(letters[:n]) + figureToCome })
}

// fitted returns the text if it fits a width, else form(letters, n) with the largest n whose result fits.
func fitted(text string, wide float32, form func(letters []rune, n int) string) string {
	width := func(text string) float32 { return imgui.CalcTextSize(text, false, 0).X }
	letters := []rune(text)
	if width(text) <= wide {
		return text
	}
	return form(letters, sort.Search(len(letters), func(n int) bool { return width(form(letters, n+1)) > wide }))
}

// printable replaces control characters by spaces, since no font has them. It keeps line breaks.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
}

// Sizes in the help, in pixels of a display of ordinary density: least and greatest width of a
// column, and the widths for keys and values.
const helpLeast, helpMost, helpKey, helpValue = 330, 400, 118, 84

// helpPanel lists the functions of mouse and keys, in as many columns as fit the window, at most three.
// It scrolls if the window is small.
func (ui *Panels) helpPanel(size image.Point) {
	if !ui.Help {
		return
	}
	s, style := ui.gui.scale, imgui.CurrentStyle()
	pad := imgui.Vec2{X: 2*style.WindowPadding().X + style.ScrollbarSize(), Y: 2 * style.WindowPadding().Y}
	room := max(float32(size.X)-pad.X, 1)
	columns := min(max(int(room/(helpLeast*s)), 1), 3)
	wide := min(helpMost*s, room/float32(columns))
	widths := [3]float32{helpKey * s, max(wide-(helpKey+helpValue)*s-8*style.CellPadding().X, 1), helpValue * s}
	groups := ui.HelpGroups()
	var whole float32
	for _, g := range groups {
		whole += helpHeight(g, widths)
	}
	high := whole/float32(columns) + 3*imgui.FrameHeight() + pad.Y // groups are not divided
	center := imgui.Vec2{X: float32(size.X) / 2, Y: float32(size.Y) / 2}
	imgui.SetNextWindowPosV(center, imgui.ConditionAlways, imgui.Vec2{X: .5, Y: .5})
	imgui.SetNextWindowSize(imgui.Vec2{X: min(float32(columns)*wide+pad.X, float32(size.X)), Y: min(high, float32(size.Y))})
	imgui.SetNextWindowBgAlpha(1)
	imgui.SetNextWindowFocus()
	open := true
	defer imgui.End()
	flags := imgui.WindowFlagsNoNav | imgui.WindowFlagsNoMove | imgui.WindowFlagsNoResize | imgui.WindowFlagsNoCollapse
	if !imgui.BeginV("Mouse and keys  (H or Esc closes)###help", &open, flags) {
		return
	}
	if imgui.BeginTableV("help", columns, imgui.TableFlagsNone, imgui.Vec2{}, 0) {
		imgui.TableNextColumn()
		var at float32
		for _, g := range groups {
			high := helpHeight(g, widths)
			if column := imgui.TableGetColumnIndex(); column < columns-1 && (at+high/2)*float32(columns) > whole*float32(column+1) {
				imgui.TableNextColumn()
			}
			imgui.PushStyleColor(imgui.StyleColorText, ui.gui.colors.heading)
			imgui.Text(g.Name)
			imgui.PopStyleColor()
			helpTable(g, widths)
			at += high
		}
		imgui.EndTable()
	}
	if !open {
		ui.Help = false
	}
}

// helpHeight returns the height that a group takes in a column.
func helpHeight(g model.HelpGroup, widths [3]float32) float32 {
	high := 2 * imgui.TextLineHeightWithSpacing()
	for _, line := range g.Lines {
		var row float32
		for i, text := range line {
			row = max(row, imgui.CalcTextSize(text, false, widths[i]).Y)
		}
		high += row + 2*imgui.CurrentStyle().CellPadding().Y
	}
	return high
}

func helpTable(g model.HelpGroup, widths [3]float32) {
	if !imgui.BeginTableV("keys "+g.Name, 3, imgui.TableFlagsRowBg, imgui.Vec2{}, 0) {
		return
	}
	defer imgui.EndTable()
	for i, wide := range widths {
		imgui.TableSetupColumnV("", imgui.TableColumnFlagsWidthFixed, wide, uint(i))
	}
	for _, line := range g.Lines {
		imgui.TableNextRow()
		for _, text := range line {
			imgui.TableNextColumn()
			imgui.PushTextWrapPos()
			imgui.Text(text)
			imgui.PopTextWrapPos()
		}
	}
	imgui.Spacing()
}
