package renderdoc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/budget"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

// wantedDraw is a draw as an independent program extracted it: triangle lists only, with indices
// and positions of three components.
type wantedDraw struct {
	instances int
	positions []mgl32.Vec3
	indices   []uint32
}

func wantedDraws(t testing.TB, data []byte) []wantedDraw {
	require.Equal(t, "VRDRAW1\x00", string(data[:8]))
	word := func() uint32 {
		v := binary.LittleEndian.Uint32(data)
		data = data[4:]
		return v
	}
	data = data[8:]
	draws := make([]wantedDraw, word())
	for i := range draws {
		d := &draws[i]
		d.instances = int(word())
		d.positions, d.indices = make([]mgl32.Vec3, word()), make([]uint32, word())
		for k := range d.positions {
			d.positions[k] = mgl32.Vec3{math.Float32frombits(word()), math.Float32frombits(word()), math.Float32frombits(word())}
		}
		for k := range d.indices {
			d.indices[k] = word()
		}
	}
	require.Empty(t, data)
	return draws
}

// TestSharedCaptures compares every list of indexed triangles of real frames with the output of an independent program.
// sharedSkips lists the draws that only we extract, and those that we skip too.
func TestSharedCaptures(t *testing.T) {
	folder := shareddata.Path(t, "captures")
	files := must.Get(filepath.Glob(filepath.Join(folder, "*.geo.zip.xml.zst")))
	require.Len(t, files, len(sharedSkips), "every frame is in the table")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".geo.zip.xml.zst")
		t.Run(name, func(t *testing.T) {
			f := newFrame(&budget.Budget{})
			require.NoError(t, readXML(newScanner(bytes.NewReader(shareddata.Unpacked(file))), f))
			lists := map[string]bool{} // whether a draw is a list of indexed triangles, by name
			for _, op := range f.ops {
				if d, ok := op.(*draw); ok {
					require.NotContains(t, lists, d.name, "names are unique")
					lists[d.name] = d.width > 0 && d.topology == list
				}
			}
			packed := must.Get(os.ReadFile(strings.TrimSuffix(file, ".xml.zst")))
			b, err := openBlobs(t.Context(), Input{Zip: bytes.NewReader(packed), ZipSize: int64(len(packed)), ZipName: "x.zip", Budget: f.budget})
			require.NoError(t, err)
			s, err := run(t.Context(), f, b, Input{})
			require.NoError(t, err)
			require.NoError(t, s.Validate(t.Context()))
			beside := compareDraws(t, s.Scene, lists, wantedDraws(t, shareddata.Unpacked(filepath.Join(folder, name+".draws.zst"))))
			slices.Sort(beside)
			got := []string{strings.Join(slices.Compact(beside), ", ")}
			for _, line := range s.Skipped {
				if !strings.HasPrefix(line, geometry.FromShaders) {
					got = append(got, line)
				}
			}
			require.Equal(t, sharedSkips[name], got)
		})
	}
}

// compareDraws compares the indexed triangle lists of s with want. For each other draw it returns a
// line with the draw's function and the number of such draws with this function.
func compareDraws(t *testing.T, s *geometry.Scene, lists map[string]bool, want []wantedDraw) (beside []string) {
	t.Helper()
	k := 0
	for i := 0; i < len(s.Draws); {
		d := s.Draws[i]
		n := i + 1
		for n < len(s.Draws) && s.Draws[n] == d {
			n++
		}
		name, _, _ := strings.Cut(d.Name, " (")
		name, _, _ = strings.Cut(name, " [")
		if !lists[name] {
			beside = append(beside, name[strings.LastIndexByte(name, ' ')+1:])
			i = n
			continue
		}
		require.Less(t, k, len(want), "more draws: %s", d.Name)
		w := want[k]
		require.Equal(t, w.instances, n-i, d.Name)
		require.True(t, slices.Equal(w.indices, s.DrawIndices(i)), "indices of draw %d, %s", k, d.Name)
		got := s.Positions[d.VertexOffset : d.VertexOffset+d.VertexCount]
		require.Len(t, got, len(w.positions), d.Name)
		for v := range got {
			for c := range 3 {
				if math.Float32bits(got[v][c]) != math.Float32bits(w.positions[v][c]) {
					t.Fatalf("draw %d, %s: vertex %d is %v, and should be %v", k, d.Name, v, got[v], w.positions[v])
				}
			}
		}
		k++
		i = n
	}
	require.Equal(t, len(want), k, "all draws")
	counts := map[string]int{}
	for _, call := range beside {
		counts[call]++
	}
	for i, call := range beside {
		beside[i] = fmt.Sprintf("%d x %s", counts[call], call)
	}
	return beside
}

// sharedSkips is, for each frame, the draws that only we extract (strips, fans, no indices), and
// then the lines of Scene.Skipped that are not about shaders.
var sharedSkips = map[string][]string{
	"oa": {""},
	"stk_gl": {"1 x glDrawArrays, 3 x glDrawArraysInstanced", "15 x glDrawArrays: 2D positions",
		"6 x glDrawArraysInstanced: no position per vertex, only per instance", "2 x glDrawElements: 2D positions"},
	"stk_gl_abyss": {"1 x glDrawArrays, 1 x glDrawElements", "22 x glDrawArrays: 2D positions",
		"5 x glDrawArraysInstanced: no position per vertex, only per instance", "2 x glDrawElements: 2D positions"},
	"stk_gl_black_forest": {"1 x glDrawArrays, 1 x glDrawElements", "22 x glDrawArrays: 2D positions",
		"5 x glDrawArraysInstanced: no position per vertex, only per instance", "2 x glDrawElements: 2D positions"},
	"stk_vulkan_abyss":               stkVulkan,
	"stk_vulkan_black_forest":        stkVulkan,
	"stk_vulkan_ravenbridge_mansion": stkVulkan,
	"stk_vulkan_zengarden":           stkVulkan,
	"wz": {"6 x vkCmdDraw", "2 x vkCmdDraw: 2D positions", "53 x vkCmdDraw: no positions, only colours (VK_FORMAT_R8G8B8A8_UNORM)",
		"12 x vkCmdDraw: no triangles (VK_PRIMITIVE_TOPOLOGY_LINE_LIST)", "1 x vkCmdDraw: no triangles (VK_PRIMITIVE_TOPOLOGY_LINE_STRIP)",
		"2 x vkUnmapMemory: its bytes are not in x.zip"},
}

var stkVulkan = []string{"", "1 x vkCmdDraw: no positions, no vertex attributes at all", "19 x vkCmdDrawIndexed: 2D positions"}
