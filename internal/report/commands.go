package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/measure"
)

// commandsOf returns shell commands that print a figure's data without making a report. It returns none
// if only a report has the data.
func (r *Report) commandsOf(id string) []string {
	given, all := names.Of(r.given(), Scene.name), names.Of(r.Scenes, Scene.name)
	hardware := func(u *Reuse) bool { return u.Counter == r.Hardware.Counter }
	counted := func(u *Reuse) bool { return u.Kind == Strategy || hardware(u) }
	switch id {
	case "meshes":
		return r.analyze(given, r.orders(), counted)
	case "orders":
		return r.analyze(r.focus(), r.orders(), counted)
	case "reuse":
		return r.analyze(all, []string{PaperOrder}, func(u *Reuse) bool { return u.Kind == Strategy || u.Column != "" && u.Reading == "" })
	case "cache":
		return r.analyze(all, []string{PaperOrder}, func(u *Reuse) bool { return slices.Contains(PaperColumns[1:4], u.Column) })
	case "models":
		return r.analyze(all, []string{PaperOrder}, func(u *Reuse) bool { return u.Kind != Strategy && u.Column == "" })
	case "calls":
		return r.analyze(r.focus(), CallOrders, func(u *Reuse) bool { return hardware(u) || u.Column == ColumnWarp || u.Column == ColumnDynamic })
	case "draws":
		return r.drawsCommand()
	case "times":
		return r.timesCommands()
	case "pictures":
		if len(r.Pictures) > 0 {
			return []string{r.pictureCommand(0)} // an example: pictures.csv lists all pictures
		}
	}
	if at := slices.IndexFunc(sweeps, func(w sweep) bool { return w.id == id }); at >= 0 {
		return r.sweepCommands(sweeps[at])
	}
	return nil
}

// analyze returns the commands that count the wanted counters of r.Reuse: one for each choice of sizes.
// The first command also counts with the wanted models.
func (r *Report) analyze(scenes, orders []string, wanted func(*Reuse) bool) (commands []string) {
	var flags, models []string
	strategies := map[string][]string{} // by their flags
	for _, u := range r.Reuse {
		switch {
		case !slices.Contains(scenes, u.Scene) || !slices.Contains(orders, u.Order) || !wanted(&u):
		case u.Kind != Strategy:
			models = appendNew(models, u.Name)
		default:
			flags = appendNew(flags, u.Flags)
			strategies[u.Flags] = appendNew(strategies[u.Flags], u.Name)
		}
	}
	if flags == nil && models != nil {
		flags, strategies[""] = []string{""}, []string{"none"}
	}
	for _, sizes := range flags {
		line := "shadeonce analyze " + Quote(r.paths(scenes)...) + " --order " + strings.Join(orders, ",") + " --strategy " + strings.Join(strategies[sizes], ",") + sizes
		if len(models) > 0 {
			line, models = line+" --model "+strings.Join(models, ","), nil
		}
		commands = append(commands, line+r.Run.Flags+" --csv")
	}
	return commands
}

// appendNew appends an element, unless the list already has it.
func appendNew(list []string, one string) []string {
	if slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}

// sweepCommands returns shell loops over a sweep's values: one for each line of the sweep's plot. Lines with the same
// values share a loop, which runs all of their strategies.
func (r *Report) sweepCommands(w sweep) (commands []string) {
	list := w.list(r)
	scenes := distinct(list, func(u *Reuse) string { return u.Scene })
	var loops []string // format strings: %s stands for the strategies
	strategies := map[string][]string{}
	for _, name := range distinct(list, func(u *Reuse) string { return u.Series }) {
		var values []string
		var of Reuse
		for _, u := range list {
			if u.Series == name && u.Scene == scenes[0] {
				of, values = u, append(values, fmt.Sprint(w.at(&u)))
			}
		}
		sizes := strings.Replace(of.Flags+" ", fmt.Sprintf(" --%s %d ", w.flag, w.at(&of)), fmt.Sprintf(" --%s $n ", w.flag), 1)
		loop := fmt.Sprintf("for n in %s; do shadeonce analyze %s --order %s --strategy %%s%s --csv; done", strings.Join(values, " "), strings.ReplaceAll(Quote(r.paths(scenes)...), "%", "%%"), PaperOrder, strings.TrimSuffix(sizes, " ")+r.Run.Flags)
		loops, strategies[loop] = appendNew(loops, loop), append(strategies[loop], of.Name)
	}
	return names.Of(loops, func(loop string) string { return fmt.Sprintf(loop, strings.Join(strategies[loop], ",")) })
}

