package measure

import (
	"cmp"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shape"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	require.NoError(t, Compare([]uint32{1, 2}, []uint32{1, 2}))
	require.EqualError(t, Compare([]uint32{1, 2, 3, 0}, []uint32{1, 3, 3, 1}),
		"counts of 2 vertices differ from the CPU reference: vertex 1 was shaded 2 times, the reference says 3")
	require.ErrorContains(t, Compare([]uint32{1}, []uint32{1, 1}), "the backend returned 1 counts for 2 vertices")
}

// counting is a backend that counts by the reference, and adds up the draws that it was given.
type counting struct {
	draws int
	most  int64 // bytes of a buffer; 0 means unlimited
}

func (b *counting) Info() plan.Info {
	return plan.Info{Name: "gpu", Device: "a processor", Software: true}
}
func (b *counting) Set(plan.Options) {}
func (b *counting) Close()           {}
func (b *counting) Limits() renderer.Limits {
	return renderer.Limits{MaxBufferBytes: cmp.Or(b.most, 1<<30), MaxImageSide: 1 << 12, MaxGroups: 1 << 16, MaxWorkgroup: 1 << 10, SharedBytes: 32 << 10}
}

func (b *counting) Exec(p *plan.Plan, _ renderer.Camera, _ renderer.Want) (*renderer.Output, error) {
	b.draws += len(p.Frame.Scene.Draws)
	_, counts := must.Get2(reuse.Analyze(p.Frame.Scene, p.Frame.Reuse))
	return &renderer.Output{Counts: counts}, nil
}

// Counting a scene of copies costs a device as much as one copy.
func TestInstancesAreCountedOnce(t *testing.T) {
	t.Parallel()
	s := must.Get(assets.Make("cube"))
	const copies = 1440
	instances := *s
	instances.Draws = nil
	for range copies {
		instances.Draws = append(instances.Draws, s.Draws...)
	}
	c := must.Get(reuse.Resolve("claim", 8, 0))
	b := &counting{}
	one := must.Get(Strategy(c, renderer.Frame{}).Count(b, s))
	require.Equal(t, len(s.Draws), b.draws)
	all := must.Get(Strategy(c, renderer.Frame{}).Count(b, &instances))
	require.Equal(t, 2*len(s.Draws), b.draws)
	require.Equal(t, copies*one.Invocations, all.Invocations)
	require.Equal(t, copies*one.Vertices, all.Vertices)
	require.Len(t, all.Draws, copies*len(s.Draws))
	require.Equal(t, one.Draws[0], all.Draws[copies-1])
	reference, err := Reference(c).Count(nil, s)
	require.NoError(t, err, "without a device")
	require.Equal(t, one.Invocations, reference.Invocations)
	counted := *reference
	counted.Stats.Vertices, counted.Stats.Referenced = 99, 55
	row := Analyze(Subject{}, &counted)
	require.Equal(t, [2]int{99, 55}, [2]int{row.Vertices, row.Referenced})
}

// The hint appears if a scene has many distinct indices.
func TestSlowHint(t *testing.T) {
	t.Parallel()
	s := &geometry.Scene{Name: "dragon", Draws: []geometry.Draw{{IndexCount: manyIndices - 3}, {IndexCount: manyIndices - 3}}}
	require.Empty(t, SlowHint(s, "timing", "--runs 1"), "instances count once")
	s.Draws[1].FirstIndex = 3
	require.Equal(t, "dragon: timing 39 million indices on a CPU can take minutes: --runs 1", SlowHint(s, "timing", "--runs 1"))
	require.True(t, OnCPU(&counting{}))
	require.True(t, OnCPU(soft.New()))
	require.False(t, OnCPU(nil))
}

