// Package shadeonce shades each vertex of a mesh about once, in compute shaders that find repeated
// indices on the fly, and draws or counts how often each vertex was shaded. It is the facade of the
// module: what most programs need, in one package:
//
//	scene, err := shadeonce.Open(ctx, "bunny.ply")           // a file, a captured frame, or "asset:NAME"
//	counts, err := shadeonce.Count(scene, "claim")           // on the CPU, in Go: the reference
//	device, err := shadeonce.OpenDevice("")                  // a GPU; "cpu" is the renderer in Go
//	picture, err := device.Render(scene, shadeonce.Frame{})  // draw it
//	counts, err = device.Count(scene, "claim")               // count there: equal for every vertex
//	results, err := device.Shade(ctx, stream, stage)         // shade your data by your function
//
// Adopt and NewRecorder run the stage on your own Vulkan device, in your own command buffer.
//
// Bad arguments are errors: nothing is drawn or dispatched then. Settings that this package leaves
// out are flags of the command shadeonce.
package shadeonce

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
)

// Scene is one vertex pool, one index pool and a list of draws.
type Scene = geometry.Scene

// Counts says how often a scene's vertices were shaded.
type Counts struct {
	reuse.Stats
	PerVertex []uint32 // by (draw, vertex) pair, draw by draw
}

// Strategies lists the names that Count, Frame and Stage take as a strategy.
func Strategies() []string { return reuse.Names() }

// Orders lists the names that Reorder takes.
func Orders() []string { return order.Names() }

// Open opens a mesh of any format, a captured frame, or a built-in scene ("asset:sphere6").
func Open(ctx context.Context, path string) (*Scene, error) {
	if ctx == nil || path == "" {
		return nil, errors.New("shadeonce: Open without a context or a path")
	}
	if name, found := strings.CutPrefix(path, "asset:"); found {
		return assets.Make(name)
	}
	return capture.Readers().Textures().Open(ctx, path)
}

// NewScene makes a scene of one mesh: three floats a vertex, and a triangle list. Vertices get the
// area-weighted normals of their triangles. The scene keeps the slice of indices, without a copy.
func NewScene(ctx context.Context, positions [][3]float32, indices []uint32) (*Scene, error) {
	if ctx == nil {
		return nil, errors.New("shadeonce: NewScene without a context")
	}
	s := &Scene{Name: "mesh", Indices: indices, Positions: make([]mgl32.Vec3, len(positions))}
	for i, p := range positions {
		s.Positions[i] = p
	}
	s.Draws = []geometry.Draw{{
		Name: "mesh", IndexCount: uint32(len(indices)), VertexCount: uint32(len(positions)), Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
	}}
	if err := s.Validate(ctx); err != nil {
		return nil, fmt.Errorf("shadeonce: %w", err)
	}
	return s, s.MakeNormals(ctx)
}

// Reorder returns the scene with its triangles in another order, such as "forsyth".
func Reorder(ctx context.Context, s *Scene, name string) (*Scene, error) {
	if ctx == nil {
		return nil, errors.New("shadeonce: Reorder without a context")
	}
	if err := check(s); err != nil {
		return nil, err
	}
	return order.Apply(ctx, s, name)
}

// Count returns how often a strategy shades each vertex, by the reference in Go.
func Count(s *Scene, strategy string) (Counts, error) {
	c, err := configure(s, strategy)
	if err != nil {
		return Counts{}, err
	}
	st, counts, err := reuse.Analyze(s, c)
	return Counts{st, counts}, err
}

// Equal returns nil if all counts are equal, else an error with the first difference: in the number of vertices, or at a vertex.
func (c Counts) Equal(other Counts) error {
	if a, b := len(c.PerVertex), len(other.PerVertex); a != b {
		return fmt.Errorf("shadeonce: counts of %d vertices and of %d", a, b)
	}
	for v, n := range c.PerVertex {
		if m := other.PerVertex[v]; n != m {
			return fmt.Errorf("shadeonce: vertex %d was shaded %d times and %d times", v, n, m)
		}
	}
	return nil
}

// configure checks a scene, and resolves the name of a strategy at its default sizes.
func configure(s *Scene, strategy string) (reuse.Config, error) {
	if err := check(s); err != nil {
		return reuse.Config{}, err
	}
	if _, err := reuse.Lookup(strategy); err != nil {
		return reuse.Config{}, fmt.Errorf("shadeonce: %w", err)
	}
	return reuse.Resolve(strategy, 0, 0)
}

// check returns an error for a scene that cannot be counted.
func check(s *Scene) error {
	if err := reuse.CheckScene(s); err != nil {
		return fmt.Errorf("shadeonce: %w", err)
	}
	return nil
}

// known returns the index of a name, or 0 for ""; the error for an unknown name lists the names.
func known(what, name string, names []string) (uint32, error) {
	i := slices.Index(names, name)
	if i < 0 && name != "" {
		return 0, fmt.Errorf("shadeonce: no %s is called %q; have %s", what, name, strings.Join(names, ", "))
	}
	return uint32(max(i, 0)), nil
}
