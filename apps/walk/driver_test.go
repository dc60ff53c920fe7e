package walk

import (
	"context"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// TestLargeWalk: a large walk skips work that would take longer than its steps, and says so.
func TestLargeWalk(t *testing.T) {
	t.Parallel()
	c := must.Get(reuse.Params{}.Resolve("multi")) // shades few cells
	w := Driver{Run: apps.Run{Configs: []reuse.Config{c}, On: soft.New()}, Agents: manyAgents + 1, Grid: 30, Steps: 2, Seed: 1, SortEvery: []int{0}}
	folder := filepath.Join(t.TempDir(), "walk")
	require.NoError(t, w.Do(t.Context(), folder))
	require.Equal(t, []string{"4194305 agents: chi-square of 1048576 of them, hash and CSV of the first and the last step only, pictures of at most 1024 pixels a side"}, w.Notices())
	text := must.Get(os.ReadFile(filepath.Join(folder, "walk.json")))
	var steps []stepRow
	require.NoError(t, json.Unmarshal(text, &steps))
	require.Len(t, steps, 3)
	for i, s := range steps {
		require.Equal(t, i != 1, s.Hash != "")
		require.Equal(t, []int{manyAgents + 1, sampledAgents, sampledAgents}[i], s.ChiAgents)
		require.InDelta(t, 0, s.Z, 4)
		_, err := os.Stat(filepath.Join(folder, "density-"+string(rune('0'+i))+".csv"))
		require.Equal(t, i == 1, os.IsNotExist(err))
	}
	require.Equal(t, steps[2].Hash, w.Rows()[0].Hash)
}

// TestLargePictures: only the pictures of a walk of many agents are shrunk.
func TestLargePictures(t *testing.T) {
	t.Parallel()
	c := must.Get(reuse.Params{}.Resolve("warp"))
	w := Driver{Run: apps.Run{Configs: []reuse.Config{c}, On: soft.New()}, Agents: 10, Grid: 1200, Steps: 1, Seed: 1, SortEvery: []int{0}}
	folder := filepath.Join(t.TempDir(), "walk")
	require.NoError(t, w.Do(t.Context(), folder))
	file := must.Get(os.Open(filepath.Join(folder, "density-1.png")))
	defer file.Close()
	img := must.Get(png.Decode(file))
	require.Equal(t, 1200, img.Bounds().Dx(), "a walk of few agents keeps a pixel for each cell")
	require.Empty(t, w.Notices())
	require.Equal(t, 12, w.Rows()[0].Indices, "ten agents are four triples")

	large := image.NewPaletted(image.Rect(0, 0, 5, 5), nil)
	large.Pix[1*5+0], large.Pix[1*5+1], large.Pix[4*5+4] = 9, 7, 3
	small := shrunk(large, 3)
	require.Equal(t, []uint8{9, 0, 0, 0, 0, 0, 0, 0, 3}, small.Pix, "a pixel is the highest of those that it stands for")
}

// In a step's picture, consecutive cells lie along x: cells 0 and 1 are the upper row.
func TestHeatmap(t *testing.T) {
	t.Parallel()
	cells := folder{tables: &Tables{Grid: 2}, most: 100}
	img := cells.heatmap(t.Context(), []uint32{0, 100, 1, 0})
	const end = minSide - 1
	require.Equal(t, []uint8{0, 255, DensityStep(1, 100), 0},
		[]uint8{img.ColorIndexAt(0, 0), img.ColorIndexAt(end, 0), img.ColorIndexAt(0, end), img.ColorIndexAt(end, end)})
	var table strings.Builder
	require.NoError(t, cells.writeCells(&table, []uint32{0, 100, 1, 0}))
	require.Equal(t, "x,y,agents\n1,0,100\n0,1,1\n", table.String())
}

// wrongWalk is a walk with a fault after the second step: the last agent, or the last cell's count, is wrong.
type wrongWalk struct {
	onCPU
	agents, cells bool
}

func (w *wrongWalk) Agents(ctx context.Context) ([]uint32, error) {
	agents, err := w.onCPU.Agents(ctx)
	if agents = slices.Clone(agents); w.agents && w.Step == 2 {
		agents[len(agents)-1] ^= 1
	}
	return agents, err
}

func (w *wrongWalk) Counts() ([]uint32, error) {
	counts, err := w.onCPU.Counts()
	if counts = slices.Clone(counts); w.cells && w.Step == 2 {
		counts[len(counts)-1]++
	}
	return counts, err
}

// TestCheckFails: --check finds one agent in a wrong cell, and one cell shaded once too often.
func TestCheckFails(t *testing.T) {
	t.Parallel()
	c := must.Get(reuse.Params{}.Resolve("warp"))
	start := must.Get(New(t.Context(), 100, 10, 1))
	for want, wrong := range map[string]wrongWalk{
		"":                                      {},
		": step 2 moves agents elsewhere than":  {agents: true},
		": step 2 does not shade each cell as ": {cells: true},
	} {
		by := way{c, 1}
		wrong.onCPU = newOnCPU(start, c)
		check := check{by, newOnCPU(start, c), true}
		var err error
		for step := 0; step < 3 && err == nil; step++ {
			require.NoError(t, by.take(t.Context(), &wrong, step, new(StepTime)))
			err = check.step(t.Context(), &wrong, step)
		}
		if want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
}
