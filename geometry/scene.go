// Package geometry holds what is drawn: a Scene of draws over one pool of
// vertices and one pool of indices, its validation, bounds and normals.
//
// It knows nothing of files, strategies or devices.
package geometry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"

	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Scene is a list of draws over shared pools. The order of Draws, and of the
// indices within each, is the index stream: the order in which triangles are
// processed and in which they reach the triangle queue.
type Scene struct {
	Name        string
	Positions   []mgl32.Vec3 // vertex pool, model space, scene units
	Normals     []mgl32.Vec3 // unit length, one per vertex; empty until MakeNormals if the file has none
	NormalsMade bool         // whether MakeNormals computed Normals, since the file has none
	Indices     []uint32     // index pool, triangle lists; relative to the draw's VertexOffset
	Draws       []Draw
	Skipped     []string // contents of the file that the scene or its picture lacks, one line each: see LeftOut
	Beside      []string // further contents of the file, which saving the scene to another file loses, one line each
	Capture     *Capture // further data of a captured frame; nil for other scenes
	Origin      []uint32 // by vertex of the pool: its number in the file; nil if the numbers are the same
	Backing     *Backing // read-only memory outside the heap that holds the pools; nil if they are on the heap
	Computed    Computed // a mesh that is computed from the pools while it is drawn; nil if the mesh is stored

	Attributes []Attribute // what a vertex shader may read besides positions and normals
	Shading    *Shading    // the vertex shaders of a captured frame; nil for other scenes
	Textures   *Textures   // nil if the file has none, or they were not requested
	Animations []Animation // empty if the file has none, or they were not requested
	Look       *Look       // materials for writers; nil unless requested
}

// Animation moves the draws and vertices of a scene as time passes. It changes no index, so the
// shading counts are the same in every pose.
type Animation interface {
	Name() string    // as the file names it; two animations may have one name
	Length() float32 // seconds
	// Pose returns the scene at a time, in seconds; times after the last key wrap around. It does not change
	// the scene, and shares its indices. The scene may be in another index order than the file's.
	Pose(s *Scene, seconds float32) (*Scene, error)
}

// Draw is one indexed triangle list with its own transform and colour. Several draws may name the
// same ranges (instancing); each draw then shades the vertices again.
type Draw struct {
	Name         string
	FirstIndex   uint32 // into Scene.Indices
	IndexCount   uint32 // a multiple of 3
	VertexOffset uint32 // into Scene.Positions
	VertexCount  uint32 // every index of the draw is less than this
	Transform    mgl32.Mat4
	Color        mgl32.Vec4 // linear RGBA, 0..1
	// OneSided says that only front faces are meant to be seen. Front faces are counter-clockwise,
	// or clockwise if the transform mirrors. Readers set it only for formats that say so.
	OneSided bool
	// Material is 1 + an index into Textures.Materials; 0 for a draw without a texture.
	Material uint32
	// Surface is 1 + an index into Look.Surfaces; 0 for a draw without a material.
	Surface uint32
	// Event is the number, from 1, of the captured frame's event that makes this draw; 0 in other scenes,
	// and if it is not known.
	Event uint32
}

// DefaultColor is the colour of a draw if the file gives none.
var DefaultColor = mgl32.Vec4{0.78, 0.80, 0.84, 1}

// maxStream bounds the index stream and the number of (draw, vertex) pairs, so that every count
// and offset fits 31 bits on the GPU.
const maxStream int64 = 1 << 31

// IndexStreamLen is the length of the index stream: the sum of the draws'
// index counts. Instanced draws count each time.
func (s *Scene) IndexStreamLen() int {
	n := 0
	for i := range s.Draws {
		n += int(s.Draws[i].IndexCount)
	}
	return n
}

// Triangles is the number of triangles that the index stream draws.
func (s *Scene) Triangles() int { return s.IndexStreamLen() / 3 }

// DrawVertices is the number of (draw, vertex) pairs: the sum of the draws' vertex counts.
// Shading counts are kept per pair, since two draws of one mesh each shade it.
func (s *Scene) DrawVertices() int {
	n := 0
	for i := range s.Draws {
		n += int(s.Draws[i].VertexCount)
	}
	return n
}

// Bytes returns how much memory positions, normals and indices take.
func (s *Scene) Bytes() int64 {
	return int64(len(s.Positions)+len(s.Normals))*12 + int64(len(s.Indices))*4
}

