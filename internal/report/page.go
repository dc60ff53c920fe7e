package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

//go:embed page.html
var pageText string

// absent lists the parts of the paper that a report does not have, and why.
var absent = []string{
	"Its captured games (am, as, dx, sg, sh, tr, tw) and the Witcher 3 picture: the captures are not public.",
	"Its times on a GTX 780 Ti and a GTX 980 Ti, and the averages over its 19 scenes: published as pictures without numbers. The mean over its table 2 stands in.",
}

// figures makes all figures; their plots are drawn later.
func (r *Report) figures() []figure {
	paper := []figure{r.tableReuse(), r.tableCache(), r.tableClaims(), r.tableTimes()}
	own := []figure{r.figureCalls(), r.figurePictures(), r.figureOrders()}
	for _, w := range sweeps {
		own = append(own, r.figureSweep(w))
	}
	for _, id := range []string{"subdivide", "envelope", "walk"} {
		paper = append(paper, r.tableApplication(id))
	}
	paper = append(paper, r.tableModels(), r.differenceFigure())
	list := append(paper[:4:4], append(own, paper[4:]...)...)
	if len(r.given()) > 0 { // the user's meshes first, then the paper's
		paper[0].Part = "The paper, measured again"
		if len(r.Draws) > 0 {
			own = append([]figure{r.tableDraws()}, own...)
		}
		list = append([]figure{r.tableMeshes()}, append(own, paper...)...)
		list[0].Part = "Your meshes"
	}
	for i := range list {
		list[i].Command = r.commandOf(list[i].ID)
		list[i].Sheet.sign(r.Run.Program)
	}
	return list
}

// commandOf returns a command line that makes a figure's data without the report; a word in
// capitals stands for one of several values. It is empty if only the report has the data.
func (r *Report) commandOf(id string) string {
	path := func(name string) string { return r.scene(name).Path }
	given, focus := names.Of(r.given(), func(s *Scene) string { return s.Path }), names.Of(r.focus(), path)
	timed := names.Of(distinct(r.Times, func(t *measure.GeometryRow) string { return t.File }), path)
	all := names.Of(r.Scenes, func(s Scene) string { return s.Path })
	hardware := " --model " + r.Hardware.Counter
	models := "all"
	if r.Hardware.Measured {
		models += "," + r.Hardware.Counter
	}
	analyze := func(paths []string, orders ...string) string {
		return "shadeonce analyze " + Quote(paths...) + " --order " + strings.Join(orders, ",")
	}
	sizes := analyze(focus, PaperOrder) + " --strategy STRATEGY --batch INDICES --unique VERTICES --csv"
	commands := map[string]string{
		"meshes": analyze(given, r.orders()...) + hardware + " --csv",
		"reuse":  analyze(all, PaperOrder) + " --model ideal,parallel:all --csv",
		"cache": analyze(all, PaperOrder) +
			" --strategy none --model parallel:all,parallel:512:multiprocessors=1,parallel:1024:multiprocessors=1,parallel:2048:multiprocessors=1 --csv",
		"models":   analyze(all, PaperOrder) + " --strategy none --model " + models + " --csv",
		"calls":    analyze(focus, CallOrders...) + " --strategy warp,hash" + hardware + " --json",
		"pictures": "shadeonce render FILE -o out.png --order ORDER --strategy STRATEGY --view counts --no-legend",
		"lanes":    analyze(focus, PaperOrder) + " --lanes LANES --csv",
		"batches":  sizes,
		"uniques":  sizes,
		"orders":   analyze(focus, r.orders()...) + hardware + " --csv",
	}
	if len(r.Draws) > 0 {
		commands["draws"] = r.drawsCommand()
	}
	if len(timed) > 0 {
		commands["times"] = "shadeonce bench " + Quote(timed...) + " --order " + PaperOrder + " --load " + strings.Join(r.loads(), ",") + fmt.Sprintf(" --runs %d --csv", r.Times[0].Runs)
	}
	return commands[id]
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

// page returns the HTML. The template escapes every name; SVG and the pictures' URIs are this
// program's own.
func (r *Report) page(figures []figure, files []File) ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"svg":     inlineSVG,
		"grouped": grouped,
		"key":     colourKey,
	}).Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("report: page: %w", err)
	}
	var b bytes.Buffer
	left := slices.Clone(absent)
	if !r.Hardware.Measured {
		left = append(left, "The OpenGL column of its reuse pictures: no graphics pipeline could be counted here.")
	}
	own := names.Of(files, func(f File) string { return f.Name })
	b.WriteString(pageMark + strings.Join(own, " ") + pageEnd)
	err = t.Execute(&b, struct {
		*Report
		Figures []figure
		Absent  []string
		Paper   string
		Title   string
		Timed   bool
	}{r, figures, left, PaperTitle, r.title(), len(r.Times)+len(r.Applications) > 0 || r.timedDraws()})
	if err != nil {
		return nil, fmt.Errorf("report: page: %w", err)
	}
	return b.Bytes(), nil
}

// title names the given meshes if they are few.
func (r *Report) title() string {
	const few = 4
	given := names.Of(r.given(), func(s *Scene) string { return s.Name })
	switch {
	case len(given) == 0:
		return "The paper, measured again"
	case len(given) > few:
		return fmt.Sprintf("Vertex reuse of %d meshes", len(given))
	}
	return "Vertex reuse of " + strings.Join(given, ", ")
}

// keyStep is a colour of the pictures, and how often its vertices were shaded.
type keyStep struct {
	Color template.CSS
	Label string
}

func colourKey() (steps []keyStep) {
	labels := picture.PaperPalette.Labels()
	for i, c := range picture.PaperPalette.Colors() {
		steps = append(steps, keyStep{template.CSS(fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)), labels[i]})
	}
	return steps
}

// inlineSVG returns the plot's element without the prolog of a file.
func inlineSVG(p plotted) template.HTML {
	if at := bytes.Index(p.SVG, []byte("<svg")); at >= 0 {
		return template.HTML(p.SVG[at:])
	}
	return ""
}
