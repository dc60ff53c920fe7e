package capture

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// drawsReader reads frames as a bare table of draws, FILE.draws, little endian: "VRDRAW1\0", the
// uint32 number of draws, then for each draw uint32 instances, vertices and indices; three
// float32 per vertex; uint32 indices of a triangle list, relative to the draw. Programs that
// extract frames without RenderDoc can write it.
var drawsReader = format.Reader{
	Name:       "draws",
	Extensions: []string{".draws"},
	Magic:      func(b []byte) bool { return bytes.HasPrefix(b, []byte(drawsMagic)) },
	Read:       drawsRead,
	Bytes:      .8,
}

const (
	drawsMagic = "VRDRAW1\x00"
	drawsMost  = 1 << 18 // draws, counting instances
)

func drawsRead(_ context.Context, in *format.Input) (s *geometry.Scene, err error) {
	defer must.Catch(&err)
	d := &drawsTable{in: in}
	head := make([]byte, len(drawsMagic)+4)
	d.read(head, "header")
	if string(head[:len(drawsMagic)]) != drawsMagic {
		must.OK(in.Bad("header", "begins with %q, not with %q", head[:len(drawsMagic)], drawsMagic))
	}
	for n := range binary.LittleEndian.Uint32(head[len(drawsMagic):]) {
		d.draw(fmt.Sprintf("draw %d", n))
	}
	if _, err := in.Read(head[:1]); err != io.EOF {
		must.OK(in.Bad("", "goes on after its last draw"))
	}
	must.OK(in.Charge(12 * int64(len(d.scene.Positions)))) // the normals that Open makes
	d.scene.Capture = &geometry.Capture{}
	return &d.scene, nil
}

// drawsTable is a table that is being read.
type drawsTable struct {
	in     *format.Input
	scene  geometry.Scene
	buffer [12 << 10]byte
}

func (d *drawsTable) read(b []byte, place string) {
	if _, err := io.ReadFull(d.in, b); err != nil {
		must.OK(d.in.Failed(place, err))
	}
}

// draw reads the next draw; its name also describes its place in errors.
func (d *drawsTable) draw(name string) {
	const drawBytes = 256
	s := &d.scene
	d.read(d.buffer[:12], name)
	word := func(k int) int64 { return int64(binary.LittleEndian.Uint32(d.buffer[4*k:])) }
	instances, vertices, indices := word(0), word(1), word(2)
	switch {
	case indices%3 != 0:
		must.OK(d.in.Bad(name, "%d indices make no triangles", indices))
	case instances > drawsMost-int64(len(s.Draws)):
		must.OK(d.in.Bad(name, "%d instances make more than %d draws", instances, drawsMost))
	case int64(len(s.Positions))+vertices > math.MaxInt32 || int64(len(s.Indices))+indices > math.MaxInt32:
		must.OK(d.in.Bad(name, "%d vertices and %d indices are too many", vertices, indices))
	}
	must.OK(d.in.Charge(instances * drawBytes))
	draw := geometry.Draw{
		Name: name, FirstIndex: uint32(len(s.Indices)), IndexCount: uint32(indices),
		VertexOffset: uint32(len(s.Positions)), VertexCount: uint32(vertices), Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
	}
	s.Positions = readElements(d, s.Positions, int(vertices), 12, name, drawsVertex)
	s.Indices = readElements(d, s.Indices, int(indices), 4, name, binary.LittleEndian.Uint32)
	for range instances {
		s.Draws = append(s.Draws, draw)
	}
}

// readElements appends n elements to a pool; each takes the given number of bytes in the table.
func readElements[T any](d *drawsTable, to []T, n, bytes int, place string, decode func([]byte) T) []T {
	for n > 0 {
		some := min(n, len(d.buffer)/bytes)
		b := d.buffer[:bytes*some]
		d.read(b, place)
		to = grow(d.in, to, some, bytes)
		for ; len(b) > 0; b = b[bytes:] {
			to = append(to, decode(b))
		}
		n -= some
	}
	return to
}

func drawsVertex(b []byte) (p mgl32.Vec3) {
	for k := range p {
		p[k] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:]))
	}
	return p
}
