package subdivide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/clock"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/renderer/stream"
	"github.com/shadeonce/shadeonce/renderer"
)

// Made is the result of refining a level with a strategy.
type Made struct {
	Positions          []mgl32.Vec3  // of the refined mesh
	Corners, Edges     reuse.Stats   // statistics of the two streams
	PerVertex, PerEdge []uint32      // how often each was shaded
	Took, Cutting      time.Duration // time to shade both streams; time to cut their batches on the host, for a device
}

// Invocations counts the runs of both shade functions.
func (m *Made) Invocations() int { return m.Corners.Invocations + m.Edges.Invocations }

// RefineBy refines with a strategy: it shades each vertex and edge as often as the strategy does.
// Most strategies do not shade unreferenced vertices; these never move. It returns an error
// if the configuration is invalid, or the context's cause.
func (l *Level) RefineBy(ctx context.Context, c reuse.Config) (_ *Made, err error) {
	defer must.Catch(&err)
	vertices, _ := l.Sizes()
	m := &Made{Positions: make([]mgl32.Vec3, vertices)}
	took, coarse := clock.Start(), copy(m.Positions, l.Mesh.Positions)
	corners, edges := l.Streams()
	even := apps.Pass[mgl32.Vec3]{Shade: l.ShadeEven, Keep: func(v uint32, p mgl32.Vec3) { m.Positions[v] = p }}
	if m.Corners, m.PerVertex, err = even.Run(progress.Part(ctx, 0, .3), corners, c); err != nil {
		return nil, err
	}
	odd := apps.Pass[mgl32.Vec3]{Shade: l.ShadeOdd, Keep: func(e uint32, p mgl32.Vec3) { m.Positions[coarse+int(e)] = p }}
	m.Edges, m.PerEdge, err = odd.Run(progress.Part(ctx, .3, 1), edges, c)
	m.Took = took()
	return m, err
}

// Device is a level on a device: shaders/functions/loop.glsl with its tables.
type Device struct {
	backend *gpu.Backend
	level   *Level
	tables  stream.Tables
}

// NewDevice uploads the tables of a level.
func NewDevice(b *gpu.Backend, l *Level) (*Device, error) {
	if l == nil || l.Mesh == nil || l.Edges == nil {
		return nil, errors.New("subdivide: no level that NewLevel made")
	}
	vertices, _ := l.Sizes()
	tables, err := stream.NewTables(b,
		stream.Table("Positions", l.Mesh.Positions), stream.Table("EdgeEnds", l.Edges.Ends), stream.Table("EdgeOpposites", l.Edges.Opposite),
		stream.Table("RingOffsets", l.RingOffset), stream.Table("Rings", l.Ring), stream.Table("RingWeights", l.Weights),
		stream.Result[mgl32.Vec3]("FinePositions", vertices))
	if err != nil {
		return nil, err
	}
	return &Device{b, l, tables}, nil
}

// Close frees the tables.
func (d *Device) Close() { d.tables.Close() }

// RefineBy is Level.RefineBy on the device.
func (d *Device) RefineBy(ctx context.Context, c reuse.Config, s renderer.Subgroups) (_ *Made, err error) {
	defer must.Catch(&err)
	fine := d.tables["FinePositions"]
	must.OK(gpu.Upload(d.backend.GPU(), fine, d.level.Mesh.Positions))
	var done [2]stream.Shaded
	corners, edges := d.level.Streams()
	for i, in := range []reuse.Stream{corners, edges} {
		o := stream.Options{Function: plan.Function{
			Name: "loop", Reuse: c, Subgroups: s, Spec: map[string]uint32{"LOOP_EDGES": uint32(i)}, Arguments: [4]uint32{uint32(corners.IDs)},
		}}
		done[i] = must.Get(stream.Shade(ctx, d.backend, in, d.tables, o))
	}
	m := &Made{
		Corners: done[0].Stats, PerVertex: done[0].Counts, Edges: done[1].Stats, PerEdge: done[1].Counts,
		Took: done[0].Took + done[1].Took, Cutting: done[0].Cutting + done[1].Cutting,
	}
	vertices, _ := d.level.Sizes()
	m.Positions, err = gpu.Download[mgl32.Vec3](d.backend.GPU(), fine, vertices)
	return m, err
}

