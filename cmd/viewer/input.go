package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-gl/glfw/v3.3/glfw"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
)

// binding is one line of the key table. Input and help both follow the table.
type binding struct {
	keys   []glfw.Key
	mods   glfw.ModifierKey // Shift, Control: exactly these
	label  string           // the key as people call it
	beside bool             // the help has it in the line before
	doc    string
	value  func(*state) string // what it stands at, for help; nil for none
	do     func(*state)
}

// bindings is the key table, in the order of the help.
var bindings = []binding{
	turns(glfw.KeyS, 0, "S", &views.StrategyKnob, 1),
	turns(glfw.KeyS, glfw.ModShift, "Shift+S", &views.StrategyKnob, -1),
	turns(glfw.KeyV, 0, "V", &views.ViewKnob, 1),
	turns(glfw.KeyV, glfw.ModShift, "Shift+V", &views.ViewKnob, -1),
	turns(glfw.KeyL, 0, "L", &views.LanesKnob, 1),
	turns(glfw.KeyL, glfw.ModShift, "Shift+L", &views.LanesKnob, -1),
	turns(glfw.KeyU, 0, "U", &views.QueueKnob, 1),
	turns(glfw.KeyN, 0, "N", &views.SubgroupsKnob, 1),
	turns(glfw.KeyR, 0, "R", &views.RasterKnob, 1),
	turns(glfw.KeyK, 0, "K", &views.CullKnob, 1),
	{
		keys: []glfw.Key{glfw.KeyO}, label: "O", doc: "next index order", value: func(s *state) string { return s.IndexOrder },
		do: func(s *state) { s.IndexOrder = loading.TurnOrder(s.IndexOrder, 1) },
	},
	{
		keys: []glfw.Key{glfw.KeyO}, mods: glfw.ModShift, label: "Shift+O", doc: "previous index order",
		do: func(s *state) { s.IndexOrder = loading.TurnOrder(s.IndexOrder, -1) },
	},
	{
		keys: []glfw.Key{glfw.KeyC}, label: "C", doc: "compare: split, difference, off", value: func(s *state) string { return s.Compare.String() },
		do: func(s *state) { s.Compare = (s.Compare + 1) % views.CompareBefore },
	},
	{
		keys: []glfw.Key{glfw.KeyC}, mods: glfw.ModShift, label: "Shift+C", doc: "next strategy of the right side",
		value: func(s *state) string { return s.Other.String() },
		do:    func(s *state) { s.Other.Strategy = nextName(reuse.Names(), s.Other.Strategy) },
	},
	turns(glfw.KeyM, 0, "M", &views.PaletteKnob, 1),
	{
		keys: []glfw.Key{glfw.KeyA}, label: "A", doc: "next application", value: func(s *state) string { return s.Doing.App.String() },
		do: func(s *state) { s.Doing.App = (s.Doing.App + 1) % showing.App(len(showing.AppNames)) },
	},
	{
		keys: []glfw.Key{glfw.KeyB}, label: "B", doc: "before and after the application", value: func(s *state) string { return onOff(s.Compare == views.CompareBefore) },
		do: (*state).toggleBefore,
	},
	switches(glfw.KeyX, "X", "wireframe", func(s *state) *bool { return &s.wireframe }),
	switches(glfw.KeySpace, "Space", "play the walk", func(s *state) *bool { return &s.play }),
	{keys: []glfw.Key{glfw.KeyPeriod}, label: ".", doc: "next step or level", do: func(s *state) { s.stepApp(1) }},
	{keys: []glfw.Key{glfw.KeyComma}, label: ",", doc: "to the start, or the level before", beside: true, do: func(s *state) { s.stepApp(-1) }},
	switches(glfw.KeyP, "P", "panels", func(s *state) *bool { return &s.panels }),
	looks(glfw.Key1, glfw.KeyKP1, "1", "look from the front", 0, 0),
	looks(glfw.Key3, glfw.KeyKP3, "3", "look from the right", 90, 0),
	looks(glfw.Key7, glfw.KeyKP7, "7", "look from the top", 0, 90),
	looks(glfw.Key9, glfw.KeyKP9, "9", "look from a corner", 45, renderer.Isometric),
	{
		keys: []glfw.Key{glfw.Key5, glfw.KeyKP5}, label: "5", doc: "parallel projection",
		value: func(s *state) string { return onOff(s.Camera.Orthographic) },
		do: func(s *state) {
			s.Move(func(c *renderer.Camera) {
				c.Orthographic = !c.Orthographic
				c.SetPlanes(s.Box)
			})
		},
	},
	{keys: []glfw.Key{glfw.KeyEnter, glfw.KeyKPEnter}, label: "Enter", doc: "fit the scene", do: (*state).Reset},
	{keys: []glfw.Key{glfw.KeyRight, glfw.KeyPageDown}, label: "Right, PageDown", doc: "next file", do: func(s *state) { s.skip++ }},
	{keys: []glfw.Key{glfw.KeyLeft, glfw.KeyPageUp}, label: "Left, PageUp", doc: "previous file", do: func(s *state) { s.skip-- }},
	{keys: []glfw.Key{glfw.KeyRight}, mods: glfw.ModControl, label: "Ctrl+Right", doc: "next draw", do: func(s *state) { s.drawStep++ }},
	{keys: []glfw.Key{glfw.KeyLeft}, mods: glfw.ModControl, label: "Ctrl+Left", doc: "previous draw", do: func(s *state) { s.drawStep-- }},
	{keys: []glfw.Key{glfw.KeyRightBracket}, label: "]", doc: "next batch of the picked vertex", do: func(s *state) { s.batchStep++ }},
	{keys: []glfw.Key{glfw.KeyLeftBracket}, label: "[", doc: "previous batch of the picked vertex", do: func(s *state) { s.batchStep-- }},
	{
		keys: []glfw.Key{glfw.KeyG}, mods: glfw.ModControl, label: "Ctrl+G", doc: "go to a vertex, batch or draw",
		do: func(s *state) { s.goTo, s.panels = !s.goTo, true },
	},
	{
		keys: []glfw.Key{glfw.KeyF}, mods: glfw.ModControl, label: "Ctrl+F", doc: "search the draws",
		do: func(s *state) { s.findDraw, s.panels = true, true },
	},
	{keys: []glfw.Key{glfw.KeyF12}, label: "F12", doc: "screenshot", do: func(s *state) { s.shots = append(s.shots, shot{legend: true}) }},
	{
		keys: []glfw.Key{glfw.KeyF12}, mods: glfw.ModControl, label: "Ctrl+F12", doc: "screenshot without legend and panels",
		do: func(s *state) { s.shots = append(s.shots, shot{}) },
	},
	switches(glfw.KeyT, "T", "screenshots without background", func(s *state) *bool { return &s.transparent }),
	switches(glfw.KeyH, "H", "this help", func(s *state) *bool { return &s.help }),
	{keys: []glfw.Key{glfw.KeyBackspace}, label: "Backspace", doc: "stop loading or reordering", do: func(s *state) { s.stop = true }},
	{
		keys: []glfw.Key{glfw.KeyF}, label: "F", doc: "fly", value: func(s *state) string { return onOff(s.fly.on) },
		do: (*state).toggleFly,
	},
	{keys: []glfw.Key{glfw.KeyEscape}, label: "Esc", doc: "close what is open, end flying, or quit", do: func(s *state) {
		switch {
		case s.help:
			s.help = false
		case s.fly.on:
			s.toggleFly()
		default:
			s.quit = true
		}
	}},
	{keys: []glfw.Key{glfw.KeyQ}, label: "Q", doc: "quit", do: func(s *state) { s.quit = true }},
}

