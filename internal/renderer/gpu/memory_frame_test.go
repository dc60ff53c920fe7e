package gpu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// memoryCase is a frame that runs out of memory at each of its allocations.
type memoryCase struct {
	name  string
	scene string
	frame renderer.Frame
	check func(p *plan.Plan) bool // reports whether the plan has the property in the case's name
}

func chunked(p *plan.Plan) bool  { return len(p.Chunks) > 2 && p.Halves == 2 && !p.Windowed() }
func gathered(p *plan.Plan) bool { return len(p.Windows) > 2 && p.Gathered }
func resident(p *plan.Plan) bool { return len(p.Windows) > 2 && !p.Gathered }
func whole(p *plan.Plan) bool    { return len(p.Chunks) <= 1 && !p.Windowed() }

const compute = renderer.ComputeRaster

var memoryCases = []memoryCase{
	{"hardware", "knot12", renderer.Frame{}, whole},
	{"compute", "knot12", renderer.Frame{Raster: compute}, whole},
	{"expanded", "knot12", renderer.Frame{Raster: compute, Queue: renderer.Expanded}, whole},
	{"narrow", "knot12", renderer.Frame{Raster: compute, NarrowAtomics: true}, whole},
	{"skinned", "knot12", renderer.Frame{View: renderer.Shaded, VertexShader: renderer.Skin}, whole},
	{"culled", "knot12", renderer.Frame{Raster: compute, Cull: true}, whole},
	{"raw", "knot12", renderer.Frame{View: renderer.Shaded, Raw: true}, whole},
	{"chunks", "knot24", renderer.Frame{Raster: compute, QueueBudget: 400 << 10}, chunked},
	{"chunks by hardware", "knot24", renderer.Frame{QueueBudget: 400 << 10}, chunked},
	{"chunks culled", "knot24", renderer.Frame{Raster: compute, QueueBudget: 400 << 10, Cull: true}, chunked},
	{"windows", "terrain100", renderer.Frame{Raster: compute, QueueBudget: 200 << 10, DeviceBudget: 1}, gathered},
	{"windows culled", "terrain100", renderer.Frame{QueueBudget: 200 << 10, DeviceBudget: 1, Cull: true}, gathered},
	{"windows of draws", "instances", renderer.Frame{Raster: compute, QueueBudget: 64 << 10, DeviceBudget: 1}, resident},
}

// memoryScene returns an asset, or many instances of one.
func memoryScene(t *testing.T, name string) *geometry.Scene {
	instances := name == "instances"
	if instances {
		name = "cube"
	}
	s := must.Get(assets.Make(name))
	if instances {
		s.Draws = slices.Repeat(s.Draws, 500)
	}
	return s
}

// plan plans the case. For a plan in windows, it lowers the device budget until the plan is of the kind in the case's name.
func (c memoryCase) plan(t *testing.T, b *Backend) *plan.Plan {
	f := c.frame
	f.Scene, f.Width, f.Height = memoryScene(t, c.scene), 48, 32
	if !f.Raw {
		config := resolve(t, "warp", 8, 0)
		f.Reuse = config
	}
	windows := f.DeviceBudget != 0
	f.DeviceBudget = 0
	p := must.Get(plan.New(f, b.Limits()))
	for f.DeviceBudget = p.DeviceBytes(); windows && !c.check(p); {
		f.DeviceBudget -= 2 << 10
		p = must.Get(plan.New(f, b.Limits()))
	}
	require.True(t, c.check(p), "%d chunks, %d windows", len(p.Chunks), len(p.Windows))
	return p
}

// closeRings frees the staging memory, which a device otherwise keeps after its first use.
func closeRings(d *Device) {
	for _, r := range []**ring{&d.upload, &d.readback} {
		if *r != nil {
			(*r).close()
			*r = nil
		}
	}
}

