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

// stlWriter writes binary STL: the triangles of all draws in world space, in the order of the index
// stream, with their normals and corners. Vertices lose their numbers, and become one where positions are equal.
var stlWriter = Writer{Name: "stl", Extensions: []string{".stl"}, Write: stlWrite, lacks: func(s *geometry.Scene) []string {
	lost := []string{"vertex numbers"}
	if len(s.Attributes) > 0 {
		lost = append(lost, fmt.Sprintf("attributes (%d)", len(s.Attributes)))
	}
	return append(lost, plyLacks(s)...)
}}

func stlWrite(w io.Writer, s *geometry.Scene) (err error) {
	defer must.Catch(&err)
	if n := s.Triangles(); n > stlMostTriangles {
		return fmt.Errorf("%d triangles, at most %d can be saved", n, stlMostTriangles)
	}
	out := bufio.NewWriterSize(w, writeBuffer)
	row := make([]byte, stlHeaderBytes)
	copy(row, "written by shadeonce") // must not begin with solid
	binary.LittleEndian.PutUint32(row[stlHeaderBytes-4:], uint32(s.Triangles()))
	must.Get(out.Write(row))
	for d := range s.Draws {
		b := bake(s, d)
		for ids := s.DrawIndices(d); len(ids) >= 3; ids = ids[3:] {
			x, y, z := b.position(int(ids[0])), b.position(int(ids[1])), b.position(int(ids[2]))
			row = row[:0]
			for _, v := range [...]mgl32.Vec3{unitNormal(y.Sub(x).Cross(z.Sub(x))), x, y, z} {
				for _, f := range v {
					row = binary.LittleEndian.AppendUint32(row, math.Float32bits(f))
				}
			}
			must.Get(out.Write(append(row, 0, 0)))
		}
	}
	return out.Flush()
}