// timesCommands returns the commands that repeat the timing: one for each choice of sizes. Scenes that were timed
// at other loads, or in another number of runs, have commands of their own.
func (r *Report) timesCommands() (commands []string) {
	var lines []string // format strings: %s stands for the files
	files := map[string][]string{}
	for _, scene := range distinct(r.Times, func(t *measure.GeometryRow) string { return t.File }) {
		var loads, flags []string
		strategies := map[string][]string{} // by their flags
		runs := 0
		for _, t := range r.Times {
			if t.File != scene {
				continue
			}
			sizes := r.TimedAt[t.Strategy]
			loads, flags, runs = appendNew(loads, t.Load), appendNew(flags, sizes), t.Runs
			strategies[sizes] = appendNew(strategies[sizes], t.Strategy)
		}
		for _, sizes := range flags {
			line := fmt.Sprintf("shadeonce bench %%s --order %s --strategy %s%s --load %s --runs %d%s --csv", PaperOrder, strings.Join(strategies[sizes], ","), sizes, strings.Join(loads, ","), runs, r.Run.Flags)
			lines, files[line] = appendNew(lines, line), append(files[line], r.paths([]string{scene})...)
		}
	}
	return names.Of(lines, func(line string) string { return fmt.Sprintf(line, Quote(files[line]...)) })
}

// drawsCommand returns the command that prints the rows of tableDraws: those of the timed frames or,
// if no frame was timed, of all frames.
func (r *Report) drawsCommand() []string {
	rows, shader := r.Draws, ""
	if r.timedDraws() {
		shader = " --vertex-shader captured"
		rows = slices.DeleteFunc(slices.Clone(rows), func(d measure.DrawAnalysis) bool { return d.VertexNs == 0 })
	}
	if len(rows) == 0 {
		return nil
	}
	scenes := distinct(rows, func(d *measure.DrawAnalysis) string { return d.File })
	strategies := distinct(rows, func(d *measure.DrawAnalysis) string { return d.Strategy })
	return []string{"shadeonce analyze " + Quote(r.paths(scenes)...) + " --per-draw --sort saved --strategy " + strings.Join(strategies, ",") + shader + r.Run.Flags + " --csv"}
}

// pictureCommand returns the command that draws the large picture r.Pictures[i]. Its camera fits captured frames, too, which have
// one of their own.
func (r *Report) pictureCommand(i int) string {
	p := &r.Pictures[i]
	u := cmp.Or(r.find(p.Scene, p.Order, p.Counters[0]), &Reuse{Name: p.Counters[0]})
	return fmt.Sprintf("shadeonce render %s -o %s --order %s --strategy %s%s --size %dx%d --camera zoom=1%s",
		Quote(r.paths([]string{p.Scene})...), p.fileName(i), p.Order, u.Name, u.Flags, PictureSize, PictureSize, r.Run.Flags)
}

