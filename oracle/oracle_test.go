// Package oracle holds the tests that compare the GPU's shading counts, queues and pictures with
// the CPU's, and both with the figures of independent implementations. It has only tests.
//
// They run on the Vulkan device in SHADEONCE_DEVICE, or on the default device, under the
// validation layer. A missing device is a failure.
package oracle

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// pipelineBytes is large enough that the shared backend keeps all pipelines of a test.
const pipelineBytes = 2 << 30

// shared is the backend that tests borrow. It stays open until the last test, so that pipelines
// are compiled once. Also, NVIDIA's driver, which is unloaded with its last instance, cannot be
// reloaded many times in one process.
var shared *gpu.Backend

// TestMain closes the shared backend. A validation message at that time, such as one about a leak, fails the run.
func TestMain(m *testing.M) {
	code := m.Run()
	if shared != nil {
		shared.Close()
		if list := shared.Messages(); len(list) > 0 {
			fmt.Fprintln(os.Stderr, "validation layer, at the end:", list)
			code = 1
		}
	}
	os.Exit(code)
}

// validated is false if SHADEONCE_NO_VALIDATION is set.
func validated() bool { return os.Getenv("SHADEONCE_NO_VALIDATION") == "" }

// openGPU returns the shared backend, validated unless SHADEONCE_NO_VALIDATION is set. A validation
// message fails the test that caused it.
func openGPU(t testing.TB) *gpu.Backend {
	if shared == nil {
		shared = openBackend(t, gpu.BackendOptions{Validation: validated(), PipelineBytes: pipelineBytes})
	}
	before := len(shared.Messages())
	t.Cleanup(func() { require.Empty(t, shared.Messages()[before:], "validation layer") })
	return shared
}

// openOwn opens a backend for one test: validated unless SHADEONCE_NO_VALIDATION is set, and with
// the default bound on pipelines.
func openOwn(t testing.TB) *gpu.Backend {
	b := openBackend(t, gpu.BackendOptions{Validation: validated()})
	t.Cleanup(func() {
		b.Close()
		require.Empty(t, b.Messages(), "validation layer")
	})
	return b
}

func openBackend(t testing.TB, o gpu.BackendOptions) *gpu.Backend {
	o.Device = os.Getenv("SHADEONCE_DEVICE")
	b, err := gpu.OpenBackend(o)
	require.NoError(t, err, "the tests need a Vulkan device; Mesa's CPU driver is enough")
	return b
}

func asset(t testing.TB, name string) *geometry.Scene {
	return must.Get(assets.Make(name))
}

// smallAssets are all assets but those of many patches, at sizes that a CPU driver draws fast.
var smallAssets = []string{"sphere4", "knot24", "terrain48", "grid24", "tree4", "soup", "city6", "cube", "triangle"}

// sharedMesh opens a mesh of shared/ beside the project, or skips the test.
func sharedMesh(t testing.TB, name string) *geometry.Scene {
	return must.Get(format.Open(t.Context(), shareddata.Path(t, "meshes", name)))
}

// shuffled returns the scene with the triangles of each draw shuffled.
func shuffled(s *geometry.Scene) *geometry.Scene {
	out := *s
	out.Name += " shuffled"
	out.Indices = append([]uint32{}, s.Indices...)
	r := rand.New(rand.NewPCG(7, 7))
	for i := range out.Draws {
		ids := out.DrawIndices(i)
		r.Shuffle(len(ids)/3, func(a, b int) {
			for k := range 3 {
				ids[3*a+k], ids[3*b+k] = ids[3*b+k], ids[3*a+k]
			}
		})
	}
	return &out
}

// mode is one way to run a strategy on a device.
type mode struct {
	frame renderer.Frame // without a scene
	name  string
}

// modes returns all ways to run all strategies on a device; in short runs, those that cover selects. The
// result is the same for all tests, so that they share pipelines.
func modes(l renderer.Limits) []mode { return cover(allModes(l), mode.features) }

