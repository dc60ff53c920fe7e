package format

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// objWriter writes Wavefront OBJ: one object per draw, with a unique name, vertices in world
// space with their colours, normals and texture coordinates if the scene has them, and its
// triangles in order. Numbers have the fewest digits from which the same float32 is read back.
// Materials are named, and stay in their files; other colours of draws are lost.
var objWriter = Writer{Name: "obj", Extensions: []string{".obj"}, Write: objWrite, lacks: objLacks, refers: func(l *geometry.Look) []string { return l.Libraries }}

func objLacks(s *geometry.Scene) (lost []string) {
	var names []string
	for i := range s.Attributes {
		switch a := &s.Attributes[i]; {
		case a.Name == "COLOR_0" && a.Format.Components() == 4:
			lost = append(lost, "alpha of vertex colours")
		case a.Name != "COLOR_0" && a.Name != "TEXCOORD_0":
			names = append(names, CleanName(a.Name))
		}
	}
	if len(names) > 0 {
		lost = append(lost, "attributes "+strings.Join(names, " "))
	}
	if s.Look != nil && len(s.Look.Libraries) == 0 {
		for i := range s.Look.Surfaces {
			if file := s.Look.Surfaces[i].File; file != "" {
				lost = append(lost, "texture "+CleanName(file))
			}
		}
	}
	return lost
}

func objWrite(w io.Writer, s *geometry.Scene) (err error) {
	defer must.Catch(&err)
	out := bufio.NewWriterSize(w, writeBuffer)
	io.WriteString(out, "# written by shadeonce\n")
	look := geometry.Look{}
	if s.Look != nil {
		look = *s.Look
	}
	for _, library := range look.Libraries {
		fmt.Fprintf(out, "mtllib %s\n", lineName(library))
	}
	used := map[[2]string]bool{}
	material := ""
	base := 1 // OBJ counts vertices from 1
	for i := range s.Draws {
		d := &s.Draws[i]
		now := ""
		if d.Surface > 0 {
			now = lineName(look.Surfaces[d.Surface-1].Name)
		}
		fmt.Fprintf(out, "o %s\n", objName(d.Name, i, now, used))
		if now != material {
			fmt.Fprintf(out, "usemtl %s\n", now)
			material = now
		}
		v := objDraw{bake(s, i), attributeNamed(s, "COLOR_0"), attributeNamed(s, "TEXCOORD_0"), int(d.VertexOffset), look.UpV}
		v.write(out)
		objWriteFaces(out, s.DrawIndices(i), base, v.uvs != nil, len(v.normals) > 0)
		base += int(d.VertexCount)
	}
	return out.Flush()
}

// objName returns draw i's object name. It is unique among the draws of a material, since faces of
// two objects with one name would be read back as one draw.
func objName(name string, i int, material string, used map[[2]string]bool) string {
	name = strings.TrimSpace(strings.Map(func(c rune) rune {
		if c < ' ' || c == '\\' || c == 0x7f {
			return '_'
		}
		return c
	}, name))
	if name == "" {
		name = fmt.Sprintf("draw%d", i)
	}
	for used[[2]string{name, material}] {
		name = fmt.Sprintf("%s.%d", name, i)
	}
	used[[2]string{name, material}] = true
	return name
}

// objDraw is the vertices of a draw.
type objDraw struct {
	bakedDraw
	colors, uvs *geometry.Attribute // nil if there are none
	first       int                 // vertex of the pool
	upV         bool
}

// write stops at the first error of out, so that cancellation ends it soon.
func (d *objDraw) write(out *bufio.Writer) {
	var row []byte
	add := func(v ...float32) {
		for _, f := range v {
			row = append(row, ' ')
			row = strconv.AppendFloat(row, float64(f), 'g', -1, 32)
		}
	}
	for i := range d.positions {
		p := d.position(i)
		row = append(row[:0], 'v')
		add(p[:]...)
		if d.colors != nil {
			c := attributeNumbers(d.colors, d.first+i)
			add(c[:3]...)
		}
		must.Get(out.Write(append(row, '\n')))
	}
	for i := 0; d.uvs != nil && i < len(d.positions); i++ {
		uv := attributeNumbers(d.uvs, d.first+i)
		if !d.upV {
			uv[1] = 1 - uv[1]
		}
		row = append(row[:0], "vt"...)
		add(uv[:2]...)
		must.Get(out.Write(append(row, '\n')))
	}
	for i := range d.normals {
		n := d.normal(i)
		row = append(row[:0], "vn"...)
		add(n[:]...)
		must.Get(out.Write(append(row, '\n')))
	}
}

func objWriteFaces(out *bufio.Writer, ids []uint32, base int, uvs, normals bool) {
	var row []byte
	between := "//"
	if uvs {
		between = "/"
	}
	for ; len(ids) >= 3; ids = ids[3:] {
		row = append(row[:0], 'f')
		for _, id := range ids[:3] {
			row = append(row, ' ')
			number := len(row)
			row = strconv.AppendInt(row, int64(base)+int64(id), 10)
			corner := row[number:]
			if uvs {
				row = append(append(row, '/'), corner...)
			}
			if normals {
				row = append(append(row, between...), corner...)
			}
		}
		must.Get(out.Write(append(row, '\n')))
	}
}
