package panels

import (
	"image"
	"maps"
	"math"
	"slices"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/viewer/app"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/layout"
)

// places holds the rectangles of the panels: where the user put them, or else their default places,
// moved and shrunk so that they lie inside the window and do not overlap.
type places struct {
	list   []*placed               // the most important panel first
	wishes map[string]layout.Place // the panels that the user moved, remembered between runs

	standard func(name string) layout.Place // returns the default place of a panel
	begins   func(name string) beginning    // returns how a panel begins

	window image.Point
	scale  float32
	taken  []image.Rectangle // rectangles of the legends
	dirty  bool              // the panels have to be arranged again
	free   image.Rectangle   // the room beside the panels; empty if there are none
}

// placed is a panel with its place in the window.
type placed struct {
	name        string
	standard    layout.Place    // default place
	at          image.Rectangle // empty if there is no room for it
	shown, seen bool            // shown: in the last frame; seen: in this frame so far
	content     float64         // the height of its contents, in pixels of a display of ordinary density; 0 until known
	folded      bool            // only its title is shown
	begins      beginning
	force       bool // ImGui must move the panel to its place
	anew        bool // ImGui must be told whether the panel is folded
}

// beginning is the state in which a panel starts. When it changes, the panel starts again: it is folded or unfolded.
type beginning struct{ small, folded bool }

// leastPanel is the least size of a panel, in pixels of a display of ordinary density; smaller panels are left out.
var leastPanel = image.Pt(120, 60)

// standing lists the panels that the scene is fitted beside. Opening or closing other panels does not move the scene.
var standing = []string{"settings", "draws", "application", "shader"}

// begin starts a frame for a window with legends. If anything has changed, it arranges the panels.
func (p *places) begin(window image.Point, scale float32, legends []image.Rectangle) {
	if window != p.window || scale != p.scale || !slices.Equal(legends, p.taken) {
		p.window, p.scale, p.taken, p.dirty = window, scale, legends, true
	}
	if p.dirty && !imgui.IsMouseDown(0) { // a dragged panel is not moved
		p.arrange()
	}
}

// foresee arranges the panels of the next frame, so that a new scene is at once fitted into the room beside them.
func (p *places) foresee(window image.Point, scale float32, names []string) {
	p.window, p.scale = window, scale
	for _, name := range names {
		if !slices.ContainsFunc(p.list, func(x *placed) bool { return x.name == name }) {
			p.list = append(p.list, &placed{name: name})
		}
	}
	for _, x := range p.list {
		if x.shown = slices.Contains(names, x.name); x.shown {
			p.fold(x)
		}
	}
	p.arrange()
}

// end ends a frame. If a panel was opened or closed in it, the panels are arranged again.
func (p *places) end() {
	for _, x := range p.list {
		p.dirty = p.dirty || x.shown != x.seen
		x.shown, x.seen = x.seen, false
	}
}

// hide replaces begin and end in a frame without panels.
func (p *places) hide() {
	p.free = image.Rectangle{}
	p.end()
}

// reset moves all panels to their default places.
func (p *places) reset() {
	p.wishes, p.dirty = nil, true
}

// arrange finds a rectangle for each panel.
func (p *places) arrange() {
	p.dirty = false
	var shown []*placed
	var wanted []image.Rectangle
	for _, x := range p.list {
		if x.shown || x.seen {
			shown, wanted = append(shown, x), append(wanted, p.wish(x))
		}
	}
	s := p.scale
	taken := slices.Clone(p.taken)
	for i, at := range layout.Arrange(p.window, p.taken, wanted, image.Pt(int(float32(leastPanel.X)*s), int(float32(leastPanel.Y)*s))) {
		shown[i].at, shown[i].force = at, true
		if slices.Contains(standing, shown[i].name) {
			taken = append(taken, at)
		}
	}
	p.free = layout.Free(p.window, taken)
}

// wish returns the rectangle that a panel would have if nothing were in its way.
func (p *places) wish(x *placed) image.Rectangle {
	place, moved := p.wishes[x.name]
	if !moved {
		place = p.standard(x.name)
	}
	r := place.In(p.window, float64(p.scale))
	if x.folded {
		r.Max.Y = r.Min.Y + int(imgui.FrameHeight())
	}
	return r
}

