package applications

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/apps/subdivide"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/progress"
	"github.com/shadeonce/shadeonce/renderer/stream"
)

// MaxLevels bounds the levels of a subdivision.
const MaxLevels = 12

// SubdivisionPaper has the paper's batches and workgroups by strategy, section 6.1.
var SubdivisionPaper = map[string]reuse.Params{
	"naive": {Batch: 96}, "warp": {Batch: 96},
	"hash": {Batch: 192, Unique: 64, Workgroup: 64}, "phash": {Batch: 192, Unique: 64, Workgroup: 64},
	"sort": {Batch: 768, Unique: 256, Workgroup: 256},
}

// SubdivisionSizes are the batches that do best on an H200: shading gathers a vertex's
// ring from memory, and small batches have more of that under way at once.
var SubdivisionSizes = map[string]reuse.Params{
	"claim": {Batch: 96}, "hash": {Batch: 192, Workgroup: 64}, "phash": {Batch: 192, Workgroup: 64},
	"multi": {Batch: 384},
}

// Subdivision refines meshes by Loop's scheme.
type Subdivision struct {
	Run
	Levels int
	Memory int64 // bytes that all may take; 0: what the system has free

	fine *apps.Mesh // of the first subject
}

// Do refines a mesh level by level, each by every strategy.
func (s *Subdivision) Do(ctx context.Context, of measure.Subject) error {
	m, err := apps.NewMesh(progress.Part(ctx, 0, .1), of.Scene)
	if err != nil {
		return err
	}
	need, triangles, err := subdivide.Memory(m, s.Levels)
	if err != nil {
		return err
	}
	if err := fits(need, s.Memory, fmt.Sprintf("%d levels make %d triangles", s.Levels, triangles)); err != nil {
		return err
	}
	share := .9 / float64(s.Levels)
	for n := range s.Levels {
		from := .1 + float64(n)*share
		if m, err = s.refine(progress.Part(ctx, from, from+share), m, of, n+1); err != nil {
			return err
		}
	}
	if s.fine == nil {
		s.fine = m
	}
	return nil
}

// FitsDrawn refuses levels of a scene that is subdivided while it is drawn, where the
// last but one, which is made beforehand, takes more memory than the system has free.
func FitsDrawn(s *geometry.Scene, levels int) error {
	if _, _, err := subdivide.MemoryOf(s.Triangles(), levels); err != nil {
		return err
	}
	need, triangles, err := subdivide.MemoryOf(s.Triangles(), levels-1)
	if err != nil {
		return err
	}
	return fits(need, 0, fmt.Sprintf("%d levels make %d triangles, a quarter of them beforehand", levels, 4*triangles))
}

// refine makes a level by every strategy.
func (s *Subdivision) refine(ctx context.Context, m *apps.Mesh, of measure.Subject, n int) (*apps.Mesh, error) {
	began := time.Now()
	level, err := subdivide.NewLevel(progress.Part(ctx, 0, .3), m)
	if err != nil {
		return nil, err
	}
	row := Row{App: "subdivide", File: of.File, Order: of.Order, Part: fmt.Sprintf("level %d", n), Tables: measure.Milliseconds(time.Since(began))}
	if s.GPU != nil {
		return s.refineOnGPU(progress.Part(ctx, .3, 1), level, row, n)
	}
	fine, err := level.Refine(progress.Part(ctx, .3, .5))
	if err != nil {
		return nil, err
	}
	row.Hash = fine.Sum()
	share := .5 / float64(len(s.Configs))
	for i, c := range s.Configs {
		began := time.Now()
		from := .5 + float64(i)*share
		out, counts, err := level.RefineBy(progress.Part(ctx, from, from+share), c)
		if err != nil {
			return nil, err
		}
		took := time.Since(began)
		row.Edges = counts.Edges.Invocations
		s.add(row, c, took, counts.Corners, counts.Edges)
		if s.Verify && out.Sum() != row.Hash {
			return nil, fmt.Errorf("%s: level %d is not what shading everything once makes", c, n)
		}
	}
	return fine, nil
}

// refineOnGPU makes a level, the n-th, by every strategy on the GPU. All must make the
// same vertices.
func (s *Subdivision) refineOnGPU(ctx context.Context, level *subdivide.Level, row Row, n int) (*apps.Mesh, error) {
	if err := stream.LoopFits(s.GPU, level, n, s.Levels); err != nil {
		return nil, err
	}
	onGPU, err := stream.NewLoop(s.GPU, level)
	if err != nil {
		return nil, err
	}
	defer onGPU.Close()
	var fine, want *apps.Mesh // by the first strategy, and by the reference
	if s.Verify {
		if want, err = level.Refine(progress.Part(ctx, 0, .1)); err != nil {
			return nil, err
		}
	}
	share := .9 / float64(len(s.Configs))
	for i, c := range s.fitted(len(level.Mesh.Triangles)) {
		from := .1 + float64(i)*share
		r, err := onGPU.Refine(progress.Part(ctx, from, from+share), c, s.Subgroups)
		if err != nil {
			return nil, err
		}
		switch {
		case s.Verify:
			if err := r.Check(level, c, want.Positions); err != nil {
				return nil, fmt.Errorf("level %d: %w", n, err)
			}
		case fine != nil && !slices.Equal(fine.Positions, r.Positions):
			return nil, fmt.Errorf("level %d: %s and %s make different vertices", n, s.Configs[0], c)
		}
		if fine == nil {
			if fine, err = level.Refined(progress.Silent(ctx), r.Positions); err != nil {
				return nil, err
			}
			row.Hash = fine.Sum()
		}
		row.Edges, row.Cutting = r.Edges.Invocations, measure.Milliseconds(r.Cutting)
		s.add(row, c, r.Took, r.Corners, r.Edges)
	}
	return fine, nil
}

// Save writes the refined mesh of the first subject.
func (s *Subdivision) Save(ctx context.Context, path string) error {
	return saveMeshes(ctx, path, []string{"subdivided"}, s.fine)
}

// Notices are empty: subdivision leaves nothing out.
func (s *Subdivision) Notices(string) []string { return nil }

// saveMeshes writes meshes as the draws of one file, by these names.
func saveMeshes(ctx context.Context, path string, names []string, meshes ...*apps.Mesh) error {
	colors := []mgl32.Vec4{geometry.DefaultColor, {.75, .35, .3, 1}}
	s := &geometry.Scene{Name: path}
	for i, m := range meshes {
		s.Draws = append(s.Draws, geometry.Draw{
			Name: names[i], FirstIndex: uint32(len(s.Indices)), IndexCount: uint32(len(m.Triangles)),
			VertexOffset: uint32(len(s.Positions)), VertexCount: uint32(len(m.Positions)),
			Transform: mgl32.Ident4(), Color: colors[i%len(colors)],
		})
		s.Indices, s.Positions = slices.Concat(s.Indices, m.Triangles), slices.Concat(s.Positions, m.Positions)
	}
	if err := s.MakeNormals(ctx); err != nil {
		return err
	}
	return format.Save(ctx, path, s)
}
