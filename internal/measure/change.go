package measure

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/names"
)

// Verdicts on a change.
const (
	Better  = "better"
	Worse   = "worse"
	Changed = "changed" // neither better nor worse: another mesh, for example, or another batch
	New     = "new"     // the row is only in the new file
	Gone    = "gone"    // the row is only in the old file
)

// Change is a row of compare: a field of a row that differs between two files, or a row that only
// one of them has. The JSON names are stable: programs rely on them.
type Change struct {
	Schema  int     `json:"schema"`
	Row     string  `json:"row"`   // what identifies the row in its file
	Field   string  `json:"field"` // empty if the row is new or gone
	Old     any     `json:"old"`   // a json.Number or a string
	New     any     `json:"new"`
	Percent float64 `json:"percent"` // growth of a number in percent; 0 if the old number is 0
	Verdict string  `json:"verdict"`
	buildinfo.Program
}

// identifying is a field by which rows of two files are matched. Not every row has it.
type identifying struct {
	name  string
	plain bool // the value is clear without the field's name
}

var identity = []identifying{
	{"app", true}, {"file", true}, {"order", true}, {"part", true}, {"draw", false}, {"name", true}, {"kind", true}, {"strategy", true}, {"lanes", false},
	{"load", false}, {"queue", true}, {"raster", true}, {"view", true}, {"width", false}, {"height", false}, {"camera", false}, {"pass", false},
}

// compared lists the fields to compare. For some a higher value is better, for others a lower one. If neither
// is better, a change only says that something else was measured.
var compared = []struct {
	name   string
	better int // 1: higher is better, -1: lower is, 0: neither
	time   bool
	text   bool // not a number, even if it has only digits
}{
	{name: "draws"}, {name: "triangles"}, {name: "indices"}, {name: "vertices"}, {name: "referenced"}, {name: "batching", text: true}, {name: "batch"}, {name: "unique"},
	{name: "invocations"}, {name: "reuse", better: 1}, {name: "acmr", better: -1}, {name: "atvr", better: -1}, {name: "hash", text: true}, {name: "vertex_shader_hash", text: true},
	{name: "ms_median", better: -1, time: true}, {name: "ms", better: -1, time: true},
}

// Values of Matching.Match.
const (
	ByName     = "name"     // rows match if all fields of their identity are equal
	ByBase     = "base"     // as ByName, but files in different folders match if their names are equal
	ByPosition = "position" // the n-th row of one file matches the n-th of the other
)

// Matches lists the values of Matching.Match.
var Matches = []string{ByName, ByBase, ByPosition}

// Matching says which rows of two files match, and by how much their fields may differ.
type Matching struct {
	Match         string
	Ignore        []string // fields of the identity that may differ, a subset of Ignorable
	Counts, Times float64  // differences of counts and of times, in percent, up to which values count as equal
}

// Ignorable lists the fields that Matching can ignore.
func Ignorable() []string {
	return names.Of(identity, func(f identifying) string { return f.name })
}

// Rows are the output of a command with --json or --csv. Numbers keep their spelling.
type Rows []map[string]any

