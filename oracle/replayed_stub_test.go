package oracle

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

// TestExportOfEveryKindOfDraw runs tools/renderdoc/export.py on a made-up frame, from a module that stands in for
// RenderDoc's: strips with restart, fans, 8-bit indices, base vertices, draws without indices, instances, and draws that
// are left out, with the names of their calls.
func TestExportOfEveryKindOfDraw(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	folder := t.TempDir()
	rdc, glb := filepath.Join(folder, "frame.rdc"), filepath.Join(folder, "frame.glb")
	require.NoError(t, os.WriteFile(rdc, []byte("RDOC"), 0o666))
	cmd := exec.Command(python, shareddata.Tree(t, "tools", "renderdoc", "export.py"), rdc)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+filepath.Join("testdata", "stub"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	left := must.Get(os.ReadDir(folder))
	require.Len(t, left, 2, "nothing half-written stays")

	s := must.Get(capture.Open(t.Context(), glb))
	require.Equal(t, []string{
		"1 x vkCmdDraw: no triangles (LineList)", "1 x vkCmdDraw: 2D positions", "1 x vkCmdDraw: positions that are not finite",
		"1 x vkCmdDraw: no vertex outputs: no room",
	}, s.Skipped)
	type drawn struct {
		name    string
		indices []uint32
		corner  int // corner of the cube where the draw's vertex 0 is
		moved   float32
	}
	for i, want := range []drawn{
		{"pass 1 / Opaque / event 10 vkCmdDrawIndexed", []uint32{0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7, 6, 7, 6}, 0, 0},
		{"pass 1 / Opaque / event 11 vkCmdDrawIndexed", []uint32{0, 1, 3, 0, 3, 2}, 4, 0},
		{"pass 1 / event 12 vkCmdDraw", []uint32{0, 1, 2, 3, 4, 5}, 2, 0},
		{"pass 1 / event 12 vkCmdDraw", []uint32{0, 1, 2, 3, 4, 5}, 2, 2},
		{"pass 1 / event 17 vkCmdDrawIndexed", []uint32{6, 2, 4, 0, 7, 1}, 0, 0},
	} {
		d := s.Draws[i]
		require.Equal(t, want.name, d.Name)
		got := s.DrawIndices(i)
		require.Equal(t, want.indices, got, d.Name)
		require.Equal(t, geometry.Fitted, s.Placing(i).How, "%s: %v", d.Name, s.Placing(i))
		for k := range d.VertexCount {
			p := s.Positions[d.VertexOffset+k]
			corner := want.corner + int(k)
			require.Equal(t, [3]float32{float32(corner & 1), float32(corner >> 1 & 1), float32(corner >> 2)}, [3]float32(p))
			at := d.Transform.Mul4x1(p.Vec4(1))
			require.InDelta(t, p[0]+want.moved, at[0], 1e-5, "%s, vertex %d", d.Name, k)
			require.InDelta(t, p[1], at[1], 1e-5)
			require.InDelta(t, p[2]-5, at[2], 1e-5)
		}
	}
	require.InDelta(t, 67.38, s.View().FovY, .01, "1.5 is the cotangent of half of it")
}
