package main

import (
	"cmp"
	"image"
	"image/color"

	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// flatKey is what the triangles over the pictures follow from.
type flatKey struct {
	walked  *showing.Result
	plans   [3]*plan.Plan
	edges   [2]*showing.Result
	camera  renderer.Camera
	view    renderer.View
	palette picture.Palette
	opacity float64
	size    image.Point
	divider int
	panels  bool
	gui     *gui // another one has another font
}

// layOut lays out what lies over the pictures, anew where something has changed.
func (a *app) layOut(size image.Point) error {
	s := &a.Shown
	key := flatKey{
		walked: a.walked, plans: [3]*plan.Plan{s.Left.Plan, s.Right.Plan, s.Difference.Plan}, camera: s.Left.Camera,
		view: s.Left.Settings.View, palette: s.Left.Settings.Palette, opacity: a.opacity, size: size, divider: a.dividerX(size.X), panels: a.panels, gui: a.gui,
	}
	for i, h := range s.Halves() {
		key.edges[i] = a.edgesOf(h)
	}
	if key == a.flatOf {
		return nil
	}
	a.flatOf, a.unshown = key, true
	u, v := a.gui.whole()
	a.flat = showing.Flat{Vertices: a.flat.Vertices[:0], Indices: a.flat.Indices[:0], Runs: a.flat.Runs[:0], U: u, V: v}
	if a.walked != nil {
		a.layOutWalk(size)
		return nil
	}
	for i, h := range s.Halves() {
		if err := a.layOutSide(h, i, size, key.edges[i]); err != nil {
			return err
		}
	}
	return nil
}

// layOutSide lays out a side's translucent surfaces and edges.
func (a *app) layOutSide(h *views.Half, side int, size image.Point, edges *showing.Result) error {
	clip := image.Rectangle{Max: size}
	switch {
	case side == 1 && !a.split():
		return nil
	case side == 1:
		clip.Min.X = a.dividerX(size.X)
	case a.split():
		clip.Max.X = a.dividerX(size.X)
	}
	view := showing.View{Camera: h.Camera, Size: size, Clip: clip}
	translucent := a.translucent(h)
	if translucent {
		a.flat.Fill(clip)
		a.flat.Surfaces(view, h.Applied.Surfaces, h.Settings.Palette, float32(a.opacity))
	}
	if edges == nil {
		return nil
	}
	var depth []float32
	if h.Size == size {
		on, p := a.painter.Left, h.Plan
		switch {
		case side == 1:
			on = a.painter.Right
		case a.Shown.Difference.Plan != nil:
			p = a.Shown.Difference.Plan
		}
		out, err := on.Exec(p, h.Camera, renderer.WantDepth)
		if err != nil {
			return err
		}
		depth = out.Depth
	}
	ink := color.RGBA{10, 12, 16, 200}
	if translucent {
		ink = color.RGBA{255, 255, 255, 110}
	}
	a.flat.Edges(view, edges.Edges, edges.Ends, depth, a.gui.scale, ink)
	return nil
}

// translucent reports whether a side shows translucent surfaces.
func (a *app) translucent(h *views.Half) bool {
	return h.Applied.Translucent() && h.Settings.View == renderer.Shaded && a.Shown.Difference.Plan == nil
}

// covered reports whether the picture is not what the renderer draws.
func (a *app) covered() bool {
	for _, h := range a.Shown.Halves() {
		if a.translucent(h) {
			return true
		}
	}
	return a.walked != nil
}

// walkGrid is where the cells of the walk are.
func (a *app) walkGrid(size image.Point) showing.Grid {
	room := a.places.free
	if room.Empty() {
		room = image.Rectangle{Max: size}
	}
	room = room.Inset(int(guiMargin * a.gui.scale))
	return showing.NewGrid(a.walked.Cells.Grid, room)
}

// layOutWalk shows the cells of the walk instead of the scene.
func (a *app) layOutWalk(size image.Point) {
	a.flat.Fill(image.Rectangle{Max: size})
	w, palette := a.walked, a.Shown.Left.Settings.Palette
	if a.Shown.Left.ShowsCounts() {
		a.flat.Cells(a.walkGrid(size), w.Counts, showing.TimesShaded(palette))
		return
	}
	a.flat.Cells(a.walkGrid(size), w.Cells.Agents, w.Cells.Density(palette))
}

// relegendSide makes a legend say what a side shows.
func (a *app) relegendSide(l *legend, h *views.Half) {
	em, r := a.legendEm(), h.Applied
	switch {
	case r == nil:
		l.say(em, h.Plan.Legend(h.Stats, cmp.Or(h.Seen, &picture.Seen{})))
	case r.Cells != nil && h.ShowsCounts():
		l.say(em, picture.Panel{Lines: r.Words(true), Keys: picture.ScaleKeys(h.Settings.Palette, nil)})
	case r.Cells != nil:
		l.say(em, picture.Panel{Lines: r.Words(false), Ramp: showing.DensityRamp(h.Settings.Palette), Labels: r.Cells.Labels()})
	case a.translucent(h):
		l.say(em, picture.Panel{Lines: r.Words(false), Ramp: showing.LevelRamp(h.Settings.Palette), Labels: showing.LevelLabels()})
	default:
		p := h.Plan.Legend(h.Stats, cmp.Or(h.Seen, &picture.Seen{}))
		p.Lines = append(p.Lines, r.Words(true)...)
		l.say(em, p)
	}
}

// describeCell says what is known of the walk's cell under the cursor.
func (a *app) describeCell(at, size image.Point) []string {
	g := a.walkGrid(size)
	if x, y, ok := g.At(at); ok {
		return a.walked.Cell(x, y)
	}
	return nil
}
