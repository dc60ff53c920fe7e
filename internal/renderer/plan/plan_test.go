package plan

import (
	"context"
	"encoding/xml"
	"errors"
	goflag "flag"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/renderer"
)

var testLimits = renderer.Limits{
	MaxBufferBytes: 128 << 20, MaxImageSide: 4096, MaxGroups: 65535, MaxWorkgroup: 1024, SharedBytes: 32 << 10, NativeLanes: []int{8},
}

// strip is a scene of n triangles in one draw, vertices shared as in a strip.
func strip(n int) *geometry.Scene {
	s := &geometry.Scene{Name: "strip"}
	for i := range n + 2 {
		s.Positions = append(s.Positions, mgl32.Vec3{float32(i) / 2, float32(i % 2), 0})
	}
	for i := range uint32(n) {
		s.Indices = append(s.Indices, i, i+1, i+2)
	}
	s.Draws = []geometry.Draw{{IndexCount: uint32(3 * n), VertexCount: uint32(n + 2), Transform: mgl32.Ident4(), Color: geometry.DefaultColor}}
	_ = s.MakeNormals(context.Background()) // no error, since nothing cancels the context
	return s
}

func frame(t testing.TB, n int, strategy string, lanes int) renderer.Frame {
	c := must.Get(reuse.Resolve(strategy, lanes, 0))
	return renderer.Frame{Scene: strip(n), Reuse: c, Width: 64, Height: 32}
}

// made returns a plan that must not be refused: made(t)(New(f, l)).
func made(t testing.TB) func(*Plan, error) *Plan {
	return func(p *Plan, err error) *Plan {
		t.Helper()
		require.NoError(t, err)
		return p
	}
}

// TestListsOfAChunk: the vertices of a chunk's lists follow one another in the chunk's queue.
func TestListsOfAChunk(t *testing.T) {
	f := frame(t, 3000, "meshlet", 0)
	f.QueueBudget = 16 << 10
	p := made(t)(New(f, testLimits))
	require.Greater(t, len(p.Chunks), 2)
	for _, c := range p.Chunks {
		at := uint32(0)
		for _, list := range p.Meshlets.Table[c.FirstBatch:][:c.BatchCount] {
			require.Equal(t, at, list.FirstVertex)
			at += list.VertexCount
		}
	}
}

// TestGroupsCoverWhatOneDimensionCannot: Groups returns as many workgroups as wanted, or some more, in two dimensions.
func TestGroupsCoverWhatOneDimensionCannot(t *testing.T) {
	for n, want := range map[int][2]uint32{1: {1, 1}, 65535: {65535, 1}, 65536: {65535, 2}, 131070: {65535, 2}, 131071: {65535, 3}} {
		require.Equal(t, want, Groups(n, &testLimits), n)
	}
}

func TestPlanCoversTheStream(t *testing.T) {
	for _, budget := range []int64{0, 1 << 20, 4096} {
		for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
			f := frame(t, 5000, "warp", 8)
			f.QueueBudget, f.Queue = budget, queue
			p := made(t)(New(f, testLimits))
			batch, triangle := 0, 0
			for _, c := range p.Chunks {
				require.Equal(t, batch, c.FirstBatch)
				require.Equal(t, triangle, c.FirstTriangle)
				require.LessOrEqual(t, c.TriangleCount, p.TriangleCapacity)
				batch += c.BatchCount
				triangle += c.TriangleCount
			}
			require.Equal(t, len(p.Batches), batch)
			require.Equal(t, 5000, triangle)
			queues := p.Buffer("VertexPositions").Bytes + p.Buffer("VertexAttributes").Bytes
			if queue == renderer.Indexed {
				queues += p.Buffer("Triangles").Bytes
			}
			require.LessOrEqual(t, queues, p.Frame.QueueBudget)
			if budget == 4096 {
				require.Greater(t, len(p.Chunks), 1)
			}
		}
	}
}

