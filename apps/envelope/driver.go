package envelope

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/clock"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

// PaperSizes has the paper's batches and workgroups by strategy, section 6.2.
var PaperSizes = map[string]reuse.Params{
	"naive": {Batch: 96}, "warp": {Batch: 96},
	"hash": {Batch: 576, Unique: 128, Workgroup: 128}, "phash": {Batch: 768, Unique: 128, Workgroup: 128},
	"sort": {Batch: 768, Unique: 128, Workgroup: 128},
}

// Sizes are the batches and workgroups for a shade function as expensive as ShadeVertex: an invocation
// shades at most one vertex of a batch, and there are enough workgroups to occupy every multiprocessor of a GPU.
// The batches of other strategies are fitted to the GPU.
var Sizes = map[string]reuse.Params{
	"multi": {Batch: 192, Workgroup: 64}, // 64 vertices
	"hash":  PaperSizes["hash"], "phash": PaperSizes["phash"], "sort": PaperSizes["sort"],
	"meshlet": PaperSizes["hash"],
}

// SideNames are the names that Sides accepts.
var SideNames = []string{Outer.String(), Inner.String(), "both"}

// Sides returns the sides that a name stands for.
func Sides(name string) ([]Side, error) {
	at := slices.Index(SideNames, name)
	if at < 0 {
		return nil, names.Unknown("side", name, SideNames)
	}
	return [][]Side{{Outer}, {Inner}, {Outer, Inner}}[at], nil
}

// Driver makes the envelopes of meshes by several strategies.
type Driver struct {
	apps.Run
	Sides   []Side
	Percent float64 // distance of the envelopes, in percent of the diagonal of the mesh's box
	Levels  string  // file for every vertex's level, .csv or .json; "" for none

	meshes []*apps.Mesh // by side: the envelope of the first subject
	shaded [][]Shaded   // by side: the vertices of that envelope
}

// CheckLevels returns an error if a file of levels cannot be written: for example, because a file of another kind has that name.
func CheckLevels(path string) error {
	if filepath.Ext(path) == ".json" {
		return atomicfile.CheckFile(path, "list of levels", "[")
	}
	return atomicfile.CheckFile(path, "table of levels", "vertex,")
}

// Paper makes the outer envelope at 2 % of the diagonal with every strategy, as in the paper's table 4.
func Paper(ctx context.Context, b *gpu.Backend, of measure.Subject) (_ []apps.Row, err error) {
	defer must.Catch(&err)
	d := Driver{Run: must.Get(apps.PaperRun(b, PaperSizes)), Sides: []Side{Outer}, Percent: 2}
	must.OK(d.Do(ctx, of))
	return d.Rows(), nil
}

// Do makes the envelopes of a mesh, each with every strategy.
func (d *Driver) Do(ctx context.Context, of measure.Subject) (err error) {
	defer must.Catch(&err)
	m := must.Get(apps.NewMesh(progress.Part(ctx, 0, .1), of.Scene))
	for i, side := range d.Sides {
		d.side(apps.Share(ctx, .1, i, len(d.Sides)), m, side, of)
	}
	return nil
}

// side makes one envelope with every strategy.
func (d *Driver) side(ctx context.Context, m *apps.Mesh, side Side, of measure.Subject) {
	took := clock.Start()
	e := must.Get(New(progress.Part(ctx, 0, .1), m, side, d.Percent))
	row := apps.Row{App: "envelope", File: of.File, Order: of.Order, Part: side.String(), Tables: measure.Milliseconds(took())}
	configs := d.Fitted(len(m.Triangles))
	var want []Shaded // the reference's result, if it is computed; then the result of the latest strategy
	if d.Verify || d.GPU() == nil {
		want = must.Get(e.Shade(apps.Share(ctx, .1, 0, len(configs)+1)))
	}
	shadeBy := e.ShadeBy
	if b := d.GPU(); b != nil {
		device := must.Get(NewDevice(b, e))
		defer device.Close()
		shadeBy = func(ctx context.Context, c reuse.Config) (*Made, error) {
			return device.ShadeBy(ctx, device.Options(c, d.Subgroups))
		}
	}
	for i, c := range configs {
		made := must.Get(shadeBy(apps.Share(ctx, .1, i+1, len(configs)+1), c))
		row.Hash, row.Cutting = fmt.Sprintf("%016x", e.Sum(made.Vertices)), measure.Milliseconds(made.Cutting)
		d.AddRow(row, c, made.Took, made.Stats)
		if d.Verify {
			if err := made.check(e, c, want); err != nil {
				must.Fail("%s: the %s envelope: %w", c, side, err)
			}
		}
		want = made.Vertices
	}
	if len(d.meshes) < len(d.Sides) {
		d.meshes, d.shaded = append(d.meshes, e.Result(want)), append(d.shaded, want)
	}
}

// check compares a strategy's result with shading everything once, and its counts with the
// reference's.
func (m *Made) check(e *Envelope, c reuse.Config, want []Shaded) error {
	if !slices.Equal(m.Vertices, want) {
		return errors.New("the result differs from shading everything once")
	}
	in := e.Stream()
	_, counts, err := c.Count(in.Indices, in.IDs)
	if err != nil {
		return err
	}
	return measure.Compare(m.Counts, counts)
}

// Save writes the envelopes of the first subject and, if Levels names a file, their levels.
func (d *Driver) Save(ctx context.Context, path string) (err error) {
	defer must.Catch(&err)
	must.OK(format.Save(ctx, path, must.Get(apps.SceneOf(ctx, path, d.sideNames(), d.meshes...))))
	if d.Levels == "" {
		return nil
	}
	return atomicfile.Output(ctx, d.Levels, must.Get(d.levels()))
}

func (d *Driver) sideNames() []string { return names.Of(d.Sides, Side.String) }

// levels returns the contents of the file of levels, in the format of its extension.
func (d *Driver) levels() ([]byte, error) {
	if filepath.Ext(d.Levels) == ".json" {
		rows := make([]map[string]int, len(d.shaded[0]))
		for v := range rows {
			rows[v] = map[string]int{"vertex": v}
			for i, side := range d.Sides {
				rows[v][side.String()] = int(d.shaded[i][v].Level)
			}
		}
		text, err := json.MarshalIndent(rows, "", "  ")
		return append(text, '\n'), err
	}
	var data bytes.Buffer
	out := csv.NewWriter(&data)
	_ = out.Write(append([]string{"vertex"}, d.sideNames()...)) // writing to memory cannot fail
	for v := range d.shaded[0] {
		record := []string{strconv.Itoa(v)}
		for i := range d.Sides {
			record = append(record, strconv.Itoa(int(d.shaded[i][v].Level)))
		}
		_ = out.Write(record)
	}
	out.Flush()
	return data.Bytes(), nil
}

// Notices returns notices of how many vertices of the first subject's envelopes could not move. `path` is
// the path of the mesh's file.
func (d *Driver) Notices(path string) (notices []string) {
	for i, m := range d.meshes {
		named := slices.Compact(slices.Sorted(slices.Values(m.Triangles)))
		still := 0
		for _, v := range named {
			if d.shaded[i][v].Level == 0 {
				still++
			}
		}
		if still > 0 {
			notices = append(notices, fmt.Sprintf("%s: %d of %d vertices of the %s envelope stay where they are: the mesh meets itself there, or nearly", path, still, len(named), d.Sides[i]))
		}
	}
	return notices
}
