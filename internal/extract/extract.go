// Package extract takes one draw out of a captured frame. It writes the draw's mesh, vertex shader and
// values to files. Drawn from these files, the draw looks as in the frame.
package extract

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

const (
	Mesh     = "mesh.glb"
	Shader   = "shader.spv"
	Source   = "shader.vert"
	Uniforms = "uniforms.yaml"
)

// Draw is what Take took out of a frame: the files to write, and the scene of the mesh file.
type Draw struct {
	Files []atomicfile.Named
	Notes []string // what was converted, one line each
	Entry string   // the shader's entry point if its module has several, else ""
	Scene *geometry.Scene
}

// mostVertices bounds the vertices of all instances of a draw. Instances that read data per instance share none.
const mostVertices = 1 << 24

// Take copies all instances of draw `number` (Scene.Number) out of a scene that was read with
// attributes. It fails unless one of the scene's vertex shaders shades all of them.
func Take(scene *geometry.Scene, number int) (_ *Draw, err error) {
	defer must.Catch(&err)
	own, err := scene.CapturedShading("")
	if err != nil {
		return nil, fmt.Errorf("no draw can be extracted: %w", err)
	}
	draws := must.Get(scene.Numbered(number, number))
	first := own.Draws[draws[0]]
	for _, i := range draws {
		if d := own.Draws[i]; d.Program < 0 || d.Program != first.Program {
			must.Fail("draw %d: %s", number, d.Why)
		}
	}
	t := taking{from: scene, own: own, program: &own.Programs[first.Program], draws: draws}
	out := &Draw{Scene: t.scene(), Notes: t.notes}
	shown := first
	shown.Clip = t.clip(draws[0])
	values, err := shade.CapturedValues(own, shown, scene.Name+": "+scene.Draws[draws[0]].Name, t.name)
	if err != nil {
		return nil, fmt.Errorf("draw %d: %w", number, err)
	}
	var mesh bytes.Buffer
	must.OK(format.WriteGLB(&mesh, out.Scene))
	v := t.program.Vertex
	out.Files = []atomicfile.Named{{Name: Mesh, Data: mesh.Bytes()}, {Name: Shader, Data: module.Bytes(v.Module.File)}, {Name: Uniforms, Data: []byte(values)}}
	if t.program.Source != "" {
		out.Files = append(out.Files, atomicfile.Named{Name: Source, Data: []byte(t.program.Source)})
	}
	if len(v.Module.EntryPoints()) > 1 {
		out.Entry = v.Entry.Name
	}
	return out, nil
}

// taking copies draws into a scene of their own.
type taking struct {
	from    *geometry.Scene
	own     *geometry.Shading // the shading of `from`
	program *link.Program
	draws   []int // indices of the draw's instances in from.Draws
	notes   []string
}

// name returns the name of an input's data in the mesh.
func (t *taking) name(in link.Input) string { return fmt.Sprintf("_LOCATION_%d", in.Location) }

// clip returns the matrix from the clip space of a draw's shader to that of the game's picture; for a
// hidden draw, to that of the draw's own target.
func (t *taking) clip(draw int) mgl32.Mat4 {
	d := &t.own.Draws[draw]
	if t.from.Placing(draw).How == geometry.Hidden {
		return d.Target
	}
	return d.Clip
}

// scene returns the draws with only their own vertices and indices. Instances share indices, and
// vertices unless they read data per instance.
func (t *taking) scene() *geometry.Scene {
	own := slices.ContainsFunc(t.program.Inputs, func(in link.Input) bool { return in.Attribute >= 0 && t.from.Attributes[in.Attribute].PerDraw }) && len(t.draws) > 1
	s := &geometry.Scene{Name: t.from.Name}
	vertices, indices := map[uint32]uint32{}, map[uint32]uint32{}
	for _, in := range t.program.Inputs {
		a := geometry.Attribute{Name: t.name(in), Format: vertexformat.R32G32B32_SFLOAT}
		if in.Attribute >= 0 {
			a.Format = t.from.Attributes[in.Attribute].Format
		}
		s.Attributes = append(s.Attributes, a)
		if wide := a.Format.Wide(a.Format.Components()); wide != a.Format && format.GLBKeeps(a.Format) == vertexformat.Undefined {
			t.notes = append(t.notes, fmt.Sprintf("%s: %s is written as %s, since glTF lacks it", a.Name, a.Format, wide))
		}
	}
	for _, i := range t.draws {
		d := t.from.Draws[i]
		if t.from.Placing(i).How == geometry.Hidden {
			d.Transform = mgl32.Ident4()
		}
		at, known := vertices[d.VertexOffset]
		if !known || own {
			if at = uint32(len(s.Positions)); int64(at)+int64(d.VertexCount) > mostVertices {
				must.Fail("draw %d: its %d instances read data of their own, and have more than %d vertices together", t.from.Number(i), len(t.draws), mostVertices)
			}
			t.vertices(s, i)
		}
		vertices[d.VertexOffset] = at
		index, known := indices[d.FirstIndex]
		if !known {
			index = uint32(len(s.Indices))
			s.Indices = append(s.Indices, t.from.DrawIndices(i)...)
		}
		indices[d.FirstIndex] = index
		d.VertexOffset, d.FirstIndex, d.Event, d.Material = at, index, 0, 0
		s.Draws = append(s.Draws, d)
	}
	return s
}

// vertices copies the vertices of a draw with their attributes.
func (t *taking) vertices(s *geometry.Scene, draw int) {
	d := &t.from.Draws[draw]
	s.Positions = append(s.Positions, t.from.Positions[d.VertexOffset:][:d.VertexCount]...)
	if len(t.from.Normals) > 0 {
		s.Normals = append(s.Normals, t.from.Normals[d.VertexOffset:][:d.VertexCount]...)
	}
	reads := t.own.Reads(t.from, draw)
	for k, in := range reads.Inputs {
		a := &s.Attributes[k]
		if size := a.Format.Size(); in.Stride > 0 {
			a.Data = append(a.Data, in.Data[:int(d.VertexCount)*size]...)
		} else {
			a.Data = append(a.Data, bytes.Repeat(in.Data[:size], int(d.VertexCount))...)
		}
	}
}

// Check returns an error for a path that no draw can be written to: a file, or a folder that is not
// empty. With `force` the folder may contain an earlier draw, and nothing else.
func Check(path string, force bool) error {
	entries, err := atomicfile.Entries(path)
	for _, e := range entries {
		switch ours := []string{Mesh, Shader, Source, Uniforms}; {
		case !e.Type().IsRegular() || !slices.Contains(ours, e.Name()):
			return fmt.Errorf("%s: not overwritten: it is a folder that holds %s", path, names.Printable(e.Name()))
		case !force:
			return fmt.Errorf("%s: not overwritten: it holds an extracted draw, which --force replaces", path)
		}
	}
	return err
}

// Write writes the files into a folder, all or none.
func (d *Draw) Write(ctx context.Context, path string, force bool) error {
	if err := Check(path, force); err != nil { // again, since reading the frame took time
		return err
	}
	return atomicfile.Files(ctx, path, d.Files)
}