// Check compares a strategy's result with the reference: the vertices, bit for bit, and how often
// it shaded each vertex and edge.
func (m *Made) Check(l *Level, c reuse.Config, want []mgl32.Vec3) error {
	if l == nil || l.Mesh == nil || l.Edges == nil || !sameBits(m.Positions, want) {
		return fmt.Errorf("%s: the vertices are not the reference's", c)
	}
	corners, edges := l.Streams()
	for _, x := range []struct {
		stream reuse.Stream
		counts []uint32
	}{{corners, m.PerVertex}, {edges, m.PerEdge}} {
		if _, counts, err := c.Count(x.stream.Indices, x.stream.IDs); err != nil || !slices.Equal(counts, x.counts) {
			return fmt.Errorf("%s: it did not shade %s as often as the reference", c, x.stream.Name)
		}
	}
	return nil
}

func sameBits(a, b []mgl32.Vec3) bool {
	same := func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) }
	return slices.EqualFunc(a, b, func(p, q mgl32.Vec3) bool { return slices.EqualFunc(p[:], q[:], same) })
}

// table is the size of a level's table on a device: number of elements, and bytes per element.
type table struct {
	name         string
	count, bytes int64
}

// tablesOf lists what a level takes on a device: its tables, and the longer of its two streams. The arguments
// are the level's numbers of vertices, edges and triangles. Batches, at most a byte per index, are left out.
func tablesOf(vertices, edges, triangles int64) []table {
	return []table{
		{"Positions", vertices, 12}, {"FinePositions", vertices + edges, 12}, {"EdgeEnds", edges, 8}, {"EdgeOpposites", edges, 8},
		{"RingOffsets", vertices + 1, 4}, {"Rings", 2 * edges, 4}, {"Indices", 3 * triangles, 4}, {"Counts", max(vertices, edges), 4},
	}
}

// Fits returns an error if a device cannot hold the tables of this level or of a later one. `number` is
// the number of this level, `levels` that of the last.
func (l *Level) Fits(limits *renderer.Limits, number, levels int) error {
	if limits == nil {
		return errors.New("subdivide: no limits")
	}
	vertices, edges, triangles := int64(len(l.Mesh.Positions)), int64(len(l.Edges.Ends)), int64(l.Mesh.Faces())
	for ; number <= levels; number++ {
		total := int64(0)
		for _, x := range tablesOf(vertices, edges, triangles) {
			size := x.count * x.bytes
			if size > limits.MaxBufferBytes {
				need, most := bytesize.Texts(size, limits.MaxBufferBytes)
				return fmt.Errorf("level %d: its table %s takes %s, the device binds at most %s", number, x.name, need, most)
			}
			total += size
		}
		if total > limits.DeviceBytes {
			need, have := bytesize.Texts(total, limits.DeviceBytes)
			return fmt.Errorf("level %d takes %s on the device, which has %s", number, need, have)
		}
		vertices, edges, triangles = vertices+edges, 2*edges+3*triangles, 4*triangles
	}
	return nil
}

// surface is a mesh one level finer than its coarse mesh, and is computed while it is drawn: a
// plan.Subdivided. It stores the even vertices, a quarter of all. Its normals are sums of coarse
// normals, with the weights of the positions.
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

// NewScene subdivides a scene by the given number of levels. All levels but the last are made beforehand. The last,
// which has at least three quarters of all triangles, is computed while it is drawn (geometry.Scene.Computed).
//
// All draws become one, joined as in apps.NewMesh. The new draw has the colour of the scene's draw if
// there is only one, else the default colour.
func NewScene(ctx context.Context, s *geometry.Scene, levels int) (_ *geometry.Scene, err error) {
	defer must.Catch(&err)
	m := must.Get(apps.NewMesh(progress.Part(ctx, 0, .1), s))
	must.Get2(Memory(m.Faces(), levels))
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
	coarse.Name = fmt.Sprintf("%s, subdivided %s", s.Name, cmp.Or(map[int]string{1: "once", 2: "twice"}[levels], fmt.Sprintf("%d times", levels)))
	coarse.Computed, coarse.Positions, coarse.Normals = computed, computed.positions, computed.normals
	coarse.Draws[0].VertexCount, coarse.Draws[0].IndexCount = uint32(vertices), 3*uint32(triangles)
	return coarse, nil
}

// oneDraw makes a scene with a mesh as its only draw. If `like` also has only one draw, the new draw takes its name, colour and OneSided.
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

// Tables returns the data that shaders read besides the scene's pools.
func (s *surface) Tables() (vertices int, triangleEdges []uint32, edgeCorners [][2]uint32) {
	return s.coarse, s.triangleEdges, s.edgeCorners
}

// FillIndices fills `into` with the refined mesh's indices, from number `first` on.
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