// DrawIndices returns draw i's part of the index pool. Of a computed mesh it returns a copy;
// EachIndices takes less memory.
func (s *Scene) DrawIndices(i int) []uint32 {
	d := &s.Draws[i]
	return s.IndicesAt(d.FirstIndex, d.IndexCount, new([]uint32))
}

// Validate checks everything that the GPU will trust: ranges, every index, sizes, and that all vectors and transforms
// are finite. A valid scene can be drawn without further bounds checks. If the context ends first, Validate returns
// its cause.
func (s *Scene) Validate(ctx context.Context) error {
	if len(s.Positions) == 0 {
		return errors.New("no vertices")
	}
	if s.Triangles() == 0 {
		return errors.New("no triangles")
	}
	if len(s.Normals) != 0 && len(s.Normals) != len(s.Positions) {
		return fmt.Errorf("%d normals for %d vertices", len(s.Normals), len(s.Positions))
	}
	if err := cmp.Or(s.validateShading(), s.validateTextures()); err != nil {
		return err
	}
	if n := int64(s.IndexStreamLen()); n >= maxStream {
		return fmt.Errorf("index stream of %d indices, at most %d are supported", n, maxStream-1)
	}
	if n := int64(s.DrawVertices()); n >= maxStream {
		return fmt.Errorf("%d vertices over all draws, at most %d are supported", n, maxStream-1)
	}
	checked := make(map[indexRange]rangeBound)
	done, share := 0., .5/float64(max(len(s.Indices), 1))
	for i := range s.Draws {
		before := done
		done = min(done+float64(s.Draws[i].IndexCount)*share, .5) // draws may share indices
		if err := s.validateDraw(progress.Part(ctx, before, done), i, checked); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			return fmt.Errorf("draw %d (%q): %w", i, s.Draws[i].Name, err)
		}
	}
	if err := validateVectors(progress.Part(ctx, .5, .8), "position", s.Positions); err != nil {
		return err
	}
	return validateVectors(progress.Part(ctx, .8, 1), "normal", s.Normals)
}

// validateGrain is how many indices or vertices are validated at a time.
const validateGrain = 1 << 18

// validateVectors returns an error for the first vector that is not finite.
func validateVectors(ctx context.Context, what string, pool []mgl32.Vec3) error {
	i, err := FirstBad(ctx, len(pool), validateGrain, func(from, to int) int {
		for i, v := range pool[from:to] {
			if !exact.Finite(v[:]...) {
				return from + i
			}
		}
		return -1
	})
	if err == nil && i >= 0 {
		return fmt.Errorf("vertex %d: %s is not finite: %v", i, what, pool[i])
	}
	return err
}

// indexRange is a part of the index pool.
type indexRange struct{ first, count uint32 }

// rangeBound is an exclusive upper bound of the indices of a range; the least such bound if `lowest` is
// set.
type rangeBound struct {
	bound  uint32
	lowest bool
}

// validateDraw records in `checked` which ranges of indices it has checked, so that it reads each
// range at most twice, however many draws share it.
func (s *Scene) validateDraw(ctx context.Context, i int, checked map[indexRange]rangeBound) error {
	d := &s.Draws[i]
	if d.IndexCount%3 != 0 {
		return fmt.Errorf("index count %d is not a multiple of 3", d.IndexCount)
	}
	if uint64(d.FirstIndex)+uint64(d.IndexCount) > uint64(len(s.Indices)) {
		return fmt.Errorf("indices %d+%d exceed the pool of %d", d.FirstIndex, d.IndexCount, len(s.Indices))
	}
	if uint64(d.VertexOffset)+uint64(d.VertexCount) > uint64(len(s.Positions)) {
		return fmt.Errorf("vertices %d+%d exceed the pool of %d", d.VertexOffset, d.VertexCount, len(s.Positions))
	}
	key := indexRange{d.FirstIndex, d.IndexCount}
	known, again := checked[key]
	if again && known.bound > d.VertexCount && !known.lowest && d.IndexCount > 0 {
		known = rangeBound{slices.Max(s.DrawIndices(i)) + 1, true}
		checked[key] = known
	}
	if !again || known.bound > d.VertexCount {
		indices := s.DrawIndices(i)
		if k, err := firstNotBelow(ctx, indices, d.VertexCount); err != nil {
			return err
		} else if k >= 0 {
			return fmt.Errorf("index %d is %d, but the draw has %d vertices", k, indices[k], d.VertexCount)
		}
		checked[key] = rangeBound{d.VertexCount, false}
	}
	switch {
	case !exact.Finite(d.Transform[:]...):
		return errors.New("transform is not finite")
	case !exact.Finite(d.Color[:]...):
		return errors.New("colour is not finite")
	}
	return nil
}

