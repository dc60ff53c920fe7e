// Package report turns measurements into a page: the tables and figures of the paper, with our
// numbers beside the paper's, as self-contained HTML, SVG and CSV.
//
// The package takes data and returns files as bytes. It measures nothing, and knows nothing of
// devices or flags. WriteFolder writes the files. The paper's numbers are in paper.yaml, and nowhere
// else; none of our numbers is in the code.
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
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/measure"
)

// Report is everything that was measured.
type Report struct {
	Run      Run
	Scenes   []Scene
	Sets     *Report                // Scenes and Reuse of the frames' low-reuse sets, in the paper's order; nil or empty if there are none
	Reuse    []Reuse                // by scene, order and counter; strategies at their default sizes, two also at the paper's
	Lanes    []Reuse                // strategies by lane count, on the scenes of the sweeps
	Batches  []Reuse                // strategies by batch size
	Uniques  []Reuse                // dynamic batches by unique vertices per batch
	Times    []measure.GeometryRow  // the geometry pass on the device
	TimedAt  map[string]string      // by strategy: the flags of its sizes in Times; empty for its default sizes
	Draws    []measure.DrawAnalysis // of captured frames in their own order, by the streaming strategies; File is Scene.Name
	Pictures []Picture              // drawn in the counts view
	Heatmaps []Heatmap              // given meshes, which the page's reader can turn

	Applications []measure.ApplicationRow // the paper's applications on the device; File is Scene.Name

	Hardware Hardware
	Notes    []string // what was left out, and why, in whole sentences
}

// Run says where, when and how the report was made.
type Run struct {
	Command  string // the command line
	Flags    string // its flags that choose a device, with a space before each
	Date     time.Time
	Program  buildinfo.Program
	Host     string // operating system, architecture, cores
	Backend  string // "gpu" or "cpu"
	Device   string
	Driver   string
	Subgroup int  // 0 if the device has none
	Software bool // whether the device is a CPU
	Quick    bool
	// Deterministic leaves out what depends on the machine and the time: Date and Host are not shown.
	Deterministic bool
}

// Scene describes a counted scene: a file, a built-in scene, or the low-reuse set of a captured frame.
type Scene struct {
	Name       string // unique in the report
	Path       string // as the user named it
	Paper      string // its name in the paper's table 1, or ""
	Draws      int
	Vertices   int // (draw, vertex) pairs
	Referenced int // pairs that an index references
	Triangles  int
	Frame      bool   // whether it is a captured frame
	Given      bool   // whether the user named its file
	Of         string // the frame whose low-reuse set it is, or ""
}

// Kind is the source of a count.
type Kind string

const (
	Strategy Kind = "strategy" // CPU reference of a strategy
	Model    Kind = "model"    // model of hardware, or a bound
	Measured Kind = "measured" // read back from the device's graphics pipeline
)

// Columns of the paper's table 1. A Reuse has the name of the column that it reproduces.
const (
	ColumnIdeal   = "ideal"
	ColumnCache16 = "cache 16 KB"
	ColumnCache32 = "cache 32 KB"
	ColumnCache64 = "cache 64 KB"
	ColumnWarp    = "warp"
	ColumnDynamic = "dynamic"
)

// PaperColumns lists the columns of the paper's table 1, in the paper's order.
var PaperColumns = []string{ColumnIdeal, ColumnCache16, ColumnCache32, ColumnCache64, ColumnWarp, ColumnDynamic}

// PaperOrder is the index order of the paper's tables.
const PaperOrder = "forsyth"

// Reuse is the count of one counter for one scene in one order.
type Reuse struct {
	Scene   string // Scene.Name
	Order   string
	Counter string // strategy or model, unique with its parameters
	Name    string // as --strategy or --model takes it
	Flags   string // flags of the strategy's sizes, with a space before each; empty for its default sizes
	Series  string // the line of a sweep's plot, equal for all swept values
	Kind    Kind
	Column  string // the column of the paper's table 1 that it reproduces, or ""
	Reading string // another reading of the paper's cache, such as "one multiprocessor"; empty for table 1's reading
	Lanes   int    // 0 if it uses none
	Batch   int    // indices per batch; 0 for models
	Unique  int    // unique vertices per dynamic batch; else 0
	Stats   reuse.Stats
}

// Baseline is the strategy that times are relative to, as in the paper.
const Baseline = "naive"

// PictureSize is the side of large pictures in pixels.
const PictureSize = 1080