// TestMemoryRunsOutInMidFrame: whichever allocation of a frame fails, the error says how much was
// requested, everything that the frame allocated is freed, and the same backend then draws the
// same picture.
func TestMemoryRunsOutInMidFrame(t *testing.T) {
	d := openDevice(t, OpenOptions{})
	for _, c := range memoryCases {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() && slices.Contains([]string{"expanded", "narrow", "skinned", "chunks culled", "windows culled"}, c.name) {
				t.Skip("without -short: takes pipelines, and its memory as the others do")
			}
			b := NewBackend(d)
			closing(t, b)
			p := c.plan(t, b)
			camera := renderer.FitCamera(p.Frame.Scene.Bounds(), 1.5)
			want := renderer.WantColor | renderer.WantDepth
			if !p.Frame.Raw {
				want |= renderer.WantCounts
			}
			closeRings(d)
			before := b.Holding()
			require.Zero(t, before.Bytes+int64(before.Allocations))
			reference := must.Get(b.Exec(p, camera, want))
			failed, step := 0, 1
			if testing.Short() {
				step = 7
			}
			for ; ; failed += step {
				b.closeFrames()
				closeRings(d)
				taken, asked := 0, int64(0)
				d.refuse = func(bytes int64) bool {
					taken++
					if taken == failed+1 {
						asked = bytes
					}
					return taken == failed+1
				}
				_, err := b.Exec(p, camera, want)
				d.refuse = nil
				if asked == 0 {
					require.NoError(t, err)
					break
				}
				what := fmt.Sprintf("allocation %d, of %d bytes", failed, asked)
				var memory *MemoryError
				require.ErrorAs(t, err, &memory, what)
				require.Equal(t, asked, memory.Need, what)
				require.False(t, strings.Contains(err.Error(), "\n"), err)
				staging := int64(0)
				for _, r := range []*ring{d.upload, d.readback} {
					if r != nil {
						staging += ringBytes
					}
				}
				require.Equal(t, before.Bytes+staging, b.Holding().Bytes, "%s: but for staging nothing stays", what)
				closeRings(d)
				require.Equal(t, before.Allocations, b.Holding().Allocations, what)

				out, err := b.Exec(p, camera, want)
				require.NoError(t, err, what)
				require.Equal(t, reference.Color.Pix, out.Color.Pix, what)
				require.Equal(t, reference.Depth, out.Depth, what)
				require.Equal(t, reference.Counts, out.Counts, what)
			}
			require.Greater(t, failed, 8)
		})
		require.Empty(t, d.instance.Messages())
	}
}

// TestMemoryRunsOutBesideKeptPlans: kept plans are freed to make room, and recorded again later.
func TestMemoryRunsOutBesideKeptPlans(t *testing.T) {
	b := newBackend(t)
	b.Set(plan.Options{Keep: 3})
	var plans []*plan.Plan
	var pictures [][]byte
	camera := renderer.Camera{}
	for _, c := range memoryCases[:2] {
		p := c.plan(t, b)
		if len(plans) > 0 {
			p.Frame.Scene = plans[0].Frame.Scene
		}
		camera = renderer.FitCamera(p.Frame.Scene.Bounds(), 1.5)
		out := must.Get(b.Exec(p, camera, renderer.WantColor))
		plans, pictures = append(plans, p), append(pictures, out.Color.Pix)
	}
	require.Len(t, b.recordings, 2)
	held := b.held()
	b.Set(plan.Options{Keep: 2})
	require.Equal(t, b.recordings[0].bytes(), b.held()-held, "the next plan replaces the oldest that is kept")
	b.Set(plan.Options{Keep: 3})
	third := memoryCases[2].plan(t, b)
	third.Frame.Scene = plans[0].Frame.Scene
	b.device.refuse = func(int64) bool { return true }
	_, err := b.Exec(third, camera, 0)
	b.device.refuse = nil
	var memory *MemoryError
	require.ErrorAs(t, err, &memory)
	require.Empty(t, b.recordings)
	require.NoError(t, b.Show())
	require.Nil(t, b.Color())
	require.Equal(t, int64(2*ringBytes), b.Holding().Bytes)
	for i, p := range plans {
		out := must.Get(b.Exec(p, camera, renderer.WantColor))
		require.Equal(t, pictures[i], out.Color.Pix)
	}
}

