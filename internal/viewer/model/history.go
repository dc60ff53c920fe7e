package model

import (
	"slices"
)

// Choose restores earlier choices, but keeps a vertex shader that has been recompiled since.
func (s *State) Choose(c Choices) {
	if was, now := c.Want.Shader, s.Want.Shader; was != nil && now != nil && !now.Same(was) {
		c.Want.Shader = now
	}
	c.Doing.Step = s.Doing.Step // the walk's current step is no setting, like the camera
	s.Choices, s.Turned = c, nil
}

// ResetSettings restores the settings of another state. The scene and the camera stay.
func (s *State) ResetSettings(to *State) {
	s.Choices, s.Manner, s.Alone, s.Turned = to.Choices, to.Manner, 0, nil
}

// History holds earlier choices, and after index at those that were undone.
type History struct {
	list     []Choices
	at       int
	dragging bool // the last change was made by a drag that goes on
}

// keptChoices bounds the history.
const keptChoices = 200

// Note records the choices before a change.
func (h *History) Note(before, now Choices) {
	if before.Doing.Step = now.Doing.Step; before == now {
		return
	}
	h.list = append(h.list[:h.at], before)
	h.list = slices.Delete(h.list, 0, max(0, len(h.list)-keptChoices))
	h.at = len(h.list)
}

// NoteDrag is Note for a drag of a slider, which counts as one change.
func (h *History) NoteDrag(before, now Choices, down bool) {
	if !h.dragging {
		h.Note(before, now)
	}
	h.dragging = down && (h.dragging || before != now)
}

// Back undoes a change: it returns the choices before it and records the current ones. It returns
// false if there is none.
func (h *History) Back(now Choices) (Choices, bool) {
	for h.at > 0 {
		h.at--
		before := h.list[h.at]
		before.Doing.Step = now.Doing.Step
		h.list[h.at] = now
		if before != now { // otherwise the change was reverted, since it could not be drawn
			return before, true
		}
	}
	return now, false
}

// Again redoes the change undone last: it returns those choices and records the current ones. It
// returns false if there is none.
func (h *History) Again(now Choices) (Choices, bool) {
	if h.at == len(h.list) {
		return now, false
	}
	next := h.list[h.at]
	h.list[h.at] = now
	h.at++
	return next, true
}
