package measure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
)

// Verdicts on a change.
const (
	Better  = "better"
	Worse   = "worse"
	Changed = "changed" // neither: another mesh, or another batch
	Gone    = "gone"    // the row is only in the old file
	New     = "new"     // the row is only in the new file
)

// Change is a row of compare: a field of a row that differs between two files, or a row that only
// one of them has. The JSON names are stable: programs rely on them.
type Change struct {
	Schema  int     `json:"schema"`
	Row     string  `json:"row"`   // what identifies the row in its file
	Field   string  `json:"field"` // empty if the row is gone or new
	Old     string  `json:"old"`
	New     string  `json:"new"`
	Percent float64 `json:"percent"` // growth of a number in percent; 0 if it was 0
	Verdict string  `json:"verdict"`
	buildinfo.Program
}

// identity are the fields that identify a row in another file, if it has them. A value that is
// clear without its field's name is shown alone.
var identity = []struct {
	name  string
	plain bool
}{
	{"app", true}, {"file", true}, {"order", true}, {"part", true}, {"draw", false}, {"name", true}, {"kind", true}, {"strategy", true}, {"lanes", false},
	{"load", false}, {"queue", true}, {"raster", true}, {"view", true}, {"width", false}, {"height", false}, {"camera", false}, {"pass", false},
}

// compared are the fields to compare. For some higher is better, for others lower, and some only
// say that something else was measured.
var compared = []struct {
	name   string
	better int // 1: higher, -1: lower
	time   bool
}{
	{name: "draws"}, {name: "triangles"}, {name: "indices"}, {name: "vertices"}, {name: "referenced"}, {name: "batching"}, {name: "batch"}, {name: "unique"},
	{name: "invocations"}, {name: "reuse", better: 1}, {name: "acmr", better: -1}, {name: "atvr", better: -1}, {name: "hash"}, {name: "vertex_shader_hash"},
	{name: "ms_median", better: -1, time: true}, {name: "ms", better: -1, time: true},
}

// Rows are the output of a command with --json. Numbers keep their spelling.
type Rows []map[string]any

// ParseRows parses the output of a command with --json.
func ParseRows(data []byte) (rows Rows, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var kind *json.UnmarshalTypeError
	if err := d.Decode(&rows); errors.As(err, &kind) {
		return nil, fmt.Errorf("is not an array of rows as --json prints them: %s at byte %d", kind.Value, kind.Offset)
	} else if err != nil {
		return nil, fmt.Errorf("is not an array of rows as --json prints them: %w", err)
	}
	for i, row := range rows {
		if got := fmt.Sprint(row["schema"]); got != strconv.Itoa(Schema) {
			return nil, fmt.Errorf("row %d has schema %s, this program compares rows of schema %d", i, got, Schema)
		}
	}
	if len(rows) == 0 {
		return nil, errors.New("holds no rows")
	}
	return rows, nil
}

// Changes lists how rows differ from older ones. Times that differ by at most the given
// percentage are not changes.
func Changes(old, now Rows, percent float64) (list []Change) {
	before, after := old.byName(), now.byName()
	for _, name := range old.names() {
		if _, kept := after[name]; !kept {
			list = append(list, newChange(name, Gone))
		}
	}
	for _, name := range now.names() {
		was, known := before[name]
		if !known {
			list = append(list, newChange(name, New))
			continue
		}
		list = append(list, changesOf(name, was, after[name], percent)...)
	}
	return list
}

func newChange(row, verdict string) Change {
	return Change{Schema: Schema, Row: row, Verdict: verdict, Program: buildinfo.By()}
}

func changesOf(name string, old, now map[string]any, percent float64) (list []Change) {
	for _, field := range compared {
		a, had := old[field.name]
		b, has := now[field.name]
		if !had || !has || a == b {
			continue
		}
		c := newChange(name, Changed)
		c.Field, c.Old, c.New = field.name, fmt.Sprint(a), fmt.Sprint(b)
		x, errX := strconv.ParseFloat(c.Old, 64)
		y, errY := strconv.ParseFloat(c.New, 64)
		if errX == nil && errY == nil && x != 0 {
			c.Percent = 100 * (y - x) / max(x, -x)
		}
		if field.time && max(c.Percent, -c.Percent) <= percent {
			continue
		}
		switch grown := y > x; {
		case field.better == 0:
		case grown == (field.better > 0):
			c.Verdict = Better
		default:
			c.Verdict = Worse
		}
		list = append(list, c)
	}
	return list
}

// names returns the rows' names in order.
func (r Rows) names() []string {
	seen := map[string]int{}
	list := make([]string, len(r))
	for i, row := range r {
		var words []string
		for _, field := range identity {
			value := fmt.Sprint(row[field.name])
			switch _, has := row[field.name]; {
			case !has || value == "" || field.name == "kind" && value != KindMean && value != KindHardware:
			case field.name == "lanes" && value == "0":
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

func (r Rows) byName() map[string]map[string]any {
	rows := map[string]map[string]any{}
	for i, name := range r.names() {
		rows[name] = r[i]
	}
	return rows
}

// AnyWorse reports whether a change is for the worse. A missing row is.
func AnyWorse(list []Change) bool {
	return slices.ContainsFunc(list, func(c Change) bool { return c.Verdict == Worse || c.Verdict == Gone })
}
