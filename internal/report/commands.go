package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/measure"
)

// commandsOf returns command lines that print a figure's data without the report, for a shell. There
// are none if only the report has the data.
func (r *Report) commandsOf(id string) []string {
	given, all := names.Of(r.given(), func(s *Scene) string { return s.Name }), names.Of(r.Scenes, func(s Scene) string { return s.Name })
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
			return []string{r.pictureCommand(0)} // pictures.csv has all
		}
	}
	for _, w := range sweeps {
		if w.id == id {
			return r.sweepCommands(w)
		}
	}
	return nil
}

// analyze returns the commands for the wanted counters of r.Reuse: one for each choice of sizes.
// Models are in the first.
func (r *Report) analyze(scenes, orders []string, wanted func(*Reuse) bool) (commands []string) {
	var flags, models []string
	strategies := map[string][]string{} // by their flags
	for i := range r.Reuse {
		u := &r.Reuse[i]
		switch {
		case !slices.Contains(scenes, u.Scene) || !slices.Contains(orders, u.Order) || !wanted(u):
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

// appendNew appends an element that a list does not have.
func appendNew(list []string, one string) []string {
	if slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}

// sweepCommands returns a loop over the swept values for each line of a sweep; strategies with the
// same values share one.
func (r *Report) sweepCommands(w sweep) (commands []string) {
	list := w.list(r)
	scenes := distinct(list, func(u *Reuse) string { return u.Scene })
	var loops []string // with a gap for the strategies
	strategies := map[string][]string{}
	for _, name := range distinct(list, func(u *Reuse) string { return u.Series }) {
		var values []string
		var of *Reuse
		for i := range list {
			if u := &list[i]; u.Series == name && u.Scene == scenes[0] {
				of, values = u, append(values, fmt.Sprint(w.at(u)))
			}
		}
		sizes := strings.Replace(of.Flags+" ", fmt.Sprintf(" --%s %d ", w.flag, w.at(of)), fmt.Sprintf(" --%s $n ", w.flag), 1)
		loop := fmt.Sprintf("for n in %s; do shadeonce analyze %s --order %s --strategy %%s%s --csv; done", strings.Join(values, " "), strings.ReplaceAll(Quote(r.paths(scenes)...), "%", "%%"), PaperOrder, strings.TrimSuffix(sizes, " ")+r.Run.Flags)
		loops, strategies[loop] = appendNew(loops, loop), append(strategies[loop], of.Name)
	}
	return names.Of(loops, func(loop string) string { return fmt.Sprintf(loop, strings.Join(strategies[loop], ",")) })
}

// timesCommands returns the commands that time again: one for each choice of sizes, and for scenes
// that were timed at other loads or in other numbers of runs.
func (r *Report) timesCommands() (commands []string) {
	var lines []string // with a gap for the files
	files := map[string][]string{}
	for _, scene := range distinct(r.Times, func(t *measure.GeometryRow) string { return t.File }) {
		var loads, flags []string
		strategies := map[string][]string{} // by their flags
		runs := 0
		for i := range r.Times {
			t := &r.Times[i]
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

// drawsCommand returns the command for the rows of tableDraws: for the timed frames, if any were
// timed.
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

// pictureCommand returns the command that draws a large picture.
func (r *Report) pictureCommand(i int) string {
	p := &r.Pictures[i]
	u := cmp.Or(r.find(p.Scene, p.Order, p.Counters[0]), &Reuse{Name: p.Counters[0]})
	return fmt.Sprintf("shadeonce render %s -o %s --order %s --strategy %s%s --size %dx%d --camera zoom=%g%s",
		Quote(r.paths([]string{p.Scene})...), p.fileName(i), p.Order, u.Name, u.Flags, PictureSize, PictureSize, PictureZoom, r.Run.Flags)
}

// Quote joins arguments into a line from which a shell reads the same arguments.
func Quote(args ...string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = a
		if a == "" || strings.ContainsFunc(a, func(c rune) bool { return !strings.ContainsRune(plainRunes, c) }) {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// plainRunes are the characters that have no special meaning in a shell.
const plainRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%"
