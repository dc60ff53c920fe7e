package format

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// plyWriter writes binary little endian PLY. The vertices come draw by draw, in world space, with
// normals and further attributes if the scene has them; the triangles come in the order of the
// index stream. Names and colours of draws are lost. A single surface's texture is named in a
// comment, as MeshLab does.
var plyWriter = Writer{Name: "ply", Extensions: []string{".ply"}, Write: plyWrite, lacks: plyLacks, refers: plyTextures}

func plyLacks(s *geometry.Scene) []string {
	if s.Look == nil || len(s.Look.Surfaces) == 0 || len(s.Look.Surfaces) == 1 && s.Look.Surfaces[0].Name == "" {
		return nil
	}
	return []string{fmt.Sprintf("materials (%d)", len(s.Look.Surfaces))}
}

// plyTextures returns the image file of a scene's only surface; nil if it has none, or if there are
// several surfaces.
func plyTextures(l *geometry.Look) []string {
	if l == nil || len(l.Surfaces) != 1 || l.Surfaces[0].File == "" {
		return nil
	}
	return []string{l.Surfaces[0].File}
}

const plyTexture = "comment TextureFile "

// plyFurther is an attribute as a PLY file holds it.
type plyFurther struct {
	*geometry.Attribute
	kind plyType // type of each of its numbers
	own  bool    // whether elements are written as they are; if not, as floats
	flip bool    // whether to flip v, which points down in the scene and up in PLY
}

var plyNames = [...]string{"char", "uchar", "short", "ushort", "int", "uint", "float"}

// plyFurtherOf lists the attributes to write, and returns the header lines that declare them.
func plyFurtherOf(s *geometry.Scene) (list []plyFurther, header string) {
	for i := range s.Attributes {
		a := &s.Attributes[i]
		if a.PerDraw {
			continue
		}
		c := plyFurther{Attribute: a, kind: plyFloat32, flip: a.Name == "TEXCOORD_0" && (s.Look == nil || !s.Look.UpV)}
		n := a.Format.Components()
		for k, class := range []string{"SINT", "UINT", "SINT", "UINT", "SINT", "UINT", "SFLOAT", "UNORM", "UNORM"} {
			kind := [...]plyType{0, 1, 2, 3, 4, 5, 6, plyUint8, plyUint16}[k]
			if vertexformat.Array(n, 8*kind.size(), class) == a.Format {
				c.kind, c.own = kind, !c.flip
			}
		}
		names := map[string][]string{"COLOR_0": {"red", "green", "blue", "alpha"}, "TEXCOORD_0": {"s", "t"}}[a.Name]
		for k := range n {
			name := strings.ReplaceAll(lineName(a.Name), " ", "_")
			if k < len(names) {
				name = names[k]
			} else if n > 1 {
				name = fmt.Sprintf("%s_%d", name, k)
			}
			header += fmt.Sprintf("property %s %s\n", plyNames[c.kind], name)
		}
		list = append(list, c)
	}
	return list, header
}

// add appends the element of a vertex to a row.
func (c *plyFurther) add(row []byte, vertex int) []byte {
	if c.own {
		return append(row, c.Element(vertex)...)
	}
	v := attributeNumbers(c.Attribute, vertex)
	if c.flip {
		v[1] = 1 - v[1]
	}
	return appendFloats(row, v[:c.Format.Components()]...)
}

// writeBuffer is how many bytes a writer collects before it writes them to the file.
const writeBuffer = 256 << 10

func plyWrite(w io.Writer, s *geometry.Scene) (err error) {
	defer must.Catch(&err)
	// PLY indices are signed 32-bit integers.
	if n := s.DrawVertices(); n > math.MaxInt32 {
		return fmt.Errorf("%d vertices, at most %d can be saved", n, math.MaxInt32)
	}
	out := bufio.NewWriterSize(w, writeBuffer)
	fmt.Fprintf(out, "ply\nformat binary_little_endian 1.0\ncomment written by shadeonce\n")
	for _, file := range plyTextures(s.Look) {
		fmt.Fprintf(out, "%s%s\n", plyTexture, lineName(file))
	}
	fmt.Fprintf(out, "element vertex %d\n", s.DrawVertices())
	names := []string{"x", "y", "z"}
	if len(s.Normals) > 0 {
		names = append(names, "nx", "ny", "nz")
	}
	for _, name := range names {
		fmt.Fprintf(out, "property float %s\n", name)
	}
	columns, header := plyFurtherOf(s)
	io.WriteString(out, header)
	fmt.Fprintf(out, "element face %d\nproperty list uchar int vertex_indices\nend_header\n", s.Triangles())
	plyWriteVertices(out, s, columns)
	plyWriteFaces(out, s)
	return out.Flush()
}

// plyWriteVertices writes the vertices of all draws. It stops at the first error of `out`, so that
// cancellation ends it soon.
func plyWriteVertices(out *bufio.Writer, s *geometry.Scene, columns []plyFurther) {
	var row []byte
	for d := range s.Draws {
		b := bake(s, d)
		for i := range b.positions {
			p := b.position(i)
			row = appendFloats(row[:0], p[:]...)
			if len(b.normals) > 0 {
				n := b.normal(i)
				row = appendFloats(row, n[:]...)
			}
			for k := range columns {
				row = columns[k].add(row, int(s.Draws[d].VertexOffset)+i)
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
