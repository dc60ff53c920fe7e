package report

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/names"
)

// figure is a table or figure of the page, with its data.
type figure struct {
	ID       string // anchor, and name of the CSV
	Title    string
	Source   string   // its number in the paper; empty if the paper has none
	Text     []string // paragraphs
	Where    string   // device or backend it was made on
	Part     string   // heading of the part of the page that this figure opens; else empty
	Key      bool     // whether to explain the colours of pictures
	Commands []string // print only this figure's data
	Grids    []grid
	Plots    []plotted
	Shots    []shotRow
	Sheet    sheet
}

// words are what figures.yaml says of a figure.
type words struct {
	Title, Source, Where string
	None                 string // why an application has no rows for a GPU
	Text                 []string
	Columns              yaml.Node // documentation by name, in the order of the columns
}

//go:embed figures.yaml
var figuresYAML []byte

// figureWords returns the words of all figures by their ids.
var figureWords = embedded[map[string]*words](figuresYAML)

// embedded returns a function that returns the contents of an embedded file.
func embedded[T any](data []byte) func() T {
	return sync.OnceValue(func() (all T) {
		if err := yaml.Unmarshal(data, &all); err != nil {
			panic(err) // a mistake fails every test
		}
		return all
	})
}

// figure returns a figure with its words, and without data.
func (r *Report) figure(id string) figure {
	w := figureWords()[id]
	fill := strings.NewReplacer("{device}", r.Run.Device, "{driver}", r.Run.Driver, "{hardware}", r.Hardware.Text, "{counted}", r.whereCounted(),
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
	Folded  bool // shown when its caption is clicked
	Head    []string
	Rows    []gridRow
}

// newGrid makes a table from the names of its columns and rows.
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

// cell is one cell; Class highlights it.
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

// none returns an empty cell.
func none() cell { return cell{"–", ""} }

// sheet is a CSV file.
type sheet struct {
	Columns []column
	Rows    [][]string
}

// column is a column of a CSV, which the page documents.
type column struct{ Name, Doc string }

// add appends a row: strings, integers and floats, in the order of the columns. Floats are
// written such that the same value is read back; NaN gives an empty cell.
func (s *sheet) add(values ...any) {
	row := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case float64:
			if !math.IsNaN(v) {
				row[i] = strconv.FormatFloat(v, 'g', -1, 64)
			}
		default:
			row[i] = fmt.Sprint(v)
		}
	}
	s.Rows = append(s.Rows, row)
}

// sign adds to every row which program made it.
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

// geometricMean returns NaN for no values.
func geometricMean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}
