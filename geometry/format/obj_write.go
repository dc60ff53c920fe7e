package format

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// objWriter writes Wavefront OBJ: one object per draw, with a unique name, vertices in world
// space, normals if the scene has them, and its triangles in order. Numbers have the fewest
// digits from which the same float32 is read back. Colours are lost.
var objWriter = Writer{Name: "obj", Extensions: []string{".obj"}, Write: objWrite}

func objWrite(w io.Writer, s *geometry.Scene) (err error) {
	defer must.Catch(&err)
	out := bufio.NewWriterSize(w, writeBuffer)
	io.WriteString(out, "# written by shadeonce\n")
	used := map[string]bool{}
	base := 1 // OBJ counts vertices from 1
	for i := range s.Draws {
		d := &s.Draws[i]
		fmt.Fprintf(out, "o %s\n", objName(d.Name, i, used))
		b := bake(s, i)
		objWriteVertices(out, &b)
		objWriteFaces(out, s.DrawIndices(i), base, len(b.normals) > 0)
		base += int(d.VertexCount)
	}
	return out.Flush()
}

// objName returns draw i's object name. It is unique, since faces of two objects with one name
// would be read back as one draw.
func objName(name string, i int, used map[string]bool) string {
	name = strings.TrimSpace(strings.Map(func(c rune) rune {
		if c < ' ' || c == '\\' || c == 0x7f {
			return '_'
		}
		return c
	}, name))
	if name == "" {
		name = fmt.Sprintf("draw%d", i)
	}
	for used[name] {
		name = fmt.Sprintf("%s.%d", name, i)
	}
	used[name] = true
	return name
}

// objWriteVertices stops at the first error of out, so that cancellation ends it soon.
func objWriteVertices(out *bufio.Writer, b *bakedDraw) {
	var row []byte
	write := func(word string, v mgl32.Vec3) {
		row = append(row[:0], word...)
		for _, f := range v {
			row = append(row, ' ')
			row = strconv.AppendFloat(row, float64(f), 'g', -1, 32)
		}
		must.Get(out.Write(append(row, '\n')))
	}
	for i := range b.positions {
		write("v", b.position(i))
	}
	for i := range b.normals {
		write("vn", b.normal(i))
	}
}

func objWriteFaces(out *bufio.Writer, ids []uint32, base int, normals bool) {
	var row []byte
	for ; len(ids) >= 3; ids = ids[3:] {
		row = append(row[:0], 'f')
		for _, id := range ids[:3] {
			row = append(row, ' ')
			number := len(row)
			row = strconv.AppendInt(row, int64(base)+int64(id), 10)
			if normals {
				row = append(append(row, "//"...), row[number:]...)
			}
		}
		must.Get(out.Write(append(row, '\n')))
	}
}
