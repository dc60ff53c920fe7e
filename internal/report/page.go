package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/measure"
)

//go:embed page.html
var pageText string

// absent lists the parts of the paper that no report has, and why.
var absent = []string{
	"Its captured games (am, as, dx, sg, sh, tr, tw) and the Witcher 3 picture: the captures are not public.",
	"Its times on a GTX 780 Ti and a GTX 980 Ti, and the averages over its 19 scenes: published as pictures without numbers. The mean over its table 2 stands in.",
	"Tables 3 and 4 and the random walk (subdivision, envelopes): applications, which this command does not run.",
}

// figures makes all figures except the last one, the disagreements.
func (r *Report) figures() ([]figure, error) {
	calls, err := r.figureCalls()
	if err != nil {
		return nil, err
	}
	measured, err := r.tableTimes()
	if err != nil {
		return nil, err
	}
	list := []figure{r.tableReuse(), r.tableCache(), r.tableClaims(), measured, calls, r.figurePictures()}
	orders, err := r.figureOrders()
	if err != nil {
		return nil, err
	}
	list = append(list, orders)
	for _, w := range sweeps {
		f, err := r.figureSweep(w)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	list = append(list, r.tableModels())
	for i := range list {
		list[i].Command = r.commandOf(list[i].ID)
	}
	return list, nil
}

// commandOf is a command line that makes a figure's data without the report; a
// word in capitals is for one of several values. Empty where only the report has
// the data.
func (r *Report) commandOf(id string) string {
	var focus, timed []string
	for _, name := range r.focus() {
		focus = append(focus, r.scene(name).Path)
	}
	for _, name := range distinct(r.Times, func(t *measure.GeometryRow) string { return t.File }) {
		timed = append(timed, r.scene(name).Path)
	}
	all := make([]string, len(r.Scenes))
	for i := range r.Scenes {
		all[i] = r.Scenes[i].Path
	}
	hardware := " --model " + r.Hardware.Counter
	switch id {
	case "reuse":
		return "shadeonce analyze " + Quote(all...) + " --order " + PaperOrder + " --model ideal,parallel:all --csv"
	case "cache":
		return "shadeonce analyze " + Quote(all...) + " --order " + PaperOrder + " --strategy none --model parallel:all,parallel:512:multiprocessors=1,parallel:1024:multiprocessors=1,parallel:2048:multiprocessors=1 --csv"
	case "models":
		models := " --model all"
		if r.Hardware.Measured {
			models += "," + r.Hardware.Counter
		}
		return "shadeonce analyze " + Quote(all...) + " --order " + PaperOrder + " --strategy none" + models + " --csv"
	case "calls":
		return "shadeonce analyze " + Quote(focus...) + " --order " + strings.Join(CallOrders, ",") + " --strategy warp,hash" + hardware + " --json"
	case "times":
		if len(timed) == 0 {
			return ""
		}
		return "shadeonce bench " + Quote(timed...) + " --order " + PaperOrder + " --load " + strings.Join(r.loads(), ",") + fmt.Sprintf(" --runs %d --csv", r.Times[0].Runs)
	case "pictures":
		return "shadeonce render FILE -o out.png --order ORDER --strategy STRATEGY --view counts --no-legend"
	case "lanes":
		return "shadeonce analyze " + Quote(focus...) + " --order " + PaperOrder + " --lanes LANES --csv"
	case "batches", "uniques":
		return "shadeonce analyze " + Quote(focus...) + " --order " + PaperOrder + " --strategy STRATEGY --batch INDICES --unique VERTICES --csv"
	case "orders":
		return "shadeonce analyze " + Quote(focus...) + " --order " + strings.Join(r.orders(), ",") + hardware + " --csv"
	}
	return ""
}

// Quote joins arguments into a line that a shell reads back as they are.
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

// plainRunes are the characters that mean nothing to a shell.
const plainRunes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%"

// page is the HTML. Every name is escaped by the template; SVG and the pictures'
// URIs are this program's own.
func (r *Report) page(figures []figure, files []File) ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"svg":     inlineSVG,
		"grouped": grouped,
	}).Parse(pageText)
	if err != nil {
		return nil, fmt.Errorf("report: page: %w", err)
	}
	var b bytes.Buffer
	left := slices.Clone(absent)
	if !r.Hardware.Measured {
		left = append(left, "The OpenGL column of its reuse pictures: no graphics pipeline could be counted here.")
	}
	names := make([]string, len(files))
	for i := range files {
		names[i] = files[i].Name
	}
	b.WriteString(pageMark + strings.Join(names, " ") + pageEnd)
	err = t.Execute(&b, struct {
		*Report
		Figures []figure
		Absent  []string
		Paper   string
	}{r, figures, left, PaperTitle})
	if err != nil {
		return nil, fmt.Errorf("report: page: %w", err)
	}
	return b.Bytes(), nil
}

// inlineSVG is the plot's own element, without the prolog of a file.
func inlineSVG(p plotted) template.HTML {
	if at := bytes.Index(p.SVG, []byte("<svg")); at >= 0 {
		return template.HTML(p.SVG[at:])
	}
	return ""
}