// strip places a line of the given size along an edge of a window, beside panels, legends and the rectangles in `more`, or
// between them if the edges have less than `least` free.
func (p *places) strip(window, size image.Point, least int, more ...image.Rectangle) image.Rectangle {
	taken := append(more, p.taken...)
	for _, x := range p.list {
		if x.shown {
			taken = append(taken, x.at)
		}
	}
	return layout.Strip(window, taken, size, least)
}

// fold folds or unfolds a panel if its beginning has changed since the last frame, and reports whether it has.
func (p *places) fold(x *placed) bool {
	begins := p.begins(x.name)
	if begins == x.begins {
		return false
	}
	x.begins, x.folded, x.anew = begins, begins.folded, true
	return true
}

// find returns the named panel, and records that it is shown in this frame. It adds the panel if it is new.
func (p *places) find(name string) *placed {
	i := slices.IndexFunc(p.list, func(x *placed) bool { return x.name == name })
	if i < 0 {
		i, p.list = len(p.list), append(p.list, &placed{name: name})
	}
	x := p.list[i]
	x.seen = true
	if now := p.standard(name); p.fold(x) || !x.shown || now != x.standard { // the default height follows the contents
		x.shown, x.standard = true, now
		p.arrange()
	}
	return x
}

// follow records where the user has put a panel.
func (p *places) follow(x *placed) {
	at, size, folded := imgui.WindowPos(), imgui.WindowSize(), imgui.IsWindowCollapsed()
	now := image.Rect(app.Floor(at.X), app.Floor(at.Y), app.Floor(at.X)+app.Floor(size.X), app.Floor(at.Y)+app.Floor(size.Y))
	if folded != x.folded {
		x.folded, x.at, p.dirty = folded, now, true
		return
	}
	if now == x.at || !imgui.IsMouseDown(0) { // if nothing is dragged, ImGui has only enlarged the panel to its least size
		return
	}
	if x.at, p.dirty = now, true; folded {
		return
	}
	p.wishes = maps.Clone(p.wishes)
	if p.wishes == nil {
		p.wishes = map[string]layout.Place{}
	}
	p.wishes[x.name] = layout.PlaceOf(now, p.window, float64(p.scale))
}

// panel shows a panel with a title at its place. standardPlace must know the name. If `open` is not
// nil, the panel can be closed, which sets it to false.
func (ui *Panels) panel(name, title string, open *bool, body func()) {
	x := ui.places.find(name)
	if x.anew {
		imgui.SetNextWindowCollapsed(x.folded, imgui.ConditionAlways)
	}
	if x.at.Empty() {
		return
	}
	if x.force {
		size := x.at.Size()
		if whole := *x; x.folded {
			whole.folded = false
			size = ui.places.wish(&whole).Size() // the size that the panel gets when it is unfolded
		}
		imgui.SetNextWindowPosV(imgui.Vec2{X: float32(x.at.Min.X), Y: float32(x.at.Min.Y)}, imgui.ConditionAlways, imgui.Vec2{})
		imgui.SetNextWindowSize(imgui.Vec2{X: float32(size.X), Y: float32(size.Y)})
	}
	flags := imgui.WindowFlagsNoNav
	if ui.gui.io.MousePosition().Y > float32(x.at.Min.Y)+imgui.FrameHeight() { // panels move by their titles
		flags |= imgui.WindowFlagsNoMove
	}
	if name == "draws" && (ui.Menu.Unfolded || ui.FindDraw) {
		imgui.SetNextWindowCollapsed(false, imgui.ConditionAlways)
		ui.Menu.Unfolded = false
	}
	visible := imgui.BeginV(title+"###"+name, open, flags)
	if x.anew = false; x.force {
		x.force = false
	} else {
		ui.places.follow(x)
	}
	if visible {
		body()
		content := math.Ceil(float64((imgui.CursorPosY() + imgui.CurrentStyle().WindowPadding().Y) / ui.gui.scale))
		if content != x.content { // ImGui removes its scroll bar one frame after the panel got its new height
			x.content = content
			ui.SettlePanels()
		}
	}
	imgui.End()
}

