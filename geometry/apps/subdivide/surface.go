package subdivide

import (
	"context"
	"fmt"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/internal/progress"
)

// Surface is the mesh that a level refines to, computed while it is drawn: a
// geometry.Computed. Its normals are the coarse ones under the weights of the positions.
type Surface struct {
	*Level
	Normals []mgl32.Vec3 // by vertex of the coarse mesh, unit length
}

// NewScene is a scene subdivided so many times. All levels but the last are made here.
// The last, with three quarters of all triangles, is computed while it is drawn
// (geometry.Scene.Computed).
//
// All draws become one, as apps.NewMesh joins them. It has the colour of a scene's only
// draw, otherwise the default one.
func NewScene(ctx context.Context, s *geometry.Scene, levels int) (*geometry.Scene, error) {
	m, err := apps.NewMesh(progress.Part(ctx, 0, .1), s)
	if err != nil {
		return nil, err
	}
	if _, _, err := Memory(m, levels); err != nil {
		return nil, err
	}
	var l *Level
	for n := range levels {
		from, share := .1+.8*float64(n)/float64(levels), .8/float64(levels)
		if l, err = NewLevel(progress.Part(ctx, from, from+share/2), m); err != nil {
			return nil, err
		}
		if n+1 < levels {
			if m, err = l.Refine(progress.Part(ctx, from+share/2, from+share)); err != nil {
				return nil, err
			}
		}
	}
	coarse := oneDraw(m, s)
	if err := coarse.MakeNormals(progress.Part(ctx, .9, 1)); err != nil {
		return nil, err
	}
	vertices, triangles := l.Sizes()
	coarse.Name = fmt.Sprintf("%s, subdivided %s", s.Name, timesText(levels))
	coarse.Computed = &Surface{l, coarse.Normals}
	coarse.Draws[0].VertexCount, coarse.Draws[0].IndexCount = uint32(vertices), 3*uint32(triangles)
	return coarse, nil
}

func timesText(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// oneDraw is a mesh as a scene, in the colour of another scene's only draw.
func oneDraw(m *apps.Mesh, like *geometry.Scene) *geometry.Scene {
	d := geometry.Draw{
		Name: like.Name, IndexCount: uint32(len(m.Triangles)), VertexCount: uint32(len(m.Positions)),
		Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
	}
	if len(like.Draws) == 1 {
		d.Name, d.Color, d.OneSided = like.Draws[0].Name, like.Draws[0].Color, like.Draws[0].OneSided
	}
	out := &geometry.Scene{Name: like.Name, Positions: m.Positions, Indices: m.Triangles, Draws: []geometry.Draw{d}, Skipped: like.Skipped}
	if like.Capture != nil {
		out.Capture = &geometry.Capture{View: like.Capture.View}
	}
	return out
}

// FillIndices writes the refined mesh's indices, from first on.
func (s *Surface) FillIndices(first int, into []uint32) {
	var four [12]uint32
	for len(into) > 0 {
		s.refined(first/12, &four)
		n := copy(into, four[first%12:])
		into, first = into[n:], first+n
	}
}

// Vertex is a vertex of the refined mesh.
func (s *Surface) Vertex(id uint32) (position, normal mgl32.Vec3) {
	return s.vertex(id, s.Mesh.Positions), s.vertex(id, s.Normals)
}
