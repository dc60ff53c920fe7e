package app

import (
	"fmt"
	"image"
	"math"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/layout"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
)

const meanwhileRest = 30 * time.Millisecond // the least time between two frames of the window while the scene is drawn

// show shows the picture and the panels in the window.
func (a *App) show(size image.Point) (err error) {
	defer must.Catch(&err)
	shown := must.Get(a.Present(must.Get(a.compose(size)), size))
	a.Unshown, a.shownAt = !shown, time.Now()
	if a.quota > 0 && len(a.bench) > 0 {
		a.pace.Note(a.shownAt)
	}
	return nil
}

// compose returns the picture with legends and panels over it, or the bare picture if nothing lies
// over it.
func (a *App) compose(size image.Point) (*gpu.Image, error) {
	a.rest = max(0, a.rest-1)
	var mesh gpu.OverlayMesh
	if a.Panels || a.Help || a.Split() || a.BusyShown() || a.NoticeShown() || len(a.flat.Runs) > 0 {
		a.guiFrame()
		mesh = a.ui.Mesh()
	} else if len(a.Overlays(size)) == 0 {
		return a.painter.Left.Color(), nil
	}
	return a.overlay.Compose(size, a.parts(size), a.Overlays(size), mesh)
}

// showMeanwhile shows the panels over the old picture while a new one is drawn. It does nothing if a GPU
// would have to finish submitted work first, unless the progress bar is shown.
func (a *App) showMeanwhile(size image.Point, submitted bool) error {
	busy, rested := a.BusyShown(), time.Since(a.shownAt)
	if a.quota > 0 && a.Panels || a.rest > 0 || busy && rested >= busyStep {
		a.Unshown = true
	}
	if !a.Unshown || rested < meanwhileRest || submitted && !a.painter.Stepwise && !busy {
		return nil
	}
	if a.painter.Left.Color() == nil {
		return a.showBusy(size)
	}
	return a.show(size)
}

// surveyed lists the surveys that the panels show: of sides, listed draws and strategies. A side whose counts
// depend on the camera has no survey, since the CPU reference does not know which triangles are visible.
func (a *App) surveyed() (wanted []inspect.Survey) {
	if !a.Panels {
		return nil
	}
	for _, d := range a.Sides() {
		if d.Applied == nil && d.Plan != nil && !d.Plan.Counting().FollowsCamera { // an application's counts are known already; counts that depend on the camera cannot be surveyed
			wanted = append(wanted, a.SurveyOf(d))
		}
	}
	if a.ListsDraws() {
		wanted = append(wanted, a.drawsSurvey())
	}
	for _, r := range a.Strategies.Rows {
		if r.Err == nil {
			wanted = append(wanted, r.Survey)
		}
	}
	return wanted
}

// Legend is the panel that explains a side's colours.
type Legend struct {
	says  string
	Panel *image.RGBA // nil if there is none
}

// say draws as much of a legend as fits the room. It keeps the drawing if nothing has changed. em is the height of letters in pixels.
func (l *Legend) say(room image.Point, em float64, p picture.Panel) {
	p, em, fits := p.Fit(room, em, smallLetters*em)
	if key := fmt.Sprint(em, p); !fits {
		*l = Legend{}
	} else if key != l.says {
		l.says, l.Panel = key, p.Draw(em)
	}
}

const smallLetters = .8 // the scale to which letters shrink before a legend drops text

// sayLegend shows a legend in its part of the window. If that part is too small, the left legend shows
// only the colours, for both sides and across the window's whole width.
func (a *App) sayLegend(l *Legend, p picture.Panel) {
	em, room := a.legendEm(), a.legendRoom()
	p.Light = a.Theme == model.LightTheme
	if l.say(room, em, p); l.Panel == nil && l == &a.Legend {
		room.X = a.Size().X - picture.Margin(2*em)
		l.say(room, em, p.Bare())
	}
}

// legendRoom returns the room for a legend in pixels: less than half the width, so that two fit
// beside each other. A single legend in a window higher than wide may take all of the width.
func (a *App) legendRoom() image.Point {
	size := a.Size()
	wide := size.X
	if a.Shown.Right.Plan != nil || size.X >= size.Y {
		wide /= 2
	}
	return image.Pt(wide-picture.Margin(2*a.legendEm()), size.Y/3)
}

// legendEm returns the height of letters in the legends, in pixels.
func (a *App) legendEm() float64 { return picture.PanelEm * float64(a.ui.Scale()) }

