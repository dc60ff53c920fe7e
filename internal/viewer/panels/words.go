package panels

import (
	"strings"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// helps holds the help texts of the panels' controls and figures, by the names that plainName returns.
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
	"ideal":        "Reuse if every vertex of a draw were shaded once.",
	"ACMR":         "Invocations per triangle (average cache miss ratio): 3 without reuse, about 0.5 at best on a closed mesh.",
	"ATVR":         "Invocations per vertex that triangles name (average transform to vertex ratio): 1 at best.",
	"invocations":  "How often the vertex shader ran.",
	"triangles":    "Triangles of all draws, also of hidden ones. Instances count each time.",
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
	// A user's vertex shader.
	"time runs":           "Time passes in the vertex shader, which reads it.",
	"add what is missing": "Adds a line for each missing value to the uniforms file, zero for most. Without a file it makes one beside the shader.",
	"time, s":             "Seconds that the vertex shader reads. It can be dragged.",
	// Draws, pictures, window.
	"search":               "Lists only draws with this text in their name. Ctrl+F types here.",
	"alone":                "Shows only the selected draw.",
	"dim the others":       "Shows the selected draw as it is, and the others dimly.",
	"hide":                 "Hides the selected draw. It is shaded and counted all the same.",
	"show again":           "Shows the selected draw again.",
	"found":                "A click on a draw turns the camera to it; Enter shows all again. A right click has more: isolate, hide, copy its number.",
	"save CSV":             "Saves the table into the current folder, as it is listed.",
	"copy CSV":             "Puts the table on the clipboard, as it is listed.",
	"show all":             "Shows all draws again, and none dimly.",
	"go to":                "What to go to: a vertex, a batch or a draw.",
	"number":               "A vertex of the selected draw, draw:vertex, a batch of the stream, or a draw.",
	"save":                 "Saves what the window shows into the current folder.",
	"save the scene alone": "Saves the scene without legend and panels.",
	"reset the panels":     "Puts all panels where they were at first.",
	"status":               "How long a frame takes (drawing the scene and showing the window, smoothed), and the device that draws. auto chooses by times of this device, which are taken (calibrating) while nothing else is to be done.",
	"path":                 "A file or a folder, or asset:NAME. Tab or a click completes it, Enter opens it.",
	"type a path":          "Opens a file or a folder by its path.",
	"open":                 "Opens files in place of those that are listed.",
	"recent files":         "Files that were shown before; a click opens one.",
	"dismiss":              "Takes the message away.",
	"more":                 "Shows the messages whole.",
	"cancel":               "Stops what is under way; what is shown stays.",
	"keep the settings":    "The next start begins with the strategy, order, comparison and view of now. Without it, it begins with claim and the file's order.",
	"reset the settings":   "Goes back to the settings of the command line, and keeps none for the next start.",
}

// plainName returns the name of a control without its key: "save (F12)" gives "save".
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
	s := ui.gui.scale
	panel, wide := imgui.WindowPos(), imgui.WindowSize().X
	least, most := imgui.ItemRectMin(), imgui.ItemRectMax()
	ui.tipBeside(text, func(size imgui.Vec2) []imgui.Vec2 {
		right, left := panel.X+wide+4*s, panel.X-4*s-size.X
		return []imgui.Vec2{
			{X: right, Y: least.Y}, {X: right, Y: most.Y - size.Y}, {X: left, Y: least.Y}, {X: left, Y: most.Y - size.Y},
			{X: panel.X, Y: panel.Y - 4*s - size.Y}, {X: panel.X, Y: most.Y + 4*s}, {X: panel.X, Y: least.Y - 4*s - size.Y},
		}
	})
}

// tipBeside shows a text at the first of the places where the whole text lies on the window. If there is
// none, it moves the last place onto the window. A text larger than the window is cut off at the end.
func (ui *Panels) tipBeside(text string, places func(size imgui.Vec2) []imgui.Vec2) {
	const width = 340
	s, pad, window := ui.gui.scale, imgui.CurrentStyle().WindowPadding(), ui.Size()
	room := imgui.Vec2{X: float32(window.X), Y: float32(window.Y)}
	wrap := max(min(width*s, room.X-2*pad.X), 1)
	text = wrapped(text, wrap)
	size := imgui.CalcTextSize(text, false, wrap).Plus(pad.Times(2))
	on := func(at imgui.Vec2) imgui.Vec2 {
		return imgui.Vec2{X: max(min(at.X, room.X-size.X), 0), Y: max(min(at.Y, room.Y-size.Y), 0)}
	}
	var at imgui.Vec2
	for _, at = range places(size) {
		if at == on(at) {
			break
		}
	}
	imgui.SetNextWindowPosV(on(at), imgui.ConditionAlways, imgui.Vec2{})
	imgui.BeginTooltip()
	ui.over()
	imgui.PushTextWrapPosV(pad.X + wrap)
	imgui.Text(text)
	imgui.PopTextWrapPos()
	imgui.EndTooltip()
}

// wrapped breaks a text at spaces into lines that fit a width. ImGui itself would also break at dots and commas, as in
// "1.11". Words wider than a line are left to ImGui.
func wrapped(text string, wide float32) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		words := strings.Split(line, " ")
		lines[i] = words[0]
		last := words[0]
		for _, word := range words[1:] {
			if longer := last + " " + word; imgui.CalcTextSize(longer, false, 0).X <= wide {
				lines[i], last = lines[i]+" "+word, longer
			} else {
				lines[i], last = lines[i]+"\n"+word, word
			}
		}
	}
	return strings.Join(lines, "\n")
}

// button and checkbox show ImGui's controls with our help texts.
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

// action is a button's name and effect.
type action struct {
	name string
	do   func()
}

// actions shows one button per action, in one row, and runs an action when its button is pressed.
func (ui *Panels) actions(list ...action) {
	for i, a := range list {
		if i > 0 {
			imgui.SameLine()
		}
		if ui.button(a.name) {
			a.do()
		}
	}
}

// cells fills the next cells of a table's row.
func cells(texts ...string) {
	for _, text := range texts {
		imgui.TableNextColumn()
		imgui.Text(text)
	}
}

// eachVisible calls `do` for the visible lines of a list.
func eachVisible(lines int, do func(i int)) {
	var clipper imgui.ListClipper
	clipper.Begin(lines)
	for clipper.Step() {
		for i := clipper.DisplayStart; i < clipper.DisplayEnd; i++ {
			do(i)
		}
	}
}