// TestTriangleQueuesFitTheDevice: if instances have more triangles than a buffer holds, chunks are as
// large as the buffer allows.
func TestTriangleQueuesFitTheDevice(t *testing.T) {
	f, l := frame(t, 5000, "warp", 8), testLimits
	f.Scene.Draws = slices.Repeat(f.Scene.Draws[:1], 4)
	f.VertexShare, l.MaxBufferBytes = .1, 100<<10
	p := made(t)(New(f, l))
	require.Equal(t, int(l.MaxBufferBytes)/(3*cornerBytes)/8*8, p.TriangleCapacity)
}

func TestPlanRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*renderer.Frame, *renderer.Limits)
		want   string
	}{
		{"no scene", func(f *renderer.Frame, _ *renderer.Limits) { f.Scene = nil }, "without a scene"},
		{"no triangles", func(f *renderer.Frame, _ *renderer.Limits) { f.Scene.Draws = []geometry.Draw{{Name: "empty"}} }, "scene without triangles"},
		{"no normals", func(f *renderer.Frame, _ *renderer.Limits) { f.Scene.Normals = nil }, "scene with 0 normals for 5002 vertices"},
		{"no picture", func(f *renderer.Frame, _ *renderer.Limits) { f.Width = 0 }, "picture of 0x32: each side must be 1 to 4096"},
		{"large picture", func(f *renderer.Frame, _ *renderer.Limits) { f.Height = 5000 }, "picture of 64x5000"},
		{"tiny budget", func(f *renderer.Frame, _ *renderer.Limits) { f.QueueBudget = 100 }, "queue budget of 100 bytes is too small: one batch of 24 indices needs"},
		{"native lanes", func(f *renderer.Frame, _ *renderer.Limits) { f.Reuse.Lanes, f.Subgroups = 32, renderer.NativeSubgroups }, "32 lanes are not native here: the device's subgroups have 8 lanes"},
		{"shared memory", func(f *renderer.Frame, l *renderer.Limits) { f.Reuse.Batch, l.SharedBytes = reuse.MaxBatch, 12<<10 }, "warp, 8 lanes, batch 3072 needs 12.09 KiB of shared memory, the device has 12 KiB"},
		{"no counts", func(f *renderer.Frame, _ *renderer.Limits) { f.NoCounts = true }, "the counts view needs shading counts"},
		{"large picture buffer", func(f *renderer.Frame, l *renderer.Limits) {
			f.Raster, l.MaxBufferBytes = renderer.ComputeRaster, 16000
		}, "buffer Visible needs 16 KiB (2048 x uint64 depth, triangle), the device binds at most 15.62 KiB"},
		{"small device", func(_ *renderer.Frame, l *renderer.Limits) { l.DeviceBytes = 20000 }, "the device has 19.53 KiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, l := frame(t, 5000, "warp", 8), testLimits
			tt.change(&f, &l)
			_, err := New(f, l)
			require.ErrorContains(t, err, tt.want)
		})
	}
}

func TestPlanPrints(t *testing.T) {
	p := made(t)(New(frame(t, 100, "naive", 32), testLimits))
	text := p.String()
	for _, want := range []string{
		"strip, naive, 32 lanes, batch 96, virtual, indexed queue, counts view, 64x32",
		"stream 100 triangles in 1 draw, 4 batches, 1 chunk\n",
		"buffer Indices", "300 x uint", "pass   geometry:naive   dispatch chunk 0, 4x1 workgroups", "pass   raster:hardware",
	} {
		require.Contains(t, text, want)
	}
	p.Frame.View = renderer.Batches
	for batches, want := range map[int]string{1: "One batch shaded every vertex", 4: "Which of 4 batches shaded each vertex"} {
		p.BatchCount = batches
		require.Equal(t, want, p.Legend(reuse.Stats{}, nil).Title)
	}
}

// overflowing is a backend whose Exec reports an overflow until the vertex queue holds needShare of the worst case.
type overflowing struct {
	needShare float64
	tries     int
}

func (o *overflowing) Info() Info              { return Info{Name: "test", Device: "test"} }
func (o *overflowing) Set(Options)             {}
func (o *overflowing) Limits() renderer.Limits { return testLimits }
func (o *overflowing) Close()                  {}
func (o *overflowing) Exec(p *Plan, _ renderer.Camera, _ renderer.Want) (*renderer.Output, error) {
	o.tries++
	for _, c := range p.Chunks {
		need := int(math.Ceil(o.needShare * float64(c.WorstVertices)))
		if need > p.VertexCapacity {
			return nil, &renderer.OverflowError{Stage: renderer.VertexQueue, Need: need, Have: p.VertexCapacity}
		}
	}
	return &renderer.Output{}, nil
}

