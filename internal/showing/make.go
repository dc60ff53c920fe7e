package showing

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/apps"
	"github.com/shadeonce/shadeonce/geometry/apps/envelope"
	"github.com/shadeonce/shadeonce/geometry/apps/subdivide"
	"github.com/shadeonce/shadeonce/geometry/apps/walk"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/applications"
	"github.com/shadeonce/shadeonce/internal/progress"
)

// Request is what a Result follows from.
type Request struct {
	Choice Choice
	Scene  *geometry.Scene // nil for a walk
	Config reuse.Config
	Edges  bool // of the scene, without an application
}

// key is the request without what does not matter to it.
func (r Request) key() Request {
	r.Choice = r.Choice.own()
	if r.Edges {
		r.Choice, r.Config = Choice{}, reuse.Config{}
	}
	return r
}

// Result is what an application made, and how often a strategy shades what. It does not
// change.
type Result struct {
	Request
	Scene    *geometry.Scene // to draw; nil of a walk
	Counts   []uint32        // by vertex of the scene, or by cell
	Stats    reuse.Stats
	Surfaces []Surface // of envelopes, from the inside to the outside
	Cells    *Cells    // of a walk
	Edges    *apps.Edges
	Ends     *apps.Mesh // that Edges are of
	made     *made
}

// Surface is one of several surfaces that lie inside each other.
type Surface struct {
	Name   string
	Scene  *geometry.Scene
	Levels []int32 // by vertex, 0 to envelope.Levels; nil for the mesh that the envelopes are of
}

// Cells are the cells of a walk, row after row.
type Cells struct {
	Grid     int
	Agents   []uint32 // that stand in each
	Occupied int
	Most     uint32 // the end of the colour scale: 16 times the most agents that a cell has at the start
}

// made is what an application made for all strategies. It does not change.
type made struct {
	choice   Choice
	of       *geometry.Scene
	mesh     *apps.Mesh
	coarse   int // vertices before the last refinement
	scene    *geometry.Scene
	surfaces []Surface
	walk     *walk.Walk
	cells    *Cells
	streams  []apps.Stream // whose ids, one stream after the other, are what counts are of
}

// bytesPerShown is about what normals, counts and what is handed to the device take for
// each triangle, beside what subdivide.Memory has.
const bytesPerShown = 64

// do makes a result. from is what was made before of the same or of fewer levels or
// steps; nil for nothing.
func (r Request) do(ctx context.Context, from *made) (*Result, error) {
	if r.Edges {
		return r.edges(ctx)
	}
	m := from
	if m == nil || m.choice != r.Choice.own() {
		var err error
		if m, err = r.make(progress.Part(ctx, 0, .8), from); err != nil {
			return nil, err
		}
		ctx = progress.Part(ctx, .8, 1)
	}
	out := &Result{Request: r, Scene: m.scene, Surfaces: m.surfaces, Cells: m.cells, made: m}
	if m.choice.Drawn {
		out.Stats, out.Counts = reuse.Analyze(m.scene, r.Config)
		return out, nil
	}
	var err error
	out.Counts, out.Stats, err = count(ctx, m.streams, r.Config)
	return out, err
}

// count says how often a strategy shades each id of the streams. All counts that are
// shown of applications come from here.
func count(ctx context.Context, streams []apps.Stream, c reuse.Config) (counts []uint32, all reuse.Stats, err error) {
	for i, s := range streams {
		ctx := progress.Part(ctx, float64(i)/float64(len(streams)), float64(i+1)/float64(len(streams)))
		st, own, err := apps.Pass[struct{}]{Shade: func(uint32) struct{} { return struct{}{} }}.Run(ctx, s, c)
		if err != nil {
			return nil, all, err
		}
		all.Add(st, 1)
		counts = append(counts, own...)
	}
	all.Draws, all.Triangles = 1, len(streams[0].Indices)/3
	return counts, all, nil
}

func (r Request) make(ctx context.Context, from *made) (*made, error) {
	m := &made{choice: r.Choice.own(), of: r.Scene}
	switch r.Choice.App {
	case Subdivide:
		if m.choice.Drawn {
			return m, m.drawn(ctx)
		}
		return m, m.subdivide(ctx, from)
	case Envelope:
		return m, m.envelopes(ctx)
	case Walk:
		return m, m.steps(ctx, from)
	}
	return nil, fmt.Errorf("no application %s", r.Choice.App)
}

// subdivide refines the mesh, or what was refined before.
func (m *made) subdivide(ctx context.Context, from *made) (err error) {
	done := 0
	if from != nil {
		m.mesh, m.coarse, m.streams, done = from.mesh, from.coarse, from.streams, from.choice.Levels
	} else if m.mesh, err = apps.NewMesh(progress.Part(ctx, 0, .2), m.of.Stored()); err != nil {
		return err
	}
	need, triangles, err := subdivide.Memory(m.mesh, m.choice.Levels-done)
	if err != nil {
		return err
	}
	if err := applications.Fits(need+triangles*bytesPerShown, fmt.Sprintf("level %d has %d triangles", m.choice.Levels, triangles)); err != nil {
		return err
	}
	if m.streams == nil {
		m.streams = []apps.Stream{{Name: "corners", Indices: m.mesh.Triangles, IDs: len(m.mesh.Positions)}}
	}
	for n := done; n < m.choice.Levels; n++ {
		// Every level is four times the work of the one before.
		share := 1 / float64(int(1)<<(2*(m.choice.Levels-n)))
		level, err := subdivide.NewLevel(progress.Part(ctx, share, 3*share), m.mesh)
		if err != nil {
			return err
		}
		corners, edges := level.Streams()
		m.coarse, m.streams = len(m.mesh.Positions), []apps.Stream{corners, edges}
		if m.mesh, err = level.Refine(progress.Part(ctx, 3*share, 4*share)); err != nil {
			return err
		}
	}
	m.scene, err = sceneOf(progress.Silent(ctx), m.levelName(), m.mesh)
	return err
}

