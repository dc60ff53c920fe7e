package model

import (
	"fmt"
	"math"
	"strings"

	"github.com/shadeonce/shadeonce/apps/envelope"
	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

var cameraRows = []Setting{
	looks("1", "look from the front", 0, 0), looks("3", "look from the right", 90, 0), looks("7", "look from the top", 0, 90),
	looks("Ctrl+1", "look from the back", 180, 0), looks("Ctrl+3", "look from the left", -90, 0), looks("Ctrl+7", "look from the bottom", 0, -90),
	looks("9", "look from a corner", 45, renderer.Isometric),
	{Key: "5", Effect: "parallel projection", value: field(func(s *State) *bool { return &s.Camera.Orthographic }),
		do: func(s *State, _ int) {
			s.Move(func(c *renderer.Camera) {
				c.Orthographic = !c.Orthographic
				c.SetPlanes(s.Box)
			})
		}},
	{Name: "up axis (Z)", Key: "Z", Effect: "next axis that points up", Flag: "up", Kept: OnKeep, Values: renderer.UpAxisNames,
		Usage: "axis of the scene that points up: " + strings.Join(renderer.UpAxisNames, ", "),
		Tip:   "The axis of the scene that points up: files of other programs have Z there.",
		value: value{
			get: func(s *State) string { return s.Up.String() },
			set: func(s *State, text string) error {
				up, err := cli.ParseUp(text)
				if err == nil {
					s.SetUp(up)
				}
				return err
			},
		},
		do: func(s *State, _ int) { s.SetUp((s.Up + 1) % renderer.UpAxis(len(renderer.UpAxisNames))) }},
	{Key: "Enter", Effect: "fit the scene", do: func(s *State, _ int) { s.Reset() }},
	{Key: "F", Effect: "fly", value: field(func(s *State) *bool { return &s.Fly.On }), do: func(s *State, _ int) { s.ToggleFly() }},
	{Flag: "fly", Usage: "begin flying; " + flyHelp, value: derived(func(s *State) bool { return s.Fly.On }, func(s *State, on bool) error {
		if on != s.Fly.On {
			s.ToggleFly()
		}
		return nil
	})},
	{Key: "F5, F6, F7, F8", Each: true, Effect: "look from a bookmark", shows: (*State).keptBookmarks, do: func(s *State, key int) { s.LookFromBookmark(key - 1) },
		Flag: "bookmarks", Kept: OnKeep, Usage: fmt.Sprintf("cameras that F5 to F8 look from: `CAMERAS` as of --camera, %d at most, with ; between them", len(State{}.Bookmarks)),
		value: value{get: (*State).bookmarkText, set: (*State).readBookmarks}},
	{Key: "Shift+F5, Shift+F6, Shift+F7, Shift+F8", Each: true, Effect: "keep the camera as a bookmark", do: func(s *State, key int) { s.keepBookmark(key - 1) }},
	{Flag: "camera", Kept: Pictures, Usage: cli.CameraHelp, value: field(func(s *State) *string { return &s.View })},
}

// looks is a key that has the camera look along a direction.
func looks(key, effect string, azimuth, elevation float32) Setting {
	return Setting{Key: key, Effect: effect, do: func(s *State, _ int) {
		s.Move(func(c *renderer.Camera) { c.Azimuth, c.Elevation = azimuth, elevation })
	}}
}

var drawRows = []Setting{
	{Key: "[", Effect: "previous batch of the vertex", do: func(s *State, _ int) { s.BatchStep-- }},
	{Key: "]", Effect: "next batch of the vertex", do: func(s *State, _ int) { s.BatchStep++ }},
	{Key: "Ctrl+Left", Effect: "previous draw", do: func(s *State, _ int) { s.DrawStep-- }},
	{Key: "Ctrl+Right", Effect: "next draw", do: func(s *State, _ int) { s.DrawStep++ }},
	{Key: "Ctrl+G", Effect: "go to a vertex, batch or draw", do: func(s *State, _ int) { s.GoTo, s.Panels = !s.GoTo, true }},
	{Key: "Ctrl+F", Effect: "search the draws", do: func(s *State, _ int) { s.FindDraw, s.Panels = true, true }},
	{Flag: "draw", Kept: Pictures, Usage: "show one draw of the first file alone, by its `number`, of a captured frame by its event",
		value: derived(func(s *State) int { return s.Alone - 1 }, func(s *State, n int) error {
			if n < -1 || n > math.MaxInt32 {
				return cli.Usagef("--draw %d: must be a draw's number, or -1 for all", n)
			}
			s.Alone = n + 1
			return nil
		})},
	{Flag: "hide", Kept: Pictures, value: field(func(s *State) *string { return &s.Want.Marks.Hide })},
	{Flag: "isolate", Kept: Pictures, value: field(func(s *State) *string { return &s.Want.Marks.Isolate })},
	{Flag: "highlight", Kept: Pictures, value: field(func(s *State) *string { return &s.Want.Marks.Highlight })},
	{Flag: "search", Usage: "list only the draws of a captured frame that have a `text` in their name",
		value: field(func(s *State) *string { return &s.Listed.Search })},
	{Flag: "sort", Usage: "what the draws of a captured frame are sorted by in their list: " + strings.Join(inspect.DrawSorts(), ", "),
		value: field(func(s *State) *string { return &s.Listed.Sort })},
}

var fileRows = []Setting{
	{Key: "Ctrl+O", Effect: "open files", do: func(s *State, _ int) { s.OpenFiles = true }},
	{Key: "Ctrl+L", Effect: "open files by a typed path", do: func(s *State, _ int) { s.TypePath, s.Panels = !s.TypePath, true }},
	{Key: "Left, PageUp", Effect: "previous file", do: func(s *State, _ int) { s.Skip-- }},
	{Key: "Right, PageDown", Effect: "next file", do: func(s *State, _ int) { s.Skip++ }},
	{Key: "Backspace", Effect: "stop loading, reordering or drawing", do: func(s *State, _ int) { s.Stop = true }},
}

var appRows = []Setting{
	{Name: "application (A)", Key: "A", Effect: "next application", Flag: "app", Kept: Pictures, Values: results.AppNames,
		Usage: "show what an application makes: " + strings.Join(results.AppNames, ", "),
		Tip:   "What one of the paper's applications makes of the scene, and how often the strategy shades each vertex, edge or cell on the way.",
		value: named(results.ParseApp, func(s *State) *results.App { return &s.Doing.App }),
		do:    func(s *State, _ int) { s.Doing.App = (s.Doing.App + 1) % results.App(len(results.AppNames)) }},
	{Name: "before and after (B)", Key: "B", Effect: "before and after it", Flag: "before", Kept: Pictures,
		Usage: "compare the scene before and after the application",
		Tip:   "The scene as it is on the left, what the application makes of it on the right.",
		value: derived(func(s *State) bool { return s.Compare == CompareBefore }, nil),
		do:    func(s *State, _ int) { s.ToggleBefore() }},
	{Name: "play (Space)", Key: "Space", Effect: "play the walk", Flag: "play", Usage: "play the walk", Tip: "Walks on by itself.",
		value: field(func(s *State) *bool { return &s.Play })},
	{Key: ".", Effect: "next step or level", do: func(s *State, _ int) { s.StepApp(1) }},
	{Key: ",", Effect: "to the start, or the level before", do: func(s *State, _ int) { s.StepApp(-1) }},
	{Name: "level (, .)", Flag: "levels", Kept: OnKeep, Tip: "How often each triangle becomes four.", Slider: &Slider{Most: results.MaxLevels},
		Usage: fmt.Sprintf("how often subdivision makes four triangles of each, 0 to %d", results.MaxLevels),
		value: field(func(s *State) *int { return &s.Doing.Levels })},
	{Name: "compute the last level while drawing", Flag: "drawn", Kept: OnKeep, Tip: "The last level is computed by the vertex shader, and never stored.",
		Usage: "compute the last level of a subdivision while it is drawn: it is never stored",
		value: field(func(s *State) *bool { return &s.Doing.Drawn })},
	{Name: "distance, %", Flag: "percent", Kept: OnKeep, Tip: "How far the envelopes lie from the surface, as a share of the scene's diagonal.", Slider: &Slider{.1, 10, "%.1f", true},
		Usage: "the envelopes' distance in percent of the diagonal of the scene's box",
		value: field(func(s *State) *float64 { return &s.Doing.Percent })},
	{Name: "side", Flag: "side", Kept: OnKeep, Tip: "The outer envelope, the inner one, or both.", Values: envelope.SideNames,
		Usage: "which envelopes: " + strings.Join(envelope.SideNames, ", "),
		value: field(func(s *State) *string { return &s.Doing.Side })},
	{Name: "opacity", Flag: "opacity", Kept: Always, Tip: "How much the envelopes hide of what lies behind them.", Slider: &Slider{0, 1, "%.2f", false},
		Usage: "how much envelopes hide of what lies behind them, 0 to 1",
		value: share("opacity", func(s *State) *float64 { return &s.Opacity })},
	{Name: "agents", Flag: "agents", Kept: OnKeep, Usage: "agents of the walk", Tip: "How many agents walk.", Least: 1, Most: walk.MaxAgents,
		value: field(func(s *State) *int { return &s.Doing.Agents })},
	{Name: "grid", Flag: "grid", Kept: OnKeep, Usage: "cells a side of the walk's grid", Tip: "Cells a side of the grid that they walk on.", Least: 1, Most: walk.MaxGrid,
		value: field(func(s *State) *int { return &s.Doing.Grid })},
	{Name: "seed", Flag: "seed", Kept: OnKeep, Usage: "seed of the walk's random numbers", Tip: "Where the random numbers begin; the same seed gives the same walk.", Most: math.MaxInt32,
		value: field(func(s *State) *uint32 { return &s.Doing.Seed })},
	{Name: "sort every", Flag: "sort-every", Kept: OnKeep, Most: walk.MaxSteps,
		Usage: "take the walk's agents in the order of their cells, sorted anew every `N` steps; 0 leaves them as they are",
		Tip:   "Agents are taken in the order of their cells, which is made anew every so many steps; 0 leaves them as they are.",
		value: field(func(s *State) *int { return &s.Doing.SortEvery })},
	{Name: "step", Flag: "step", Kept: Pictures, Usage: "step of the walk to begin with", Tip: "The number of steps walked.", Most: walk.MaxSteps,
		value: field(func(s *State) *int { return &s.Doing.Step })},
	{Name: "steps a second", Flag: "speed", Kept: Always, Tip: "How fast the walk is played.", Slider: &Slider{.5, maxSpeed, "%.1f", true},
		Usage: fmt.Sprintf("steps a second while the walk is played, up to %d", maxSpeed),
		value: bounded(func(s *State) *float64 { return &s.Speed }, func(speed float64) error {
			if !(speed > 0 && speed <= maxSpeed) {
				return cli.Usagef("--speed %v: must be above 0, %d at most", speed, maxSpeed)
			}
			return nil
		})},
	{Flag: "subdivide", Kept: Pictures, value: field(func(s *State) *int { return &s.Subdivide.Levels })},
}

var windowRows = []Setting{
	{Key: "P", Effect: "panels", Flag: "panels", Kept: Always, Usage: "show the panels", value: field(func(s *State) *bool { return &s.Panels })},
	{Key: "H", Effect: "this help", value: field(func(s *State) *bool { return &s.Help })},
	{Name: "full screen (F11)", Key: "F11", Effect: "full screen", Tip: "The window fills its monitor.", value: field(func(s *State) *bool { return &s.Fullscreen })},
	{Name: "theme", Flag: "theme", Kept: Always, Values: ThemeNames, Usage: "colours of the panels: " + strings.Join(ThemeNames, ", "), Tip: "The colours of the panels.",
		value: named(parseTheme, func(s *State) *Theme { return &s.Theme })},
	{Name: "coarse while moving", Flag: "coarse", Kept: Always, Usage: "while the camera moves, draw pictures that take over 50 ms with fewer pixels",
		Tip:   "Where a picture takes over 50 ms, it has half or a quarter of the pixels a side while the camera moves, and all of them at rest.",
		value: field(func(s *State) *bool { return &s.Coarse })},
	{Key: "Ctrl+Z", Effect: "undo a change of settings", do: func(s *State, _ int) { s.Undo-- }},
	{Key: "Ctrl+Shift+Z", Effect: "do it again", do: func(s *State, _ int) { s.Undo++ }},
	{Key: "Esc", Effect: "close what is open, or end flying", do: func(s *State, _ int) {
		switch {
		case s.Help:
			s.Help = false
		case s.Fly.On:
			s.ToggleFly()
		}
	}},
	{Key: "Ctrl+Q", Effect: "quit", do: func(s *State, _ int) { s.Quit = true }},
}
