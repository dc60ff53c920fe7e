package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/apps/envelope"
	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/viewer/inspect"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// group is a part of the table of settings, and of the help.
type group struct {
	name     string
	settings []Setting
}

// table is the table of settings, in the order of the help. A new setting is a new row.
var table = []group{
	{"Shading", shadingRows}, {"Comparing", compareRows}, {"Picture", pictureRows}, {"Camera", cameraRows},
	{"Vertices, batches and draws", drawRows}, {"Files", fileRows}, {"Applications", appRows}, {"Window", windowRows},
}

// rows are the rows of all groups.
var rows = func() (all []*Setting) {
	for _, g := range table {
		for i := range g.settings {
			all = append(all, &g.settings[i])
		}
	}
	return all
}()

// Controls returns the settings with a control in the panels.
func Controls() []*Setting {
	return slices.DeleteFunc(slices.Clone(rows), func(k *Setting) bool { return k.Name == "" })
}

var shadingRows = []Setting{
	{Name: "strategy", Key: "S", Back: true, Flag: "strategy", Kept: OnKeep, Values: reuse.Choices(),
		Usage: "strategy to begin with: " + strings.Join(reuse.Choices(), ", "),
		Tip:   "How repeated indices are found, so that a vertex is shaded once instead of once per index. naive and naive-index find none; auto takes what should be the fastest.",
		value: field(func(s *State) *string { return &s.Want.Strategy })},
	{Name: "lanes", Key: "L", Back: true, Flag: "lanes", Kept: OnKeep, Values: cli.LaneNames(),
		Usage: "lanes per subgroup: " + strings.Join(cli.LaneNames(), ", "),
		Tip:   "Invocations per subgroup, which look for repeated indices together. Only strategies that work by subgroups depend on it; the device's own number is the fastest.",
		value: field(func(s *State) *int { return &s.Want.Lanes })},
	{Name: "index order", Key: "O", Back: true, Flag: "order", Kept: OnKeep,
		Usage: "index order to begin with: " + strings.Join(order.Names(), ", ") + "; with " + order.FetchSuffix + " vertices are renumbered too",
		Tip:   "The order of the triangles. Reuse finds repeated indices only within a batch, so that neighbours should follow each other.",
		value: value{
			get: func(s *State) string { return s.IndexOrder },
			set: func(s *State, text string) error {
				_, err := order.Lookup(text)
				s.IndexOrder = text
				return err
			},
		},
		do: func(s *State, by int) { s.IndexOrder = load.TurnOrder(s.IndexOrder, by) }},
	{Name: "queue form", Key: "U", Flag: "queue", Kept: OnKeep, Values: renderer.QueueFormNames,
		Usage: "queue form: " + strings.Join(renderer.QueueFormNames, ", "),
		Tip:   "What the geometry stage writes. indexed: each shaded vertex once, and 8 bytes a triangle. expanded: three whole vertices a triangle, as in the paper.",
		value: named(cli.ParseQueue, func(s *State) *renderer.QueueForm { return &s.Want.Queue })},
	{Name: "subgroups", Key: "N", Flag: "subgroups", Kept: OnKeep, Values: renderer.SubgroupsNames,
		Usage: "how lanes run: " + strings.Join(renderer.SubgroupsNames, ", "),
		Tip:   "native: the device's own subgroups, if they have that many lanes. virtual: the same through shared memory, on any device, but slower. auto: native where it can be. Counts are equal.",
		value: named(cli.ParseSubgroups, func(s *State) *renderer.Subgroups { return &s.Want.Subgroups })},
	{Name: "load", Flag: "load", Kept: OnKeep, Values: loadNames(),
		Usage: fmt.Sprintf("what a shaded vertex costs: %s, or 0 to %d cycles", strings.Join(loadNames(), ", "), renderer.MaxLoad),
		Tip:   "What shading a vertex costs besides transforming it: so many cycles, or a real vertex shader (skin, displace, or the file of --vertex-shader). Counts do not depend on it.",
		value: value{
			get: func(s *State) string { return cmp.Or(s.Want.Shader.Name(), s.Want.Load, renderer.SimpleLoad) },
			set: func(s *State, text string) error {
				_, _, err := cli.ParseLoad(cmp.Or(text, renderer.SimpleLoad))
				s.Want = s.Want.Ours()
				s.Want.Load = text
				return err
			},
		}},
	{Name: "raster host", Key: "R", Flag: "raster", Kept: OnKeep, Values: rasterNames,
		Usage: "who draws the triangles: " + strings.Join(rasterNames, ", "),
		Tip:   "Who turns triangles into pixels. hardware: the graphics pipeline. compute: compute shaders. fused: the geometry stage draws small triangles itself. mesh: the strategy is a mesh shader of the graphics pipeline.",
		value: named(parseRaster, func(s *State) *renderer.RasterHost { return &s.Want.Raster })},
	{Name: "culling", Key: "K", Values: cullingNames,
		Tip:   "Drops triangles that cannot be seen before their attributes are shaded, back faces included: of the draws that the file makes one-sided, of all, or of none. Counts then follow the camera.",
		value: named(cli.Parser[Culling]("culling", cullingNames), func(s *State) *Culling { return &s.Want.Cull })},
	{Flag: "cull", Kept: OnKeep, Usage: "drop triangles that show nothing before attributes are shaded",
		value: derived(func(s *State) bool { return s.Want.Cull > 0 }, func(s *State, on bool) error {
			s.Want.Cull = Culling(at(on))
			return nil
		})},
	{Flag: "cull-faces", Kept: OnKeep, Usage: "with --cull, whose back faces are dropped: " + strings.Join(renderer.FaceCullingNames, ", "),
		value: value{
			get: func(s *State) string { return s.Want.Cull.faces().String() },
			set: func(s *State, text string) error {
				faces, err := cli.ParseFaces(text)
				s.Want.Cull.drop(faces)
				return err
			},
		}},
	{Name: "batch limit", Flag: "batch", Kept: OnKeep, omit: func(s *State) bool { return s.Want.Batch == 0 || reuse.IsAuto(s.Want.Strategy) },
		Usage: "indices per batch, a multiple of 3 (default: the strategy's own, fitted to scene and device)",
		Tip:   "Most indices in a batch. Larger batches find more repeated indices, but there are fewer of them to keep the device busy.",
		value: field(func(s *State) *int { return &s.Want.Batch })},
	{Name: "unique limit", Flag: "unique", Kept: OnKeep, omit: func(s *State) bool { return s.Want.Unique == 0 || reuse.IsAuto(s.Want.Strategy) },
		Usage: "unique vertices per batch at most, which makes batches dynamic (default: static batches)",
		Tip:   "Most different vertices in a batch: batches then have as many indices as fit (dynamic). 0: no limit, and equally long batches (static).",
		value: field(func(s *State) *int { return &s.Want.Unique })},
	{Name: "all strategies (Tab)", Key: "Tab", Effect: "all strategies in a table",
		Tip:   "A table of all strategies on this scene: counts at once, times as they come.",
		value: field(func(s *State) *bool { return &s.AllStrategies }),
		do:    func(s *State, _ int) { s.AllStrategies, s.Panels = !s.AllStrategies, true }},
	{Flag: "vertex-shader", Kept: Pictures, omit: noShader, value: field(func(s *State) *string { return &s.ShaderFlags.Name })},
	{Flag: "entry", Kept: Pictures, omit: noShaderFile, value: field(func(s *State) *string { return &s.ShaderFlags.Entry })},
	{Flag: "language", Kept: Pictures, omit: noShaderFile, value: field(func(s *State) *string { return &s.ShaderFlags.Language })},
	{Flag: "define", Kept: Pictures, omit: noShaderFile, value: field(func(s *State) *string { return (*string)(&s.ShaderFlags.Defines) })},
	{Flag: "include", Kept: Pictures, omit: noShaderFile, value: field(func(s *State) *string { return (*string)(&s.ShaderFlags.Include) })},
	{Flag: "loop-limit", Kept: Pictures, omit: noShaderFile, value: field(func(s *State) *uint32 { return &s.ShaderFlags.Loops })},
	{Flag: "uniforms", Kept: Pictures, omit: noShaderFile, value: field(func(s *State) *string { return &s.ShaderFlags.Uniforms })},
	{Flag: "queue-budget", Usage: fmt.Sprintf("%s (default %s)", cli.QueueBudgetHelp, cli.QueueBudgetDefault),
		value: budget("queue-budget", func(s *State) *int64 { return &s.Want.Budgets.Queue })},
	{Flag: "device-budget", Usage: "device memory for a picture, of which a comparison has two: a scene that needs more is uploaded in windows (default what the device has)",
		value: budget("device-budget", func(s *State) *int64 { return &s.Want.Budgets.Device })},
}