// drawn refines the mesh, but computes the last level only while it is drawn.
func (m *made) drawn(ctx context.Context) (err error) {
	if err := applications.FitsDrawn(m.of, m.choice.Levels); err != nil {
		return err
	}
	if m.scene, err = subdivide.NewScene(ctx, m.of.Stored(), m.choice.Levels); err != nil {
		return err
	}
	m.scene.Name, m.coarse = m.levelName(), len(m.scene.Positions)/2 // pools have these vertices twice
	return nil
}

// levelName names the scene of the last level.
func (m *made) levelName() string {
	return fmt.Sprintf("%s, level %d", filepath.Base(m.of.Name), m.choice.Levels)
}

// envelopes makes the envelopes, and the mesh that they are of.
func (m *made) envelopes(ctx context.Context) error {
	sides, err := applications.Sides(m.choice.Side)
	if err != nil {
		return err
	}
	if m.mesh, err = apps.NewMesh(progress.Part(ctx, 0, .1), m.of.Stored()); err != nil {
		return err
	}
	name := filepath.Base(m.of.Name)
	if m.scene, err = sceneOf(progress.Silent(ctx), name, m.mesh); err != nil {
		return err
	}
	m.surfaces = []Surface{{Name: name, Scene: m.scene}}
	for i, side := range sides {
		share := .9 / float64(len(sides))
		ctx := progress.Part(ctx, .1+float64(i)*share, .1+float64(i+1)*share)
		e, err := envelope.New(progress.Part(ctx, 0, .2), m.mesh, side, m.choice.Percent)
		if err != nil {
			return err
		}
		shaded, err := e.Shade(progress.Part(ctx, .2, 1))
		if err != nil {
			return err
		}
		s := Surface{Name: side.String() + " envelope", Levels: make([]int32, len(shaded))}
		for v, x := range shaded {
			s.Levels[v] = x.Level
		}
		if s.Scene, err = sceneOf(progress.Silent(ctx), s.Name, e.Result(shaded)); err != nil {
			return err
		}
		at := 0
		if side == envelope.Outer {
			at = len(m.surfaces)
		}
		m.surfaces = slices.Insert(m.surfaces, at, s)
		m.streams = []apps.Stream{e.Stream()} // the same for both sides
	}
	return nil
}

// steps walks on from what was walked before, or from the start.
func (m *made) steps(ctx context.Context, from *made) error {
	c := m.choice
	if err := applications.FitsWalk(c.Agents, c.Grid); err != nil {
		return err
	}
	most := uint32(0)
	if from == nil {
		w, err := walk.New(progress.Part(ctx, 0, .1), c.Agents, c.Grid, c.Seed)
		if err != nil {
			return err
		}
		m.walk, most = w, 16*slices.Max(w.Occupancy())
	} else {
		copied := *from.walk
		m.walk, most = &copied, from.cells.Most
	}
	// Each cell shaded once: agents go the same ways by any strategy.
	once, err := reuse.Resolve("multi", 0, 0)
	if err != nil {
		return err
	}
	first := int(m.walk.Step)
	for n := first; ; n++ {
		if c.SortEvery > 0 && n%c.SortEvery == 0 && (from == nil || n > first) {
			if err := m.walk.Sort(progress.Silent(ctx)); err != nil {
				return err
			}
		}
		if n == c.Step {
			break
		}
		wide := .9 / float64(c.Step-first)
		if _, _, err := m.walk.Advance(progress.Part(ctx, .1+float64(n-first)*wide, .1+float64(n-first+1)*wide), once); err != nil {
			return err
		}
	}
	agents := m.walk.Occupancy()
	m.cells = &Cells{Grid: c.Grid, Agents: agents, Occupied: walk.Occupied(agents), Most: most}
	stream, err := m.walk.Stream(ctx)
	m.streams = []apps.Stream{stream}
	return err
}

// edges finds the edges of a scene.
func (r Request) edges(ctx context.Context) (*Result, error) {
	mesh, err := apps.NewMesh(progress.Part(ctx, 0, .4), r.Scene.Stored())
	if err != nil {
		return nil, err
	}
	edges, err := apps.NewEdges(progress.Part(ctx, .4, 1), mesh)
	return &Result{Request: r, Edges: edges, Ends: mesh}, err
}

// sceneOf is a mesh as a scene of one draw.
func sceneOf(ctx context.Context, name string, m *apps.Mesh) (*geometry.Scene, error) {
	s := &geometry.Scene{Name: name, Positions: m.Positions, Indices: m.Triangles}
	s.Draws = []geometry.Draw{{
		Name: name, IndexCount: uint32(len(m.Triangles)), VertexCount: uint32(len(m.Positions)), Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
	}}
	return s, s.MakeNormals(ctx)
}