func TestRenderPlansAgain(t *testing.T) {
	f := frame(t, 5000, "warp", 8)
	f.QueueBudget, f.VertexShare = 16<<10, 0.2
	for _, need := range []float64{0.1, 0.3, 0.7, 1} {
		b := &overflowing{needShare: need}
		_, p, err := Render(b, f, renderer.Camera{}, 0)
		require.NoError(t, err, "need %g", need)
		require.NotNil(t, p)
		require.LessOrEqual(t, b.tries, 3)
	}
	b := &overflowing{needShare: 1.5}
	_, _, err := Render(b, f, renderer.Camera{}, 0)
	var overflow *renderer.OverflowError
	require.True(t, errors.As(err, &overflow), "a need that no plan meets ends as an error")
	require.Equal(t, maxReplans+1, b.tries)
}

func TestQueueBudgetFollowsTheDevice(t *testing.T) {
	for memory, want := range map[int64]int64{
		0: 64 << 20, 1 << 30: 64 << 20, 3 << 30: 128 << 20, 8<<30 - 1: 256 << 20, 8 << 30: 512 << 20, 140 << 30: 512 << 20,
	} {
		require.Equal(t, want, renderer.Limits{DeviceBytes: memory}.QueueBudget(), "%d bytes", memory)
	}
}

// A scene whose queues take more than 64 MiB is one chunk if the device has enough memory, else
// several: because of the device's size, the device budget, or a large picture.
func TestQueueBudgetOfFrames(t *testing.T) {
	f := frame(t, 1_000_000, "naive", 8)
	f.Queue = renderer.Expanded
	l := testLimits
	l.MaxImageSide = renderer.MaxImageSide
	plan := func(device int64) *Plan {
		l.DeviceBytes = device
		p := made(t)(New(f, l))
		require.False(t, p.Windowed())
		return p
	}
	one := plan(4 << 30)
	require.Len(t, one.Chunks, 1)
	require.EqualValues(t, 256<<20, one.Frame.QueueBudget)
	require.NotEqual(t, 1, len(plan(1<<30).Chunks))

	f.DeviceBudget = 1 << 30
	require.NotEqual(t, 1, len(plan(4<<30).Chunks))
	f.DeviceBudget = 0

	const row = renderer.MaxImageSide * 8
	f.Width = renderer.MaxImageSide
	f.Height = int((2<<30-one.ownBytes())/row) + 16 // 2 MiB more than there is room for
	p := plan(2 << 30)
	require.EqualValues(t, renderer.LeastQueueBudget, p.Frame.QueueBudget)
	require.NotEqual(t, 1, len(p.Chunks))
}

// TestGeometryBytes uses a strip of 5 triangles over 7 vertices. Its static batches of 6
// indices hold two, two and one triangles.
func TestGeometryBytes(t *testing.T) {
	for _, tt := range []struct {
		strategy    string
		queue       renderer.QueueForm
		view        renderer.View
		invocations int
		want        int64
	}{
		// In bytes: 3 batches of 16 each and 15 indices of 4. The batches name 4, 4 and 3 vertices,
		// each with a position of 12 and a queue slot of 16. There are 5 triangle records of 8.
		{"warp", renderer.Indexed, renderer.NoView, 11, 48 + 60 + 11*(12+16) + 40},
		// Each vertex has a normal of 12 and attributes of 8 too.
		{"warp", renderer.Indexed, renderer.Shaded, 11, 48 + 60 + 11*(24+24) + 40},
		// Three vertices per triangle, and no records.
		{"warp", renderer.Expanded, renderer.NoView, 11, 48 + 60 + 11*12 + 15*16},
		{"warp", renderer.Expanded, renderer.Counts, 11, 48 + 60 + 11*24 + 15*24},
		{"naive", renderer.Indexed, renderer.NoView, 15, 48 + 60 + 15*(12+16) + 40},
		// Three batches of triangles, and four of at most two vertices. Each of 7 vertices is stored once, then read and stored again for each corner.
		{"multi", renderer.Expanded, renderer.NoView, 7, 7*16 + 60 + 7*(12+16) + 15*(16+16)},
	} {
		c := must.Get(reuse.Resolve(tt.strategy, 4, 6))
		f := renderer.Frame{Scene: strip(5), Reuse: c, Queue: tt.queue, View: tt.view, NoRaster: true}
		p := made(t)(New(f, testLimits))
		stats, _ := must.Get2(reuse.Analyze(f.Scene, c))
		require.Equal(t, tt.invocations, stats.Invocations)
		require.Equal(t, tt.want, p.GeometryBytes(stats), "%s, %s, %s", tt.strategy, tt.queue, tt.view)
	}
}

