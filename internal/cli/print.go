package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
	"github.com/spf13/pflag"
)

// OutputFlags choose how rows are printed.
type OutputFlags struct{ JSON, CSV bool }

// Add adds the flags.
func (f *OutputFlags) Add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.JSON, "json", false, "print one JSON array")
	flags.BoolVar(&f.CSV, "csv", false, "print CSV, its columns named as the JSON's fields")
}

// Check refuses both at once.
func (f *OutputFlags) Check() error {
	if f.JSON && f.CSV {
		return Usagef("--json and --csv exclude each other")
	}
	return nil
}

// PrintRows prints rows, which are structs with json tags, as the flags say.
func PrintRows[T any](w io.Writer, f OutputFlags, rows []T, table func(io.Writer, []T) error) error {
	switch {
	case f.JSON:
		return WriteJSON(w, rows)
	case f.CSV:
		return writeCSV(w, rows)
	}
	return table(w, rows)
}

// WriteJSON prints an array, also where there are no rows.
func WriteJSON[T any](w io.Writer, rows []T) error {
	if rows == nil {
		rows = []T{}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(rows)
}

// writeCSV prints the JSON's fields as columns, in the same order. Entries of a
// list are separated by spaces.
func writeCSV[T any](w io.Writer, rows []T) error {
	out := csv.NewWriter(w)
	kind := reflect.TypeFor[T]()
	var fields [][]int // that the JSON has
	var header []string
	for _, field := range reflect.VisibleFields(kind) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "-" && !field.Anonymous {
			fields, header = append(fields, field.Index), append(header, name)
		}
	}
	_ = out.Write(header) // an error stays, and Error returns it
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

// Table is a table of text. The first error stays, and Render returns it.
type Table struct {
	table *tablewriter.Table
	err   error
}

// Row adds a row, a cell for each column.
func (t *Table) Row(cells ...any) {
	if t.err == nil {
		t.err = t.table.Append(cells...)
	}
}

// Render prints the table, and then a text.
func (t *Table) Render(w io.Writer, format string, args ...any) error {
	if t.err == nil {
		t.err = t.table.Render()
	}
	if t.err == nil {
		_, t.err = fmt.Fprintf(w, format, args...)
	}
	return t.err
}

// NewTable makes a table without lines, its columns two spaces apart. In align, l
// is a column of text and r one of numbers.
func NewTable(w io.Writer, align string, header ...string) *Table {
	sides := make([]tw.Align, len(header))
	pads := make([]tw.Padding, len(header))
	for i := range sides {
		sides[i] = tw.AlignLeft
		if align[i] == 'r' {
			sides[i] = tw.AlignRight
		}
		pads[i] = tw.Padding{Right: "  ", Overwrite: true}
		if i == len(header)-1 {
			pads[i] = tw.PaddingNone
		}
	}
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{PerColumn: sides},
		Padding:    tw.CellPadding{PerColumn: pads},
	}
	table := tablewriter.NewTable(w,
		tablewriter.WithConfig(tablewriter.Config{Header: cell, Row: cell}),
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders:  tw.BorderNone,
			Symbols:  tw.NewSymbols(tw.StyleNone),
			Settings: tw.Settings{Separators: tw.SeparatorsNone, Lines: tw.LinesNone},
		})))
	table.Header(header)
	return &Table{table: table}
}