// ParseRows parses the output of a command with --json or --csv.
func ParseRows(data []byte) (rows Rows, err error) {
	if bytes.HasPrefix(data, []byte("schema,")) {
		rows, err = parseCSV(data)
	} else {
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		var kind *json.UnmarshalTypeError
		if err = d.Decode(&rows); errors.As(err, &kind) {
			err = fmt.Errorf("%s at byte %d", kind.Value, kind.Offset)
		} else if end := d.InputOffset(); err == nil && len(bytes.TrimSpace(data[end:])) > 0 {
			return nil, fmt.Errorf("goes on after its array of rows, which ends at byte %d", end)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("has no rows in the form of --json or --csv: %w", err)
	}
	for i, row := range rows {
		switch got := fmt.Sprint(row["schema"]); got {
		case strconv.Itoa(Schema):
		case "schema":
			return nil, fmt.Errorf("row %d is a header: want the rows of one run", i)
		default:
			return nil, fmt.Errorf("row %d has schema %s, this program compares rows of schema %d", i, got, Schema)
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("holds no rows")
	}
	return rows, nil
}

func parseCSV(data []byte) (rows Rows, err error) {
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll() // all lines have as many cells as the first
	if err != nil {
		return nil, err
	}
	for _, line := range lines[1:] {
		row := map[string]any{}
		for i, cell := range line {
			row[lines[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// SameBase returns the names of two files that differ only in their folders; empty if there are none. If there are,
// ByBase could match rows of different files.
func (r Rows) SameBase() (a, b string) {
	seen := map[string]string{}
	for _, row := range r {
		file := fmt.Sprint(row["file"])
		if before, ok := seen[filepath.Base(file)]; ok && before != file {
			return before, file
		}
		seen[filepath.Base(file)] = file
	}
	return "", ""
}

// Changes lists how the rows of `now` differ from the matching rows of `old`, followed by the old rows that match none.
func Changes(old, now Rows, by Matching) (list []Change) {
	oldNames, newNames := old.names(Matching{}), now.names(Matching{})
	before, after := old.names(by), now.names(by)
	at := map[string]int{}
	for i, name := range before {
		at[name] = i
	}
	for i, name := range after {
		was, known := at[name]
		delete(at, name)
		if by.Match == ByPosition {
			name = newNames[i]
			if known && oldNames[was] != name {
				name = oldNames[was] + " -> " + name
			}
		}
		if !known {
			list = append(list, newChange(newNames[i], New))
			continue
		}
		list = append(list, changesOf(name, old[was], now[i], by)...)
	}
	for i, name := range before {
		if _, left := at[name]; left {
			list = append(list, newChange(oldNames[i], Gone))
		}
	}
	return list
}

func newChange(row, verdict string) Change {
	return Change{Schema: Schema, Row: row, Old: "", New: "", Verdict: verdict, Program: buildinfo.By()}
}

func changesOf(name string, old, now map[string]any, by Matching) (list []Change) {
	for _, field := range compared {
		a, had := old[field.name]
		b, has := now[field.name]
		if !had || !has {
			continue
		}
		c := newChange(name, Changed)
		c.Field, c.Old, c.New = field.name, fmt.Sprint(a), fmt.Sprint(b)
		x, isX := number(a)
		y, isY := number(b)
		percent := by.Counts
		if field.time {
			percent = by.Times
		}
		switch {
		case field.text || !isX || !isY:
			if c.Old != c.New {
				list = append(list, c)
			}
			continue
		case math.Abs(y-x) <= percent/100*math.Abs(x)*(1+1e-12): // the last factor allows for rounding: 0.5 to 0.49 is 2 percent
			continue
		case field.better == 0:
		case y > x == (field.better > 0):
			c.Verdict = Better
		default:
			c.Verdict = Worse
		}
		c.Old, c.New = json.Number(fmt.Sprint(a)), json.Number(fmt.Sprint(b))
		if x != 0 {
			c.Percent = 100 * (y - x) / math.Abs(x)
		}
		list = append(list, c)
	}
	return list
}

// number parses a cell of a row. Infinity and NaN are no numbers, as in JSON.
func number(cell any) (x float64, ok bool) {
	text := fmt.Sprint(cell)
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && json.Valid([]byte(text))
}

// names returns the rows' names in order. Rows of two files match if their names are equal.
func (r Rows) names(by Matching) []string {
	seen := map[string]int{}
	list := make([]string, len(r))
	for i, row := range r {
		if by.Match == ByPosition {
			list[i] = strconv.Itoa(i)
			continue
		}
		var words []string
		for _, field := range identity {
			value := fmt.Sprint(row[field.name])
			switch _, has := row[field.name]; {
			case !has || value == "" || slices.Contains(by.Ignore, field.name) || field.name == "kind" && value != KindMean && value != KindHardware:
			case field.name == "lanes" && value == "0":
			case field.name == "file" && by.Match == ByBase:
				words = append(words, filepath.Base(value))
			case field.plain:
				words = append(words, value)
			default:
				words = append(words, field.name+" "+value)
			}
		}
		name := strings.Join(words, ", ")
		if seen[name]++; seen[name] > 1 {
			name += fmt.Sprintf(" (%d)", seen[name])
		}
		list[i] = name
	}
	return list
}
