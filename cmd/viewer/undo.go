package main

import (
	"slices"

	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/internal/views"
)

// choices are what is asked for but for the camera: what can be undone.
type choices struct {
	want       views.Settings
	indexOrder string
	compare    views.CompareMode
	other      views.OtherSide
	doing      showing.Choice
	alone      int
	wireframe  bool
}

func (s *state) choices() choices {
	return choices{s.Want, s.IndexOrder, s.Compare, s.Other, s.Doing, s.Alone, s.wireframe}
}

// choose asks for what was chosen. A vertex shader that was compiled anew since stays.
func (s *state) choose(c choices) {
	if was, now := c.want.Shader.File, s.Want.Shader.File; was != nil && now != nil && was.Program != now.Program {
		c.want.Shader.File = now
	}
	s.Want, s.IndexOrder, s.Compare, s.Other, s.Doing, s.Alone, s.wireframe = c.want, c.indexOrder, c.compare, c.other, c.doing, c.alone, c.wireframe
	s.Turned = nil
}

// history is what was chosen before, and, beyond at, what was undone.
type history struct {
	list     []choices
	at       int
	dragging bool // the last change was made by a drag that goes on
}

// keptChoices bounds the history.
const keptChoices = 200

// note keeps what was chosen before the user chose something else.
func (h *history) note(before, now choices) {
	if before == now {
		return
	}
	h.list = append(h.list[:h.at], before)
	h.list = slices.Delete(h.list, 0, max(0, len(h.list)-keptChoices))
	h.at = len(h.list)
}

// noteDrag is note where a drag of a slider is one change.
func (h *history) noteDrag(before, now choices, down bool) {
	if !h.dragging {
		h.note(before, now)
	}
	h.dragging = down && (h.dragging || before != now)
}

// back returns what was chosen one change ago, and keeps what is chosen now; false at the
// beginning.
func (h *history) back(now choices) (choices, bool) {
	for h.at > 0 {
		h.at--
		before := h.list[h.at]
		h.list[h.at] = now
		if before != now { // else it was taken back, since it could not be drawn
			return before, true
		}
	}
	return now, false
}

// again returns what was undone last, and keeps what is chosen now; false where nothing
// was.
func (h *history) again(now choices) (choices, bool) {
	if h.at == len(h.list) {
		return now, false
	}
	next := h.list[h.at]
	h.list[h.at] = now
	h.at++
	return next, true
}

// followUndo goes back and forth as the keys ask.
func (a *app) followUndo() {
	for ; a.undo != 0; a.undo -= sign(a.undo) {
		turn := a.history.again
		if a.undo < 0 {
			turn = a.history.back
		}
		c, some := turn(a.choices())
		if !some {
			a.done(map[bool]string{true: "nothing to undo", false: "nothing to do again"}[a.undo < 0])
			a.undo = 0
			return
		}
		a.choose(c)
	}
}

func sign(n int) int { return min(max(n, -1), 1) }
