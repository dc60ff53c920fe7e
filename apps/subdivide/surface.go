package subdivide

import (
	"context"
	"fmt"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// surface is a mesh one level finer than its coarse mesh, computed while it is drawn: a
// plan.Subdivided. It stores the even vertices, a quarter of all. Normals are the coarse normals
// with the weights of the positions.
type surface struct {
	coarse        int          // number of vertices of the coarse mesh
	triangles     []uint32     // three vertices per coarse triangle
	triangleEdges []uint32     // three edges per coarse triangle
	edgeCorners   [][2]uint32  // as in Edges.Corners
	positions     []mgl32.Vec3 // even vertices of the refined mesh, then the vertices of the coarse mesh
	normals       []mgl32.Vec3 // in the same order
}

// newSurface makes the surface of a level from the normals of its mesh. It retains only the
// tables listed in surface.
func newSurface(ctx context.Context, l *Level, normals []mgl32.Vec3) (*surface, error) {
	n := len(l.Mesh.Positions)
	s := &surface{
		coarse: n, triangles: l.Mesh.Triangles, triangleEdges: l.Edges.Triangles, edgeCorners: l.Edges.Corners(),
		positions: make([]mgl32.Vec3, 2*n), normals: make([]mgl32.Vec3, 2*n),
	}
	copy(s.positions[n:], l.Mesh.Positions)
	copy(s.normals[n:], normals)
	return s, apps.OnEach(ctx, n, func(v int) {
		s.positions[v], s.normals[v] = l.even(uint32(v), l.Mesh.Positions), l.even(uint32(v), normals)
	})
}

// NewScene subdivides a scene by that many levels. It stores all levels but the last, which has
// three quarters of all triangles and is computed while it is drawn (geometry.Scene.Computed).
//
// All draws become one, joined as in apps.NewMesh. It has the colour of a scene's only draw,
// otherwise the default colour.
func NewScene(ctx context.Context, s *geometry.Scene, levels int) (_ *geometry.Scene, err error) {
	defer must.Catch(&err)
	m := must.Get(apps.NewMesh(progress.Part(ctx, 0, .1), s))
	if _, _, err := Memory(m.Faces(), levels); err != nil {
		return nil, err
	}
	var l *Level
	for n := range levels {
		from, share := .1+.8*float64(n)/float64(levels), .8/float64(levels)
		l = must.Get(NewLevel(progress.Part(ctx, from, from+share/2), m))
		if n+1 < levels {
			m = must.Get(l.Refine(progress.Part(ctx, from+share/2, from+share)))
		}
	}
	coarse := oneDraw(m, s)
	must.OK(coarse.MakeNormals(progress.Part(ctx, .9, .95)))
	computed := must.Get(newSurface(progress.Part(ctx, .95, 1), l, coarse.Normals))
	vertices, triangles := l.Sizes()
	coarse.Name = fmt.Sprintf("%s, subdivided %s", s.Name, timesText(levels))
	coarse.Computed, coarse.Positions, coarse.Normals = computed, computed.positions, computed.normals
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

// oneDraw makes a scene of one draw of a mesh, in the colour of another scene's only draw.
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

// Tables returns what shaders read besides the scene's pools.
func (s *surface) Tables() (vertices int, triangleEdges []uint32, edgeCorners [][2]uint32) {
	return s.coarse, s.triangleEdges, s.edgeCorners
}

// FillIndices fills into with the refined mesh's indices, starting with index first.
func (s *surface) FillIndices(first int, into []uint32) {
	var four [12]uint32
	for len(into) > 0 {
		refined(first/12, uint32(s.coarse), s.triangles, s.triangleEdges, &four)
		n := copy(into, four[first%12:])
		into, first = into[n:], first+n
	}
}

// Vertex returns a vertex of the refined mesh.
func (s *surface) Vertex(id uint32) (position, normal mgl32.Vec3) {
	if int(id) < s.coarse {
		return s.positions[id], s.normals[id]
	}
	corners := s.edgeCorners[int(id)-s.coarse]
	second := apps.NextCorner(int(corners[0]))
	of := [4]uint32{s.triangles[corners[0]], s.triangles[second], s.triangles[apps.NextCorner(second)], apps.None}
	if corners[1] != apps.None {
		of[3] = s.triangles[apps.NextCorner(apps.NextCorner(int(corners[1])))]
	}
	return odd(of, s.positions[s.coarse:]), odd(of, s.normals[s.coarse:])
}