var compareRows = []Setting{
	{Name: "compare", Key: "C", Effect: "compare: split, difference, off",
		Tip:    "Shows two settings of one scene: beside each other, or where the right side shades vertices more or less often.",
		Values: CompareNames,
		value: value{
			get: func(s *State) string { return s.Compare.String() },
			set: func(s *State, text string) error {
				if s.Compare = CompareMode(slices.Index(CompareNames, text)); s.Compare == CompareBefore {
					s.Compare = CompareOff
					s.ToggleBefore()
				}
				return nil
			},
		},
		do: func(s *State, _ int) { s.Compare = (s.Compare + 1) % CompareBefore }},
	{Key: "Shift+C", Effect: "next strategy of the right side",
		Flag: "compare", Kept: OnKeep, omit: (*State).comparesNoSides,
		Usage: "compare with another strategy: `" + CompareForm + "`, where what is left out is that of the left side",
		value: value{get: func(s *State) string { return map[bool]string{true: s.Other.String()}[s.ComparesSides()] }},
		shows: func(s *State) string { return s.Other.Strategy },
		do:    func(s *State, _ int) { s.Other.Strategy = nextName(reuse.Choices(), s.Other.Strategy) }},
	{Flag: "compare-view", Kept: OnKeep, omit: (*State).comparesNoSides, Usage: "how to compare: " + strings.Join(CompareViews, ", "),
		value: value{get: func(s *State) string {
			if s.comparesNoSides() {
				return CompareSplit.String()
			}
			return s.Compare.String()
		}}},
	{Key: "I", Effect: "interchange the sides", do: func(s *State, _ int) { s.SwapSides() }},
	{Name: "divider", Flag: "divider", Kept: OnKeep, Usage: "where the window is divided, 0 (left) to 1 (right)",
		Tip:    "Where the window is divided; it can be dragged in the picture too.",
		Slider: &Slider{0, 1, "%.2f", false},
		value:  share("divider", func(s *State) *float64 { return &s.Divider })},
}

