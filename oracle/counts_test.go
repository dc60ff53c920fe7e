package oracle

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// checkCounts runs a mode and compares its counts with the reference's.
func checkCounts(t *testing.T, b *gpu.Backend, r run, wants renderer.Want) *renderer.Output {
	_, want := must.Get2(reuse.Analyze(r.scene, r.frame.Reuse))
	out, _ := render(t, b, r.frame, renderer.FitCamera(r.scene.Bounds(), 1), wants|renderer.WantCounts, r.name)
	if !slices.Equal(want, out.Counts) {
		require.Equal(t, want, out.Counts, "%s, %s", r.scene.Name, r.name)
	}
	return out
}

// assetList makes assets by name.
func assetList(t testing.TB, names ...string) (list []*geometry.Scene) {
	for _, name := range names {
		list = append(list, asset(t, name))
	}
	return list
}

// TestCountsOfEveryAsset draws the shaded view in every mode: counts equal the reference's, and no pixel changes.
func TestCountsOfEveryAsset(t *testing.T) {
	b := openGPU(t)
	pictures := map[*geometry.Scene]*renderer.Output{}
	for _, r := range runs(b.Limits(), assetList(t, smallAssets...)...) {
		want := pictures[r.scene]
		if want == nil {
			want = renderPicture(t, b, pictureFrame(t, r.scene, renderer.Shaded))
			pictures[r.scene] = want
		}
		r.frame.View = renderer.Shaded
		got := checkCounts(t, b, r, renderer.WantColor|renderer.WantDepth)
		require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix), "%s: %s", r.scene.Name, r.name)
		require.Equal(t, want.Depth, got.Depth, "%s: %s", r.scene.Name, r.name)
	}
}

// TestCountsOfTheIcosphere runs every mode without a rasterizer on a sphere in two orders; without -short on a larger sphere
// and all assets.
func TestCountsOfTheIcosphere(t *testing.T) {
	b := openGPU(t)
	scenes := assetList(t, "sphere6")
	require.Equal(t, 81920, scenes[0].Triangles())
	require.Len(t, scenes[0].Positions, 40962)
	if testing.Short() { // a sphere with a quarter of the triangles
		scenes = []*geometry.Scene{asset(t, "sphere5"), shuffled(asset(t, "sphere5"))}
	} else {
		scenes = append(append(scenes, shuffled(scenes[0])), assetList(t, smallAssets...)...)
	}
	for _, r := range runs(b.Limits(), scenes...) {
		r.frame.NoRaster = true
		checkCounts(t, b, r, 0)
	}
}

// TestCountsOfOddBatches tries seeded random combinations of settings that other tests vary one by one: the largest
// batches, batches that are not multiples of the lanes, all lane counts, both queues, three views, one chunk and many.
func TestCountsOfOddBatches(t *testing.T) {
	b := openGPU(t)
	r := rand.New(rand.NewPCG(3, 5))
	scenes := assetList(t, "knot24", "soup", "city6")
	type round struct {
		renderer.Frame
		size int // index into the batch sizes below
	}
	var rounds []round
	for range 120 {
		s := scenes[r.IntN(len(scenes))]
		size := r.IntN(7)
		batch := []int{3, 9, 93, 111, 960, 3 * (1 + r.IntN(500)), reuse.MaxBatch}[size]
		strategy, lanes := reuse.Strategies[r.IntN(len(reuse.Strategies))], reuse.LaneCounts[r.IntN(len(reuse.LaneCounts))]
		if most := strategy.LargestBatch; most != nil {
			batch = min(batch, most(reuse.Config{Lanes: lanes}))
		}
		// Dynamic batches may have any size, since they bound their vertices.
		batching := strategy.Batchings[len(strategy.Batchings)-1]
		c := must.Get(reuse.Params{Lanes: lanes, Batch: batch, Batching: batching.String()}.Resolve(strategy.Name))
		f := renderer.Frame{
			Scene: s, Reuse: c, Width: 32, Height: 32, Queue: renderer.QueueForm(r.IntN(2)), View: renderer.View(r.IntN(3)),
			Subgroups: []renderer.Subgroups{renderer.AutoSubgroups, renderer.VirtualSubgroups}[r.IntN(2)],
		}
		if r.IntN(2) == 0 {
			f.QueueBudget = int64(3*batch*40) + r.Int64N(1<<20)
		}
		if r.IntN(3) == 0 {
			f.Slice = 1 + r.IntN(5000)
		}
		rounds = append(rounds, round{f, size})
	}
	features := func(f round) []any {
		return []any{f.Reuse.Strategy.Name, f.Reuse.Lanes, f.size, f.Queue, f.View, f.QueueBudget > 0, f.Slice > 0}
	}
	for i, f := range coverEach(rounds, features) {
		s, c := f.Scene, f.Reuse
		name := fmt.Sprintf("round %d: %s, %s, %d lanes, batch %d, %s, %s, budget %d, slice %d", i, s.Name, c.Strategy.Name, c.Lanes, c.Batch, f.Subgroups, f.Queue, f.QueueBudget, f.Slice)
		_, want := must.Get2(reuse.Analyze(s, c))
		out, p := render(t, b, f.Frame, renderer.FitCamera(s.Bounds(), 1), renderer.WantCounts, name)
		require.Equal(t, want, out.Counts, name)
		again, err := b.Exec(p, renderer.FitCamera(s.Bounds(), 1), renderer.WantCounts)
		require.NoError(t, err, name)
		require.Equal(t, want, again.Counts, "%s: state is left from frame to frame", name)
	}
}

