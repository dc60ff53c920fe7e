package report

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
)

//go:embed page.html
var pageText string

// absent lists the parts of the paper that a report does not have, and why.
var absent = []string{
	"Its captured games (am, as, dx, sg, sh, tr, tw) and the Witcher 3 picture: the captures are not public.",
	"Its times on a GTX 780 Ti and a GTX 980 Ti, and the averages over its 19 scenes: published as pictures without numbers. The mean over its table 2 stands in.",
}

// figures makes all figures; Files draws their plots later.
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
		list[i].Commands = r.commandsOf(list[i].ID)
		list[i].Sheet.sign(r.Run.Program)
	}
	return list
}

// page returns the HTML. The template escapes every name. It does not escape SVG and the pictures' URIs, which
// this program has made.
func (r *Report) page(figures []figure, files []File) ([]byte, error) {
	t := template.Must(template.New("page").Funcs(template.FuncMap{"svg": inlineSVG, "grouped": grouped, "key": colourKey}).Parse(pageText))
	var b bytes.Buffer
	left := slices.Clone(absent)
	if !r.Hardware.Measured {
		left = append(left, "The OpenGL column of its reuse pictures: no graphics pipeline could be counted here.")
	}
	own := names.Of(files, func(f File) string { return f.Name })
	b.WriteString(pageMark + strings.Join(own, " ") + pageEnd)
	err := t.Execute(&b, struct {
		*Report
		Figures []figure
		Absent  []string
		Paper   string
		Title   string
		Timed   bool
		Verdict []Verdict
	}{r, figures, left, PaperTitle, r.title(), len(r.Times)+len(r.Applications) > 0 || r.timedDraws(), r.Verdicts()})
	if err != nil {
		return nil, fmt.Errorf("report: page: %w", err)
	}
	return b.Bytes(), nil
}

// title names the given meshes if they are few.
func (r *Report) title() string {
	const few = 4
	given := names.Of(r.given(), Scene.name)
	switch {
	case len(given) == 0:
		return "The paper, measured again"
	case len(given) > few:
		return fmt.Sprintf("Vertex reuse of %d meshes", len(given))
	}
	return "Vertex reuse of " + strings.Join(given, ", ")
}

// keyStep is a colour of the pictures, with a label that says how often its vertices were shaded.
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

// inlineSVG returns a plot's svg element for use in the page, without the XML prolog of its file.
func inlineSVG(p plotted) template.HTML {
	if at := bytes.Index(p.SVG, []byte("<svg")); at >= 0 {
		return template.HTML(p.SVG[at:])
	}
	return ""
}

// heatmapScript is the web component of web/src/component.js, bundled by `make web`. The page contains the script,
// which loads no other files.
//
//go:embed heatmap.js
var heatmapScript string

// HeatmapStrategy is the strategy whose counts heatmaps show.
const HeatmapStrategy = "claim"

// MostHeatmaps bounds the heatmaps of a page, HeatmapTriangles the triangles of each: a browser has 16 WebGL contexts,
// and a mesh adds about 25 bytes a triangle to the page.
const (
	MostHeatmaps     = 8
	HeatmapTriangles = 200_000
)

// Heatmap is a mesh that readers of a page can turn: world positions (3 numbers per vertex), indices, and how often
// each vertex is shaded in the file's order and in PaperOrder.
type Heatmap struct {
	Scene     string
	Positions []float32
	Indices   []uint32
	Counts    [2][]uint32
}

// Data returns a Heatmap's lists as texts for HTML attributes: little-endian numbers in base64. Each count is
// one byte; counts above 255 become 255.
func (h *Heatmap) Data() (d struct{ Positions, Indices, Left, Right string }) {
	encoded := func(list any) string {
		return base64.StdEncoding.EncodeToString(must.Get(binary.Append(nil, binary.LittleEndian, list)))
	}
	counts := func(list []uint32) string {
		small := make([]byte, len(list))
		for v, n := range list {
			small[v] = byte(min(n, 255))
		}
		return encoded(small)
	}
	d.Positions, d.Indices, d.Left, d.Right = encoded(h.Positions), encoded(h.Indices), counts(h.Counts[0]), counts(h.Counts[1])
	return d
}

// HeatmapScript returns the script that the page includes if it has heatmaps.
func (r *Report) HeatmapScript() template.JS { return template.JS(heatmapScript) }

// figure is a table or figure of the page, with its data.
type figure struct {
	ID       string // anchor, and name of the CSV
	Title    string
	Source   string   // its number in the paper; empty if the paper has none
	Text     []string // paragraphs
	Where    string   // device or backend it was made on
	Part     string   // heading of the part of the page that this figure opens; else empty
	Key      bool     // whether to show the key of the pictures' colours
	Commands []string // shell commands that print only this figure's data
	Grids    []grid
	Plots    []plotted
	Shots    []shotRow
	Sheet    sheet
}

// words are the texts of a figure in figures.yaml.
type words struct {
	Title, Source, Where string
	None                 string // why an application has no rows for a GPU
	Text                 []string
	Columns              yaml.Node // the CSV's columns in their order, each a name with its documentation
}