var pictureRows = []Setting{
	{Name: "view", Key: "V", Back: true, Flag: "view", Kept: OnKeep, Values: renderer.ViewNames, Usage: cli.ViewHelp(),
		Tip: "counts: how often each vertex was shaded. batches: a colour for each batch. shaded: the lit surface. varying: an output of the vertex shader.",
		value: value{
			get: func(s *State) string { return s.Want.ViewName() },
			set: func(s *State, text string) (err error) {
				s.Want.Shown = cli.ShownOf(text)
				s.Want.View, err = cli.ParseShown(text)
				return err
			},
		}},
	{Name: "colour map", Key: "M", Flag: "palette", Kept: Always, Values: picture.CountPaletteNames,
		Usage: "colour map of the counts: " + strings.Join(picture.CountPaletteNames, ", "),
		Tip:   "The colours of the counts. paper: green to dark red. colorblind: lighter with every step, without red and green.",
		value: named(cli.ParsePalette, func(s *State) *picture.Palette { return &s.Want.Palette })},
	{Name: "colours", Flag: "smooth", Kept: Always, Values: []string{"nearest vertex", "mixed"},
		Tip:   "The counts view. nearest vertex: each pixel has the colour of the corner that weighs most there; mixed: the three corners' colours, mixed.",
		value: field(func(s *State) *bool { return &s.Want.Look.Smooth })},
	{Name: "values", Flag: "range", Kept: Always, Values: []string{"0..1", "-1..1", renderer.AbsRange},
		Tip:   "The varying view: which values are black, and which have full colour. abs: the magnitudes from 0 to 1.",
		value: named(cli.ParseRange, func(s *State) *renderer.Range { return &s.Want.Look.Range })},
	{Name: "light", Flag: "light", Kept: Always, Values: renderer.LightNames,
		Tip:   "How much light may darken the colours of counts and batches. soft: each stays nearest to its own in the legend; on: three quarters; off: none.",
		value: named(cli.ParseLight, func(s *State) *renderer.Light { return &s.Want.Look.Light })},
	{Name: "edges (X)", Key: "X", Effect: "edges of triangles", Values: edgeNames,
		Tip:   "Lines along the edges of triangles. large: of triangles that are more than 3 pixels high, in any scene. all: every edge that is not hidden, of up to 262,144 triangles.",
		value: value{get: edgesOf, set: setEdges},
		do: func(s *State, _ int) {
			_ = setEdges(s, map[bool]string{true: allEdges, false: noEdges}[edgesOf(s) == noEdges])
		}},
	{Flag: "edges", Kept: Always,
		value: derived(func(s *State) bool { return s.Want.Look.Edges > 0 }, func(s *State, on bool) error {
			s.Want.Look.Edges = renderer.EdgeWidth * float32(at(on))
			return nil
		})},
	{Flag: "wireframe", Kept: OnKeep, Usage: "draw all edges that are not hidden, of up to 262,144 triangles",
		value: field(func(s *State) *bool { return &s.AllEdges })},
	{Name: "background", Flag: "background", Kept: Always,
		Tip: "The colour where nothing is drawn. A click on the square opens a palette.",
		value: value{
			at:  func(s *State) any { return &s.Want.Look.Background },
			get: func(s *State) string { return cli.ColorText(s.Want.Look.Background) },
			set: func(s *State, text string) error { return cli.Read(&s.Want.Look.Background, cli.ParseColor, text) },
		}},
	{Name: "box and grid (G)", Key: "G", Effect: "box and grid", Flag: "guides", Kept: Always, Values: GuideNames,
		Usage: "draw the scene's box with its sizes, and a grid below it: " + strings.Join(GuideNames, ", "),
		Tip:   "box: the scene's box, with its size along each axis in the file's units. grid: lines on the floor of the box, a round distance apart.",
		value: named(cli.Parser[Guides]("--guides", GuideNames), func(s *State) *Guides { return &s.Guides }),
		do:    func(s *State, _ int) { s.Guides = (s.Guides + 1) % Guides(len(GuideNames)) }},
	{Key: "F12", Effect: "screenshot", do: func(s *State, _ int) { s.Shots = append(s.Shots, Shot{Legend: true}) }},
	{Key: "Ctrl+F12", Effect: "screenshot of the scene alone", do: func(s *State, _ int) { s.Shots = append(s.Shots, Shot{}) }},
	{Name: "without background or panels", Key: "T", Effect: "screenshots have no background",
		Flag: "transparent", Kept: Always, Usage: "saved pictures have no background, and no panels",
		Tip:   "Saved pictures have the scene alone, on transparent pixels.",
		value: field(func(s *State) *bool { return &s.Transparent })},
}

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
		Tip:   "The axis of the scene that points up. Many programs write files in which that is z.",
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

