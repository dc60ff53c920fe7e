package cli

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// OutputFlags choose how rows are printed, and where.
type OutputFlags struct {
	JSON, CSV bool
	File      string // empty or "-" means standard output
}

// Add adds --json and --csv to a command.
func (f *OutputFlags) Add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.JSON, "json", false, "print one JSON array")
	flags.BoolVar(&f.CSV, "csv", false, "print CSV, its columns named as the JSON's fields")
}

// AddFile adds the flag for a file to write to.
func (f *OutputFlags) AddFile(flags *pflag.FlagSet) {
	flags.StringVarP(&f.File, "output", "o", "", "the `file` to write, in the form that its name says: .json, .csv, or .txt for the table; - is standard output")
}

// Check returns an error for contradictory forms and for a file that cannot be written. If no form
// is given, it takes the form from the file's name.
func (f *OutputFlags) Check() error {
	switch ext := strings.ToLower(filepath.Ext(f.File)); {
	case ext == ".json" && !f.CSV:
		f.JSON = true
	case ext == ".csv" && !f.JSON:
		f.CSV = true
	case ext == ".json" || ext == ".csv" || ext == ".txt" && (f.JSON || f.CSV):
		return Usagef("-o %s: the name contradicts --json or --csv", f.File)
	case ext != "" && ext != ".txt":
		return Usagef("-o %s: want a name that ends in .json, .csv or .txt", f.File)
	}
	if f.File == "" || f.File == Standard {
		return nil
	}
	return atomicfile.CheckFile(f.File, "", "")
}

// CheckMesh returns an error for an output that no mesh can be written to.
func CheckMesh(path string) error {
	if !slices.Contains(Writable(), format.Extension(path)) {
		return Usagef("-o %s: want a name that ends in %s (also as .gz or .zst)", path, strings.Join(Writable(), ", "))
	}
	return format.CanSave(path)
}

// Writable lists the extensions of the mesh formats that can be written.
func Writable() (all []string) {
	for _, w := range format.Writers() {
		all = append(all, w.Extensions...)
	}
	return all
}

// PrintRows prints rows as the flags ask. Rows are structs with json tags.
func PrintRows[T any](w io.Writer, f OutputFlags, rows []T, table func(io.Writer, []T) error) error {
	if f.File != "" && f.File != Standard {
		var text bytes.Buffer
		file := f.File
		f.File = ""
		if err := PrintRows(&text, f, rows, table); err != nil {
			return err
		}
		return UntilInterrupted(func(ctx context.Context) error { return atomicfile.Output(ctx, file, text.Bytes()) })
	}
	switch {
	case f.JSON:
		return WriteJSON(w, rows)
	case f.CSV:
		return WriteCSV(w, rows)
	}
	return table(w, rows)
}

// WriteJSON prints an array, even if there are no rows.
func WriteJSON[T any](w io.Writer, rows []T) error {
	if rows == nil {
		rows = []T{}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(rows)
}

// WriteCSV prints the JSON's fields as columns, in the same order. Entries of a
// list are separated by spaces.
func WriteCSV[T any](w io.Writer, rows []T) error {
	out := csv.NewWriter(w)
	var fields [][]int // indices of the fields that the JSON has
	var header []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "-" && !field.Anonymous {
			fields, header = append(fields, field.Index), append(header, name)
		}
	}
	_ = out.Write(header) // Error returns the first error
	for _, row := range rows {
		record := make([]string, len(fields))
		for i, field := range fields {
			record[i] = csvCell(reflect.ValueOf(row).FieldByIndex(field))
		}
		_ = out.Write(record)
	}
	out.Flush()
	return out.Error()
}

func csvCell(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.Slice:
		return strings.Trim(fmt.Sprint(v.Interface()), "[]")
	}
	return fmt.Sprint(v.Interface())
}

var trailing = regexp.MustCompile(` +\n`)

// Table is a table of text. It keeps the first error, and Render returns it.
type Table struct {
	table   *tablewriter.Table
	columns int
	text    bytes.Buffer
	err     error
}

// Row adds a row; columns without a cell stay empty.
func (t *Table) Row(cells ...any) {
	if len(cells) > t.columns {
		panic(fmt.Sprintf("a row of %d cells in a table of %d columns", len(cells), t.columns))
	}
	if t.err == nil {
		t.err = t.table.Append(cells...)
	}
}

// Render prints the table without blanks at the ends of lines, followed by a text.
func (t *Table) Render(w io.Writer, format string, args ...any) error {
	if t.err == nil {
		t.err = t.table.Render()
	}
	if t.err == nil {
		_, t.err = io.WriteString(w, trailing.ReplaceAllString(t.text.String(), "\n")+fmt.Sprintf(format, args...))
	}
	return t.err
}

