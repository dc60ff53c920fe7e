// Package report turns measurements into a page: the tables and figures of the
// paper, ours beside the paper's, as HTML that needs nothing else, SVG and CSV.
//
// Data goes in and files come out, as bytes: the package measures nothing, and
// knows nothing of devices or flags. folder.go writes the files. The paper's own numbers are in
// paper.go, and nowhere else; none of ours is in the code.
package report

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/measure"
)

// Report is everything that was measured.
type Report struct {
	Run      Run
	Scenes   []Scene
	Sets     *Report                // Scenes and Reuse of the frames' low-reuse sets, in the paper's order; nil without
	Reuse    []Reuse                // every scene, order and counter, at the counter's own sizes
	Lanes    []Reuse                // strategies over lane counts, on the scenes of the sweeps
	Batches  []Reuse                // strategies over batch sizes
	Uniques  []Reuse                // dynamic batches over unique vertices per batch
	Times    []measure.GeometryRow  // the geometry pass on the device
	Draws    []measure.DrawAnalysis // of captured frames in their own order, by the strategies that stream; File is Scene.Name
	Pictures []Picture              // the counts view

	Applications []measure.ApplicationRow // the paper's applications on the device; File is Scene.Name

	Hardware Hardware
	Notes    []string // what was left out, and why: whole sentences
}

// Run says where, when and how the report was made.
type Run struct {
	Command  string // the command line
	Date     time.Time
	Program  buildinfo.Program
	Host     string // operating system, architecture, cores
	Backend  string // "gpu" or "cpu"
	Device   string
	Driver   string
	Subgroup int  // 0 where the device has none
	Software bool // the device is a CPU
	Quick    bool
}

// Scene is one file in its own order.
type Scene struct {
	Name       string // unique in the report
	Path       string // as it was named
	Paper      string // its name in the paper's table 1; empty where it has none
	Draws      int
	Vertices   int // (draw, vertex) pairs
	Referenced int // of them, those that an index names
	Triangles  int
	Frame      bool   // of a game, captured
	Given      bool   // the user named its file
	Of         string // the frame whose low-reuse set it is; else empty
}

// Kind is what made a count.
type Kind string

// The kinds of counter.
const (
	Strategy Kind = "strategy" // CPU reference of a strategy
	Model    Kind = "model"    // model of hardware, or a bound
	Measured Kind = "measured" // read back from the device's graphics pipeline
)

// Columns of the paper's table 1. A Reuse bears the one that it reproduces.
const (
	ColumnIdeal   = "ideal"
	ColumnCache16 = "cache 16 KB"
	ColumnCache32 = "cache 32 KB"
	ColumnCache64 = "cache 64 KB"
	ColumnWarp    = "warp"
	ColumnDynamic = "dynamic"
)

// PaperColumns are those columns in the paper's order.
var PaperColumns = []string{ColumnIdeal, ColumnCache16, ColumnCache32, ColumnCache64, ColumnWarp, ColumnDynamic}

// PaperOrder is the order that the paper's tables are in.
const PaperOrder = "forsyth"

// Reuse is how often one counter shades one scene in one order.
type Reuse struct {
	Scene   string // Scene.Name
	Order   string
	Counter string // strategy or model, unique with its parameters
	Series  string // the line of a sweep's plot, the same over the swept values
	Kind    Kind
	Column  string // of the paper's table 1, or empty
	Reading string // how else the paper can be read; empty in what table 1 shows
	Lanes   int    // 0 where it uses none
	Batch   int    // indices per batch; 0 for models
	Unique  int    // unique vertices per dynamic batch; else 0
	Stats   reuse.Stats
}

// Baseline is the strategy that times are relative to, as in the paper.
const Baseline = "naive"

// Picture is a drawn scene.
type Picture struct {
	Scene    string
	Order    string
	Counters []string // strategies that all shade alike, and so draw this picture
	Reuse    float64
	PNG      []byte // small, for the page
	Large    []byte // the same with a key of its colours, a file beside the page
	Alt      string
}

// Hardware names the counter that stands for the graphics pipeline, and how it
// was made.
type Hardware struct {
	Counter  string // Reuse.Counter
	Measured bool   // counts of the device at hand; else a published model
	Text     string // one sentence that says which
}

// File is one file of the report, by its name in the report's folder.
type File struct {
	Name string
	Data []byte
}

