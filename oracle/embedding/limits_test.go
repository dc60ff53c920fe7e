package embedding

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

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
