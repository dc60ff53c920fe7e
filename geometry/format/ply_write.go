package format

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// plyWriter writes binary little endian PLY: the draws' vertices, one draw after another, in
// world space, normals if the scene has them, and triangles in the order of the index stream.
// Names and colours are lost.
var plyWriter = Writer{Name: "ply", Extensions: []string{".ply"}, Write: plyWrite}

// writeBuffer is how much a writer collects before it writes.
const writeBuffer = 256 << 10

func plyWrite(w io.Writer, s *geometry.Scene) (err error) {
	defer must.Catch(&err)
	// PLY indices are signed 32-bit integers.
	if n := s.DrawVertices(); n > math.MaxInt32 {
		return fmt.Errorf("%d vertices, at most %d can be saved", n, math.MaxInt32)
	}
	out := bufio.NewWriterSize(w, writeBuffer)
	fmt.Fprintf(out, "ply\nformat binary_little_endian 1.0\ncomment written by shadeonce\nelement vertex %d\n", s.DrawVertices())
	names := []string{"x", "y", "z"}
	if len(s.Normals) > 0 {
		names = append(names, "nx", "ny", "nz")
	}
	for _, name := range names {
		fmt.Fprintf(out, "property float %s\n", name)
	}
	fmt.Fprintf(out, "element face %d\nproperty list uchar int vertex_indices\nend_header\n", s.Triangles())
	plyWriteVertices(out, s)
	plyWriteFaces(out, s)
	return out.Flush()
}

// plyWriteVertices stops at the first error of out, so that cancellation ends it soon.
func plyWriteVertices(out *bufio.Writer, s *geometry.Scene) {
	var row []byte
	add := func(v mgl32.Vec3) {
		for _, f := range v {
			row = binary.LittleEndian.AppendUint32(row, math.Float32bits(f))
		}
	}
	for d := range s.Draws {
		b := bake(s, d)
		for i := range b.positions {
			row = row[:0]
			add(b.position(i))
			if len(b.normals) > 0 {
				add(b.normal(i))
			}
			must.Get(out.Write(row))
		}
	}
}

func plyWriteFaces(out *bufio.Writer, s *geometry.Scene) {
	var row [13]byte
	row[0] = 3
	base := uint32(0)
	for d := range s.Draws {
		ids := s.DrawIndices(d)
		for ; len(ids) >= 3; ids = ids[3:] {
			for k, id := range ids[:3] {
				binary.LittleEndian.PutUint32(row[1+4*k:], base+id)
			}
			must.Get(out.Write(row[:]))
		}
		base += s.Draws[d].VertexCount
	}
}
