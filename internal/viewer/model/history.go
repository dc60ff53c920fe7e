package model

import (
	"slices"
)

// Choose asks for what was chosen before. A vertex shader that was compiled anew since stays.
func (s *State) Choose(c Choices) {
	if was, now := c.Want.Shader, s.Want.Shader; was != nil && now != nil && !now.Same(was) {
		c.Want.Shader = now
	}
	c.Doing.Step = s.Doing.Step // where a walk has come to is no setting, as the camera is none
	s.Choices, s.Turned = c, nil
}

// ResetSettings asks for what another state asks for. The scene and the camera stay.
func (s *State) ResetSettings(to *State) {
	s.Choices, s.Manner, s.Alone, s.Turned = to.Choices, to.Manner, 0, nil
}

// History is what was chosen before, and, beyond at, what was undone.
type History struct {
	list     []Choices
	at       int
	dragging bool // the last change was made by a drag that goes on
}

// keptChoices bounds the history.
const keptChoices = 200

// Note keeps what was chosen before the user chose something else.
func (h *History) Note(before, now Choices) {
	if before.Doing.Step = now.Doing.Step; before == now {
		return
	}
	h.list = append(h.list[:h.at], before)
	h.list = slices.Delete(h.list, 0, max(0, len(h.list)-keptChoices))
	h.at = len(h.list)
}

// NoteDrag is Note where a drag of a slider is one change.
func (h *History) NoteDrag(before, now Choices, down bool) {
	if !h.dragging {
		h.Note(before, now)
	}
	h.dragging = down && (h.dragging || before != now)
}

// Back returns what was chosen one change ago, and keeps what is chosen now; false at the
// beginning.
func (h *History) Back(now Choices) (Choices, bool) {
	for h.at > 0 {
		h.at--
		before := h.list[h.at]
		before.Doing.Step = now.Doing.Step
		h.list[h.at] = now
		if before != now { // else it was taken back, since it could not be drawn
			return before, true
		}
	}
	return now, false
}

// Again returns what was undone last, and keeps what is chosen now; false where nothing
// was.
func (h *History) Again(now Choices) (Choices, bool) {
	if h.at == len(h.list) {
		return now, false
	}
	next := h.list[h.at]
	h.list[h.at] = now
	h.at++
	return next, true
}
