package applications

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/apps/envelope"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/internal/replace"
	"github.com/shadeonce/shadeonce/renderer/stream"
)

// EnvelopePaper has the paper's batches and workgroups by strategy, section 6.2.
var EnvelopePaper = map[string]reuse.Params{
	"naive": {Batch: 96}, "warp": {Batch: 96},
	"hash": {Batch: 576, Unique: 128, Workgroup: 128}, "phash": {Batch: 768, Unique: 128, Workgroup: 128},
	"sort": {Batch: 768, Unique: 128, Workgroup: 128},
}

// EnvelopeSizes are the batches and workgroups for a function as dear as this: an
// invocation shades at most one vertex of a batch, and there are workgroups enough for
// every processor of a GPU to have its share of them. Strategies with static batches
// have theirs fitted to the device.
var EnvelopeSizes = map[string]reuse.Params{
	"multi": {Batch: 192, Workgroup: 64}, // 64 vertices
	"hash":  EnvelopePaper["hash"], "phash": EnvelopePaper["phash"], "sort": EnvelopePaper["sort"],
	"meshlet": EnvelopePaper["hash"],
}

const bothSides = "both"

// SideNames are the names that Sides takes.
var SideNames = []string{envelope.Outer.String(), envelope.Inner.String(), bothSides}

// Sides are the sides that a name stands for.
func Sides(name string) ([]envelope.Side, error) {
	switch name {
	case envelope.Outer.String():
		return []envelope.Side{envelope.Outer}, nil
	case envelope.Inner.String():
		return []envelope.Side{envelope.Inner}, nil
	case bothSides:
		return []envelope.Side{envelope.Outer, envelope.Inner}, nil
	}
	return nil, names.Unknown("side", name, SideNames)
}

// Envelopes makes the envelopes of meshes.
type Envelopes struct {
	Run
	Sides   []envelope.Side
	Percent float64 // of the diagonal of the mesh's box
	Levels  string  // file for every vertex's level, .csv or .json; "" for none

	meshes []*apps.Mesh        // by side, of the first subject
	shaded [][]envelope.Shaded // the same
}

// CheckLevels refuses a file that levels cannot be written to.
func CheckLevels(path string) error {
	if filepath.Ext(path) == ".json" {
		return replace.CheckFile(path, "list of levels", "[")
	}
	return replace.CheckFile(path, "table of levels", "vertex,")
}

// Do makes the envelopes of a mesh, each by every strategy.
func (e *Envelopes) Do(ctx context.Context, of measure.Subject) error {
	m, err := apps.NewMesh(progress.Part(ctx, 0, .1), of.Scene)
	if err != nil {
		return err
	}
	share := .9 / float64(len(e.Sides))
	for i, side := range e.Sides {
		from := .1 + float64(i)*share
		if err := e.side(progress.Part(ctx, from, from+share), m, side, of); err != nil {
			return err
		}
	}
	return nil
}

// side makes one envelope, by every strategy.
func (e *Envelopes) side(ctx context.Context, m *apps.Mesh, side envelope.Side, of measure.Subject) error {
	began := time.Now()
	env, err := envelope.New(progress.Part(ctx, 0, .1), m, side, e.Percent)
	if err != nil {
		return err
	}
	row := Row{App: "envelope", File: of.File, Order: of.Order, Part: side.String(), Tables: measure.Milliseconds(time.Since(began))}
	share := .9 / float64(len(e.Configs)+1)
	var want []envelope.Shaded
	if e.Verify || e.GPU == nil {
		if want, err = env.Shade(progress.Part(ctx, .1, .1+share)); err != nil {
			return err
		}
	}
	run := func(ctx context.Context, c reuse.Config) (shadedEnvelope, error) { return onHost(ctx, env, c) }
	if e.GPU != nil {
		tables, err := NewEnvelopeTables(e.GPU, env)
		if err != nil {
			return err
		}
		defer tables.Close()
		run = func(ctx context.Context, c reuse.Config) (shadedEnvelope, error) {
			return tables.run(ctx, tables.Options(c, e.Subgroups))
		}
	}
	for i, c := range e.fitted(len(m.Triangles)) {
		from := .1 + share*float64(i+1)
		got, err := run(progress.Part(ctx, from, from+share), c)
		if err != nil {
			return err
		}
		row.Hash, row.Cutting = fmt.Sprintf("%016x", env.Sum(got.vertices)), measure.Milliseconds(got.cutting)
		e.add(row, c, got.took, got.stats)
		if e.Verify {
			if err := got.check(env, side, c, want); err != nil {
				return err
			}
		}
		want = got.vertices
	}
	if len(e.meshes) < len(e.Sides) {
		e.meshes, e.shaded = append(e.meshes, env.Result(want)), append(e.shaded, want)
	}
	return nil
}

