package main

import (
	"github.com/go-gl/glfw/v3.3/glfw"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/loading"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
)

// keyGroup is a part of the key table.
type keyGroup struct {
	name string
	keys []binding
}

// keyGroups is the key table, in the order of the help.
var keyGroups = []keyGroup{
	{"Shading", []binding{
		turns(glfw.KeyS, 0, "S", &views.StrategyKnob, 1),
		turns(glfw.KeyS, glfw.ModShift, "Shift+S", &views.StrategyKnob, -1),
		turns(glfw.KeyL, 0, "L", &views.LanesKnob, 1),
		turns(glfw.KeyL, glfw.ModShift, "Shift+L", &views.LanesKnob, -1),
		{
			keys: []glfw.Key{glfw.KeyO}, label: "O", doc: "next index order", value: func(s *state) string { return s.IndexOrder },
			do: func(s *state) { s.IndexOrder = loading.TurnOrder(s.IndexOrder, 1) },
		},
		{
			keys: []glfw.Key{glfw.KeyO}, mods: glfw.ModShift, label: "Shift+O", doc: "previous index order",
			do: func(s *state) { s.IndexOrder = loading.TurnOrder(s.IndexOrder, -1) },
		},
		turns(glfw.KeyU, 0, "U", &views.QueueKnob, 1),
		turns(glfw.KeyN, 0, "N", &views.SubgroupsKnob, 1),
		turns(glfw.KeyR, 0, "R", &views.RasterKnob, 1),
		turns(glfw.KeyK, 0, "K", &views.CullKnob, 1),
		{
			keys: []glfw.Key{glfw.KeyTab}, label: "Tab", doc: "all strategies in a table", value: func(s *state) string { return onOff(s.allStrategies) },
			do: func(s *state) { s.allStrategies, s.panels = !s.allStrategies, true },
		},
	}},
	{"Comparing", []binding{
		{
			keys: []glfw.Key{glfw.KeyC}, label: "C", doc: "compare: split, difference, off", value: func(s *state) string { return s.Compare.String() },
			do: func(s *state) { s.Compare = (s.Compare + 1) % views.CompareBefore },
		},
		{
			keys: []glfw.Key{glfw.KeyC}, mods: glfw.ModShift, label: "Shift+C", doc: "next strategy of the right side",
			value: func(s *state) string { return s.Other.String() },
			do:    func(s *state) { s.Other.Strategy = nextName(reuse.Names(), s.Other.Strategy) },
		},
		{keys: []glfw.Key{glfw.KeyI}, label: "I", doc: "interchange the sides", do: (*state).swapSides},
	}},
	{"Picture", []binding{
		turns(glfw.KeyV, 0, "V", &views.ViewKnob, 1),
		turns(glfw.KeyV, glfw.ModShift, "Shift+V", &views.ViewKnob, -1),
		turns(glfw.KeyM, 0, "M", &views.PaletteKnob, 1),
		switches(glfw.KeyX, "X", "wireframe", func(s *state) *bool { return &s.wireframe }),
		{keys: []glfw.Key{glfw.KeyF12}, label: "F12", doc: "screenshot", do: func(s *state) { s.shots = append(s.shots, shot{legend: true}) }},
		{
			keys: []glfw.Key{glfw.KeyF12}, mods: glfw.ModControl, label: "Ctrl+F12", doc: "screenshot without legend and panels",
			do: func(s *state) { s.shots = append(s.shots, shot{}) },
		},
		switches(glfw.KeyT, "T", "screenshots without background", func(s *state) *bool { return &s.transparent }),
	}},
	{"Camera", []binding{
		looks(glfw.Key1, glfw.KeyKP1, "1", "look from the front", 0, 0),
		looks(glfw.Key3, glfw.KeyKP3, "3", "look from the right", 90, 0),
		looks(glfw.Key7, glfw.KeyKP7, "7", "look from the top", 0, 90),
		looks(glfw.Key1, glfw.KeyKP1, "Ctrl+1", "look from the back", 180, 0),
		looks(glfw.Key3, glfw.KeyKP3, "Ctrl+3", "look from the left", -90, 0),
		looks(glfw.Key7, glfw.KeyKP7, "Ctrl+7", "look from the bottom", 0, -90),
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
		{
			keys: []glfw.Key{glfw.KeyZ}, label: "Z", doc: "next axis that points up", value: func(s *state) string { return s.Up.String() },
			do: func(s *state) { s.SetUp((s.Up + 1) % renderer.UpAxis(len(renderer.UpAxisNames))) },
		},
		{keys: []glfw.Key{glfw.KeyEnter, glfw.KeyKPEnter}, label: "Enter", doc: "fit the scene", do: (*state).Reset},
		{
			keys: []glfw.Key{glfw.KeyF}, label: "F", doc: "fly", value: func(s *state) string { return onOff(s.fly.on) },
			do: (*state).toggleFly,
		},
	}},
	{"Vertices, batches and draws", []binding{
		{keys: []glfw.Key{glfw.KeyLeftBracket}, label: "[", doc: "previous batch of the picked vertex", do: func(s *state) { s.batchStep-- }},
		{keys: []glfw.Key{glfw.KeyRightBracket}, label: "]", doc: "next batch of the picked vertex", do: func(s *state) { s.batchStep++ }},
		{keys: []glfw.Key{glfw.KeyLeft}, mods: glfw.ModControl, label: "Ctrl+Left", doc: "previous draw", do: func(s *state) { s.drawStep-- }},
		{keys: []glfw.Key{glfw.KeyRight}, mods: glfw.ModControl, label: "Ctrl+Right", doc: "next draw", do: func(s *state) { s.drawStep++ }},
		{
			keys: []glfw.Key{glfw.KeyG}, mods: glfw.ModControl, label: "Ctrl+G", doc: "go to a vertex, batch or draw",
			do: func(s *state) { s.goTo, s.panels = !s.goTo, true },
		},
		{
			keys: []glfw.Key{glfw.KeyF}, mods: glfw.ModControl, label: "Ctrl+F", doc: "search the draws",
			do: func(s *state) { s.findDraw, s.panels = true, true },
		},
	}},
	{"Files", []binding{
		{keys: []glfw.Key{glfw.KeyO}, mods: glfw.ModControl, label: "Ctrl+O", doc: "open files", do: func(s *state) { s.openFiles = true }},
		{keys: []glfw.Key{glfw.KeyLeft, glfw.KeyPageUp}, label: "Left, PageUp", doc: "previous file", do: func(s *state) { s.skip-- }},
		{keys: []glfw.Key{glfw.KeyRight, glfw.KeyPageDown}, label: "Right, PageDown", doc: "next file", do: func(s *state) { s.skip++ }},
		{keys: []glfw.Key{glfw.KeyBackspace}, label: "Backspace", doc: "stop loading or reordering", do: func(s *state) { s.stop = true }},
	}},
	{"Applications", []binding{
		{
			keys: []glfw.Key{glfw.KeyA}, label: "A", doc: "next application", value: func(s *state) string { return s.Doing.App.String() },
			do: func(s *state) { s.Doing.App = (s.Doing.App + 1) % showing.App(len(showing.AppNames)) },
		},
		{
			keys: []glfw.Key{glfw.KeyB}, label: "B", doc: "before and after the application", value: func(s *state) string { return onOff(s.Compare == views.CompareBefore) },
			do: (*state).toggleBefore,
		},
		switches(glfw.KeySpace, "Space", "play the walk", func(s *state) *bool { return &s.play }),
		{keys: []glfw.Key{glfw.KeyPeriod}, label: ".", doc: "next step or level", do: func(s *state) { s.stepApp(1) }},
		{keys: []glfw.Key{glfw.KeyComma}, label: ",", doc: "to the start, or the level before", do: func(s *state) { s.stepApp(-1) }},
	}},
	{"Window", []binding{
		switches(glfw.KeyP, "P", "panels", func(s *state) *bool { return &s.panels }),
		switches(glfw.KeyH, "H", "this help", func(s *state) *bool { return &s.help }),
		switches(glfw.KeyF11, "F11", "full screen", func(s *state) *bool { return &s.fullscreen }),
		{keys: []glfw.Key{glfw.KeyZ}, mods: glfw.ModControl, label: "Ctrl+Z", doc: "undo a change of settings", do: func(s *state) { s.undo-- }},
		{keys: []glfw.Key{glfw.KeyZ}, mods: glfw.ModControl | glfw.ModShift, label: "Ctrl+Shift+Z", doc: "do it again", do: func(s *state) { s.undo++ }},
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
	}},
}

// bindings are the keys of all groups.
var bindings = func() (all []binding) {
	for _, g := range keyGroups {
		all = append(all, g.keys...)
	}
	return all
}()