// relegend updates the legends to what the window shows.
func (a *App) relegend() {
	s := &a.Shown
	l, r, d := &s.Left, &s.Right, &s.Difference
	if a.Walked != nil {
		a.relegendSide(&a.Legend, a.Sides()[0])
		return
	}
	if d.Plan != nil {
		legend := picture.Panel{Title: "How much more often each vertex was shaded", Keys: picture.ScaleKeys(picture.DifferencePalette, nil), Lines: []string{
			fmt.Sprintf("%s in %s order against %s in %s", r.Name(), r.Order, l.Name(), l.Order),
			fmt.Sprintf("%s vertices shaded more often (+%s)", inspect.Thousands(d.More), inspect.Thousands(d.By)),
			fmt.Sprintf("%s vertices less often (-%s)", inspect.Thousands(d.Less), inspect.Thousands(d.Saves)),
		}}
		if legend.Darkest = l.Settings.Look.Light.Darkest(); legend.Darkest > 0 {
			legend.Lines = append(legend.Lines, picture.LightLine)
		}
		a.sayLegend(&a.Legend, legend)
		return
	}
	a.relegendSide(&a.Legend, l)
	if r.Plan != nil {
		a.relegendSide(&a.rightLegend, r)
	}
}

// unseen returns the sides (0 left, 1 right) whose pictures show shading counts, but whose pixels takeSeen must still count.
func (a *App) unseen() (sides []int) {
	if a.quota > 0 || a.Walked != nil || a.Shown.Difference.Plan != nil {
		return nil
	}
	for i, h := range a.Shown.Halves() {
		if h.Plan != nil && (h.Seen == nil || h.Stale) && h.ShowsCounts() {
			sides = append(sides, i)
		}
	}
	return sides
}

// takeSeen counts, once drawing has ended, how many pixels of each picture show each shading count.
func (a *App) takeSeen() error {
	for _, i := range a.unseen() {
		seen, err := []model.Canvas{a.painter.Left, a.painter.Right}[i].Seen()
		if err != nil {
			return err
		}
		h := a.Shown.Halves()[i]
		h.Seen, h.Stale = &seen, false
	}
	a.relegend()
	return nil
}

// Split reports whether the window is divided.
func (a *App) Split() bool {
	return a.Walked == nil && (a.Shown.Compare == model.CompareSplit || a.Shown.Compare == model.CompareBefore) && a.painter.Right.Color() != nil
}

// DividerX returns the column of the divider, in pixels from the window's left edge.
func (a *App) DividerX(width int) int {
	from, wide := a.divided(width)
	return min(max(from+int(a.Divider*float64(wide)), 1), width-1)
}

// divided returns the part of the width in which the divider moves: the part that the panels
// leave to the scene.
func (a *App) divided(width int) (from, wide int) {
	if free, window := a.ui.Free(); !free.Empty() && window.X == width {
		return free.Min.X, free.Dx()
	}
	return 0, width
}

// dividerIn returns the column at which the divider cuts a picture of the given width. The picture is stretched to the window;
// x is the divider's column in the window.
func dividerIn(width, x, window int) int { return min(max(x*width/window, 1), width-1) }

// seenOf returns the pixel counts of the visible part of a side's picture; all 0 before they are counted.
func (a *App) seenOf(h *model.Half) *picture.Seen {
	window := a.Size().X
	switch {
	case h.Seen == nil:
		return &picture.Seen{}
	case !a.Split() || window < 2:
		return h.Seen
	}
	x := dividerIn(h.Size.X, a.DividerX(window), window)
	if h == &a.Shown.Right {
		return h.Seen.Between(x, h.Size.X)
	}
	return h.Seen.Between(0, x)
}

// parts returns the pictures that fill the window; none before the first picture.
func (a *App) parts(size image.Point) []gpu.OverlayPart {
	left := a.painter.Left.Color()
	if left == nil {
		return nil
	}
	whole := func(m *gpu.Image) image.Rectangle { return image.Rect(0, 0, m.Width, m.Height) }
	full := []gpu.OverlayPart{{Picture: left, From: whole(left), To: image.Rectangle{Max: size}}}
	if !a.Split() || size.X < 2 {
		return full
	}
	right := a.painter.Right.Color()
	if left.Width < 2 || right.Width < 2 {
		return full
	}
	x := a.DividerX(size.X)
	at := func(m *gpu.Image) int { return dividerIn(m.Width, x, size.X) }
	return []gpu.OverlayPart{
		{Picture: left, From: image.Rect(0, 0, at(left), left.Height), To: image.Rect(0, 0, x, size.Y)},
		{Picture: right, From: image.Rect(at(right), 0, right.Width, right.Height), To: image.Rect(x, 0, size.X, size.Y)},
	}
}

