package results

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/apps/envelope"
	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/apps/walk"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// Request determines a Result.
type Request struct {
	Choice Choice
	Scene  *geometry.Scene // nil for a walk
	Config reuse.Config
	Edges  bool // find the scene's edges, without an application
}

// key returns the request without the fields that do not affect its result.
func (r Request) key() Request {
	r.Choice = r.Choice.own()
	if r.Edges {
		r.Choice, r.Config = Choice{}, reuse.Config{}
	}
	return r
}

// Result is an application's result with the shading counts of one strategy. It is immutable.
type Result struct {
	Request
	Scene    *geometry.Scene // to draw; nil for a walk
	Counts   []uint32        // by vertex of the scene, or by cell
	Stats    reuse.Stats
	Surfaces []Surface // of envelopes, from the inside to the outside
	Cells    *Cells    // of a walk
	Edges    *apps.Edges
	Ends     *apps.Mesh // the mesh of Edges
	made     *made
}

// Surface is one of several surfaces that lie inside each other.
type Surface struct {
	Name   string
	Scene  *geometry.Scene
	Levels []int32 // by vertex, 0 to envelope.Levels; nil for the original mesh
}

// Cells holds the number of agents in each grid cell of a walk, in row-major order.
type Cells struct {
	Grid     int
	Agents   []uint32 // in each cell
	Occupied int
	Most     uint32 // end of the colour scale: walk.ScaleEnd at the walk's start
}

// made is the part of an application's result that all strategies share. It is immutable.
type made struct {
	choice   Choice
	of       *geometry.Scene
	mesh     *apps.Mesh
	coarse   int // vertices before the last refinement
	scene    *geometry.Scene
	surfaces []Surface
	walk     *walk.Walk
	cells    *Cells
	streams  []reuse.Stream // Result.Counts holds one count per id of these, one stream after the other
}

// bytesPerShown estimates the bytes per triangle of normals, counts and the device's data, which
// subdivide.Memory does not include.
const bytesPerShown = 64

// do makes a result. `from` is an earlier result with the same or fewer levels or steps, to
// continue from; nil for none.
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
	var err error
	if m.choice.Drawn {
		out.Stats, out.Counts, err = reuse.Analyze(m.scene, r.Config)
		return out, err
	}
	out.Counts, out.Stats, err = count(ctx, m.streams, r.Config)
	return out, err
}