// Quote joins arguments into a line from which a shell reads the same arguments.
func Quote(args ...string) string {
	return strings.Join(names.Of(args, func(a string) string {
		if a == "" || strings.ContainsFunc(a, func(c rune) bool { return !strings.ContainsRune(plainRunes, c) }) {
			return "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		return a
	}), " ")
}

// plainRunes are the characters that have no special meaning in a shell.
const plainRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%"

// Verdict recommends what to do with a given mesh.
type Verdict struct {
	Text    string
	Command string // for a shell; empty if there is nothing to do
}

const worthwhile = .02 // the share of the invocations that another order must save to be advised

const fileOrder = "original" // the name of a file's own order

// Verdicts returns a verdict on each of the given files.
func (r *Report) Verdicts() (list []Verdict) {
	for _, s := range r.given() {
		if v, counted := r.verdict(&s); counted {
			list = append(list, v)
		}
	}
	return list
}

// verdict compares a file's own order with the best one for the graphics pipeline, and with the
// strategy that shades least without reordering. counted is false if the file's own order was not counted.
func (r *Report) verdict(s *Scene) (v Verdict, counted bool) {
	own := r.find(s.Name, fileOrder, cmp.Or(r.Hardware.StandIn, r.Hardware.Counter))
	if own == nil {
		return v, false
	}
	best, finds := own, (*Reuse)(nil)
	for i := range r.Reuse {
		switch u := &r.Reuse[i]; {
		case u.Scene != s.Name:
		case u.Counter == own.Counter && u.Stats.Invocations < best.Stats.Invocations:
			best = u
		case u.Order == fileOrder && u.findsRepeats() && (finds == nil || u.Stats.Invocations < finds.Stats.Invocations):
			finds = u
		}
	}
	who := "by the graphics pipeline of " + r.Run.Device
	if !r.Hardware.Measured || r.Hardware.StandIn != "" {
		who = "by a GPU like the model " + own.Name
	}
	v.Text = fmt.Sprintf("%s: every vertex is shaded %.2f times on average %s", s.Name, own.Stats.ATVR(), who)
	better := float64(best.Stats.Invocations) < (1-worthwhile)*float64(own.Stats.Invocations)
	if better {
		v.Text += fmt.Sprintf(", in %s order %.2f times", best.Order, best.Stats.ATVR())
	}
	if finds != nil && finds.Stats.Invocations < own.Stats.Invocations {
		v.Text += fmt.Sprintf(". Strategy %s, which finds repeats while it draws, shades it %.2f times as it is", finds.Name, finds.Stats.ATVR())
	}
	switch {
	case better && s.Frame:
		v.Text += ". The draws that lose most are in"
		v.Command = "shadeonce analyze " + Quote(fileArgument(s.Path)) + " --per-draw --sort lost --strategy none --model " + own.Name + r.Run.Flags
	case better:
		v.Text += ". Run this command:"
		v.Command = "shadeonce convert " + Quote(fileArgument(s.Path), "--order", best.Order, "-o", fileArgument(reorderedName(s, best.Order)))
	default:
		v.Text += fmt.Sprintf(". No order that was counted saves %.0f %%: leave the file as it is.", 100*worthwhile)
	}
	return v, true
}

// findsRepeats reports whether a counter is a strategy, at its default sizes, that finds repeated
// indices while it draws.
func (u *Reuse) findsRepeats() bool {
	s, err := reuse.Lookup(u.Name)
	return err == nil && u.Flags == "" && s.Streams() && !strings.HasPrefix(u.Name, Baseline)
}

// reorderedName returns a file name, in the working folder, for a file in another order. It keeps the
// format if that can be written and stores indices; else the file is a GLB.
func reorderedName(s *Scene, order string) string {
	ext := filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(s.Path, ".zst"), ".gz"))
	name := s.Name
	if at := strings.LastIndex(name, ext); at >= 0 {
		name = name[:at] + name[at+len(ext):]
	}
	if !slices.Contains([]string{".ply", ".obj", ".glb", ".gltf"}, strings.ToLower(ext)) {
		ext = ".glb"
	}
	return name + "-" + order + ext
}

// fileArgument returns the path in a form that no program takes for a flag.
func fileArgument(path string) string {
	if strings.HasPrefix(path, "-") {
		return "./" + path
	}
	return path
}

// paths returns the scenes' files as the user named them.
func (r *Report) paths(scenes []string) []string {
	return names.Of(scenes, func(name string) string { return fileArgument(r.scene(name).Path) })
}