// mouseHelp has the lines of the help that are not about keys.
var mouseHelp = [][2]string{
	{"left drag", "orbit"},
	{"shift+left or middle drag", "pan"},
	{"wheel", "zoom"},
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
	return binding{
		keys: []glfw.Key{key, pad}, label: label, doc: doc,
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

// helpLines is the help, with the current values.
func helpLines(s *state) []string {
	var lines []string
	for i := range bindings {
		b := &bindings[i]
		if b.beside {
			last := &lines[len(lines)-1]
			*last = fmt.Sprintf("%s    %s  %s", *last, b.label, b.doc)
			continue
		}
		line := fmt.Sprintf("%-26s %s", b.label, b.doc)
		if b.value != nil {
			line = fmt.Sprintf("%-26s %-36s %s", b.label, b.doc, b.value(s))
		}
		lines = append(lines, line)
	}
	for _, m := range mouseHelp {
		lines = append(lines, fmt.Sprintf("%-26s %s", m[0], m[1]))
	}
	return lines
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
	dividerDrag // that of the divider: see app.onCursor
)

// press begins or ends a drag. A second button while one drags changes nothing.
func (s *state) press(button glfw.MouseButton, down bool, mods glfw.ModifierKey) {
	kind := noDrag
	switch {
	case button == glfw.MouseButtonMiddle, button == glfw.MouseButtonLeft && mods&glfw.ModShift != 0:
		kind = panDrag
	case button == glfw.MouseButtonLeft:
		kind = orbitDrag
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
