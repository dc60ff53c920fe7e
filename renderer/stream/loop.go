package stream

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/apps/subdivide"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// Loop is a level of Loop's scheme on a device: shaders/functions/loop.glsl with its
// tables.
type Loop struct {
	backend *gpu.Backend
	level   *subdivide.Level
	tables  Tables
}

// loopBuffer is a buffer of a level: how many elements, of how many bytes.
type loopBuffer struct {
	name         string
	count, bytes int64
}

// loopBuffers are what a level of so many vertices, edges and triangles keeps on a
// device, the longer of its two streams included. Batches, a byte or less per index,
// are left out.
func loopBuffers(vertices, edges, triangles int64) []loopBuffer {
	return []loopBuffer{
		{"Positions", vertices, 12}, {"FinePositions", vertices + edges, 12}, {"EdgeEnds", edges, 8}, {"EdgeOpposites", edges, 8},
		{"RingOffsets", vertices + 1, 4}, {"Rings", 2 * edges, 4}, {"Indices", 3 * triangles, 4}, {"Counts", max(vertices, edges), 4},
	}
}

// LoopFits refuses levels, this one and those that follow it, whose tables a device
// cannot hold. number is that of this level.
func LoopFits(b *gpu.Backend, l *subdivide.Level, number, levels int) error {
	limits := b.Limits()
	vertices, edges, triangles := int64(len(l.Mesh.Positions)), int64(len(l.Edges.Ends)), int64(l.Mesh.Faces())
	for ; number <= levels; number++ {
		total := int64(0)
		for _, x := range loopBuffers(vertices, edges, triangles) {
			size := x.count * x.bytes
			if size > limits.MaxBufferBytes {
				need, most := bytesize.Texts(size, limits.MaxBufferBytes)
				return fmt.Errorf("level %d: its table %s takes %s, the device binds at most %s", number, x.name, need, most)
			}
			total += size
		}
		if total > limits.DeviceBytes {
			need, have := bytesize.Texts(total, limits.DeviceBytes)
			return fmt.Errorf("level %d takes %s on the device, which has %s", number, need, have)
		}
		vertices, edges, triangles = vertices+edges, 2*edges+3*triangles, 4*triangles
	}
	return nil
}

// NewLoop uploads the tables of a level.
func NewLoop(b *gpu.Backend, l *subdivide.Level) (*Loop, error) {
	vertices, _ := l.Sizes()
	tables, err := NewTables(b,
		Table("Positions", l.Mesh.Positions), Table("EdgeEnds", l.Edges.Ends), Table("EdgeOpposites", l.Edges.Opposite),
		Table("RingOffsets", l.RingOffset), Table("Rings", l.Ring), Table("RingWeights", l.Weights),
		Result[mgl32.Vec3]("FinePositions", vertices))
	if err != nil {
		return nil, err
	}
	return &Loop{backend: b, level: l, tables: tables}, nil
}

// Close frees the tables. Nil is fine.
func (x *Loop) Close() {
	if x != nil {
		x.tables.Close()
	}
}

// Refined is what a strategy made of a level on a device.
type Refined struct {
	subdivide.Counts
	Positions []mgl32.Vec3  // of the refined mesh
	Took      time.Duration // to shade both streams
	Cutting   time.Duration // to cut their batches on the host
}

// Refine shades both streams of the level by a strategy. Vertices that it does not
// shade, since no triangle names them, stay where they are.
func (x *Loop) Refine(ctx context.Context, c reuse.Config, s renderer.Subgroups) (*Refined, error) {
	fine, d := x.tables["FinePositions"], x.backend.GPU()
	if err := gpu.Upload(d, fine, x.level.Mesh.Positions); err != nil {
		return nil, err
	}
	r := &Refined{}
	corners, edges := x.level.Streams()
	var err error
	if r.Corners, r.PerVertex, err = x.shade(ctx, r, corners, 0, c, s); err != nil {
		return nil, err
	}
	if r.Edges, r.PerEdge, err = x.shade(ctx, r, edges, 1, c, s); err != nil {
		return nil, err
	}
	vertices, _ := x.level.Sizes()
	r.Positions, err = gpu.Download[mgl32.Vec3](d, fine, vertices)
	return r, err
}

// shade shades one stream. ofEdges is the shader's LOOP_EDGES.
func (x *Loop) shade(ctx context.Context, r *Refined, s apps.Stream, ofEdges uint32, c reuse.Config, subgroups renderer.Subgroups) (reuse.Stats, []uint32, error) {
	arguments := [4]uint32{uint32(len(x.level.Mesh.Positions))}
	o := Options{Function: "loop", Reuse: c, Subgroups: subgroups, Spec: map[string]uint32{"LOOP_EDGES": ofEdges}}
	shaded, err := Shade(ctx, x.backend, s, x.tables, arguments, o)
	r.Took, r.Cutting = r.Took+shaded.Took, r.Cutting+shaded.Cutting
	return shaded.Stats, shaded.Counts, err
}

// Check holds what a strategy made against the reference: positions of both streams,
// and how often it shaded each vertex and edge.
func (r *Refined) Check(l *subdivide.Level, c reuse.Config, want []mgl32.Vec3) error {
	if !slices.Equal(r.Positions, want) {
		return fmt.Errorf("%s: the device's vertices are not the reference's", c)
	}
	corners, edges := l.Streams()
	for _, x := range []struct {
		stream apps.Stream
		counts []uint32
	}{{corners, r.PerVertex}, {edges, r.PerEdge}} {
		if _, counts := c.Count(x.stream.Indices, x.stream.IDs); !slices.Equal(counts, x.counts) {
			return fmt.Errorf("%s: the device did not shade %s as often as the reference", c, x.stream.Name)
		}
	}
	return nil
}
