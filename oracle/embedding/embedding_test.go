// Package embedding runs the renderers in examples/ that use our shaders, built by their own build. It has only tests.
//
// The tests that build programs take some seconds and run if SHADEONCE_EMBEDDING is set, as `make test-all` does. Those in
// C are skipped if CMake or a C compiler is missing.
package embedding

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
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
	scene := must.Get(assets.Make("sphere5"))
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

const shaderFolder = "../../shaders"

// sized holds the sizes that a host chooses for claim of examples/vulkan-c.
type sized struct {
	lanes, batch, table, workgroup uint32
	capacity                       uint32 // of the vertex queue, or of spilled vertices
	fused                          bool
}

// outcome holds the results of a dispatch.
type outcome struct {
	state   shaders.QueueState
	shaded  uint32   // invocations: the sum of all counts
	corners []uint32 // of all triangles
	beyond  int      // number of words that were written beyond the vertex queue's capacity
}

// TestClaimSetsBits: if another renderer passes wrong sizes, claim sets overflow bits: nothing else checks the sizes.
func TestClaimSetsBits(t *testing.T) {
	e := newEmbedded(t)
	t.Run("sizes", e.refuses)
	t.Run("queue", e.overflows)
}

// refuses: with impossible sizes claim sets a bit and shades nothing; sizes at the limit work.
func (e *embedded) refuses(t *testing.T) {
	for _, c := range []struct {
		sized
		refused bool
	}{
		{sized{lanes: 32, batch: 384, table: 256}, false},
		{sized{lanes: 32, batch: 96, table: 64, fused: true}, false},
		{sized{lanes: 4, batch: 120, table: 64}, false},
		{sized{lanes: 4, batch: 123, table: 128}, true}, // 33 places per lane
		{sized{lanes: 8, batch: 384, table: 256, fused: true}, true},
		{sized{lanes: 64, batch: 1023, table: 512}, true},  // more places than a word of the table can number
		{sized{lanes: 64, batch: 1026, table: 1024}, true}, // slots of more than 10 bits
		{sized{lanes: 32, batch: 96, table: 96}, true},     // no power of two
		{sized{lanes: 32, batch: 96, table: 64, workgroup: 64}, true},
	} {
		c.capacity = 4 * uint32(e.scene.Triangles())
		got := e.run(t, c.sized)
		if c.refused {
			require.EqualValues(t, shaders.OverflowSizes, got.state.OverflowBits, "%+v", c)
			require.Zero(t, got.shaded, "%+v", c)
		} else {
			require.Zero(t, got.state.OverflowBits, "%+v", c)
			require.GreaterOrEqual(t, int(got.shaded), len(e.scene.Positions), "%+v", c)
		}
	}
}

// overflows: a vertex queue that ends with the last slot that a corner names is enough, even if slots reserved for
// triangles lie beyond it. One slot less sets the bit.
func (e *embedded) overflows(t *testing.T) {
	c := sized{lanes: 32, batch: 384, table: 256, capacity: 4 * uint32(e.scene.Triangles())}
	whole := e.run(t, c)
	need := slices.Max(whole.corners) + 1
	require.Less(t, need, c.capacity)
	for capacity, bit := range map[uint32]uint32{need: 0, need - 1: shaders.OverflowVertices, 100: shaders.OverflowVertices, 0: shaders.OverflowVertices} {
		c.capacity = capacity
		got := e.run(t, c)
		require.Equal(t, bit, got.state.OverflowBits, "%d places", capacity)
		require.Zero(t, got.beyond, "%d places", capacity)
	}
}

// embedded is claim with the vertex shader of examples/vulkan-c, on one mesh.
type embedded struct {
	device *gpu.Device
	scene  *geometry.Scene
	forms  map[bool]*shaders.Shader // fused, or not
}