// A strategy whose plan the device cannot hold is left out if it is one of "all", and an error if
// it was named. multi needs all of a draw's vertices at once.
func TestWhatDoesNotFitIsLeftOut(t *testing.T) {
	t.Parallel()
	s := must.Get(assets.Make("terrain64"))
	b := &counting{most: 48 << 10}
	var counters []*Counter
	for _, name := range []string{"claim", "multi"} {
		c := must.Get(reuse.Resolve(name, 8, 0))
		counters = append(counters, Strategy(c, renderer.Frame{QueueBudget: 32 << 10}))
	}
	of := Subject{File: "terrain", Scene: s}
	_, _, err := CountAll(t.Context(), b, of, counters)
	require.True(t, renderer.DoesNotFit(err), "%v", err)
	for _, c := range counters {
		c.GoOn = true
	}
	all, notices := must.Get2(CountAll(t.Context(), b, of, counters))
	require.Len(t, all, 1)
	require.Equal(t, "claim", all[0].Name)
	require.Len(t, notices, 1)
	require.Contains(t, notices[0], "terrain: multi is left out: ")
	_, _, err = CountAll(t.Context(), b, of, counters[1:])
	require.True(t, renderer.DoesNotFit(err), "nothing is left: %v", err)
}

// instances returns a scene that alternates between two meshes, with the given number of copies of each.
func instances(t *testing.T, asset string, copies int) *geometry.Scene {
	s := must.Get(assets.Make(asset))
	half := s.Draws[0]
	half.IndexCount = half.IndexCount / 6 * 3
	s.Draws = append(s.Draws, half)
	return must.Get(s.Copies(copies))
}

// RenderByShape draws only what the camera sees, and gives the picture and statistics of plan.Render, but for batches,
// iterations and lanes.
func TestRenderByShape(t *testing.T) {
	t.Parallel()
	s, large := instances(t, "sphere3", 25), instances(t, "sphere5", 2)
	b := soft.New()
	defer b.Close()
	c := must.Get(reuse.Resolve("warp", 8, 0))
	near := renderer.FitCamera(s.Bounds(), 2)
	near.Zoom(4, s.Bounds())
	away := near
	away.Target = away.Target.Add(mgl32.Vec3{1e4, 0, 0})
	marks := make([]renderer.Mark, len(s.Draws))
	marks[24] = renderer.Hidden
	for name, x := range map[string]struct {
		frame  renderer.Frame
		camera renderer.Camera
		draws  int // at most
	}{
		"counts":   {renderer.Frame{}, near, 40},
		"all seen": {renderer.Frame{}, renderer.FitCamera(s.Bounds(), 2), 50},
		"shaded":   {renderer.Frame{View: renderer.Shaded, Marks: marks}, near, 40},
		"batches":  {renderer.Frame{View: renderer.Batches}, near, 50},
		"chunks":   {renderer.Frame{QueueBudget: 64 << 10}, near, 40},
		"windows":  {renderer.Frame{Scene: large, QueueBudget: 64 << 10, DeviceBudget: 32<<20 + 600<<10}, renderer.FitCamera(large.Bounds(), 2), 4},
		"nothing":  {renderer.Frame{}, away, 1},
	} {
		f := x.frame
		if f.Scene == nil {
			f.Scene = s
		}
		f.Reuse, f.Raster, f.Width, f.Height = c, renderer.SoftRaster, 96, 48
		want, _, err := plan.Render(b, f, x.camera, renderer.WantColor|renderer.WantCounts)
		require.NoError(t, err, name)
		got, p, err := RenderByShape(b, f, x.camera, renderer.WantColor)
		require.NoError(t, err, name)
		require.Equal(t, want.Color.Pix, got.Color.Pix, name)
		require.Equal(t, name != "nothing", got.Seen.Drawn() > 0, name)
		require.LessOrEqual(t, len(p.Frame.Scene.Draws), x.draws, name)
		require.Less(t, len(p.Frame.Shown), 2*int(f.Scene.Draws[0].VertexCount)+1, name)
		require.Equal(t, name == "windows", p.Windowed(), name)
		want.Stats.Batches, want.Stats.Iterations, want.Stats.LaneSlots = 0, 0, 0
		require.Equal(t, want.Stats, got.Stats, name)
		_, err = b.Exec(p, x.camera, renderer.WantCounts)
		require.Error(t, err, name)
	}
}