// NewTable makes a table without lines. Its columns are two spaces apart. `align` has a letter for
// each column: l for text, r for numbers.
func NewTable(align string, header ...string) *Table {
	sides := make([]tw.Align, len(header))
	pads := make([]tw.Padding, len(header))
	for i := range sides {
		sides[i] = map[byte]tw.Align{'l': tw.AlignLeft, 'r': tw.AlignRight}[align[i]]
		pads[i] = tw.Padding{Right: "  ", Overwrite: true}
	}
	pads[len(pads)-1] = tw.PaddingNone
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{PerColumn: sides},
		Padding:    tw.CellPadding{PerColumn: pads},
	}
	t := &Table{columns: len(header)}
	t.table = tablewriter.NewTable(&t.text,
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell}),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Symbols:  tw.NewSymbols(tw.StyleNone),
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
		})))
	t.table.Header(header)
	return t
}

// Meter is a line on a terminal: the current work, how much of it is done and how long the rest
// will take. If standard error is not a terminal, it prints nothing.
type Meter struct {
	w io.Writer // nil if nothing is printed

	lock  sync.Mutex // guards the fields below
	stage string
	done  float64
	began time.Time
	next  time.Time   // when the line may change
	tick  *time.Timer // shows the line while the work reports nothing; nil once the line is wiped
}

// A meter appears late and changes seldom: short work needs no line, and a line that changes too
// often is unreadable. Work that reports nothing still has a line.
const (
	meterAfter = time.Second / 2
	meterEvery = time.Second / 10
	wipeLine   = "\r\x1b[K"
)

// NewMeter starts a meter.
func NewMeter(stderr io.Writer) *Meter {
	if file, ok := stderr.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return startMeter(stderr, meterAfter)
	}
	return &Meter{}
}

// startMeter starts a meter that appears after some time.
func startMeter(w io.Writer, after time.Duration) *Meter {
	m := &Meter{w: w, began: time.Now()}
	m.next = m.began.Add(after)
	m.lock.Lock()
	defer m.lock.Unlock()
	m.tick = time.AfterFunc(after, func() {
		m.show(func() {
			if m.tick != nil {
				m.tick.Reset(after)
			}
		})
	})
	return m
}

// Stage names the work that begins now. The work is the share of the whole between `from` and `to`, 0 to 1. It
// reports its progress to the returned context.
func (m *Meter) Stage(from, to float64, format string, args ...any) context.Context {
	ctx := m.part(context.Background(), from, to)
	m.lock.Lock()
	m.stage = fmt.Sprintf(format, args...)
	m.lock.Unlock()
	progress.Tell(ctx, 0)
	return ctx
}

func (m *Meter) part(ctx context.Context, from, to float64) context.Context {
	if m.w == nil {
		return ctx
	}
	return progress.Part(progress.With(ctx, func(done float64) { m.show(func() { m.done = done }) }), from, to)
}

// show applies a change to the meter's fields, and prints the line if it is due.
func (m *Meter) show(change func()) {
	m.lock.Lock()
	defer m.lock.Unlock()
	change()
	if now := time.Now(); m.tick != nil && !now.Before(m.next) && m.stage != "" {
		m.next = now.Add(meterEvery)
		fmt.Fprint(m.w, wipeLine, names.Printable(meterText(m.stage, m.done, now.Sub(m.began))))
	}
}

// Wipe clears the line, and ends the meter.
func (m *Meter) Wipe() {
	if m.w == nil {
		return
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.tick != nil {
		m.tick.Stop()
		m.tick = nil
	}
	fmt.Fprint(m.w, wipeLine)
}

// meterText returns the meter's line. It estimates the time left only once enough of the work is done.
func meterText(stage string, done float64, took time.Duration) string {
	const least = .005
	if done < least {
		return stage
	}
	left := time.Duration(float64(took) * (1 - done) / done)
	return fmt.Sprintf("%s: %.0f %%, %s left", stage, 100*done, left.Round(time.Second))
}

// WithProgress runs work until the user interrupts it, and shows its progress.
func WithProgress(stderr io.Writer, what string, work func(context.Context) error) error {
	m := NewMeter(stderr)
	defer m.Wipe()
	m.stage = what // without the lock, since no goroutine reads the stage yet
	return UntilInterrupted(func(ctx context.Context) error { return work(m.part(ctx, 0, 1)) })
}
