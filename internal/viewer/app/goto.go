package app

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// GoTo is the panel that asks where to go.
type GoTo struct {
	Kind int // index in GoToKinds
	Text string
	Err  string // why there is no such place
	Open bool   // shown in the last frame
}

// GoToKinds are the things that have numbers.
var GoToKinds = []string{"vertex", "batch", "draw"}

const (
	GoToVertex = iota
	GoToBatch
	GoToDraw
)

// ChosenDraw returns the selected draw of what is shown, or the first draw.
func (a *App) ChosenDraw() int {
	if s := a.Selected(); s != nil && !s.Right {
		return s.Hit.Draw
	}
	if n := a.DrawList.Selected; a.Shown.Left.Alone == 0 && n >= 0 && n < len(a.Shown.Left.Plan.Frame.Scene.Draws) {
		return n
	}
	return 0
}

// GoNow goes to the number that was typed.
func (a *App) GoNow() error {
	g, d := &a.Going, &a.Shown.Left
	if d.Applied != nil || a.Walked != nil {
		return fmt.Errorf("nothing has a number while an application is shown")
	}
	first, second, two := strings.Cut(strings.TrimSpace(g.Text), ":")
	n, err := strconv.ParseUint(first, 10, 31)
	var vertex uint64
	if two && err == nil && g.Kind == GoToVertex {
		vertex, err = strconv.ParseUint(second, 10, 31)
	}
	if err != nil || two && g.Kind != GoToVertex {
		return fmt.Errorf("%q is no number", g.Text)
	}
	var found inspect.Hit
	switch g.Kind {
	case GoToDraw:
		if err := model.CheckAlone(d.Whole, int(n)+1); err != nil {
			return err
		}
		draws, err := d.Whole.Numbered(int(n), int(n))
		if err == nil {
			a.ChooseDraw(draws[0])
		}
		return err
	case GoToBatch:
		found, err = inspect.FindBatch(d.Plan, int(n))
	default:
		draw := a.ChosenDraw()
		if two {
			draws, err := d.Scene.Numbered(int(n), int(n))
			if err != nil {
				return fmt.Errorf("draw %d: %w", n, err)
			}
			draw, n = draws[0], vertex
		}
		found, err = inspect.FindVertex(d.Scene, draw, uint32(n))
	}
	if err != nil {
		return err
	}
	a.Pick(d, found)
	a.lookAtSelection()
	return nil
}

// lookAtSelection moves the camera, from the same direction, so that it sees the selected batch
// or triangle and as much again on either side.
func (a *App) lookAtSelection() {
	s := &a.Selection
	one := *s.Plan.Frame.Scene
	d := one.Draws[s.Hit.Draw]
	if s.Batch >= 0 {
		d.FirstIndex, d.IndexCount = s.At.FirstIndex, s.At.IndexCount
	} else {
		d.FirstIndex, d.IndexCount = d.FirstIndex+uint32(3*s.Hit.Triangle), 3
	}
	one.Draws = []geometry.Draw{d}
	box := one.Bounds()
	room := box.Max.Sub(box.Min)
	a.lookAtBox(geometry.Box{Min: box.Min.Sub(room), Max: box.Max.Add(room)})
}
