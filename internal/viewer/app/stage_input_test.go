package app

import (
	"image"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// spelled maps names of keys in tests to those in the table of settings.
var spelled = map[string]string{"Return": "Enter", "Escape": "Esc", "BackSpace": "Backspace", "space": "Space", "period": ".", "comma": ","}

// key presses and releases keys like "s", "shift+F12" or "Return", and settles.
func (s *stage) key(keys ...string) {
	s.t.Helper()
	s.burst(keys...)
	s.settle()
}

// keyed presses a key, and requires texts in the viewer's status.
func (s *stage) keyed(key string, texts ...string) {
	s.t.Helper()
	s.key(key)
	s.titled(texts...)
}

// burst presses and releases keys faster than the viewer draws.
func (s *stage) burst(keys ...string) {
	s.t.Helper()
	for _, key := range keys {
		s.hold(key)
		s.letGo(key)
	}
}

func (s *stage) hold(key string)  { s.t.Helper(); s.press(key, true) }
func (s *stage) letGo(key string) { s.t.Helper(); s.press(key, false) }

func (s *stage) press(text string, down bool) {
	s.t.Helper()
	parts := strings.Split(text, "+")
	name := parts[len(parts)-1]
	e := KeyEvent{Key: name, Down: down, Ctrl: slices.Contains(parts, "ctrl"), Shift: slices.Contains(parts, "shift")}
	if other, there := spelled[name]; there {
		e.Key = other
	} else if len(name) == 1 {
		e.Key = strings.ToUpper(name)
	}
	for modifier, held := range map[string]bool{"Ctrl": e.Ctrl, model.ShiftKey: e.Shift} {
		if held && down {
			s.OnKey(KeyEvent{Key: modifier, Down: true})
			defer s.OnKey(KeyEvent{Key: modifier, Ctrl: e.Ctrl, Shift: e.Shift})
		}
	}
	s.OnKey(e)
	if len(name) == 1 && down && !e.Ctrl {
		s.OnText(rune(name[0]))
	}
}

// move moves the cursor, in screen units, and settles.
func (s *stage) move(x, y int) {
	s.t.Helper()
	s.OnCursor(float64(x), float64(y))
	s.settle()
}

func (s *stage) button(b model.Button, down bool) {
	s.t.Helper()
	s.OnButton(b, down, false)
	s.settle()
}

func (s *stage) click(x, y int) {
	s.t.Helper()
	s.move(x, y)
	s.button(model.LeftButton, true)
	s.button(model.LeftButton, false)
}

// pull drags the cursor along points with a button held, with or without Shift.
func (s *stage) pull(b model.Button, shift bool, points ...image.Point) {
	s.t.Helper()
	s.move(points[0].X, points[0].Y)
	s.OnButton(b, true, shift)
	for _, p := range points[1:] {
		s.move(p.X, p.Y)
	}
	s.button(b, false)
}

func (s *stage) scroll(notches float64) {
	s.t.Helper()
	s.OnScroll(0, notches)
	s.settle()
}

// resize gives the window another size, in screen units.
func (s *stage) resize(width, height int) {
	s.t.Helper()
	s.unitSize = image.Pt(width, height)
	s.pixels = s.unitSize
	s.OnResize()
	s.settle()
}