func firstNotBelow(ctx context.Context, indices []uint32, bound uint32) (int, error) {
	return FirstBad(ctx, len(indices), validateGrain, func(from, to int) int {
		for k, id := range indices[from:to] {
			if id >= bound {
				return from + k
			}
		}
		return -1
	})
}

// Beginnings of the lines in Scene.Skipped that do not concern the geometry. Most lines continue as "19 x draw: why".
const (
	FromPicture = "counted, but not drawn: "
	FromShaders = "counted, but not run by their shaders: "
)

// LeftOut returns Skipped as one line, or "" if nothing was left out.
func (s *Scene) LeftOut() string {
	if len(s.Skipped) == 0 {
		return ""
	}
	return "left out: " + strings.Join(s.Skipped, "; ")
}

// MaxCopiedDraws is the most draws that Copies makes.
const MaxCopiedDraws = 100_000

// Copies returns a scene of n instances of this one, side by side on a square grid in the plane of
// X and Z, row after row. All draws share this scene's pools. For n = 1 Copies returns the scene
// itself. More copies than a scene can hold are an error.
func (s *Scene) Copies(n int) (*Scene, error) {
	if n == 1 {
		return s, nil
	}
	// The comparisons divide, since products could overflow.
	switch {
	case n < 1:
		return nil, fmt.Errorf("%d copies: at least 1", n)
	case n > MaxCopiedDraws/max(len(s.Draws), 1):
		return nil, fmt.Errorf("%d copies of %d draws: at most %d draws are allowed", n, len(s.Draws), MaxCopiedDraws)
	case int64(n) > (maxStream-1)/max(int64(s.IndexStreamLen()), int64(s.DrawVertices()), 1):
		return nil, fmt.Errorf("%d copies of %d indices and %d vertices: at most %d of each are supported", n, s.IndexStreamLen(), s.DrawVertices(), maxStream-1)
	}
	size := s.Bounds()
	step := max(size.Max[0]-size.Min[0], size.Max[2]-size.Min[2]) * 1.1
	if !exact.Finite(step * float32(n)) {
		return nil, fmt.Errorf("%d copies, %g apart: too far for single precision", n, step)
	}
	list := make([]int, len(s.Draws))
	for i := range list {
		list[i] = i
	}
	out, side := s.Only(slices.Repeat(list, n)), int(math.Ceil(math.Sqrt(float64(n))))
	for i := range out.Draws {
		copied := i / len(s.Draws)
		at := mgl32.Translate3D(step*float32(copied%side), 0, step*float32(copied/side))
		out.Draws[i].Transform = at.Mul4(out.Draws[i].Transform)
	}
	return out, nil
}

// Only returns the scene with only the given draws, in the given order. Both scenes share their
// pools.
func (s *Scene) Only(draws []int) *Scene {
	out := *s
	out.Draws = make([]Draw, 0, len(draws))
	out.ShadeDraws(s, draws)
	if s.Capture != nil {
		out.Capture = &Capture{View: s.Capture.View, Clip: s.Capture.Clip}
	}
	for _, i := range draws {
		out.Draws = append(out.Draws, s.Draws[i])
		if s.Capture != nil && len(s.Capture.Placings) > 0 {
			out.Capture.Placings = append(out.Capture.Placings, s.Capture.Placings[i])
		}
	}
	return &out
}

// Narrow rounds a matrix to 32-bit floats.
func Narrow(m mgl64.Mat4) (rounded mgl32.Mat4) {
	for i, x := range m {
		rounded[i] = float32(x)
	}
	return rounded
}

// AppendWorld appends a draw's vertices, 3 numbers each in world space, and the indices of its triangles. If all
// draws are appended in order, an index is the number of a (draw, vertex) pair.
func (s *Scene) AppendWorld(i int, positions []float32, indices []uint32) ([]float32, []uint32) {
	d, first := &s.Draws[i], uint32(len(positions)/3)
	for _, p := range s.Positions[d.VertexOffset:][:d.VertexCount] {
		world := d.Transform.Mul4x1(p.Vec4(1))
		positions = append(positions, world[0], world[1], world[2])
	}
	for _, id := range s.DrawIndices(i) {
		indices = append(indices, id+first)
	}
	return positions, indices
}