func newEmbedded(t *testing.T) *embedded {
	b := must.Get(gpu.OpenBackend(gpu.BackendOptions{Device: os.Getenv("SHADEONCE_DEVICE"), Validation: os.Getenv("SHADEONCE_VALIDATION") != ""}))
	t.Cleanup(func() {
		b.Close()
		require.Empty(t, b.Messages(), "validation layer")
	})
	e := &embedded{device: b.GPU(), scene: must.Get(assets.Make("sphere4")), forms: map[bool]*shaders.Shader{}}
	names := map[uint32]string{}
	for _, m := range regexp.MustCompile(`SHADEONCE_SPEC_(\w+) (\d+)`).FindAllSubmatch(must.Get(os.ReadFile(filepath.Join(shaderFolder, "layout.h"))), -1) {
		names[uint32(must.Get(strconv.Atoi(string(m[2]))))] = string(m[1])
	}
	for _, fused := range []bool{false, true} {
		target := filepath.Join(t.TempDir(), "claim.spv")
		args := []string{"-V", "--target-env", "vulkan1.1", "-I" + shaderFolder, "-I../../examples/vulkan-c/shaders", "-DOWN_VERTEX", "-o", target}
		if fused {
			args = append(args, "-DFUSED")
		}
		out, err := exec.Command("glslangValidator", append(args, shaderFolder+"/geometry/claim.comp")...).CombinedOutput()
		require.NoError(t, err, "%s", out)
		code := must.Get(os.ReadFile(target))
		of := must.Get(must.Get(module.Decode(must.Get(module.Words(code)))).Interface(names))
		s := &shaders.Shader{Name: "claim", Stage: shaders.Compute, SPIRV: code, PushConstantSize: shaders.ChunkPushSize,
			Bindings: of.Descriptors, SpecConstants: of.SpecConstants, LocalSize: of.LocalSize, LocalSizeSpec: of.LocalSizeSpec, Capabilities: of.Capabilities}
		e.forms[fused] = s
	}
	return e
}

// run dispatches claim over the mesh.
func (e *embedded) run(t *testing.T, c sized) outcome {
	const vertex, guard = 8, 4096 // words of the example's struct; vertices beyond the queue's capacity
	shader, indices, triangles := e.forms[c.fused], e.scene.Indices, uint32(e.scene.Triangles())
	if c.workgroup == 0 {
		c.workgroup = c.lanes
	}
	p := must.Get(e.device.NewComputePipeline(shader, gpu.ComputeOptions{Spec: gpu.Spec{
		"LANES": c.lanes, "BATCH": c.batch, "TABLE": c.table, "WORKGROUP": c.workgroup, "CORNERS": 1, "EVEN": 1,
	}}))
	defer p.Close()
	buffers := gpu.Resources{}
	for _, b := range shader.Bindings {
		words := 2 * len(indices) // enough for all others
		if b.Name == "Queue" {
			words = vertex * (int(c.capacity) + guard)
		}
		buffer := must.Get(e.device.NewBuffer(b.Name, 4*int64(words), gpu.UsageStorage))
		defer buffer.Close()
		require.NoError(t, gpu.Upload(e.device, buffer, make([]uint32, words)))
		buffers[b.Name] = buffer
	}
	require.NoError(t, gpu.Upload(e.device, buffers["Indices"], indices))
	require.NoError(t, gpu.Upload(e.device, buffers["Batches"], []uint32{0, c.batch, 0, 0}))
	points := make([]float32, 6*len(e.scene.Positions))
	for i := range e.scene.Positions {
		copy(points[6*i:], e.scene.Positions[i][:])
		points[6*i+5] = 1
	}
	require.NoError(t, gpu.Upload(e.device, buffers["Mesh"], points))
	require.NoError(t, gpu.Upload(e.device, buffers["View"], []float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}))
	push := shaders.ChunkPush{BatchCount: (uint32(len(indices)) + c.batch - 1) / c.batch, TriangleCount: triangles,
		TriangleCapacity: triangles, VertexCapacity: c.capacity, Multiplier: 2654435769, VertexPlaces: 18, Width: 16, Height: 16}
	set := must.Get(p.NewSet(buffers))
	defer set.Close()
	commands := must.Get(e.device.NewCommands(t.Name()))
	defer commands.Close()
	require.NoError(t, commands.RunOnce(func() {
		commands.Dispatch(p, set, must.Get(binary.Append(nil, binary.LittleEndian, push)), push.BatchCount, 1, 1)
	}))
	got := outcome{state: must.Get(gpu.Download[shaders.QueueState](e.device, buffers["QueueStates"], 1))[0]}
	for _, n := range must.Get(gpu.Download[uint32](e.device, buffers["Counts"], len(e.scene.Positions))) {
		got.shaded += n
	}
	if !c.fused {
		got.corners = must.Get(gpu.Download[uint32](e.device, buffers["Corners"], len(indices)))
		for _, w := range must.Get(gpu.Download[uint32](e.device, buffers["Queue"], vertex*(int(c.capacity)+guard)))[vertex*c.capacity:] {
			if w != 0 {
				got.beyond++
			}
		}
	}
	return got
}