// In smaller windows (see small) the standing panels begin folded. Sizes are in pixels of a display of ordinary density.
const smallWide, smallHigh = 560, 340

// units returns the window's size in pixels of a display of ordinary density.
func (ui *Panels) units() (wide, high float64) {
	size, s := ui.Size(), float64(ui.gui.scale)
	return float64(size.X) / s, float64(size.Y) / s
}

// small reports whether the window has no room for panels beside the scene.
func (ui *Panels) small() bool {
	wide, high := ui.units()
	return min(wide, high) < smallHigh || wide < smallWide && wide >= high
}

// upright reports whether the settings lie below the scene, since the window is higher than
// wide.
func (ui *Panels) upright() bool {
	wide, high := ui.units()
	return high > wide && !ui.small()
}

// begins returns how a panel begins. In a small window the standing panels are folded. The list of draws takes much room:
// unless flags sort or search it, it is also folded in an upright window and for scenes that are not captured frames.
func (ui *Panels) begins(name string) beginning {
	b := beginning{small: ui.small()}
	b.folded = b.small && slices.Contains(standing, name)
	if start := ui.DrawList.Start; name == "draws" && start.Search == "" && start.Sort == inspect.LostColumn {
		b.folded = b.folded || ui.upright() || ui.nextScene().Draws[0].Event == 0
	}
	return b
}

// nextScene returns the scene that is about to be shown, or else the shown one.
func (ui *Panels) nextScene() *geometry.Scene {
	if ui.Next != nil {
		return ui.Next.Scene
	}
	return ui.Shown.Left.Whole
}

// legendRoom returns the height that the legend takes, in pixels of a display of ordinary density.
func (ui *Panels) legendRoom() float64 {
	if ui.Legend.Panel == nil {
		return app.Margin
	}
	return 2*app.Margin + float64(ui.Legend.Panel.Rect.Dy())/float64(ui.gui.scale)
}

// panelRoom returns the greatest height of the settings panel, in pixels of a display of ordinary density.
func (ui *Panels) panelRoom() float64 {
	_, high := ui.units()
	if ui.upright() {
		return .42 * high
	}
	return max(high-app.Margin-ui.legendRoom(), 80)
}

// standardPlace returns the default place of a panel.
func (ui *Panels) standardPlace(name string) layout.Place {
	wide, high := ui.units()
	wide -= 2 * app.Margin
	whole := wide
	if !ui.upright() && !ui.small() {
		wide *= .42
	}
	place := layout.Place{X: app.Margin, Y: app.Margin, Right: true}
	switch name {
	case "draws":
		place.Width = min(max(guiDrawsWidth, min(.32*whole, 760)), wide) // longer names where there is room
		place.Height = min(134+20*float64(len(ui.nextScene().Draws)), max(.42*high, min(220, .7*high)))
	case "application":
		place.Width, place.Height = min(guiAppWidth, wide), min(appHeights[ui.Doing.App], .6*high)
	case "shader":
		place.Width, place.Height = min(guiShaderWidth, wide), min(shaderHeight(ui.Shader), .6*high)
	case "strategies":
		place.Bottom, place.Width, place.Height = true, min(720, max(wide, .52*whole)), min(98+20*float64(len(ui.Strategies.Rows)), .5*high)
	case "batch": // in an upright window beside the scene, since the rows would have no room below it
		place.Bottom, place.Width, place.Height = !ui.upright(), min(300, wide), min(300, .42*high)
	default:
		place.Right, place.Width, place.Height = false, min(guiWidth, max(wide, .54*whole)), ui.panelRoom()
		if ui.upright() {
			place.Bottom, place.Y, place.Width = true, ui.legendRoom(), whole
		}
		for _, x := range ui.places.list {
			if x.name == name && x.content > 0 {
				place.Height = min(place.Height, x.content)
			}
		}
	}
	return place
}
