package app

import (
	"cmp"
	"image"
	"image/color"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// appRequest returns the request for the application's result that a side is to show.
func (a *App) appRequest(right bool) results.Request {
	left := &a.Shown.Left
	order, settings := a.IndexOrder, a.Want
	if right {
		order, settings = a.Other.Order, a.Other.Settings(settings)
	}
	r := results.Request{Choice: a.Doing}
	var err error
	r.Config, err = settings.Config()
	r.Config.Auto = false // applications' shading is expensive, so reuse pays
	if err != nil {
		r.Config = left.Plan.Frame.Reuse // the next frame returns the error for such settings
	}
	if a.OnMesh() {
		r.Scene = a.Part(a.stored(order), a.Alone)
	}
	return r
}

// askApp adds the application's results for the sides to a request for a picture. If the left one is not ready, the
// picture waits for it.
func (a *App) askApp(w *model.Asked) {
	if !a.OnMesh() {
		return
	}
	w.Applied = a.maker.Get(a.appRequest(false))
	w.Waits = w.Applied == nil
	if a.comparesApp() {
		w.RightApplied = a.maker.Get(a.appRequest(true))
	}
}

// comparesApp reports whether the right side needs its own result of the application, and the scene in its order is ready.
func (a *App) comparesApp() bool {
	return a.ComparesSides() && a.OnMesh() && a.orders.Get(a.Shown.Left.Source, a.Other.Order) != nil
}

// followApp starts the application's requested work, and takes finished results.
func (a *App) followApp() {
	if err, taken := a.maker.Take(); taken {
		a.Unshown = true // the progress bar disappears
		if err != nil {
			a.say(err)
			a.backFromApp()
		}
	}
	if a.Shown.Left.Plan == nil || a.Next != nil {
		return
	}
	a.playWalk()
	var wanted []results.Request
	if a.Doing.App != results.None {
		wanted = append(wanted, a.appRequest(false))
		if a.comparesApp() {
			wanted = append(wanted, a.appRequest(true))
		}
	}
	if a.AllEdges {
		for _, h := range a.Shown.Halves() {
			if err := results.EdgesFit(h.Scene); err != nil {
				a.say(err)
				a.LargeEdges()
				break
			}
			wanted = append(wanted, results.Request{Scene: h.Scene, Edges: true})
		}
	}
	a.maker.Follow(load.ShowRest, wanted...)
	var walked *results.Result
	if a.Doing.App == results.Walk {
		walked = cmp.Or(a.maker.Get(wanted[0]), a.Walked) // the shown step stays until the next one is made
	}
	if walked != a.Walked {
		a.Walked, a.walkedAt = walked, time.Now()
		a.moveHover(a.Hover.at) // the text may have changed
		a.Unshown, a.rest = true, guiRest
		a.relegend()
	}
}

// playWalk requests the next step of a playing walk once it is due. After walk.MaxSteps steps it stops playing.
func (a *App) playWalk() {
	switch {
	case a.walkDue() != 0:
	case a.Doing.Step == walk.MaxSteps:
		a.Play = false
	default:
		a.Doing.Step++
	}
}

// walkDue returns the time until the next step of a playing walk; negative if another event must come first.
func (a *App) walkDue() time.Duration {
	if !a.Play || a.Walked == nil || !a.Walked.Choice.Same(a.Doing) {
		return -1
	}
	return max(0, time.Duration(float64(time.Second)/a.Speed)-time.Since(a.walkedAt))
}

// backFromApp takes back a request that failed or was cancelled: it restores the settings of the shown picture.
func (a *App) backFromApp() {
	a.Play = false
	switch now, shown := a.maker.Now, a.appShown(); {
	case now.Edges:
		a.AllEdges = false
	case a.comparesApp() && now == a.appRequest(true) && now != a.appRequest(false):
		a.Compare = model.CompareOff
	case shown == nil:
		a.Want, a.Doing.App = a.Shown.Left.Settings, results.None
	default:
		a.Want, a.Doing = a.Shown.Left.Settings, shown.Choice
	}
}

// appShown returns the application's result that the window shows, or nil.
func (a *App) appShown() *results.Result {
	sides := a.Sides()
	return cmp.Or(sides[0].Applied, sides[len(sides)-1].Applied)
}

// Sides returns the sides on the screen. A walk has a single side, made here from its own counts.
func (a *App) Sides() []*model.Half {
	if a.Walked == nil {
		return a.Shown.Halves()
	}
	l := a.Shown.Left
	p := plan.Plan{Frame: l.Plan.Frame}
	p.Frame.Reuse, p.Frame.Cull = a.Walked.Config, false
	return []*model.Half{{Look: model.Look{Applied: a.Walked, Settings: l.Settings}, Plan: &p, Stats: a.Walked.Stats}}
}

// flatKey holds everything that the triangles over the pictures depend on.
type flatKey struct {
	walked  *results.Result
	plans   [3]*plan.Plan
	edges   [2]*results.Result
	camera  renderer.Camera
	view    renderer.View
	palette picture.Palette
	opacity float64
	size    image.Point
	divider int
	guides  model.Guides
	theme   model.Theme
	around  geometry.Box
	panels  bool
	font    *image.Alpha
}

// layOut lays out the triangles over the pictures again, if anything in their key has changed.
func (a *App) layOut(size image.Point) {
	s := &a.Shown
	key := flatKey{
		walked: a.Walked, plans: [3]*plan.Plan{s.Left.Plan, s.Right.Plan, s.Difference.Plan}, camera: s.Left.Camera,
		view: s.Left.Settings.View, palette: s.Left.Settings.Palette, opacity: a.Opacity, size: size, divider: a.DividerX(size.X), guides: a.Guides, theme: a.Theme, around: a.Box, panels: a.Panels, font: a.ui.Font(),
	}
	for i, h := range s.Halves() {
		if a.AllEdges {
			key.edges[i] = a.maker.Get(results.Request{Scene: h.Scene, Edges: true})
		}
	}
	if key == a.flatOf {
		return
	}
	if key.divider != a.flatOf.divider || key.theme != a.flatOf.theme {
		a.relegend() // legends say what each part of the window shows, in the panels' colours
	}
	a.flatOf, a.Unshown = key, true
	u, v := a.ui.WholeTexel()
	a.flat = results.Flat{Vertices: a.flat.Vertices[:0], Indices: a.flat.Indices[:0], Runs: a.flat.Runs[:0], U: u, V: v}
	if a.Walked != nil {
		a.layOutWalk(size)
		return
	}
	for i, h := range s.Halves() {
		a.layOutSide(h, i, size, key.edges[i])
	}
}

// layOutSide lays out a side's translucent surfaces, guides and edges.
func (a *App) layOutSide(h *model.Half, side int, size image.Point, edges *results.Result) {
	if side == 1 && !a.Split() {
		return
	}
	clip := a.SidePart(side == 1, size)
	view := results.View{Camera: h.Camera, Size: size, Clip: clip}
	translucent := a.translucent(h)
	if translucent {
		a.flat.Fill(clip, h.Settings.Look.BackgroundColor())
		a.flat.Surfaces(view, h.Applied.Surfaces, h.Settings.Palette, float32(a.Opacity))
	}
	var depth []float32
	if h.Size == size {
		depth = h.Depth
	}
	if a.Guides != 0 {
		ink := color.RGBA{225, 230, 240, 140}
		if IsLight(h.Settings.Look.BackgroundColor()) {
			ink = color.RGBA{40, 45, 55, 170}
		}
		a.flat.Guides(view, a.GuidesOf(h), depth, a.ui.Scale(), ink)
	}
	if edges == nil {
		return
	}
	ink := color.RGBA{10, 12, 16, 200}
	if translucent {
		ink = color.RGBA{255, 255, 255, 110}
	}
	a.flat.Edges(view, edges.Edges, edges.Ends, depth, a.ui.Scale(), ink)
}

// SidePart returns the part of the window that a side takes, in pixels.
func (a *App) SidePart(right bool, size image.Point) image.Rectangle {
	part := image.Rectangle{Max: size}
	if x := a.DividerX(size.X); a.Split() && right {
		part.Min.X = x
	} else if a.Split() {
		part.Max.X = x
	}
	return part
}

// GuidesOf returns the guides of a side.
func (a *App) GuidesOf(h *model.Half) results.Guides {
	return results.Guides{Around: a.Box, Up: h.Camera.Up, Box: a.Guides.Box(), Grid: a.Guides.Grid()}
}

// IsLight reports whether a background is so light that lines over it must be dark.
func IsLight(background color.RGBA) bool {
	return int(background.R)+int(background.G)+int(background.B) > 3*128
}

// translucent reports whether a side shows translucent surfaces.
func (a *App) translucent(h *model.Half) bool {
	return h.Applied.Translucent() && h.Settings.View == renderer.Shaded && a.Shown.Difference.Plan == nil
}

// covered reports whether something covers the renderer's picture.
func (a *App) covered() bool {
	return a.Walked != nil || slices.ContainsFunc(a.Shown.Halves(), a.translucent)
}

// walkGrid returns the layout of the walk's cells in the window.
func (a *App) walkGrid(size image.Point) results.Grid {
	room, _ := a.ui.Free()
	if room.Empty() {
		room = image.Rectangle{Max: size}
	}
	room = room.Inset(int(Margin * a.ui.Scale()))
	return results.NewGrid(a.Walked.Cells.Grid, room)
}

// layOutWalk lays out the cells of the walk in place of the scene.
func (a *App) layOutWalk(size image.Point) {
	settings := &a.Shown.Left.Settings
	a.flat.Fill(image.Rectangle{Max: size}, settings.Look.BackgroundColor())
	w, palette := a.Walked, settings.Palette
	if a.Shown.Left.ShowsCounts() {
		a.flat.Cells(a.walkGrid(size), w.Counts, results.TimesShaded(palette))
	} else {
		a.flat.Cells(a.walkGrid(size), w.Cells.Agents, w.Cells.Density(palette))
	}
}

// relegendSide updates a side's legend to what the side shows.
func (a *App) relegendSide(l *Legend, h *model.Half) {
	r := h.Applied
	switch {
	case r == nil:
		a.sayLegend(l, h.Plan.Legend(h.Stats, a.seenOf(h)))
	case r.Cells != nil && h.ShowsCounts():
		a.sayLegend(l, picture.Panel{Lines: r.Words(true), Keys: picture.ScaleKeys(h.Settings.Palette, nil)})
	case r.Cells != nil:
		a.sayLegend(l, picture.Panel{Lines: r.Words(false), Ramp: walk.DensityColors(h.Settings.Palette), Labels: r.Cells.Labels()})
	case a.translucent(h):
		a.sayLegend(l, picture.Panel{Lines: r.Words(false), Ramp: results.LevelRamp(h.Settings.Palette), Labels: results.LevelLabels()})
	default:
		p := h.Plan.Legend(h.Stats, a.seenOf(h))
		p.Lines = append(p.Lines, r.Words(true)...)
		a.sayLegend(l, p)
	}
}
