package panels

import (
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// helps holds the help texts of the panels' controls and figures by name, without the key.
// Settings have their texts in model's table.
var helps = map[string]string{
	// Settings.
	"renumber vertices": "Also numbers the vertices in the order in which triangles name them, so that they are read from memory in a row.",
	// Comparing.
	"right strategy": "The strategy of the right side.",
	"right lanes":    "Lanes per subgroup of the right side.",
	"right order":    "The index order of the right side.",
	"swap sides":     "Each side shows what the other one shows. The left side's batch limits go back to the strategy's own.",
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
	"show":  "Times shaded, or what the application makes.",
	"start": "Goes back to the walk's first step.",
	// A vertex shader of the user's.
	"time runs": "Time passes for the vertex shader, which reads it.",
	"time, s":   "Seconds that the vertex shader reads. It can be dragged.",
	// Draws, pictures, window.
	"search":               "Lists only draws with this text in their name. Ctrl+F types here.",
	"alone":                "Shows only the selected draw.",
	"dim the others":       "Shows the selected draw as it is, and the others dimly.",
	"hide":                 "Hides the selected draw. It is shaded and counted all the same.",
	"show again":           "Shows the selected draw again.",
	"found":                "A click looks at a draw, Enter at all again. A right click has more: isolate, hide, copy its number.",
	"save CSV":             "Saves the table into the current folder, as it is listed.",
	"copy CSV":             "Puts the table on the clipboard, as it is listed.",
	"show all":             "Hides and dims no draw.",
	"go to":                "What has the number.",
	"number":               "A vertex of the selected draw, draw:vertex, a batch of the stream, or a draw.",
	"save":                 "Saves what the window shows into the current folder.",
	"save the scene alone": "Saves the scene without legend and panels.",
	"reset the panels":     "Puts all panels where they were at first.",
	"open":                 "Opens files in place of those that are listed.",
	"recent files":         "Files that were shown before; a click opens one.",
	"dismiss":              "Takes the message away.",
	"more":                 "Shows the messages whole.",
	"cancel":               "Stops what is under way; what is shown stays.",
	"keep the settings":    "The next start begins with the strategy, order, comparison and view of now. Without it, it begins with claim and the file's order.",
	"reset the settings":   "Goes back to the settings of the command line, and keeps none for the next start.",
}

// plainName is the name of a control without its key: "save (F12)" is "save".
func plainName(name string) string {
	name, _, _ = strings.Cut(name, "##")
	if at := strings.LastIndex(name, " ("); at > 0 {
		name = name[:at]
	}
	return name
}

// help returns the help text of a control or a figure.
func help(name string) string {
	plain := plainName(name)
	for _, k := range model.Controls() {
		if plainName(k.Name) == plain {
			return k.Tip
		}
	}
	return helps[plain]
}

// tip shows the help of the last control or name while the cursor rests on it.
func (ui *Panels) tip(name string) {
	if text := help(name); text != "" && imgui.IsItemHovered() {
		ui.tooltip(text)
	}
}

// tooltip shows a text beside the panel of the last control, wrapped, so that it covers neither the
// control nor its neighbours.
func (ui *Panels) tooltip(text string) {
	const width = 340
	s := ui.gui.scale
	panel, size, window := imgui.WindowPos(), imgui.WindowSize(), ui.Size()
	at, pivot := imgui.Vec2{X: panel.X + size.X + 4*s, Y: imgui.ItemRectMin().Y}, imgui.Vec2{}
	if room := (width + 24) * s; at.X+room > float32(window.X) {
		if at.X, pivot.X = panel.X-4*s, 1; at.X < room { // no room on either side
			at, pivot = imgui.Vec2{X: panel.X, Y: panel.Y - 4*s}, imgui.Vec2{Y: 1}
		}
	}
	if pivot.Y == 0 && at.Y > .7*float32(window.Y) {
		at.Y, pivot.Y = imgui.ItemRectMax().Y, 1
	}
	imgui.SetNextWindowPosV(at, imgui.ConditionAlways, pivot)
	imgui.BeginTooltip()
	ui.over()
	imgui.PushTextWrapPosV(width * s)
	imgui.Text(text)
	imgui.PopTextWrapPos()
	imgui.EndTooltip()
}

// button and checkbox are ImGui's, with help.
func (ui *Panels) button(text string) bool {
	clicked := imgui.Button(text)
	ui.tip(text)
	return clicked
}

func (ui *Panels) checkbox(text string, on *bool) bool {
	changed := imgui.Checkbox(text, on)
	ui.tip(text)
	return changed
}