//go:embed figures.yaml
var figuresYAML []byte

var figureWords = embedded[map[string]*words](figuresYAML) // returns the words of all figures by their ids

// embedded returns a function that returns the contents of an embedded YAML file. Only its first call parses the file.
func embedded[T any](data []byte) func() T {
	return sync.OnceValue(func() (all T) {
		if err := yaml.Unmarshal(data, &all); err != nil {
			panic(err) // a mistake fails every test
		}
		return all
	})
}

// figure returns a figure with its texts from figures.yaml. Callers add the data.
func (r *Report) figure(id string) figure {
	w, counted := figureWords()[id], "CPU references and models."
	if r.Hardware.Measured {
		counted = "CPU references; hardware: " + r.where()
	}
	fill := strings.NewReplacer("{device}", r.Run.Device, "{driver}", r.Run.Driver, "{hardware}", r.Hardware.Text, "{counted}", counted,
		"{paper device}", paperDevice, "{bound}", ratio(Bound, 3)).Replace
	f := figure{ID: id, Title: w.Title, Source: w.Source, Where: fill(w.Where), Text: names.Of(w.Text, fill)}
	columns := cmp.Or(w.Columns.Alias, &w.Columns).Content
	for i := 0; i < len(columns); i += 2 {
		f.Sheet.Columns = append(f.Sheet.Columns, column{columns[i].Value, columns[i+1].Value})
	}
	return f
}

// grid is a table of the page.
type grid struct {
	Caption string
	Folded  bool // hidden until its caption is clicked
	Head    []string
	Rows    []gridRow
}

// newGrid makes a table from the names of its columns and rows; the function `at` returns a cell.
func newGrid(caption, corner string, columns, rows []string, at func(row, column string) cell) grid {
	g := grid{Caption: caption, Head: append([]string{corner}, columns...)}
	for _, name := range rows {
		row := gridRow{"", []cell{text(name)}}
		for _, column := range columns {
			row.Cells = append(row.Cells, at(name, column))
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// Words reports whether a column holds text, so that its head is aligned to the left.
func (g grid) Words(column int) bool {
	return slices.ContainsFunc(g.Rows, func(r gridRow) bool { return column < len(r.Cells) && r.Cells[column].Class == className })
}

// gridRow is a row; Class is a class of the page's style sheet, or "".
type gridRow struct {
	Class string
	Cells []cell
}

// cell is one cell. Class is as in gridRow; most classes highlight the cell.
type cell struct {
	Text  string
	Class string
}

// Classes of the page's style sheet.
const (
	className   = "name" // a cell of text
	classOurs   = "ours"
	classPaper  = "paper"
	classDiff   = "diff"
	classBest   = "best"
	classBeyond = "beyond" // differs from the paper by more than Bound
)

func text(s string) cell   { return cell{s, className} }
func number(s string) cell { return cell{s, ""} }

// none returns the cell for a missing value: a dash.
func none() cell { return cell{"–", ""} }

// sheet is the content of a CSV file.
type sheet struct {
	Columns []column
	Rows    [][]string
}

// column is a column of a CSV, which the page documents.
type column struct{ Name, Doc string }

// add appends a row: strings, integers and floats, in the order of the columns. Floats get as many
// digits as it takes to read back the same value; NaN gives an empty cell.
func (s *sheet) add(values ...any) {
	row := make([]string, len(values))
	for i, v := range values {
		if x, is := v.(float64); !is {
			row[i] = fmt.Sprint(v)
		} else if !math.IsNaN(x) {
			row[i] = strconv.FormatFloat(x, 'g', -1, 64)
		}
	}
	s.Rows = append(s.Rows, row)
}

// sign adds the program's version and commit to every row.
func (s *sheet) sign(by buildinfo.Program) {
	s.Columns = append(s.Columns, column{"version", "of the program"}, column{"commit", "that the program was built from"})
	for i := range s.Rows {
		s.Rows[i] = append(s.Rows[i], by.Version, by.Commit)
	}
}

func (s *sheet) csv() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	head := names.Of(s.Columns, func(c column) string { return c.Name })
	_ = w.Write(head) // the Writer keeps the error, and Error returns it
	for _, row := range s.Rows {
		if len(row) != len(head) {
			return nil, fmt.Errorf("report: a row of %d cells for %d columns", len(row), len(head))
		}
		_ = w.Write(row)
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return nil, fmt.Errorf("report: csv: %w", err)
	}
	return b.Bytes(), nil
}

// ratio formats a reuse as in the paper: .714, -.062.
func ratio(x float64, digits int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	s := strconv.FormatFloat(math.Abs(x), 'f', digits, 64)
	if strings.Trim(s, "0.") == "" {
		return "0"
	}
	s = strings.TrimPrefix(s, "0")
	if x < 0 {
		return "−" + s
	}
	return s
}

// signed formats a difference with its sign.
func signed(x float64) string {
	s := ratio(x, 4)
	if x > 0 && s != "0" {
		return "+" + s
	}
	return s
}

// grouped formats an integer with thin spaces between thousands.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// geometricMean returns the geometric mean of values; NaN if there are none.
func geometricMean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}
