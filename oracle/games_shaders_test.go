package oracle

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/interpret"
)

// positionTolerance is the largest allowed distance between outputs of a game's vertex shader here and in
// the replay, relative to their length: the two may round operations differently.
const positionTolerance = 1e-5

// requireSameOutputs runs the vertex shaders of a frame that was read without a replay, and compares their outputs with the
// replay's in an exported GLB. At least 98 of 100 draws must agree, and those must be placed as in the replay; the others
// are logged. It returns the frame, or nil without renderdoccmd, which reads it.
func requireSameOutputs(t *testing.T, rdc, glb string, scene *geometry.Scene) *geometry.Scene {
	if _, err := exec.LookPath("renderdoccmd"); err != nil {
		t.Log("no renderdoccmd: the capture is not read without its replay")
		return nil
	}
	direct := must.Get(capture.Readers().Attributes().Open(t.Context(), rdc))
	replayed := readOutputs(t, glb)
	require.Len(t, direct.Draws, len(replayed))
	require.NotNil(t, direct.Shading)
	good, worst := 0, 0.0
	for i, want := range replayed {
		d := &direct.Draws[i]
		require.EqualValues(t, len(want.positions), d.VertexCount)
		if why := direct.Shading.Draws[i].Why; why != "" {
			t.Logf("draw %d, %s: %s", i, d.Name, why)
			continue
		}
		off := distance(t, direct.DrawIndices(i), runShader(t, direct, i), want.positions)
		if off > positionTolerance {
			t.Logf("draw %d, %s, %s: off by %.3g", i, d.Name, direct.Shading.Programs[direct.Shading.Draws[i].Program].Name, off)
			continue
		}
		require.Equal(t, scene.Placing(i).How, direct.Placing(i).How, "draw %d", i)
		good, worst = good+1, max(worst, off)
	}
	t.Logf("%d of %d draws put out what the replay does, off by %.3g at most", good, len(replayed), worst)
	require.InDelta(t, scene.View().FovY, direct.View().FovY, .01)
	require.InEpsilon(t, scene.View().Far, direct.View().Far, .01)
	require.GreaterOrEqual(t, float64(good), .98*float64(len(replayed)))
	return direct
}

// distance returns the largest distance between referenced outputs, relative to their length. An
// output's length counts as at least a thousandth of the longest.
func distance(t *testing.T, indices []uint32, got, want [][4]float32) (worst float64) {
	require.GreaterOrEqual(t, len(got), len(want))
	size := func(v [4]float32) (sum float64) {
		for _, c := range v {
			sum += float64(c) * float64(c)
		}
		return math.Sqrt(sum)
	}
	longest := 0.0
	for _, id := range indices {
		longest = max(longest, size(want[id]))
	}
	for _, id := range indices {
		var off [4]float32
		for c := range off {
			off[c] = got[id][c] - want[id][c]
		}
		if d := size(off); d > 0 || d != d {
			worst = max(worst, d/max(size(want[id]), 1e-3*longest))
		}
	}
	return worst
}

// runShader returns the outputs of a draw's vertex shader.
func runShader(t *testing.T, s *geometry.Scene, draw int) [][4]float32 {
	program := must.Get(interpret.New(s.Shading.Programs[s.Shading.Draws[draw].Program].Vertex))
	out := make([][4]float32, s.Draws[draw].VertexCount)
	require.NoError(t, program.Run(t.Context(), s.Shading.Reads(s, draw), out))
	return out
}

// outputs are a draw's outputs in an exported frame.
type outputs struct {
	name      string
	positions [][4]float32
}

func readOutputs(t *testing.T, glb string) (draws []outputs) {
	data := must.Get(os.ReadFile(glb))
	text := int(binary.LittleEndian.Uint32(data[12:]))
	var doc struct {
		BufferViews []struct{ ByteOffset int }
		Accessors   []struct{ BufferView, Count int }
		Meshes      []struct {
			Name       string
			Primitives []struct{ Attributes map[string]int }
		}
	}
	require.NoError(t, json.Unmarshal(data[20:20+text], &doc))
	bin := data[28+text:]
	for _, m := range doc.Meshes {
		for _, p := range m.Primitives {
			a := doc.Accessors[p.Attributes["_CLIP"]]
			out := outputs{m.Name, make([][4]float32, a.Count)}
			require.NoError(t, binary.Read(bytes.NewReader(bin[doc.BufferViews[a.BufferView].ByteOffset:]), binary.LittleEndian, out.positions))
			draws = append(draws, out)
		}
	}
	return draws
}
