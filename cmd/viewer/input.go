package main

import (
	"slices"
	"strings"

	"github.com/go-gl/glfw/v3.3/glfw"

	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
)

// binding is one line of the key table. Input and help both follow the table.
type binding struct {
	keys  []glfw.Key
	mods  glfw.ModifierKey // Shift, Control: exactly these
	label string           // the key as people call it
	doc   string
	value func(*state) string // what it stands at, for help; nil for none
	do    func(*state)
}

// mouseHelp has the lines of the help that are not about keys.
var mouseHelp = [][2]string{
	{"left drag", "orbit"},
	{"shift+left or middle drag", "pan"},
	{"right drag, wheel", "zoom"},
	{"double click", "turn about the point"},
	{"drop files", "open them"},
	{"hover, click", "with panels: a vertex, its batch"},
	{"while flying", flyHelp},
}

func turns(key glfw.Key, mods glfw.ModifierKey, label string, k *views.Knob, step int) binding {
	b := binding{keys: []glfw.Key{key}, mods: mods, label: label, do: func(s *state) { s.Turn(k, step) }}
	if step < 0 {
		b.doc = "previous " + k.Name
		return b
	}
	b.doc = "next " + k.Name
	b.value = func(s *state) string { return k.Value(s.Want) }
	return b
}

// switches is a key that turns something on and off.
func switches(key glfw.Key, label, doc string, of func(*state) *bool) binding {
	return binding{
		keys: []glfw.Key{key}, label: label, doc: doc, value: func(s *state) string { return onOff(*of(s)) },
		do: func(s *state) { *of(s) = !*of(s) },
	}
}

func looks(key, pad glfw.Key, label, doc string, azimuth, elevation float32) binding {
	mods := glfw.ModifierKey(0)
	if strings.HasPrefix(label, "Ctrl+") {
		mods = glfw.ModControl
	}
	return binding{
		keys: []glfw.Key{key, pad}, mods: mods, label: label, doc: doc,
		do: func(s *state) { s.Move(func(c *renderer.Camera) { c.Azimuth, c.Elevation = azimuth, elevation }) },
	}
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

// find is the binding of a key with modifiers; nil for none. Lock keys and the
// modifiers that no binding has are ignored.
func find(key glfw.Key, mods glfw.ModifierKey) *binding {
	mods &= glfw.ModShift | glfw.ModControl
	for i := range bindings {
		if b := &bindings[i]; b.mods == mods && slices.Contains(b.keys, key) {
			return b
		}
	}
	return nil
}

// layoutKey is the key that bears a letter in the user's own layout; GLFW's keys
// are named after the US layout. name is what GLFW calls the key there.
func layoutKey(key glfw.Key, name string) glfw.Key {
	if len(name) == 1 {
		if c := strings.ToUpper(name)[0]; c >= 'A' && c <= 'Z' {
			return glfw.KeyA + glfw.Key(c-'A')
		}
	}
	return key
}

// helpGroup is a part of the help: key, what it does, and the current value.
type helpGroup struct {
	name  string
	lines [][3]string
}

// helpGroups is the help.
func helpGroups(s *state) (groups []helpGroup) {
	for _, g := range keyGroups {
		h := helpGroup{name: g.name}
		for i := range g.keys {
			b := &g.keys[i]
			line := [3]string{b.label, b.doc}
			if b.value != nil {
				line[2] = b.value(s)
			}
			h.lines = append(h.lines, line)
		}
		groups = append(groups, h)
	}
	mouse := helpGroup{name: "Mouse"}
	for _, m := range mouseHelp {
		mouse.lines = append(mouse.lines, [3]string{m[0], m[1]})
	}
	return append(groups, mouse)
}

// drag is a drag under way.
type drag struct {
	kind   dragKind
	button glfw.MouseButton
	x, y   float64 // where the cursor was last, in screen units
}

type dragKind int

const (
	noDrag dragKind = iota
	orbitDrag
	panDrag
	zoomDrag
	dividerDrag // that of the divider: see app.onCursor
)

// dragNotches is how many notches of the wheel a drag over the whole height of a window is.
const dragNotches = 20

// press begins or ends a drag. A second button while one drags changes nothing.
func (s *state) press(button glfw.MouseButton, down bool, mods glfw.ModifierKey) {
	kind := noDrag
	switch {
	case button == glfw.MouseButtonMiddle, button == glfw.MouseButtonLeft && mods&glfw.ModShift != 0:
		kind = panDrag
	case button == glfw.MouseButtonLeft:
		kind = orbitDrag
	case button == glfw.MouseButtonRight:
		kind = zoomDrag
	default:
		return
	}
	switch {
	case down && s.drag.kind == noDrag:
		s.drag.kind, s.drag.button = kind, button
	case !down && s.drag.button == button:
		s.drag.kind = noDrag
	}
}

// cursor moves the cursor, in screen units of a window of that height.
func (s *state) cursor(x, y float64, height int) {
	dx, dy := x-s.drag.x, y-s.drag.y
	s.drag.x, s.drag.y = x, y
	if s.drag.kind == noDrag || s.drag.kind == dividerDrag || height < 1 {
		return
	}
	dx, dy = dx/float64(height), dy/float64(height)
	s.Move(func(c *renderer.Camera) {
		switch {
		case s.drag.kind == panDrag:
			c.Pan(s.Box, dx, dy)
		case s.drag.kind == zoomDrag:
			c.Dolly(s.Box, -dragNotches*dy)
		case s.fly.on:
			c.LookAround(s.Box, dx, dy)
		default:
			c.Orbit(dx, dy)
		}
	})
}

// wheel zooms by notches.
func (s *state) wheel(notches float64) {
	if s.fly.on {
		s.fly.faster(notches)
		return
	}
	s.Move(func(c *renderer.Camera) { c.Dolly(s.Box, notches) })
}