// TestBackendsRefuseAlike passes both backends frames that neither can execute.
func TestBackendsRefuseAlike(t *testing.T) {
	s := asset(t, "cube")
	c := resolve(t, "warp", 8, 0)
	good := renderer.FitCamera(s.Bounds(), 1)
	nan := good
	nan.Azimuth = float32(math.NaN())
	for _, b := range []plan.Backend{openGPU(t), soft.New()} {
		p := planned(t, b, renderer.Frame{Scene: s, Reuse: c, NoRaster: true, NoCounts: true})
		_, err := b.Exec(p, good, renderer.WantCounts)
		require.ErrorContains(t, err, "keeps none", b.Info().Name)
		_, err = b.Exec(p, nan, 0)
		require.ErrorContains(t, err, "not finite", b.Info().Name)
	}
}

// checkQueues compares the device's queues with the CPU's, triangle by triangle: all bits of clip positions, and those of
// attributes except for the light.
func checkQueues(t *testing.T, b, cpu plan.Backend, mode string, f renderer.Frame) {
	camera := renderer.FitCamera(f.Scene.Bounds(), 1)
	got, p := render(t, b, f, camera, renderer.WantQueues, mode)
	f.Subgroups = renderer.AutoSubgroups
	want, _ := render(t, cpu, f, camera, renderer.WantQueues, mode)
	require.Len(t, p.Chunks, 1)
	for triangle := range f.Scene.Triangles() {
		for corner := range 3 {
			g, w := got.Queues.Corner(f.Queue, triangle, corner), want.Queues.Corner(f.Queue, triangle, corner)
			rgb := uint32(1<<24 - 1) // the upper bits are light, whose square root devices round differently
			if f.View == renderer.NoView {
				rgb = 1<<32 - 1 // the word holds a part of the normal, not a colour
			}
			a, b := got.Queues.Attributes[g], want.Queues.Attributes[w]
			if bits(got.Queues.Positions[g]) != bits(want.Queues.Positions[w]) || a[0] != b[0] || a[1]&rgb != b[1]&rgb {
				require.Equal(t, want.Queues.Positions[w], got.Queues.Positions[g], "%s, %s: triangle %d corner %d", f.Scene.Name, mode, triangle, corner)
				require.Equal(t, want.Queues.Attributes[w], got.Queues.Attributes[g], "%s, %s: triangle %d corner %d", f.Scene.Name, mode, triangle, corner)
			}
		}
	}
}

// TestQueues compares the shaded view's queues, and without -short the counts view's too.
func TestQueues(t *testing.T) {
	b, cpu := backends(t)
	for _, r := range runs(b.Limits(), assetList(t, "soup", "city6", "sphere3")...) {
		for _, view := range []renderer.View{renderer.Shaded, renderer.Counts} {
			if r.frame.View = view; view == renderer.Shaded || !testing.Short() {
				checkQueues(t, b, cpu, r.name, r.frame)
			}
		}
	}
}

func bits(p [4]float32) (b [4]uint32) {
	for i, f := range p {
		b[i] = math.Float32bits(f)
	}
	return b
}

// TestOverflowIsPlannedAgain starts with a vertex queue that is far too small.
func TestOverflowIsPlannedAgain(t *testing.T) {
	b := openGPU(t)
	s := shuffled(asset(t, "sphere5"))
	c := resolve(t, "warp", 8, 0)
	f := renderer.Frame{Scene: s, Reuse: c, Width: 64, Height: 64, QueueBudget: 128 << 10, VertexShare: 0.1}
	camera := renderer.FitCamera(s.Bounds(), 1)

	p := planned(t, b, f)
	_, err := b.Exec(p, camera, 0)
	var overflow *renderer.OverflowError
	require.ErrorAs(t, err, &overflow)
	require.Equal(t, renderer.VertexQueue, overflow.Stage)
	require.Equal(t, p.VertexCapacity, overflow.Have)
	require.Greater(t, overflow.Need, overflow.Have)
	cpu := soft.New()
	defer cpu.Close()
	_, err = cpu.Exec(p, camera, 0)
	var same *renderer.OverflowError
	require.ErrorAs(t, err, &same)
	require.Equal(t, same.Need, overflow.Need, "of the chunk that needs most, which is not the last")

	got, made := render(t, b, f, camera, renderer.WantColor|renderer.WantCounts)
	require.Greater(t, len(made.Chunks), 1)
	f.QueueBudget, f.VertexShare = 0, 0
	want, made := render(t, b, f, camera, renderer.WantColor|renderer.WantCounts)
	require.Len(t, made.Chunks, 1)
	require.Equal(t, want.Counts, got.Counts)
	require.Equal(t, want.Color.Pix, got.Color.Pix, "chunks must not change a pixel")
}

// TestOverflowByOne: a vertex queue that is one slot too small for the last batch is reported;
// one that is just large enough is not.
func TestOverflowByOne(t *testing.T) {
	b := openGPU(t)
	s := shuffled(asset(t, "sphere4"))
	c := resolve(t, "hash", 0, 0)
	stats, want := must.Get2(reuse.Analyze(s, c))
	camera := renderer.FitCamera(s.Bounds(), 1)
	f := renderer.Frame{Scene: s, Reuse: c, NoRaster: true, VertexShare: 1}
	worst := planned(t, b, f)
	for _, places := range []int{stats.Invocations, stats.Invocations - 1} {
		f.VertexShare = (float64(places) + 0.5) / float64(worst.VertexCapacity)
		p := planned(t, b, f)
		require.Equal(t, places, p.VertexCapacity)
		out, err := b.Exec(p, camera, renderer.WantCounts)
		if places == stats.Invocations {
			require.NoError(t, err)
			require.Equal(t, want, out.Counts)
			continue
		}
		var overflow *renderer.OverflowError
		require.ErrorAs(t, err, &overflow)
		require.Equal(t, stats.Invocations, overflow.Need)
	}
}
