package format

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

// drawsReader reads frames as a bare table of draws, FILE.draws, little endian:
// "VRDRAW1\0", uint32 draws, then for each uint32 instances, vertices, indices;
// three float32 a vertex; uint32 indices of a triangle list, relative to the
// draw. Programs that extract frames without RenderDoc can write it.
var drawsReader = Reader{
	Name:       "draws",
	Extensions: []string{".draws"},
	Magic:      func(b []byte) bool { return bytes.HasPrefix(b, []byte(drawsMagic)) },
	Read:       drawsRead,
	Bytes:      .8,
}

const (
	drawsMagic = "VRDRAW1\x00"
	drawsMost  = 1 << 18 // draws with their instances
)

func drawsRead(ctx context.Context, in *Input) (*geometry.Scene, error) {
	d := &drawsTable{src: newSource(ctx, in)}
	var err error
	if d.positions, err = newPool[mgl32.Vec3](d.src, 0); err != nil {
		return nil, err
	}
	if d.indices, err = newPool[uint32](d.src, 0); err != nil {
		return nil, err
	}
	head := make([]byte, len(drawsMagic)+4)
	if err := d.read(head, "header"); err != nil {
		return nil, err
	}
	if string(head[:len(drawsMagic)]) != drawsMagic {
		return nil, d.src.bad("header", "begins with %q, not with %q", head[:len(drawsMagic)], drawsMagic)
	}
	for n := range binary.LittleEndian.Uint32(head[len(drawsMagic):]) {
		if err := d.draw(spot{"draw", int64(n)}.String(), int(n)); err != nil {
			return nil, err
		}
	}
	if _, err := d.src.Read(head[:1]); err != io.EOF {
		return nil, d.src.bad("", "goes on after its last draw")
	}
	if err := d.src.chargeNormals(d.positions.n); err != nil {
		return nil, err
	}
	d.scene.Frame = true
	d.scene.Positions, d.scene.Indices = d.positions.take(), d.indices.take()
	return &d.scene, nil
}

// drawsTable is a table that is being read.
type drawsTable struct {
	src       *source
	positions *pool[mgl32.Vec3]
	indices   *pool[uint32]
	scene     geometry.Scene
	buffer    [12 << 10]byte
}

func (d *drawsTable) read(b []byte, place string) error {
	if _, err := io.ReadFull(d.src, b); err != nil {
		return d.src.cut(place, err)
	}
	return nil
}

func (d *drawsTable) draw(place string, n int) error {
	const drawBytes = 256
	if err := d.read(d.buffer[:12], place); err != nil {
		return err
	}
	word := func(k int) int64 { return int64(binary.LittleEndian.Uint32(d.buffer[4*k:])) }
	instances, vertices, indices := word(0), word(1), word(2)
	switch {
	case indices%3 != 0:
		return d.src.bad(place, "%d indices make no triangles", indices)
	case instances > drawsMost-int64(len(d.scene.Draws)):
		return d.src.bad(place, "%d instances make more than %d draws", instances, drawsMost)
	case int64(d.positions.n)+vertices > math.MaxInt32 || int64(d.indices.n)+indices > math.MaxInt32:
		return d.src.bad(place, "%d vertices and %d indices are too many", vertices, indices)
	}
	if err := d.src.charge(instances * drawBytes); err != nil {
		return err
	}
	draw := geometry.Draw{
		Name: fmt.Sprintf("draw %d", n), FirstIndex: uint32(d.indices.n), IndexCount: uint32(indices),
		VertexOffset: uint32(d.positions.n), VertexCount: uint32(vertices), Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
	}
	if err := readInto(d, d.positions, int(vertices), 12, place, drawsVertices); err != nil {
		return err
	}
	if err := readInto(d, d.indices, int(indices), 4, place, drawsIndices); err != nil {
		return err
	}
	for range instances {
		d.scene.Draws = append(d.scene.Draws, draw)
	}
	return nil
}

// readInto adds n elements to a pool, each of so many bytes of the table.
func readInto[T any](d *drawsTable, to *pool[T], n, bytes int, place string, decode func(into []T, from []byte)) error {
	for n > 0 {
		some, err := to.extend(min(n, len(d.buffer)/bytes))
		if err != nil {
			return err
		}
		b := d.buffer[:bytes*len(some)]
		if err := d.read(b, place); err != nil {
			return err
		}
		decode(some, b)
		n -= len(some)
	}
	return nil
}

func drawsVertices(into []mgl32.Vec3, from []byte) {
	for i := range into {
		for k := range 3 {
			into[i][k] = math.Float32frombits(binary.LittleEndian.Uint32(from[12*i+4*k:]))
		}
	}
}

func drawsIndices(into []uint32, from []byte) {
	for i := range into {
		into[i] = binary.LittleEndian.Uint32(from[4*i:])
	}
}
