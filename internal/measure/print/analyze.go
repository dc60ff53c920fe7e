package print

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
)

// WriteAnalyses prints rows for people. The histogram gives the percentages of the referenced vertices
// that were shaded 1, 2, 3, 4, 5, and 6 or more times.
func WriteAnalyses(w io.Writer, rows []measure.Analysis) error {
	table := cli.NewTable("lllrrrrrrrrrr", "file", "order", "strategy", "lanes", "batch", "triangles", "invocations",
		"ideal", "reuse", "ACMR", "ATVR", "used", " 1x  2x  3x  4x  5x 6x+")
	for _, r := range rows {
		lanes, batch, used := "-", "-", "-"
		if r.Lanes > 0 {
			lanes = strconv.Itoa(r.Lanes)
		}
		if r.Kind == measure.KindStrategy {
			batch, used = r.Bounds(), fmt.Sprintf("%.0f%%", 100*r.Utilization)
		}
		table.Row(names.Printable(r.File), r.Order, ranBy(r.Strategy, r.Auto), lanes, batch, r.Triangles, r.Invocations,
			fmt.Sprintf("%.4f", r.Ideal), fmt.Sprintf("%.4f", r.Reuse), fmt.Sprintf("%.3f", r.ACMR),
			fmt.Sprintf("%.3f", r.ATVR), used, histogramText(r))
	}
	return table.Render(w, "\nused: share of the lanes that shaded a vertex; 1x to 6x+: percent of the referenced vertices shaded so often\n%s", footnotes(rows))
}

// histogramText returns the percentages of the histogram as six columns, each three characters wide.
func histogramText(r measure.Analysis) string {
	var text string
	for _, s := range measure.Shares(r.Histogram, r.Referenced) {
		text += fmt.Sprintf("%4.0f", s)
	}
	return text[1:]
}

// footnotes returns lines with auto's reasons, and lines that say where the counts of each kind of row come from.
func footnotes(rows []measure.Analysis) string {
	text := autoNotes(rows, func(r *measure.Analysis) (string, string, []string) { return r.File, r.Order, []string{r.Reason} })
	for _, kind := range []string{measure.KindStrategy, measure.KindModel, measure.KindHardware} {
		first := slices.IndexFunc(rows, func(r measure.Analysis) bool { return r.Kind == kind })
		switch {
		case first < 0:
		case kind == measure.KindModel:
			text += "models, of which no device promises anything: shadeonce help analyze\n"
		case kind == measure.KindHardware:
			text += measure.KindHardware + ": counted while the graphics pipeline of " + rows[first].Device + " drew the same indices\n"
		case rows[first].Backend == cli.CPU:
			text += "counted by the CPU reference\n"
		default:
			text += rows[first].Device + ": the counts of every vertex equal the CPU reference\n"
		}
	}
	return text
}