// Overlays returns the legends; none while help covers them.
func (a *App) Overlays(window image.Point) []gpu.OverlayPanel {
	if a.Help {
		return nil
	}
	return a.Legends(window)
}

// Legends places the legends: the left side's in the lower left corner, the right side's in the lower
// right one, each only if it fits. Their pixels are already scaled for the display.
func (a *App) Legends(window image.Point) []gpu.OverlayPanel {
	margin := picture.Margin(a.legendEm())
	var list []gpu.OverlayPanel
	place := func(legend *image.RGBA, left, room int) {
		if at := image.Pt(left, window.Y-margin-legend.Bounds().Dy()); at.Y >= 0 && legend.Bounds().Dx() <= room {
			list = append(list, gpu.OverlayPanel{Panel: legend, At: at})
		}
	}
	if a.Legend.Panel != nil {
		place(a.Legend.Panel, margin, window.X-margin)
	}
	if right := a.rightLegend.Panel; right != nil && a.Split() {
		left := window.X - margin - right.Bounds().Dx()
		place(right, left, left) // only if it does not cover the left legend
	}
	return list
}

// UI is the panels over the picture. They read the viewer's state and change it, as keys do.
type UI interface {
	// Build builds the panels with the input so far, over flat triangles. It reports
	// whether the left button of the mouse is down.
	Build(size image.Point, under *results.Flat) (held bool)
	Mesh() gpu.OverlayMesh      // the mesh of the last Build
	Font() *image.Alpha         // the mesh's texture
	WholeTexel() (u, v float32) // a texel of the font for triangles of plain colour

	Scale() float32        // enlargement of text and panels
	Rescale(scale float32) // changes the scale, and the font with it
	Close()

	Key(name string, down bool)
	Text(r rune)
	Wheel(x, y float64)
	Button(b model.Button, down bool)
	Point(at image.Point)
	Typing() bool             // a text field or an open list takes the keys
	TakesPointer() bool       // a panel is under the pointer
	OnTop() []image.Rectangle // lists, menus and tooltips

	// Free returns the part of the window that the panels leave free, and the window's size. The
	// part is empty if there are no panels.
	Free() (free image.Rectangle, window image.Point)
	Foresee(window image.Point, names []string) // arranges the named panels, which will be shown next
	Moved() map[string]layout.Place             // the panels that users have moved

	// AxisAt returns the axis whose end is shown at a pixel, and false if there is none.
	AxisAt(at image.Point) (mgl32.Vec3, bool)
}

// Margin is the space around panels and legends, in pixels of a display of ordinary density.
const Margin = 12

// Floor rounds a coordinate in pixels down, and clamps it to ±1e6, so that it fits an int.
func Floor(x float32) int { return int(math.Floor(float64(min(max(x, -1e6), 1e6)))) }

// Mesh turns flat triangles into a mesh, and reuses the memory of m for it.
func Mesh(m gpu.OverlayMesh, f *results.Flat) gpu.OverlayMesh {
	m.Vertices, m.Indices, m.Commands = append(m.Vertices[:0], f.Vertices...), append(m.Indices[:0], f.Indices...), m.Commands[:0]
	for _, r := range f.Runs {
		m.Commands = append(m.Commands, gpu.OverlayCommand{Clip: r.Clip, FirstIndex: r.First, IndexCount: r.Indices})
	}
	m.Under = len(m.Commands)
	return m
}

// followScale makes the panels again if the display's density has changed.
func (a *App) followScale() error {
	scale := a.Scale()
	if scale == a.ui.Scale() {
		return nil
	}
	a.ui.Rescale(scale)
	a.overlay.Close()
	a.overlay = nil
	var err error
	if a.overlay, err = a.Device.NewOverlay(a.ui.Font()); err != nil {
		return err
	}
	if a.Shown.Left.Plan != nil {
		a.relegend()
	}
	a.Unshown, a.rest = true, guiRest
	return nil
}

// overGUI reports whether a panel covers a place in the window, in pixels.
func (a *App) overGUI(at image.Point) bool {
	if !a.Panels && !a.Help && !a.BusyShown() && !a.NoticeShown() {
		return false
	}
	a.ui.Point(at)
	a.guiFrame()
	return a.ui.TakesPointer()
}

// guiFrame builds the panels with the input so far, and records the choices that their controls changed.
func (a *App) guiFrame() {
	size := a.Size()
	if size.X < 1 || size.Y < 1 {
		return
	}
	before, chosen, pose := a.Wishes(), a.Choices, a.Pose
	held := a.ui.Build(size, &a.flat)
	a.Unshown = true
	if a.Wishes() != before || a.Pose != pose {
		a.Again = true
	}
	a.history.NoteDrag(chosen, a.Choices, held)
}