// Picture is a drawn scene.
type Picture struct {
	Scene    string
	Order    string
	Counters []string // strategies with equal counts, which all draw this picture
	Reuse    float64
	PNG      []byte // small, for the page
	Large    []byte // at full size with a key of its colours, in a file beside the page
	Alt      string
}

// Hardware names the counter that represents the graphics pipeline, and says how it counted.
type Hardware struct {
	Counter  string // Reuse.Counter
	Measured bool   // whether the device counted; otherwise it is a published model
	Text     string // one sentence that names the device or the model
	// StandIn is the counter of a published model if the device is a CPU, else "". Verdicts use the model then, since
	// a CPU's pipeline says nothing about a GPU's.
	StandIn string
}

// File is one file of the report, by its name in the report's folder.
type File = atomicfile.Named

// PageName is the file name of the page.
const PageName = "index.html"

// A page begins with pageMark, the names of all files of the report, and pageEnd. The mark identifies a folder as a
// report. Spaces separate the names, which contain none.
const (
	pageMark = "<!DOCTYPE html><!-- shadeonce report of: "
	pageEnd  = " -->\n"
)

// Owned lists the files that were written with a page; it returns false if the bytes are not a
// report's page.
func Owned(page []byte) ([]string, bool) {
	rest, ok := bytes.CutPrefix(page, []byte(pageMark))
	list, _, ended := bytes.Cut(rest, []byte(pageEnd))
	return strings.Fields(string(list)), ok && ended
}

// Files makes the page, a CSV per figure, the plots as SVG and the pictures as PNG.
func (r *Report) Files() (_ []File, err error) {
	defer must.Catch(&err)
	figures := r.figures()
	files := []File{{Name: PageName}}
	for _, f := range figures {
		files = append(files, File{Name: f.ID + ".csv", Data: must.Get(f.Sheet.csv())})
		for i := range f.Plots {
			p := &f.Plots[i]
			must.OK(p.draw())
			files = append(files, File{Name: p.Name + ".svg", Data: p.SVG})
		}
	}
	for i := range r.Pictures {
		files = append(files, File{Name: r.Pictures[i].fileName(i), Data: r.Pictures[i].Large})
	}
	files[0].Data = must.Get(r.page(figures, files))
	return files, nil
}

func (r *Report) scene(name string) *Scene {
	return cmp.Or(first(r.Scenes, func(s *Scene) bool { return s.Name == name }), &Scene{Name: name})
}

// first returns the first element for which `is` returns true, or nil.
func first[T any](list []T, is func(*T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// find returns the count of a scene, order and counter, or nil.
func (r *Report) find(scene, order, counter string) *Reuse {
	return first(r.Reuse, func(u *Reuse) bool { return u.Scene == scene && u.Order == order && u.Counter == counter })
}

// column returns the count that reproduces a column of the paper's table 1, or nil.
func (r *Report) column(scene, column string) *Reuse {
	return first(r.Reuse, func(u *Reuse) bool {
		return u.Scene == scene && u.Order == PaperOrder && u.Column == column && u.Reading == ""
	})
}

// orders returns the orders that were counted: those of the call histogram first, from bad to
// good, then the others.
func (r *Report) orders() []string {
	counted := distinct(r.Reuse, func(u *Reuse) string { return u.Order })
	first := slices.DeleteFunc(slices.Clone(CallOrders), func(o string) bool { return !slices.Contains(counted, o) })
	return append(first, slices.DeleteFunc(counted, func(o string) bool { return slices.Contains(first, o) })...)
}

// distinct lists the values of a key in the order of appearance.
func distinct[T any](list []T, key func(*T) string) []string {
	var found []string
	for i := range list {
		found = appendNew(found, key(&list[i]))
	}
	return found
}

// CheckFolder returns an error for a path to which no report can be written: an existing folder must be
// empty, or hold a report and nothing else. It is called before anything is measured.
func CheckFolder(path string) error {
	entries, err := atomicfile.Entries(path)
	if err != nil || len(entries) == 0 {
		return err
	}
	page, err := os.ReadFile(filepath.Join(path, PageName))
	own, ok := Owned(page)
	if err != nil || !ok {
		return fmt.Errorf("%s: not overwritten: it is a folder that holds something other than a report", path)
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
	if err := CheckFolder(path); err != nil { // again, since minutes have passed
		return err
	}
	return atomicfile.Files(ctx, path, files)
}