// PageName is the page among the files.
const PageName = "index.html"

// How a page begins. The mark identifies a folder as a report; the list names
// the report's own files. No file name has a space.
const (
	pageMark = "<!DOCTYPE html><!-- shadeonce report of: "
	pageEnd  = " -->\n"
)

// Owned lists the files that were written with a page; false if the bytes are
// not a report's page.
func Owned(page []byte) ([]string, bool) {
	rest, ok := bytes.CutPrefix(page, []byte(pageMark))
	list, _, ended := bytes.Cut(rest, []byte(pageEnd))
	return strings.Fields(string(list)), ok && ended
}

// Files makes the page, and beside it a CSV per figure, the plots as SVG and the
// pictures as PNG.
func (r *Report) Files() ([]File, error) {
	figures := r.figures()
	files := []File{{Name: PageName}}
	for _, f := range figures {
		data, err := f.Sheet.csv()
		if err != nil {
			return nil, err
		}
		files = append(files, File{f.ID + ".csv", data})
		for i := range f.Plots {
			p := &f.Plots[i]
			if err := p.draw(); err != nil {
				return nil, err
			}
			files = append(files, File{p.Name + ".svg", p.SVG})
		}
	}
	for i := range r.Pictures {
		files = append(files, File{r.Pictures[i].fileName(i), r.Pictures[i].Large})
	}
	page, err := r.page(figures, files)
	files[0].Data = page
	return files, err
}

// scene finds a scene by name.
func (r *Report) scene(name string) *Scene {
	return cmp.Or(first(r.Scenes, func(s *Scene) bool { return s.Name == name }), &Scene{Name: name})
}

// first is the first element that satisfies is, or nil.
func first[T any](list []T, is func(*T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// find is the count of a scene, order and counter, or nil.
func (r *Report) find(scene, order, counter string) *Reuse {
	return first(r.Reuse, func(u *Reuse) bool { return u.Scene == scene && u.Order == order && u.Counter == counter })
}

// column is the count that reproduces a column of the paper's table 1, or nil.
func (r *Report) column(scene, column string) *Reuse {
	return first(r.Reuse, func(u *Reuse) bool {
		return u.Scene == scene && u.Order == PaperOrder && u.Column == column && u.Reading == ""
	})
}

// orders are the orders that were counted: those of the call histogram first,
// from bad to good, then the others.
func (r *Report) orders() []string {
	counted := distinct(r.Reuse, func(u *Reuse) string { return u.Order })
	first := slices.DeleteFunc(slices.Clone(CallOrders), func(o string) bool { return !slices.Contains(counted, o) })
	return append(first, slices.DeleteFunc(counted, func(o string) bool { return slices.Contains(first, o) })...)
}

// distinct lists the values of a key in the order of appearance.
func distinct[T any](list []T, key func(*T) string) []string {
	var found []string
	seen := map[string]bool{}
	for i := range list {
		if k := key(&list[i]); !seen[k] {
			seen[k] = true
			found = append(found, k)
		}
	}
	return found
}

// CheckFolder refuses, before anything is measured, a path that no report can be
// written to: a folder that exists must be empty or hold a report and nothing
// else.
func CheckFolder(path string) error {
	info, err := atomicfile.Stat(path)
	switch {
	case err != nil || info == nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s: cannot write: it is a file, not a folder", path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return fmt.Errorf("%s: cannot read: %w", path, atomicfile.Cause(err))
	}
	if len(entries) == 0 {
		return nil
	}
	page, err := os.ReadFile(filepath.Join(path, PageName))
	own, ok := Owned(page)
	if err != nil || !ok {
		return fmt.Errorf("%s: not overwritten: it is a folder with other content than a report", path)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !slices.Contains(own, e.Name()) {
			return fmt.Errorf("%s: not overwritten: beside a report it holds %s", path, names.Printable(e.Name()))
		}
	}
	return nil
}

// WriteFolder writes the files of a report, all or none, and none if the context has ended.
func WriteFolder(ctx context.Context, path string, files []File) error {
	// Minutes have passed since the first look.
	if err := CheckFolder(path); err != nil {
		return err
	}
	return atomicfile.Failed(path, atomicfile.Folder(path, func(folder string) error {
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(folder, f.Name), f.Data, 0o666); err != nil {
				return err
			}
			if err := context.Cause(ctx); err != nil {
				return err
			}
		}
		return nil
	}))
}
