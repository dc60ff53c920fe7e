package main

import (
	"strings"

	"github.com/inkyblackness/imgui-go/v4"
)

// helps has a sentence or two for each setting and figure of the panels, by its name
// without the key.
var helps = map[string]string{
	// Settings.
	"strategy": "How repeated indices are found, so that a vertex is shaded once and not once an index. naive finds none.",
	"lanes": "Invocations of a subgroup, which share what they find. Only strategies that work by subgroups depend on it; " +
		"the device's own number is the fastest.",
	"queue form": "What the geometry stage writes. indexed: each shaded vertex once, and 8 bytes a triangle. expanded: three whole vertices a triangle, " +
		"as in the paper.",
	"subgroups":         "native: subgroups of the device, where they have so many lanes. virtual: the same through shared memory, on any device, slower. Counts are equal.",
	"load":              "What shading a vertex costs besides transforming it: so many cycles, or a real vertex shader (skin, displace, or the file of --vertex-shader). Counts do not depend on it.",
	"raster host":       "Who turns triangles into pixels. hardware: the graphics pipeline. compute: compute shaders. fused: the geometry stage draws small triangles itself.",
	"culling":           "Drops triangles that show nothing before attributes are shaded, and back faces: of draws as the file says, of all, or of none. Counts then follow the camera.",
	"view":              "counts: how often each vertex was shaded. batches: a colour for each batch. shaded: the lit surface. varying: an output of the vertex shader.",
	"light":             "How much light may darken the colours of counts and batches. soft: each stays nearest to its own in the legend; on: three quarters; off: none.",
	"colours":           "The counts view. nearest vertex: each pixel has the colour of the corner that weighs most there; mixed: the three corners' colours, mixed.",
	"edges":             "Lines along the edges of triangles that are more than 3 pixels high.",
	"colour map":        "The colours of the counts. paper: green to dark red. colorblind: lighter with every step, without red and green.",
	"index order":       "The order of the triangles. Reuse finds repeated indices only within a batch, so that neighbours should follow each other.",
	"batch limit":       "Indices that a batch has at most. Larger batches find more repeated indices, and there are fewer of them to fill the device.",
	"unique limit":      "Different vertices that a batch has at most, which makes batches dynamic. 0: static batches, without a limit.",
	"renumber vertices": "Also numbers the vertices in the order in which triangles name them, so that they are read from memory in a row.",
	// Comparing.
	"compare":        "Shows two settings of one scene: beside each other, or where the right side shades vertices more or less often.",
	"divider":        "Where the window is divided; it can be dragged in the picture too.",
	"right strategy": "The strategy of the right side.",
	"right lanes":    "Lanes per subgroup of the right side.",
	"right order":    "The index order of the right side.",
	"swap sides":     "Each side shows what the other one shows. The left side's batch limits go back to the strategy's own.",
	"all strategies": "A table of all strategies on this scene: counts at once, times as they come.",
	// Figures.
	"reuse": "Share of the indices that shaded nothing, since the vertex was shaded already: 1 - invocations / indices. It is negative where a strategy shades " +
		"more often than once an index: warp shades triangles that two subgroups share again.",
	"ideal reuse":  "Reuse if every vertex of a draw were shaded once.",
	"ACMR":         "Invocations per triangle (average cache miss ratio): 3 without reuse, about 0.5 at best on a closed mesh.",
	"ATVR":         "Invocations per vertex that triangles name (average transform to vertex ratio): 1 at best.",
	"invocations":  "How often the vertex shader ran.",
	"triangles":    "Triangles of all draws shown.",
	"lanes in use": "Share of the lanes that had a vertex to shade; the others waited for them.",
	"batch fill":   "Indices per batch, as a share of the limit.",
	"batching":     "Host time before the first picture: cutting the batches and, for meshlet, listing their vertices.",
	"all passes":   "GPU time of all passes of a picture, by the device's own clock.",
	"geometry":     "GPU time of the geometry pass, which finds repeated indices and shades vertices.",
	"order":        "The index order of each side.",
	"times shaded": "Vertices that were shaded so many times, and what share of all they are.",
	// Applications.
	"application":                          "What one of the paper's applications makes of the scene, and how often the strategy shades each vertex, edge or cell on the way.",
	"show":                                 "Times shaded, or what the application makes.",
	"level":                                "How often each triangle becomes four.",
	"compute the last level while drawing": "The last level is computed by the vertex shader, and never stored.",
	"distance, %":                          "How far the envelopes lie from the surface, as a share of the scene's diagonal.",
	"side":                                 "The outer envelope, the inner one, or both.",
	"opacity":                              "How much the envelopes hide of what lies behind them.",
	"wireframe":                            "Draws the edges that are not hidden.",
	"before and after":                     "The scene as it is on the left, what the application makes of it on the right.",
	"play":                                 "Walks on by itself.",
	"step":                                 "The number of steps walked.",
	"start":                                "Goes back to the walk's first step.",
	"steps a second":                       "How fast the walk is played.",
	"agents":                               "How many agents walk.",
	"grid":                                 "Cells a side of the grid that they walk on.",
	"seed":                                 "Where the random numbers begin; the same seed gives the same walk.",
	"sort every":                           "Agents are taken in the order of their cells, which is made anew every so many steps; 0 leaves them as they are.",
	// A vertex shader of the user's.
	"time runs": "Time passes for the vertex shader, which reads it.",
	"time, s":   "Seconds that the vertex shader reads. It can be dragged.",
	// Draws, pictures, window.
	"search":                       "Lists only draws with this text in their name. Ctrl+F types here.",
	"alone":                        "Shows only the selected draw.",
	"dim the others":               "Shows the selected draw as it is, and the others dimly.",
	"hide":                         "Hides the selected draw. It is shaded and counted all the same.",
	"show all":                     "Hides and dims no draw.",
	"go to":                        "What has the number.",
	"number":                       "A vertex of the selected draw, draw:vertex, a batch of the stream, or a draw.",
	"save":                         "Saves what the window shows into the current folder.",
	"save the scene alone":         "Saves the scene without legend and panels.",
	"without background or panels": "Saved pictures show the scene on nothing.",
	"up axis":                      "The axis of the scene that points up: files of other programs have Z there.",
	"full screen":                  "The window fills its monitor.",
	"reset the panels":             "Puts all panels where they were at first.",
	"open":                         "Opens files in place of those that are listed.",
	"recent files":                 "Files that were shown before; a click opens one.",
	"dismiss":                      "Takes the message away.",
	"cancel":                       "Stops what is under way; what is shown stays.",
	"reset the settings":           "Goes back to the settings of the command line.",
}

// plainName is the name of a control without its key: "save (F12)" is "save".
func plainName(name string) string {
	name, _, _ = strings.Cut(name, "##")
	if at := strings.LastIndex(name, " ("); at > 0 {
		name = name[:at]
	}
	return name
}

// tip shows what there is to say of the last control, or the last name, while the cursor
// rests on it.
func (a *app) tip(name string) {
	if text := helps[plainName(name)]; text != "" && imgui.IsItemHovered() {
		a.tooltip(text)
	}
}

// tooltip shows a text beside the cursor, in lines that can be read.
func (a *app) tooltip(text string) {
	imgui.BeginTooltip()
	imgui.PushTextWrapPosV(340 * a.gui.scale)
	imgui.Text(text)
	imgui.PopTextWrapPos()
	imgui.EndTooltip()
}

// button and checkbox are those of ImGui, with help.
func (a *app) button(text string) bool {
	clicked := imgui.Button(text)
	a.tip(text)
	return clicked
}

func (a *app) checkbox(text string, on *bool) bool {
	changed := imgui.Checkbox(text, on)
	a.tip(text)
	return changed
}
