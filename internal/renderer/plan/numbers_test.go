package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestNumbers: every triangle of a frame of several draws, or of dynamic batches, has a number of its own in the
// order of the stream, within those of its chunk, and both visibility buffers are decoded to its position.
func TestNumbers(t *testing.T) {
	scene := scattered(rand.New(rand.NewPCG(1, 2)))
	for _, batching := range []reuse.Batching{reuse.StaticBatching, reuse.DynamicBatching} {
		for _, windows := range []bool{false, true} {
			f := windowFrame(t, scene, batching)
			f.Raster, f.QueueBudget, f.VertexShare = renderer.FusedRaster, 4<<10, 1
			if windows {
				f.DeviceBudget = budgets(scene, f)[1] + 256<<10
			}
			p := made(t)(New(f, testLimits))
			require.Equal(t, windows, p.Windows != nil)
			require.Equal(t, f.Reuse.Batch/3, p.Numbered)
			checkNumbers(t, p)
		}
	}
	one := made(t)(fusedPlan(t, 5000, "claim", nil))
	require.Zero(t, one.Numbered)
	require.Equal(t, []uint32{0, 1, 5000}, one.VisibleTriangles([]uint64{0, 7<<32 | uint64(^uint32(0)), 1<<32 | uint64(^uint32(4999))}))
	require.Zero(t, made(t)(computePlan(t, 5000, nil)).Numbered, "the queue's passes know triangles by position")
}

func checkNumbers(t *testing.T, p *Plan) {
	batches := reuse.Batches(p.Frame.Scene, p.Frame.Reuse)
	chunk := 0
	var words []uint64
	var narrow, want []uint32
	for i, b := range batches {
		for i >= int(p.batchNumber(chunk))+p.Chunks[chunk].FirstBatch+p.Chunks[chunk].BatchCount {
			chunk++
		}
		n := p.numbers(chunk)
		for k := range int(b.IndexCount) / 3 {
			number := i*p.Numbered + k
			require.True(t, n.first <= number && number < n.first+n.count)
			words = append(words, 7<<32|uint64(^uint32(number)))
			narrow = append(narrow, uint32(2*n.first+n.count-number))
			want = append(want, b.FirstTriangle+uint32(k)+1)
		}
	}
	require.Greater(t, chunk, 1)
	require.Equal(t, want, p.VisibleTriangles(words))
	require.Equal(t, want, p.VisibleTrianglesNarrow(narrow))
	for i, pass := range p.Passes {
		if push := pushOf(pass); push.BatchCount > 0 {
			n := p.numbers(int(push.Chunk))
			require.Equal(t, []int{n.first, n.count}, []int{int(push.FirstTriangle), int(push.TriangleCount)}, i)
			require.Zero(t, pass.Op.(*Dispatch).Spec["EVEN"], "numbers do not say how long the last batch is")
		}
	}
}

func TestTooManyNumbers(t *testing.T) {
	require.NoError(t, numbersFit(math.MaxUint32/256, 256))
	require.EqualError(t, numbersFit(math.MaxUint32/256+1, 256), "raster host fused numbers triangles in 32 bits, 256 for each of 16777216 batches: too many")
	require.NoError(t, numbersFit(math.MaxUint32, 0))
}