// shadedEnvelope is what a strategy made.
type shadedEnvelope struct {
	vertices      []envelope.Shaded
	stats         reuse.Stats
	counts        []uint32 // how often each vertex was shaded
	took, cutting time.Duration
}

// onHost runs a strategy on the CPU.
func onHost(ctx context.Context, env *envelope.Envelope, c reuse.Config) (s shadedEnvelope, err error) {
	began := time.Now()
	s.vertices, s.stats, s.counts, err = env.Run(ctx, c)
	s.took = time.Since(began)
	return s, err
}

// run runs a strategy on the device.
func (t *EnvelopeTables) run(ctx context.Context, o stream.Options) (s shadedEnvelope, err error) {
	if err := t.Reset(); err != nil {
		return s, err
	}
	r, err := stream.NewRun(t.backend, t.envelope.Stream(), t.Buffers, [4]uint32{}, o)
	if err != nil {
		return s, err
	}
	defer r.Close()
	s.cutting = r.Cutting
	if s.took, err = r.Time(ctx); err != nil {
		return s, err
	}
	if s.stats, s.counts, err = r.Counts(); err != nil {
		return s, err
	}
	s.vertices, err = t.Shaded(ctx)
	return s, err
}

// check compares what a strategy made with shading everything once, and its counts with
// the reference's.
func (s *shadedEnvelope) check(env *envelope.Envelope, side envelope.Side, c reuse.Config, want []envelope.Shaded) error {
	if !slices.Equal(s.vertices, want) {
		return fmt.Errorf("%s: the %s envelope is not what shading everything once makes", c, side)
	}
	in := env.Stream()
	_, counts := c.Count(in.Indices, in.IDs)
	if err := measure.Compare(s.counts, counts); err != nil {
		return fmt.Errorf("%s: the %s envelope: %w", c, side, err)
	}
	return nil
}

// Save writes the envelopes of the first subject, and their levels.
func (e *Envelopes) Save(ctx context.Context, path string) error {
	if err := saveMeshes(ctx, path, e.sideNames(), e.meshes...); err != nil || e.Levels == "" {
		return err
	}
	if filepath.Ext(e.Levels) == ".json" {
		return e.levelsJSON(ctx)
	}
	return e.levelsCSV(ctx)
}

func (e *Envelopes) sideNames() (list []string) {
	for _, side := range e.Sides {
		list = append(list, side.String())
	}
	return list
}

func (e *Envelopes) levelsJSON(ctx context.Context) error {
	rows := make([]map[string]int, len(e.shaded[0]))
	for v := range rows {
		rows[v] = map[string]int{"vertex": v}
		for i, side := range e.Sides {
			rows[v][side.String()] = int(e.shaded[i][v].Level)
		}
	}
	text, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		return err
	}
	return replace.Output(ctx, e.Levels, append(text, '\n'))
}

func (e *Envelopes) levelsCSV(ctx context.Context) error {
	var data bytes.Buffer
	out := csv.NewWriter(&data)
	_ = out.Write(append([]string{"vertex"}, e.sideNames()...)) // to memory
	for v := range e.shaded[0] {
		record := []string{strconv.Itoa(v)}
		for i := range e.Sides {
			record = append(record, strconv.Itoa(int(e.shaded[i][v].Level)))
		}
		_ = out.Write(record)
	}
	out.Flush()
	return replace.Output(ctx, e.Levels, data.Bytes())
}

// Notices say how many vertices of the first subject's envelopes could not move.
// path is the mesh's.
func (e *Envelopes) Notices(path string) (notices []string) {
	for i, m := range e.meshes {
		named := slices.Compact(slices.Sorted(slices.Values(m.Triangles)))
		still := 0
		for _, v := range named {
			if e.shaded[i][v].Level == 0 {
				still++
			}
		}
		if still > 0 {
			notices = append(notices, fmt.Sprintf("%s: %d of %d vertices of the %s envelope stay where they are: the mesh meets itself there, or nearly", path, still, len(named), e.Sides[i]))
		}
	}
	return notices
}