// count returns how often a strategy shades each id of the streams. It computes all counts that applications
// show, except the counts of levels that are computed while they are drawn.
func count(ctx context.Context, streams []reuse.Stream, c reuse.Config) (counts []uint32, all reuse.Stats, err error) {
	for i, s := range streams {
		st, own, err := apps.Pass[struct{}]{Shade: func(uint32) struct{} { return struct{}{} }}.Run(apps.Share(ctx, 0, i, len(streams)), s, c)
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

// subdivide refines the mesh, or continues from an earlier result.
func (m *made) subdivide(ctx context.Context, from *made) (err error) {
	defer must.Catch(&err)
	done := 0
	if from != nil {
		m.mesh, m.coarse, m.streams, done = from.mesh, from.coarse, from.streams, from.choice.Levels
	} else if m.mesh, err = apps.NewMesh(progress.Part(ctx, 0, .2), m.of.Stored()); err != nil {
		return err
	}
	need, triangles, err := subdivide.Memory(m.mesh.Faces(), m.choice.Levels-done)
	if err != nil {
		return err
	}
	must.OK(apps.Fits(need+triangles*bytesPerShown, 0, fmt.Sprintf("level %d has %d triangles", m.choice.Levels, triangles)))
	if m.streams == nil {
		m.streams = []reuse.Stream{{Name: "corners", Indices: m.mesh.Triangles, IDs: len(m.mesh.Positions)}}
	}
	for n := done; n < m.choice.Levels; n++ {
		// Every level takes four times the work of the one before.
		share := 1 / float64(int(1)<<(2*(m.choice.Levels-n)))
		level := must.Get(subdivide.NewLevel(progress.Part(ctx, share, 3*share), m.mesh))
		corners, edges := level.Streams()
		m.coarse, m.streams = len(m.mesh.Positions), []reuse.Stream{corners, edges}
		m.mesh = must.Get(level.Refine(progress.Part(ctx, 3*share, 4*share)))
	}
	name := m.levelName()
	m.scene, err = apps.SceneOf(progress.Silent(ctx), name, []string{name}, m.mesh)
	return err
}

// drawn refines the mesh, except for the last level, which is computed while it is drawn.
func (m *made) drawn(ctx context.Context) (err error) {
	defer must.Catch(&err)
	must.OK(subdivide.FitsDrawn(m.of, m.choice.Levels))
	m.scene = must.Get(subdivide.NewScene(ctx, m.of.Stored(), m.choice.Levels))
	m.scene.Name, m.coarse = m.levelName(), len(m.scene.Positions)/2 // the pools hold the coarse vertices twice: refined and unrefined
	return nil
}

// levelName names the scene of the last level.
func (m *made) levelName() string {
	return fmt.Sprintf("%s, level %d", filepath.Base(m.of.Name), m.choice.Levels)
}

// envelopes makes the envelopes, and the surface of the original mesh.
func (m *made) envelopes(ctx context.Context) (err error) {
	defer must.Catch(&err)
	sides := must.Get(envelope.Sides(m.choice.Side))
	m.mesh = must.Get(apps.NewMesh(progress.Part(ctx, 0, .1), m.of.Stored()))
	name := filepath.Base(m.of.Name)
	m.scene = must.Get(apps.SceneOf(progress.Silent(ctx), name, []string{name}, m.mesh))
	m.surfaces = []Surface{{Name: name, Scene: m.scene}}
	for i, side := range sides {
		ctx := apps.Share(ctx, .1, i, len(sides))
		e := must.Get(envelope.New(progress.Part(ctx, 0, .2), m.mesh, side, m.choice.Percent))
		shaded := must.Get(e.Shade(progress.Part(ctx, .2, 1)))
		s := Surface{Name: side.String() + " envelope", Levels: make([]int32, len(shaded))}
		for v, x := range shaded {
			s.Levels[v] = x.Level
		}
		s.Scene = must.Get(apps.SceneOf(progress.Silent(ctx), s.Name, []string{s.Name}, e.Result(shaded)))
		at := 0
		if side == envelope.Outer {
			at = len(m.surfaces)
		}
		m.surfaces = slices.Insert(m.surfaces, at, s)
		m.streams = []reuse.Stream{e.Stream()} // the same for both sides
	}
	return nil
}

// steps walks to the chosen step, from an earlier result or from the start.
func (m *made) steps(ctx context.Context, from *made) (err error) {
	defer must.Catch(&err)
	c := m.choice
	must.OK(walk.Fits(c.Agents, c.Grid))
	most := uint32(0)
	if from == nil {
		w := must.Get(walk.New(progress.Part(ctx, 0, .1), c.Agents, c.Grid, c.Seed))
		m.walk, most = w, walk.ScaleEnd(w.Occupancy())
	} else {
		copied := *from.walk
		m.walk, most = &copied, from.cells.Most
	}
	// multi shades each cell once; the strategy does not change where agents go.
	once := must.Get(reuse.Resolve("multi", 0, 0))
	first := int(m.walk.Step)
	for n := first; ; n++ {
		if c.SortEvery > 0 && n%c.SortEvery == 0 && (from == nil || n > first) {
			must.OK(m.walk.Sort(progress.Silent(ctx)))
		}
		if n == c.Step {
			break
		}
		if _, _, err := m.walk.Advance(apps.Share(ctx, .1, n-first, c.Step-first), once); err != nil {
			return err
		}
	}
	agents := m.walk.Occupancy()
	m.cells = &Cells{Grid: c.Grid, Agents: agents, Occupied: walk.Occupied(agents), Most: most}
	stream, err := m.walk.Stream(ctx)
	m.streams = []reuse.Stream{stream}
	return err
}

// edges finds the edges of a scene.
func (r Request) edges(ctx context.Context) (_ *Result, err error) {
	defer must.Catch(&err)
	mesh := must.Get(apps.NewMesh(progress.Part(ctx, 0, .4), r.Scene.Stored()))
	return &Result{Request: r, Ends: mesh, Edges: must.Get(apps.NewEdges(progress.Part(ctx, .4, 1), mesh))}, nil
}

// Maker makes results in the background, one request at a time, and keeps the latest. All its
// methods are called on one goroutine. The zero Maker holds and makes nothing.
type Maker struct {
	progress.Job[answer]
	Now Request // the running request

	keeper Keeper
	kept   []*Result // least recently used first
}

// Keeper prevents the release of scenes while one is read.
type Keeper interface {
	Hold()
	LetGo()
}

type answer struct {
	result *Result
	err    error
}

// keptResults bounds the number of kept results, keptMade the number of different `made` values that they refer to.
const (
	keptResults = 24
	keptMade    = 3
)

// NewMaker returns a Maker that calls wake, on another goroutine, when a result is ready.
func NewMaker(wake func(), keeper Keeper) Maker {
	return Maker{Job: progress.NewJob[answer](wake), keeper: keeper}
}

// Get returns a result; nil if it is not kept.
func (m *Maker) Get(r Request) *Result {
	i := slices.IndexFunc(m.kept, func(k *Result) bool { return k.key() == r.key() })
	if i < 0 {
		return nil
	}
	found := m.kept[i]
	m.kept = append(slices.Delete(m.kept, i, i+1), found)
	return found
}

// Follow starts the first wanted request that has no result. While a request is running it starts no
// other, and cancels the running one if it is unwanted. The Maker also calls wake when work has
// taken as long as rest, so that the viewer shows the progress.
func (m *Maker) Follow(rest time.Duration, wanted ...Request) {
	if m.Busy {
		if !slices.ContainsFunc(wanted, func(r Request) bool { return r.key() == m.Now.key() }) {
			m.GiveUp()
		}
		return
	}
	if at := slices.IndexFunc(wanted, func(r Request) bool { return m.Get(r) == nil }); at >= 0 {
		r, from := wanted[at], m.begun(wanted[at])
		m.keeper.Hold()
		m.Now = r
		m.Start(context.Background(), rest, func(ctx context.Context) answer {
			result, err := r.do(ctx, from)
			return answer{result, err}
		})
	}
}

// begun returns the kept result from which a request can continue with the least work, or nil.
func (m *Maker) begun(r Request) (best *made) {
	for _, k := range m.kept {
		if b := k.made; b != nil && b.of == r.Scene && b.choice.before(r.Choice.own()) && (best == nil || best.choice.before(b.choice)) {
			best = b
		}
	}
	return best
}

// Take reports whether the running request has ended, and keeps its result for Get. The error says why
// there is no result; for a cancelled request it is nil.
func (m *Maker) Take() (err error, taken bool) {
	a, taken := m.Job.Take()
	if !taken {
		return nil, false
	}
	m.keeper.LetGo()
	if a.err == nil {
		m.keep(a.result)
	} else if !m.GivenUp {
		return a.err, true
	}
	return nil, true
}

// keep keeps a result, and evicts the least recently used ones beyond keptResults and keptMade.
func (m *Maker) keep(r *Result) {
	m.kept = append(m.kept, r)
	var shared []*made
	from := len(m.kept)
	for from > 0 && len(m.kept)-from < keptResults {
		b := m.kept[from-1].made
		if !slices.Contains(shared, b) {
			if len(shared) == keptMade {
				break
			}
			shared = append(shared, b)
		}
		from--
	}
	m.kept = slices.Delete(m.kept, 0, from)
}

// Forget drops all results.
func (m *Maker) Forget() { m.kept = nil }
