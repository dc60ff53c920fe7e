package main

import (
	"fmt"
	"image"
	"strconv"
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/views"
)

// goTo is the panel that asks where to go.
type goTo struct {
	kind int // of goToKinds
	text string
	err  string // why that is nowhere
	open bool   // it was shown in the last frame
}

// goToKinds are what has numbers.
var goToKinds = []string{"vertex", "batch", "draw"}

const (
	goToVertex = iota
	goToBatch
	goToDraw
)

// goToPanel asks for the number of a vertex, a batch or a draw, and goes there.
func (a *app) goToPanel(size image.Point) {
	g := &a.going
	if !a.goTo {
		g.open = false
		return
	}
	s := a.gui.scale
	imgui.SetNextWindowPosV(imgui.Vec2{X: float32(size.X) / 2, Y: float32(size.Y) / 4}, imgui.ConditionAppearing, imgui.Vec2{X: .5})
	imgui.SetNextWindowSizeV(imgui.Vec2{X: 300 * s}, imgui.ConditionAlways)
	defer imgui.End()
	if !imgui.BeginV("Go to (Ctrl+G)###goto", &a.goTo, imgui.WindowFlagsNoNav|imgui.WindowFlagsAlwaysAutoResize) {
		return
	}
	a.label("go to")
	a.choice("##kind", goToKinds[g.kind], goToKinds, func(i int) { g.kind, g.err = i, "" })
	a.label("number")
	if !g.open {
		imgui.SetKeyboardFocusHere()
	}
	g.open = true
	if imgui.InputTextV("##number", &g.text, imgui.InputTextFlagsEnterReturnsTrue|imgui.InputTextFlagsAutoSelectAll, nil) {
		g.err = ""
		if err := a.goNow(); err != nil {
			g.err = err.Error()
		} else {
			a.goTo = false
		}
	}
	draw := a.chosenDraw()
	text := "Enter goes there."
	if n := len(a.Shown.Left.Plan.Frame.Scene.Draws); g.kind == goToVertex && n > 1 {
		text = fmt.Sprintf("Of draw %d; draw:vertex names another.", a.Shown.Left.DrawNumber(draw))
	}
	imgui.PushTextWrapPos()
	imgui.Text(text)
	if g.err != "" {
		imgui.Text(g.err)
	}
	imgui.PopTextWrapPos()
}

// chosenDraw is the draw of what is shown that is selected; the first where none is.
func (a *app) chosenDraw() int {
	if s := a.selected(); s != nil && !s.right {
		return s.hit.Draw
	}
	if n := a.drawList.selected; a.Shown.Left.Alone == 0 && n >= 0 && n < len(a.Shown.Left.Plan.Frame.Scene.Draws) {
		return n
	}
	return 0
}

// goNow goes to what was typed.
func (a *app) goNow() error {
	g, d := &a.going, &a.Shown.Left
	if d.Applied != nil || a.walked != nil {
		return fmt.Errorf("nothing has a number while an application is shown")
	}
	first, second, two := strings.Cut(strings.TrimSpace(g.text), ":")
	n, err := strconv.ParseUint(first, 10, 31)
	var vertex uint64
	if two && err == nil && g.kind == goToVertex {
		vertex, err = strconv.ParseUint(second, 10, 31)
	}
	if err != nil || two && g.kind != goToVertex {
		return fmt.Errorf("%q is no number", g.text)
	}
	var found inspect.Hit
	switch g.kind {
	case goToDraw:
		if err := views.CheckAlone(d.Whole, int(n)+1); err != nil {
			return err
		}
		a.chooseDraw(int(n))
		return nil
	case goToBatch:
		found, err = inspect.FindBatch(d.Plan, int(n))
	default:
		draw := a.chosenDraw()
		if two {
			draw, n = int(n), vertex
			if err := views.CheckAlone(d.Scene, draw+1); err != nil {
				return err
			}
		}
		found, err = inspect.FindVertex(d.Scene, draw, uint32(n))
	}
	if err != nil {
		return err
	}
	a.pick(d, found)
	a.lookAtSelection()
	return nil
}

// lookAtSelection moves the camera, from the same direction, to where it sees the selected
// batch or triangle and as much again on either side.
func (a *app) lookAtSelection() {
	s := &a.selection
	one := *s.plan.Frame.Scene
	d := one.Draws[s.hit.Draw]
	if s.batch >= 0 {
		d.FirstIndex, d.IndexCount = s.at.FirstIndex, s.at.IndexCount
	} else {
		d.FirstIndex, d.IndexCount = d.FirstIndex+uint32(3*s.hit.Triangle), 3
	}
	one.Draws = []geometry.Draw{d}
	box := one.Bounds()
	room := box.Max.Sub(box.Min)
	a.lookAtBox(geometry.Box{Min: box.Min.Sub(room), Max: box.Max.Add(room)})
}
