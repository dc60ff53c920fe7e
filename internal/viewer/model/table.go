package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
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

// Controls are the settings that panels have controls of.
func Controls() []*Setting {
	return slices.DeleteFunc(slices.Clone(rows), func(k *Setting) bool { return k.Name == "" })
}

var shadingRows = []Setting{
	{Name: "strategy", Key: "S", Back: true, Flag: "strategy", Kept: OnKeep, Values: reuse.Choices(),
		Usage: "strategy to begin with: " + strings.Join(reuse.Choices(), ", "),
		Tip:   "How repeated indices are found, so that a vertex is shaded once and not once an index. naive finds none.",
		value: field(func(s *State) *string { return &s.Want.Strategy })},
	{Name: "lanes", Key: "L", Back: true, Flag: "lanes", Kept: OnKeep, Values: cli.LaneNames(),
		Usage: "lanes per subgroup: " + strings.Join(cli.LaneNames(), ", "),
		Tip:   "Invocations of a subgroup, which share what they find. Only strategies that work by subgroups depend on it; the device's own number is the fastest.",
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
		Tip:   "native: subgroups of the device, where they have so many lanes. virtual: the same through shared memory, on any device, slower. Counts are equal.",
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
		Tip:   "Drops triangles that show nothing before attributes are shaded, and back faces: of draws as the file says, of all, or of none. Counts then follow the camera.",
		value: named(parseCulling, func(s *State) *Culling { return &s.Want.Cull })},
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
		Tip:   "Indices that a batch has at most. Larger batches find more repeated indices, and there are fewer of them to fill the device.",
		value: field(func(s *State) *int { return &s.Want.Batch })},
	{Name: "unique limit", Flag: "unique", Kept: OnKeep, omit: func(s *State) bool { return s.Want.Unique == 0 || reuse.IsAuto(s.Want.Strategy) },
		Usage: "unique vertices per batch at most, which makes batches dynamic (default: static batches)",
		Tip:   "Different vertices that a batch has at most, which makes batches dynamic. 0: static batches, without a limit.",
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
		value: value{get: func(s *State) string { return s.Other.textUnless(s.comparesNoSides()) }},
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
			get: func(s *State) string { return cli.LookValues(s.Want.Look)["background"] },
			set: func(s *State, text string) error { return cli.Read(&s.Want.Look.Background, cli.ParseColor, text) },
		}},
	{Name: "box and grid (G)", Key: "G", Effect: "box and grid", Flag: "guides", Kept: Always, Values: GuideNames,
		Usage: "draw the scene's box with its sizes, and a grid below it: " + strings.Join(GuideNames, ", "),
		Tip:   "box: the scene's box, with its size along each axis in the file's units. grid: lines on the floor of the box, a round distance apart.",
		value: named(parseGuides, func(s *State) *Guides { return &s.Guides }),
		do:    func(s *State, _ int) { s.Guides = (s.Guides + 1) % Guides(len(GuideNames)) }},
	{Key: "F12", Effect: "screenshot", do: func(s *State, _ int) { s.Shots = append(s.Shots, Shot{Legend: true}) }},
	{Key: "Ctrl+F12", Effect: "screenshot of the scene alone", do: func(s *State, _ int) { s.Shots = append(s.Shots, Shot{}) }},
	{Name: "without background or panels", Key: "T", Effect: "screenshots have no background",
		Flag: "transparent", Kept: Always, Usage: "saved pictures have no background, and no panels",
		Tip:   "Saved pictures show the scene on nothing.",
		value: field(func(s *State) *bool { return &s.Transparent })},
}
