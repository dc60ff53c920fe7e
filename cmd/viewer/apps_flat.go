package main

import (
	"image"
	"image/color"

	"github.com/shadeonce/shadeonce/internal/showing"
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
	s := &a.shown
	key := flatKey{
		walked: a.walked, plans: [3]*plan.Plan{s.left.plan, s.right.plan, s.difference.plan}, camera: s.left.camera,
		view: s.left.settings.view, palette: s.left.settings.palette, opacity: a.opacity, size: size, divider: a.dividerX(size.X), panels: a.panels, gui: a.gui,
	}
	for i, h := range s.halves() {
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
	for i, h := range s.halves() {
		if err := a.layOutSide(h, i, size, key.edges[i]); err != nil {
			return err
		}
	}
	return nil
}

// layOutSide lays out a side's translucent surfaces and edges.
func (a *app) layOutSide(h *half, side int, size image.Point, edges *showing.Result) error {
	clip := image.Rectangle{Max: size}
	switch {
	case side == 1 && !a.split():
		return nil
	case side == 1:
		clip.Min.X = a.dividerX(size.X)
	case a.split():
		clip.Max.X = a.dividerX(size.X)
	}
	view := showing.View{Camera: h.camera, Size: size, Clip: clip}
	translucent := a.translucent(h)
	if translucent {
		a.flat.Fill(clip)
		a.flat.Surfaces(view, h.applied.Surfaces, h.settings.palette, float32(a.opacity))
	}
	if edges == nil {
		return nil
	}
	var depth []float32
	if h.size == size {
		on, p := a.painter.left, h.plan
		switch {
		case side == 1:
			on = a.painter.right
		case a.shown.difference.plan != nil:
			p = a.shown.difference.plan
		}
		out, err := on.Exec(p, h.camera, renderer.WantDepth)
		if err != nil {
			return err
		}
		depth = out.Depth
	}
	ink := color.RGBA{10, 12, 16, 200}
	if translucent {
		ink = color.RGBA{255, 255, 255, 110}
	}
	a.flat.Edges(view, edges.Edges, edges.Ends, depth, float32(a.gui.scale), ink)
	return nil
}

// translucent reports whether a side shows translucent surfaces.
func (a *app) translucent(h *half) bool {
	return h.applied.Translucent() && h.settings.view == renderer.Shaded && a.shown.difference.plan == nil
}

// covered reports whether the picture is not what the renderer draws.
func (a *app) covered() bool {
	for _, h := range a.shown.halves() {
		if a.translucent(h) {
			return true
		}
	}
	return a.walked != nil
}

// walkGrid is where the cells of the walk are.
func (a *app) walkGrid(size image.Point) showing.Grid {
	room, s := image.Rectangle{Max: size}.Inset(guiMargin*a.gui.scale), a.gui.scale
	if left := (guiWidth + guiMargin) * s; a.panels && size.X > 2*left {
		room.Min.X += left
		if right := (guiAppWidth + guiMargin) * s; room.Dx() > 2*right {
			room.Max.X -= right
		}
	}
	return showing.NewGrid(a.walked.Cells.Grid, room)
}

// layOutWalk shows the cells of the walk instead of the scene.
func (a *app) layOutWalk(size image.Point) {
	a.flat.Fill(image.Rectangle{Max: size})
	w, palette := a.walked, a.shown.left.settings.palette
	if a.shown.left.showsCounts() {
		a.flat.Cells(a.walkGrid(size), w.Counts, showing.TimesShaded(palette))
		return
	}
	a.flat.Cells(a.walkGrid(size), w.Cells.Agents, w.Cells.Density(palette))
}

// relegendSide makes a legend say what a side shows.
func (a *app) relegendSide(l *legend, h *half) {
	scale, r := a.screen.scale(), h.applied
	switch {
	case r == nil:
		l.say(scale, h.plan.Legend(h.stats, nil))
	case r.Cells != nil && h.showsCounts():
		l.say(scale, picture.Panel{Lines: r.Words(true), Keys: picture.ScaleKeys(h.settings.palette, nil)})
	case r.Cells != nil:
		l.say(scale, picture.Panel{Lines: r.Words(false), Ramp: showing.DensityRamp(h.settings.palette), Labels: r.Cells.Labels()})
	case a.translucent(h):
		l.say(scale, picture.Panel{Lines: r.Words(false), Ramp: showing.LevelRamp(h.settings.palette), Labels: showing.LevelLabels()})
	default:
		p := h.plan.Legend(h.stats, nil)
		p.Lines = append(p.Lines, r.Words(true)...)
		l.say(scale, p)
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
