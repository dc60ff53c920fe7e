package format

import (
	"bytes"
	"context"
	"fmt"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format/internal/draco"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// drcReader reads files that hold one mesh, compressed with Draco. Of several attributes with the
// same role, the first ones are positions and normals.
var drcReader = Reader{
	Name:       "drc",
	Extensions: []string{".drc"},
	Magic:      func(b []byte) bool { return bytes.HasPrefix(b, []byte(draco.Magic)) },
	Read:       drcRead,
	Bytes:      .2,
}

func drcRead(ctx context.Context, in *Input) (s *geometry.Scene, err error) {
	defer must.Catch(&err)
	data, err := gltfReadBytes(in, in.Size, in.Size)
	if err != nil {
		return nil, in.Failed("", err)
	}
	must.OK(in.Charge(int64(len(data))))
	if in.Size >= 0 { // of a file that is compressed once more, this counts already
		in.Budget().Beside((budget.PackedFactor - 1) * in.Size)
	}
	mesh, err := draco.Decode(data, in.Budget())
	must.OK(in.about("", err))
	s = &geometry.Scene{Indices: mesh.Indices}
	counts := map[draco.Role]int{}
	for i := range mesh.Attributes {
		a := &mesh.Attributes[i]
		number := counts[a.Role]
		counts[a.Role]++
		vectors := a.Type == draco.Float32 && a.Components == 3
		switch {
		case a.Role == draco.Position && number == 0 && vectors:
			s.Positions = in.drcVectors(a, mesh.Points)
		case a.Role == draco.Normal && number == 0 && vectors:
			s.Normals = in.drcVectors(a, mesh.Points)
			must.OK(unitNormals(progress.Silent(ctx), s.Normals))
		case in.Attributes || in.looks:
			in.drcAttribute(s, a, number)
		}
	}
	if s.Positions == nil {
		in.fail("", "has no positions of three floats")
	}
	if s.Normals == nil {
		in.chargeNormals(mesh.Points)
	}
	if in.looks {
		s.Look = &geometry.Look{UpV: true}
	}
	s.Draws = []geometry.Draw{wholeDraw(s)}
	return s, nil
}

func (in *Input) drcVectors(a *draco.Attribute, count int) []mgl32.Vec3 {
	must.OK(in.Charge(12 * int64(count)))
	list := make([]mgl32.Vec3, count)
	for k := range list {
		if list[k] = vec3At(a.Data[12*k:]); !gltfFinite(list[k][:]) {
			in.fail(fmt.Sprintf("attribute %d", a.ID), "element %d is not finite: %v", k, list[k])
		}
	}
	return list
}

// drcAttribute keeps an attribute under the name that glTF would give it.
func (in *Input) drcAttribute(s *geometry.Scene, a *draco.Attribute, number int) {
	name := fmt.Sprintf("_%d", a.ID)
	switch a.Role {
	case draco.TexCoord:
		name = fmt.Sprintf("TEXCOORD_%d", number)
	case draco.Color:
		name = fmt.Sprintf("COLOR_%d", number)
	}
	stored := gltfAccessor{ComponentType: gltfInt{n: dracoTypes[a.Type]}, Normalized: a.Normalized || a.Role == draco.Color}
	if a.Components <= 4 {
		stored.Type = []string{"SCALAR", "VEC2", "VEC3", "VEC4"}[a.Components-1]
	}
	format := gltfFormat(name, &stored)
	if format == vertexformat.Undefined {
		s.Beside = append(s.Beside, fmt.Sprintf("attribute %d", a.ID))
		return
	}
	s.Attributes = append(s.Attributes, geometry.Attribute{Name: name, Format: format, Data: a.Data})
}