// TestPipelinesAreBounded: pipelines beyond the bound are freed and made again, except those of
// kept plans.
func TestPipelinesAreBounded(t *testing.T) {
	b := ownBackend(t)
	b.Set(plan.Options{Keep: 2})
	x := &b.device.pipelines
	x.most = 5 << 20
	scene := memoryScene(t, "knot12")
	camera := renderer.FitCamera(scene.Bounds(), 1.5)
	var plans []*plan.Plan
	cases := memoryCases[:6]
	if testing.Short() {
		cases = cases[:3]
	}
	for _, c := range cases {
		p := c.plan(t, b)
		p.Frame.Scene = scene
		plans = append(plans, p)
	}
	var pictures [2][][]byte
	for round := range pictures {
		for i, p := range plans {
			for _, k := range []int{i, max(0, i-1)} { // a kept plan is drawn again
				out := must.Get(b.Exec(plans[k], camera, renderer.WantColor))
				if plans[k] == p {
					pictures[round] = append(pictures[round], out.Color.Pix)
				}
			}
			inPlans := int64(0)
			for _, p := range x.kept {
				if slices.ContainsFunc(b.recordings, func(r *recording) bool { return r.binds(p.Pipeline) }) {
					inPlans += p.Pipeline.bytes
				}
			}
			require.LessOrEqual(t, x.bytes(), x.most+inPlans)
		}
	}
	require.Equal(t, pictures[0], pictures[1])
}

// binds reports whether a recording uses a pipeline.
func (r *recording) binds(p *Pipeline) bool {
	for key := range r.sets {
		if key.pipeline == p {
			return true
		}
	}
	return false
}

// TestOldPipelinesGoFirst: among pipelines that no kept plan uses, the most recently used stay.
func TestOldPipelinesGoFirst(t *testing.T) {
	b := ownBackend(t)
	scene := memoryScene(t, "knot12")
	camera := renderer.FitCamera(scene.Bounds(), 1.5)
	draw := func(strategy string) {
		c := resolve(t, strategy, 8, 0)
		_, _ = render(t, b, renderer.Frame{Scene: scene, Reuse: c, Width: 24, Height: 16}, camera, 0)
	}
	own := func(strategy string) (found *Pipeline) {
		for key, p := range b.device.pipelines.kept {
			if strings.HasPrefix(key, "geometry/"+strategy+" ") {
				found = p.Pipeline
			}
		}
		return found
	}
	draw("warp")
	draw("sort")
	warp := own("warp")
	require.NotNil(t, warp)
	require.NotNil(t, own("sort"))
	draw("warp")
	x := &b.device.pipelines
	x.most = x.bytes()
	draw("naive") // one more than fits, so the next plan evicts one
	require.Greater(t, x.bytes(), x.most)
	draw("claim")
	require.Nil(t, own("sort"))
	require.Same(t, warp, own("warp"))
}

// TestBackendsShareThePipelines: a second backend of the device compiles nothing again, and closing
// it leaves the pipelines intact. A pipeline in use by one backend is not evicted for the other.
func TestBackendsShareThePipelines(t *testing.T) {
	a := ownBackend(t)
	d := a.device
	b := NewBackend(d)
	scene := memoryScene(t, "knot12")
	camera := renderer.FitCamera(scene.Bounds(), 1.5)
	frame := func(strategy string) renderer.Frame {
		return renderer.Frame{Scene: scene, Reuse: resolve(t, strategy, 8, 0), Width: 24, Height: 16}
	}
	first, p := render(t, a, frame("warp"), camera, renderer.WantColor)
	made := a.Holding().Pipelines
	second, _ := render(t, b, frame("warp"), camera, renderer.WantColor)
	require.Equal(t, first.Color.Pix, second.Color.Pix)
	require.Equal(t, made, b.Holding().Pipelines)
	d.pipelines.most = 1
	_, _ = render(t, b, frame("sort"), camera, 0)
	require.Greater(t, b.Holding().Pipelines, made)
	b.Close()
	_, _ = render(t, a, frame("sort"), camera, 0) // the eviction comes first, so it cannot free what sort compiles
	again := must.Get(a.Exec(p, camera, renderer.WantColor))
	require.Equal(t, first.Color.Pix, again.Color.Pix)
}

// TestPlansAreCompiledInAdvance: after Compile, the Exec of each plan compiles nothing.
func TestPlansAreCompiledInAdvance(t *testing.T) {
	b := ownBackend(t)
	scene := memoryScene(t, "knot12")
	var list []*plan.Plan
	for _, strategy := range []string{"warp", "naive"} {
		f := renderer.Frame{Scene: scene, Reuse: resolve(t, strategy, 8, 0), Width: 24, Height: 16}
		list = append(list, must.Get(plan.New(f, b.Limits())))
	}
	require.NoError(t, b.Info().Compile(list))
	made := b.Holding().Pipelines
	require.GreaterOrEqual(t, made, 3)
	for _, p := range list {
		must.Get(b.Exec(p, renderer.FitCamera(scene.Bounds(), 1.5), 0))
	}
	require.Equal(t, made, b.Holding().Pipelines)
}