// TestCameraOfNarrowPicture: CheckExec checks the camera's matrix for the shape of the plan's picture.
func TestCameraOfNarrowPicture(t *testing.T) {
	f := frame(t, 4, "naive", 8)
	f.Width, f.Height = 1, 4096
	plan := made(t)(New(f, testLimits))
	c := renderer.FitCamera(f.Scene.Bounds(), 1)
	require.NoError(t, plan.CheckExec(c, 0))
	c.FovY = 1e-36
	require.NoError(t, c.Check())
	require.EqualError(t, plan.CheckExec(c, 0), "the camera's matrix is not finite: the scene is too large or too far away to be drawn in single precision")
}

// TestPlanningEnds: if the context ends during a step that reads indices, planning fails with the context's cause.
func TestPlanningEnds(t *testing.T) {
	cause := errors.New("not wanted")
	ctx, stop := context.WithCancelCause(t.Context())
	for _, strategy := range []string{"claim", "meshlet"} {
		f := frame(t, 4, strategy, 8)
		must.Get(newIn(ctx, f, testLimits))
		p := newPlanner(f, testLimits)
		p.ctx = ctx
		require.NoError(t, p.cutBatches())
		require.Equal(t, reuse.Batches(f.Scene, f.Reuse), p.Batches)
	}
	stop(cause)
	f := frame(t, 4, "meshlet", 8)
	_, err := newIn(ctx, f, testLimits)
	require.Equal(t, cause, err)
	require.Empty(t, reuse.MakeMeshlets(ctx, f.Scene, f.Reuse, reuse.Batches(f.Scene, f.Reuse)))
	p := newPlanner(frame(t, 4, "claim", 8), testLimits)
	p.ctx = ctx
	require.Equal(t, cause, p.cutBatches())
	require.Empty(t, p.Batches)
}

var update = goflag.Bool("update", false, "write the drawing of ARCHITECTURE.md anew")

// streamingPlan plans a scene that takes several windows of several chunks.
func streamingPlan(t *testing.T) *Plan {
	f := frame(t, 8000, "claim", 32)
	f.Raster, f.View, f.Width, f.Height, f.QueueBudget = renderer.ComputeRaster, renderer.Shaded, 64, 32, 50<<10
	for f.DeviceBudget = 33 << 20; ; f.DeviceBudget -= 1 << 10 {
		p := made(t)(New(f, testLimits))
		if p.Windowed() {
			return p
		}
	}
}

// TestDrawing: every pass is drawn once, and docs/images/streaming-plan.svg is the plan's current drawing.
func TestDrawing(t *testing.T) {
	p := streamingPlan(t)
	require.Equal(t, 2, p.Halves)
	text := p.Drawing(0)
	decoder := xml.NewDecoder(strings.NewReader(text))
	drawn := 0
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if s, ok := token.(xml.StartElement); ok && s.Name.Local == "text" {
			drawn++
		}
	}
	lines := 0
	for i := range p.Passes {
		if !p.Passes[i].Beside {
			lines++
		}
	}
	lines = (lines + drawnAcross - 1) / drawnAcross
	require.Equal(t, len(p.Passes)+len(drawnLanes)*lines, drawn)

	text = p.Drawing(3 * drawnAcross)
	path := shareddata.Tree(t, "docs", "images", "streaming-plan.svg")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	want := must.Get(os.ReadFile(path))
	require.Equal(t, string(want), text, "go test ./internal/renderer/plan -run TestDrawing -update")
}
