// Package oracle holds the tests that compare one side with the other: the
// GPU's shading counts, queues and pictures with the CPU's, and both with the
// figures that independent implementations reached. It has no code of its own.
//
// They run on the Vulkan device that SHADEONCE_DEVICE names, else on the
// default one, under the validation layer. A missing device is a failure.
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
	"github.com/shadeonce/shadeonce/internal/shareddata"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/gpu"
)

// TestMain keeps a device open: NVIDIA's driver cannot be loaded again and again
// in one process, and is unloaded with its last instance.
func TestMain(m *testing.M) {
	keep, err := gpu.OpenBackend(gpu.BackendOptions{Device: os.Getenv("SHADEONCE_DEVICE")})
	code := m.Run()
	if err == nil {
		keep.Close()
	}
	os.Exit(code)
}

// openGPU opens the device under validation; any message of the validation
// layer fails the test, leaks at close included.
func openGPU(t testing.TB) *gpu.Backend {
	b, err := gpu.OpenBackend(gpu.BackendOptions{Device: os.Getenv("SHADEONCE_DEVICE"), Validation: os.Getenv("SHADEONCE_NO_VALIDATION") == ""})
	require.NoError(t, err, "the tests need a Vulkan device; Mesa's CPU driver is enough")
	t.Cleanup(func() {
		b.Close()
		require.Empty(t, b.Messages(), "validation layer")
	})
	return b
}

func asset(t testing.TB, name string) *geometry.Scene {
	s, err := assets.Make(name)
	require.NoError(t, err)
	return s
}

// smallAssets are all assets, at sizes that a CPU driver draws quickly.
var smallAssets = []string{"sphere4", "knot24", "terrain48", "grid24", "tree4", "soup", "city6", "cube", "triangle"}

// fewInShort are the first and the last two of names in short runs, which look for what
// no asset changes: the race detector's and cgo's checks.
func fewInShort(names []string) []string {
	if testing.Short() && len(names) > 3 {
		return append(slices.Clone(names[:1]), names[len(names)-2:]...)
	}
	return names
}

// sharedMesh opens a mesh of the folder beside the project, or skips.
func sharedMesh(t testing.TB, name string) *geometry.Scene {
	s, err := format.Open(t.Context(), shareddata.Path(t, "meshes", name))
	require.NoError(t, err)
	return s
}

// shuffled has the triangles of each draw in another order.
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

// modes yields every way to run a strategy on a device.
func modes(t testing.TB, l renderer.Limits, s *geometry.Scene, f func(name string, frame renderer.Frame)) {
	for _, strategy := range reuse.Strategies {
		for _, c := range strategy.Variants() {
			ways := []renderer.Subgroups{renderer.VirtualSubgroups}
			if slices.Contains(l.NativeLanes, c.Lanes) {
				ways = append(ways, renderer.NativeSubgroups)
			}
			for _, way := range ways {
				for queue := range renderer.QueueForm(len(renderer.QueueFormNames)) {
					f(fmt.Sprintf("%s, %s, %s", c, way, queue),
						renderer.Frame{Scene: s, Reuse: c, Subgroups: way, Queue: queue, Width: 128, Height: 128})
				}
			}
		}
	}
}
