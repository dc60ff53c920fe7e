// Package embedding runs the renderers in examples/ that use our shaders, built by their own build. It has only tests.
//
// The tests that build programs take some seconds and run if SHADEONCE_EMBEDDING is set, as `make test-all` does. Those in
// C are skipped if CMake or a C compiler is missing.
package embedding

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// buildC builds the programs of examples/vulkan-c in a new folder; it skips the test if it cannot.
func buildC(t *testing.T) (folder string) {
	if os.Getenv("SHADEONCE_EMBEDDING") == "" {
		t.Skip("embedding: skipped: SHADEONCE_EMBEDDING is not set, as `make test-all` does")
	}
	for _, tool := range []string{"cmake", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("embedding: skipped: " + err.Error())
		}
	}
	folder = t.TempDir()
	sources := must.Get(filepath.Abs("../../examples/vulkan-c"))
	command(t, folder, "cmake", "-S", sources, "-B", "build", "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror")
	command(t, folder, "cmake", "--build", "build")
	return folder
}

// TestVulkanC builds examples/vulkan-c and has it draw a sphere in two orders, one of which makes its queues overflow.
// Counts equal the reference's, and both ways to draw show the same picture. A device is chosen by number or name.
func TestVulkanC(t *testing.T) {
	folder := buildC(t)
	for _, name := range []string{"original", "random"} {
		t.Run(name, func(t *testing.T) {
			scene := saveSphere(t, filepath.Join(folder, "mesh.obj"), name)
			out := command(t, folder, "build/vulkan-c", "mesh.obj")
			require.NotRegexp(t, "VUID|SYNC-HAZARD", out)
			require.Contains(t, out, counts("queue", scene, 384)+counts("fused", scene, 384))
			comparePictures(t, filepath.Join(folder, "queue.ppm"), filepath.Join(folder, "fused.ppm"))
		})
	}
	first, _, _ := strings.Cut(command(t, folder, "build/vulkan-c", "mesh.obj", "0"), "\n")
	require.Contains(t, command(t, folder, "build/vulkan-c", "mesh.obj", first[:4]), first)
	out, err := run(folder, "build/vulkan-c", "mesh.obj", "no such device")
	require.Error(t, err)
	require.Equal(t, "vulkan-c: no Vulkan device no such device\n", out)
}

// TestMeshC: the mesh shader of examples/vulkan-c has the reference's counts, and draws the other program's picture.
func TestMeshC(t *testing.T) {
	folder := buildC(t)
	for _, name := range []string{"original", "random"} {
		scene := saveSphere(t, filepath.Join(folder, "mesh.obj"), name)
		command(t, folder, "build/vulkan-c", "mesh.obj")
		out, err := run(folder, "build/mesh-c", "mesh.obj")
		if err != nil && strings.Contains(out, "no VK_EXT_mesh_shader") {
			t.Skip("embedding: skipped: " + strings.ReplaceAll(strings.TrimSpace(out), "\n", ": "))
		}
		require.NoError(t, err, out)
		require.NotRegexp(t, "VUID|SYNC-HAZARD", out)
		require.Contains(t, out, counts("mesh", scene, 192))
		comparePictures(t, filepath.Join(folder, "queue.ppm"), filepath.Join(folder, "mesh.ppm"))
	}
}

// counts returns the text that a program prints if it shades a scene as claim does, in batches of the given size.
func counts(way string, scene *geometry.Scene, batch int) string {
	stats, _ := must.Get2(reuse.Summarize(scene, must.Get(reuse.Resolve("claim", 32, batch))))
	times := [7]int{}
	for n, vertices := range stats.Histogram {
		times[min(n, 6)] += vertices
	}
	return fmt.Sprintf("%s: %d indices, %d invocations; vertices shaded 1x %d, 2x %d, 3x %d, 4x %d, 5x %d, 6x+ %d\n",
		way, stats.Indices, stats.Invocations, times[1], times[2], times[3], times[4], times[5], times[6])
}

// saveSphere saves a sphere in an index order, and returns the file's scene.
func saveSphere(t *testing.T, path, orderName string) *geometry.Scene {
	ctx := context.Background()
	scene, err := assets.Make("sphere5")
	require.NoError(t, err)
	scene = must.Get(order.Apply(ctx, scene, orderName))
	var text bytes.Buffer
	writers := format.Writers()
	obj := slices.IndexFunc(writers, func(w format.Writer) bool { return w.Name == "obj" })
	require.NoError(t, writers[obj].Write(&text, scene))
	require.NoError(t, os.WriteFile(path, text.Bytes(), 0o600))
	return must.Get(format.Open(ctx, path))
}

// comparePictures requires that two pictures show something, and are equal except at edges, where
// rasterizers may round differently.
func comparePictures(t *testing.T, a, b string) {
	first := must.Get(os.ReadFile(a))
	second := must.Get(os.ReadFile(b))
	require.Len(t, second, len(first))
	shown, differ := 0, 0
	for i, x := range first {
		if x != 0 {
			shown++
		}
		if x != second[i] {
			differ++
		}
	}
	require.Greater(t, shown, len(first)/20)
	require.Less(t, differ, shown/100)
}

// command runs a program in a folder, under the validation layer, and returns its output.
func command(t *testing.T, folder, program string, arguments ...string) string {
	out, err := run(folder, program, arguments...)
	require.NoError(t, err, out)
	return out
}

func run(folder, program string, arguments ...string) (string, error) {
	cmd := exec.Command(program, arguments...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation",
		"VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestGo runs examples/go, which itself compares its counts with the reference.
func TestGo(t *testing.T) {
	if os.Getenv("SHADEONCE_EMBEDDING") == "" {
		t.Skip("embedding: skipped: SHADEONCE_EMBEDDING is not set, as `make test-all` does")
	}
	for _, strategy := range []string{"claim", "hash"} {
		out := command(t, "../..", "go", "run", "./examples/go", strategy)
		require.NotRegexp(t, "VUID|SYNC-HAZARD", out)
		require.Contains(t, out, "10242 vertices, 61440 indices, 13600 invocations: reuse 0.7786\n")
	}
}
