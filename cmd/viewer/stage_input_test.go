package main

import (
	"image"
	"strings"
	"unicode/utf8"

	"github.com/go-gl/glfw/v3.3/glfw"
	"github.com/stretchr/testify/require"
)

// keyNames are the keys that have another name than their letter.
var keyNames = map[string]glfw.Key{
	"Left": glfw.KeyLeft, "Right": glfw.KeyRight, "Up": glfw.KeyUp, "Down": glfw.KeyDown, "Return": glfw.KeyEnter, "Escape": glfw.KeyEscape,
	"BackSpace": glfw.KeyBackspace, "Tab": glfw.KeyTab, "space": glfw.KeySpace, "period": glfw.KeyPeriod, "comma": glfw.KeyComma,
	"F11": glfw.KeyF11, "F12": glfw.KeyF12, "Home": glfw.KeyHome, "End": glfw.KeyEnd,
}

// key presses and releases keys like "s", "shift+F12" or "Return", and settles.
func (s *stage) key(keys ...string) {
	s.t.Helper()
	s.burst(keys...)
	s.settle()
}

// burst presses and releases keys faster than the viewer draws.
func (s *stage) burst(keys ...string) {
	s.t.Helper()
	for _, key := range keys {
		s.hold(key)
		s.letGo(key)
	}
}

func (s *stage) hold(key string)  { s.t.Helper(); s.press(key, glfw.Press) }
func (s *stage) letGo(key string) { s.t.Helper(); s.press(key, glfw.Release) }

func (s *stage) press(text string, action glfw.Action) {
	s.t.Helper()
	parts := strings.Split(text, "+")
	name := parts[len(parts)-1]
	var mods glfw.ModifierKey
	for _, m := range parts[:len(parts)-1] {
		mods |= map[string]glfw.ModifierKey{"ctrl": glfw.ModControl, "shift": glfw.ModShift}[m]
	}
	key, special := keyNames[name]
	if !special {
		require.Len(s.t, name, 1, "an unknown key")
		key = glfw.Key(strings.ToUpper(name)[0])
	}
	for held, modifier := range map[glfw.ModifierKey]glfw.Key{glfw.ModControl: glfw.KeyLeftControl, glfw.ModShift: glfw.KeyLeftShift} {
		if mods&held != 0 && action == glfw.Press {
			s.onKey(modifier, "", glfw.Press, 0)
			defer s.onKey(modifier, "", glfw.Release, mods)
		}
	}
	letter := ""
	if key >= glfw.KeyA && key <= glfw.KeyZ {
		letter = name
	}
	s.onKey(key, letter, action, mods)
	if r, _ := utf8.DecodeRuneInString(name); !special && action == glfw.Press && mods&glfw.ModControl == 0 {
		s.onText(r)
	}
}

// move moves the cursor, in screen units, and settles.
func (s *stage) move(x, y int) {
	s.t.Helper()
	s.onCursor(float64(x), float64(y))
	s.settle()
}

func (s *stage) button(b glfw.MouseButton, down bool) {
	s.t.Helper()
	s.onButton(b, down, 0)
	s.settle()
}

func (s *stage) click(x, y int) {
	s.t.Helper()
	s.move(x, y)
	s.button(glfw.MouseButtonLeft, true)
	s.button(glfw.MouseButtonLeft, false)
}

// pull drags along points with a button, and modifiers that were held when it went down.
func (s *stage) pull(b glfw.MouseButton, mods glfw.ModifierKey, points ...image.Point) {
	s.t.Helper()
	s.move(points[0].X, points[0].Y)
	s.onButton(b, true, mods)
	for _, p := range points[1:] {
		s.move(p.X, p.Y)
	}
	s.button(b, false)
}

func (s *stage) scroll(notches float64) {
	s.t.Helper()
	s.onScroll(0, notches)
	s.settle()
}

// resize gives the window another size, in screen units.
func (s *stage) resize(width, height int) {
	s.t.Helper()
	s.unitSize = image.Pt(width, height)
	s.pixels = s.unitSize
	s.onResize()
	s.settle()
}