// WriteDraws prints a line per draw, with the reuse of the strategies side by side. File and
// order are printed once if there is only one.
func WriteDraws(w io.Writer, rows []measure.DrawAnalysis) error {
	first := &rows[0]
	one := !slices.ContainsFunc(rows, func(r measure.DrawAnalysis) bool { return r.File != first.File || r.Order != first.Order })
	columns := 1
	for columns < len(rows) && rows[columns].Draw == first.Draw && rows[columns].Strategy != first.Strategy && rows[columns].Name == first.Name && rows[columns].File == first.File && rows[columns].Order == first.Order {
		columns++
	}
	align, header, cells := "", []string{}, []any{}
	if !one {
		align, header = "ll", []string{"file", "order"}
	}
	header = append(header, "draw", "name", "instances", "triangles", "ideal")
	for _, r := range rows[:columns] {
		header = append(header, r.Strategy)
	}
	header = append(header, "lost")
	shaders := slices.ContainsFunc(rows, func(r measure.DrawAnalysis) bool { return r.Steps > 0 })
	if shaders {
		header = append(header, "steps", "saved")
	}
	timed := slices.ContainsFunc(rows, func(r measure.DrawAnalysis) bool { return r.VertexNs > 0 })
	if timed {
		header = append(header, "ns", "simple", "naive us", first.Strategy+" us")
	}
	table := cli.NewTable(align+"rl"+strings.Repeat("r", len(header)-len(align)-2), header...)
	instances, triangles, lost, saved, naive, us := 0, 0, 0, 0.0, 0.0, 0.0
	for draw := range slices.Chunk(rows, columns) {
		r := &draw[0]
		if cells = cells[:0]; !one {
			cells = append(cells, names.Printable(r.File), r.Order)
		}
		cells = append(cells, r.Draw, names.Printable(r.Name), r.Instances, r.Triangles, fmt.Sprintf("%.4f", r.Ideal))
		for _, c := range draw {
			cells = append(cells, fmt.Sprintf("%.4f", c.Reuse))
		}
		cells = append(cells, r.Lost)
		if shaders {
			cells = append(cells, fmt.Sprintf("%.0f", r.Steps), fmt.Sprintf("%.0f", r.Saved/1000))
		}
		if timed {
			cells = append(cells, fmt.Sprintf("%.3f", r.VertexNs), fmt.Sprintf("%.3f", r.SimpleNs), fmt.Sprintf("%.2f", r.NaiveUs), fmt.Sprintf("%.2f", r.Us))
			naive, us = naive+r.NaiveUs, us+r.Us
		}
		table.Row(cells...)
		instances, triangles, lost, saved = instances+r.Instances, triangles+r.Triangles, lost+r.Lost, saved+r.Saved
	}
	about := ""
	if shaders {
		about = fmt.Sprintf("steps: instructions of the game's own vertex shader a vertex; saved: thousands of them that %s saves against a run for each index, %.0f in all\n",
			first.Strategy, saved/1000)
	}
	if timed {
		about += fmt.Sprintf("ns: the geometry pass without reuse, an index, with the game's own vertex shader; simple: with one that only transforms\n"+
			"us: of the draw, its share of all draws of its shader; in all %.1f of %.1f\n", us, naive)
	}
	draws := names.Count(len(rows)/columns, "draw")
	if instances > len(rows)/columns {
		draws = fmt.Sprintf("%d instances of %s", instances, draws)
	}
	where := ""
	if one {
		where = names.Printable(first.File) + ", order " + first.Order + ": "
	}
	return table.Render(w, "\n%s%s, %s, %s lost\n"+
		"lost: invocations of %s beyond one per referenced vertex; all figures are over a draw's instances\n%s",
		where, draws, names.Count(triangles, "triangle"), names.Count(lost, "invocation"), first.Strategy, about)
}

// WriteApplications prints a line per strategy and part of an application's work.
func WriteApplications(w io.Writer, rows []measure.ApplicationRow) error {
	table := cli.NewTable("llllrrrrrrrl", "file", "order", "part", "strategy", "batch", "invocations", "reuse", "ideal", "tables ms", "ms", "x naive", "hash")
	for _, r := range rows {
		ms := fmt.Sprintf("%.*f", max(0, 5-len(strconv.Itoa(int(r.Milliseconds)))), r.Milliseconds) // five digits
		faster := "-"
		if r.VsNaive > 0 {
			faster = fmt.Sprintf("%.2f", r.VsNaive)
		}
		table.Row(names.Printable(r.File), r.Order, r.Part, ranBy(r.Strategy, r.Auto), r.Bounds(), r.Invocations,
			fmt.Sprintf("%.4f", r.Reuse), fmt.Sprintf("%.4f", r.Ideal), fmt.Sprintf("%.2f", r.Tables), ms, faster, r.Hash)
	}
	work := "the shading"
	if slices.ContainsFunc(rows, func(r measure.ApplicationRow) bool { return r.Sorting > 0 }) {
		work += " and the sorting of agents (apart in --json: sort_ms)"
	}
	return table.Render(w, "\ntables ms: building the tables that the shade function reads, once; ms: %s\n%s", work, timedOn(&rows[0].On, ""))
}

// WriteChanges prints a line per change, and how many rows were compared: `rows` without the new ones, which match none.
func WriteChanges(w io.Writer, changes []measure.Change, rows int) error {
	if len(changes) == 0 {
		_, err := fmt.Fprintf(w, "%s: no change\n", names.Count(rows, "row"))
		return err
	}
	table := cli.NewTable("llrrrl", "row", "field", "old", "new", "change", "")
	count := map[string]int{}
	for _, c := range changes {
		count[c.Verdict]++
		by := ""
		if c.Percent != 0 {
			by = fmt.Sprintf("%+.2f%%", c.Percent)
		}
		table.Row(names.Printable(c.Row), c.Field, shortNumber(c.Old), shortNumber(c.New), by, c.Verdict)
	}
	return table.Render(w, "\n%s compared: %d worse, %d better, %d changed otherwise, %d new, %d gone\n",
		names.Count(rows-count[measure.New], "row"), count[measure.Worse], count[measure.Better], count[measure.Changed], count[measure.New], count[measure.Gone])
}

// shortNumber formats a value: numbers with a decimal point get four decimals, other values stay as they are.
func shortNumber(value any) string {
	text := fmt.Sprint(value)
	if number, err := strconv.ParseFloat(text, 64); err == nil && strings.Contains(text, ".") {
		return fmt.Sprintf("%.4f", number)
	}
	return names.Printable(text)
}