// indexedModes returns the modes with the indexed queue. Short runs try every lane count, batching
// and kind of subgroups with at least one strategy, and each strategy with 8 lanes or,
// if it uses none, without.
func indexedModes(l renderer.Limits) []mode {
	list := slices.DeleteFunc(allModes(l), func(m mode) bool { return m.frame.Queue != renderer.Indexed })
	return coverEach(list, func(m mode) []any {
		c, usual := m.frame.Reuse, ""
		if c.Lanes == 0 || c.Lanes == 8 {
			usual = c.Strategy.Name
		}
		return []any{usual, c.Batching, c.Lanes, m.frame.Subgroups}
	})
}

func allModes(l renderer.Limits) (list []mode) {
	for _, strategy := range reuse.Strategies {
		for _, c := range strategy.Variants() {
			ways := []renderer.Subgroups{renderer.VirtualSubgroups}
			if slices.Contains(l.NativeLanes, c.Lanes) {
				ways = append(ways, renderer.NativeSubgroups)
			}
			for _, way := range ways {
				for queue := range renderer.QueueForm(len(renderer.QueueFormNames)) {
					f := renderer.Frame{Reuse: c, Subgroups: way, Queue: queue, Width: 128, Height: 128}
					list = append(list, mode{f, fmt.Sprintf("%s, %s, %s", c, way, queue)})
				}
			}
		}
	}
	return list
}

// alikeBatches is the batch size of short runs for frames whose raster pipelines are specialized by
// it: those of several draws, and the batches view. Then all strategies share these pipelines.
const alikeBatches = 96

// alikeModes returns one way to run each strategy, with batches of alikeBatches.
func alikeModes(t testing.TB) (list []mode) {
	for _, s := range reuse.Strategies {
		c := resolve(t, s.Name, 8, 0)
		if s.DefaultBatch(c) == 24 { // three indices a lane
			c = resolve(t, s.Name, 32, 0)
		} else {
			c = resolve(t, s.Name, 8, alikeBatches)
		}
		require.Equal(t, alikeBatches, c.Batch, s.Name)
		list = append(list, mode{renderer.Frame{Reuse: c}, c.String()})
	}
	return list
}

// features returns the values that distinguish modes, for cover.
func (m mode) features() []any {
	c := m.frame.Reuse
	return []any{c.Strategy.Name, c.Batching, c.Lanes, m.frame.Subgroups, m.frame.Queue}
}

// run is a mode with a scene.
type run struct {
	mode
	scene *geometry.Scene
}

// runs returns all modes with all scenes; in short runs, those that cover selects. Scenes of a mode are
// consecutive, so that its pipelines are compiled once.
func runs(l renderer.Limits, scenes ...*geometry.Scene) (list []run) {
	for _, m := range modes(l) {
		for _, s := range scenes {
			m.frame.Scene = s
			list = append(list, run{m, s})
		}
	}
	return cover(list, func(r run) []any { return append(r.features(), r.scene) })
}

// backends returns the shared GPU backend and one on the CPU.
func backends(t testing.TB) (onGPU *gpu.Backend, onCPU *soft.Backend) {
	cpu := soft.New()
	t.Cleanup(cpu.Close)
	return openGPU(t), cpu
}

// render renders a frame, and fails the test on an error. what identifies the frame in messages, as in require.
func render(t testing.TB, b plan.Backend, f renderer.Frame, c renderer.Camera, want renderer.Want, what ...any) (*renderer.Output, *plan.Plan) {
	out, p, err := plan.Render(b, f, c, want)
	require.NoError(t, err, what...)
	return out, p
}

// resolve returns a strategy's configuration; lanes or batch 0 means the default.
func resolve(t testing.TB, strategy string, lanes, batch int) reuse.Config {
	return must.Get(reuse.Resolve(strategy, lanes, batch))
}

// planned returns a plan, and fails the test on an error.
func planned(t testing.TB, b plan.Backend, f renderer.Frame, what ...any) *plan.Plan {
	p, err := plan.New(f, b.Limits())
	require.NoError(t, err, what...)
	return p
}

// cameraOf parses a camera as the command line does.
func cameraOf(t testing.TB, text string, box geometry.Box, aspect float32) renderer.Camera {
	return must.Get(cli.ParseCamera(text, box, aspect))
}

// compared compares two pictures with their depths.
func compared(t testing.TB, a, b *renderer.Output) *picture.Comparison {
	return must.Get(picture.Compare(a.Color, b.Color, picture.CompareOptions{DepthA: a.Depth, DepthB: b.Depth, DepthStep: edgeDepth}))
}