// Counting by shape is worthwhile if there are many instances, and is not used if the counts
// depend on more than the shape.
func TestByShape(t *testing.T) {
	t.Parallel()
	c := must.Get(reuse.Resolve("warp", 8, 0))
	f := renderer.Frame{Reuse: c, Scene: &geometry.Scene{Draws: make([]geometry.Draw, 3)}}
	for i := range f.Scene.Draws {
		f.Scene.Draws[i] = geometry.Draw{IndexCount: 3, VertexCount: savedPairs / 2}
	}
	require.True(t, ByShape(&f))
	f.Shading = &geometry.Shading{}
	require.False(t, ByShape(&f), "vertex shaders of its own may tell instances apart")
	f.Shading = nil
	f.Cull = true
	require.False(t, ByShape(&f), "each draw loses other triangles")
	culled := renderer.Culling{Frustum: 1, BackFace: 2, ZeroArea: 3, NoSample: 4, Survived: 5, Positioned: 6, Shaded: 7}
	require.Equal(t, "culled: "+culled.String(), culledOf(&f, culled).String())
	f.Cull = false
	f.Scene.Draws[1].FirstIndex = 3
	require.False(t, ByShape(&f), "one of them saves too little")
	f.Scene.Draws[2].IndexCount, f.Scene.Draws[0].IndexCount = savedIndices, savedIndices
	require.True(t, ByShape(&f))
	f.Reuse = must.Get(reuse.Resolve("multi", 8, 0))
	require.False(t, ByShape(&f), "it keeps the vertices of every draw")
}

// narrow is a backend on a system without the memory for multi.
type narrow struct{ *soft.Backend }

func (n narrow) Exec(p *plan.Plan, c renderer.Camera, want renderer.Want) (*renderer.Output, error) {
	if p.Frame.Reuse.Strategy.WholeDraws {
		return nil, renderer.CheckHost(1<<62, "vertices")
	}
	return n.Backend.Exec(p, c, want)
}

func TestShares(t *testing.T) {
	t.Parallel()
	require.Equal(t, [6]float64{40, 0, 30, 0, 0, 30}, Shares([]int{9, 4, 0, 3, 0, 0, 1, 0, 2}, 10))
}

// Timing also continues without a strategy for which the system lacks memory.
func TestTimingGoesOnWithoutMemory(t *testing.T) {
	t.Parallel()
	if bytesize.FreeMemory() == 0 {
		t.Skip("the system does not say what memory it has free")
	}
	b := narrow{soft.New()}
	var notices []string
	g := Geometry{Frame: GeometryFrame(), Loads: []Load{{Name: "simple"}}, Runs: 1, LeaveOut: func(notice string) { notices = append(notices, notice) }}
	for _, name := range []string{"warp", "multi"} {
		g.Configs = append(g.Configs, must.Get(reuse.Resolve(name, 0, 0)))
	}
	rows := must.Get(g.Time(t.Context(), b, Subject{File: "some", Scene: instances(t, "sphere1", 1)}))
	require.Len(t, rows, 1)
	require.Equal(t, "warp", rows[0].Strategy)
	require.Len(t, notices, 1)
	require.Contains(t, notices[0], "some: multi is left out: vertices need")
	g.LeaveOut = nil
	_, err := g.Time(t.Context(), b, Subject{File: "some", Scene: instances(t, "sphere1", 1)})
	require.True(t, renderer.DoesNotFit(err), "without LeaveOut it is an error: %v", err)
}

// Draws of one shape (see package shape) are counted once. Statistics and sums per draw are the same as if
// each draw were counted. The counts per vertex are returned once per shape.
func TestAnalyzeShapes(t *testing.T) {
	s := &geometry.Scene{Indices: []uint32{0, 1, 2, 2, 1, 3, 0, 2, 4, 4, 2, 5}}
	for i := range 7 {
		s.Draws = append(s.Draws, geometry.Draw{FirstIndex: uint32(i % 2 * 6), IndexCount: 6, VertexOffset: uint32(3 * i), VertexCount: 6})
	}
	for _, name := range reuse.Names() {
		c := must.Get(reuse.Resolve(name, 8, 0))
		want, all := must.Get2(reuse.Analyze(s, c))
		_, wantSums := must.Get2(reuse.Summarize(s, c))
		got, sums, counts := analyzeShapes(s, c)
		require.Equal(t, want, got, name)
		require.Equal(t, wantSums, sums, name)
		require.Equal(t, s.Draws[:2], shape.Scene(s).Draws)
		require.Equal(t, all[:12], counts, name)
	}
	require.Equal(t, 12, shape.Indices(s))
}
