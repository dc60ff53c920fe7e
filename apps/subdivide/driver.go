package subdivide

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
)

// MaxLevels bounds the levels of a subdivision.
const MaxLevels = 12

// PaperSizes has the paper's batches and workgroups by strategy, section 6.1.
var PaperSizes = map[string]reuse.Params{
	"naive": {Batch: 96}, "warp": {Batch: 96},
	"hash": {Batch: 192, Unique: 64, Workgroup: 64}, "phash": {Batch: 192, Unique: 64, Workgroup: 64},
	"sort": {Batch: 768, Unique: 256, Workgroup: 256},
}

// Sizes are the fastest batches on an H200: shading gathers a vertex's ring from memory, and
// small batches have more reads in flight.
var Sizes = map[string]reuse.Params{
	"claim": {Batch: 96}, "hash": {Batch: 192, Workgroup: 64}, "phash": {Batch: 192, Workgroup: 64},
	"multi": {Batch: 384},
}

// Driver refines meshes by several strategies.
type Driver struct {
	apps.Run
	Levels int
	Memory int64 // bytes that everything may take; 0 means the system's free memory

	fine *apps.Mesh // of the first subject
}

// Paper refines a mesh once with every strategy, as in the paper's table 3.
func Paper(ctx context.Context, b *gpu.Backend, of measure.Subject) ([]apps.Row, error) {
	run, err := apps.PaperRun(b, PaperSizes)
	if err != nil {
		return nil, err
	}
	d := Driver{Run: run, Levels: 1}
	err = d.Do(ctx, of)
	return d.Rows(), err
}

// Do refines a mesh level by level, each with every strategy.
func (d *Driver) Do(ctx context.Context, of measure.Subject) (err error) {
	defer must.Catch(&err)
	m := must.Get(apps.NewMesh(progress.Part(ctx, 0, .1), of.Scene))
	need, triangles, err := Memory(m.Faces(), d.Levels)
	if err != nil {
		return err
	}
	must.OK(apps.Fits(need, d.Memory, fmt.Sprintf("%d levels make %d triangles", d.Levels, triangles)))
	for n := range d.Levels {
		m = must.Get(d.refine(apps.Share(ctx, .1, n, d.Levels), m, of, n+1))
	}
	if d.fine == nil {
		d.fine = m
	}
	return nil
}

// FitsDrawn returns an error if a scene that is subdivided while it is drawn does not fit memory:
// its last level but one is stored, and must fit the system's free memory.
func FitsDrawn(s *geometry.Scene, levels int) error {
	if s == nil {
		return errors.New("subdivide: no scene")
	}
	if _, _, err := Memory(s.Triangles(), levels); err != nil {
		return err
	}
	need, triangles, err := Memory(s.Triangles(), levels-1)
	if err != nil {
		return err
	}
	return apps.Fits(need, 0, fmt.Sprintf("%d levels make %d triangles, a quarter of them beforehand", levels, 4*triangles))
}

// refine makes level n with every strategy. On a GPU without verification, all must give the
// vertices of the first strategy.
func (d *Driver) refine(ctx context.Context, m *apps.Mesh, of measure.Subject, n int) (fine *apps.Mesh, err error) {
	defer must.Catch(&err)
	began := time.Now()
	level := must.Get(NewLevel(progress.Part(ctx, 0, .3), m))
	row := apps.Row{App: "subdivide", File: of.File, Order: of.Order, Part: fmt.Sprintf("level %d", n), Tables: measure.Milliseconds(time.Since(began))}
	refineBy := level.RefineBy
	if b := d.GPU(); b != nil {
		limits := b.Limits()
		must.OK(level.Fits(&limits, n, d.Levels))
		device := must.Get(NewDevice(b, level))
		defer device.Close()
		refineBy = func(ctx context.Context, c reuse.Config) (*Made, error) { return device.RefineBy(ctx, c, d.Subgroups) }
	}
	if d.Verify || d.GPU() == nil {
		fine = must.Get(level.Refine(progress.Part(ctx, .3, .4)))
	}
	for i, c := range d.Fitted(len(m.Triangles)) {
		made := must.Get(refineBy(apps.Share(ctx, .4, i, len(d.Configs)), c))
		if fine == nil {
			fine = must.Get(level.Refined(progress.Silent(ctx), made.Positions))
		}
		if row.Hash == "" {
			row.Hash = fine.Sum()
		}
		if err := d.check(made, level, c, fine.Positions); err != nil {
			return nil, fmt.Errorf("level %d: %w", n, err)
		}
		row.Edges, row.Cutting = made.Edges.Invocations, measure.Milliseconds(made.Cutting)
		d.AddRow(row, c, made.Took, made.Corners, made.Edges)
	}
	return fine, nil
}

// check compares a strategy's result with the reference, or with the first strategy's result.
func (d *Driver) check(made *Made, level *Level, c reuse.Config, want []mgl32.Vec3) error {
	switch {
	case d.Verify:
		return made.Check(level, c, want)
	case !sameBits(made.Positions, want):
		return fmt.Errorf("%s and %s make different vertices", d.Configs[0], c)
	}
	return nil
}

// Save writes the refined mesh of the first subject.
func (d *Driver) Save(ctx context.Context, path string) error {
	s, err := apps.SceneOf(ctx, path, []string{"subdivided"}, d.fine)
	if err != nil {
		return err
	}
	return format.Save(ctx, path, s)
}

// Notices are empty: subdivision leaves nothing out.
func (d *Driver) Notices(string) []string { return nil }