// looks returns the row of a key that turns the camera to look along a direction.
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
	{Name: "pass", Flag: "pass", Kept: Pictures, Usage: cli.PassHelp,
		Tip:   "The pass of the captured frame that is shown, from its own camera: shadows and reflections have others. Counts are those of the whole frame.",
		value: field(func(s *State) *string { return &s.Pass })},
	{Name: "animation, s", Flag: "time", Kept: Pictures, Usage: cli.TimeHelp, Slider: &Slider{Format: "%.2f"},
		Tip:   "Where the file's animation is. Vertices move, indices do not: every pose is shaded alike.",
		omit:  func(s *State) bool { return s.Pose == cli.RestTime },
		value: bounded(func(s *State) *float64 { return &s.Pose }, func(x float64) error { return cli.CheckTime(float32(x)) })},
	{Name: "animation", Flag: "animation", Kept: Pictures, Usage: cli.AnimationHelp, Tip: "Which of the file's animations is played.",
		omit: func(s *State) bool { return s.Pose == cli.RestTime || s.Clip == "" },
		// This row follows that of --time, whose default it replaces: as in shadeonce render, an animation without a time begins at its start.
		value: derived(func(s *State) string { return s.Clip }, func(s *State, name string) error {
			if s.Clip = name; name != "" {
				s.Pose = max(s.Pose, 0)
			}
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
		value: named(cli.Parser[results.App]("application", results.AppNames), func(s *State) *results.App { return &s.Doing.App }),
		do:    func(s *State, _ int) { s.Doing.App = (s.Doing.App + 1) % results.App(len(results.AppNames)) }},
	{Name: "before and after (B)", Key: "B", Effect: "before and after it", Flag: "before", Kept: Pictures,
		Usage: "compare the scene before and after the application",
		Tip:   "The scene as it is on the left, what the application makes of it on the right.",
		value: derived(func(s *State) bool { return s.Compare == CompareBefore }, nil),
		do:    func(s *State, _ int) { s.ToggleBefore() }},
	{Name: "play (Space)", Key: "Space", Effect: "play walk or animation", Flag: "play", Usage: "play the walk, or the file's animation", Tip: "The walk, or the file's animation, goes on by itself.",
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
		value: named(cli.Parser[Theme]("--theme", ThemeNames), func(s *State) *Theme { return &s.Theme })},
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
