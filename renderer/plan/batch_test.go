package plan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

// deviceFrame is a frame whose batches the device cuts.
func deviceFrame(t testing.TB, n int, p reuse.Params) renderer.Frame {
	c, err := p.Resolve("hash")
	require.NoError(t, err)
	return renderer.Frame{Scene: strip(n), Reuse: c, BatchOn: renderer.BatchDevice, Width: 64, Height: 32}
}

func TestBatchPlanIsOneChunk(t *testing.T) {
	for _, form := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
		f := deviceFrame(t, 5000, reuse.Params{})
		f.Queue = form
		p, err := New(f, testLimits)
		require.NoError(t, err)
		require.Nil(t, p.Batches)
		require.Len(t, p.Chunks, 1)
		require.Equal(t, 5000, p.TriangleCapacity)
		require.Equal(t, 15000, p.VertexCapacity)
		var names []string
		for i := range p.Passes {
			pass := &p.Passes[i]
			names = append(names, pass.Name)
			require.Equal(t, pass.Name == "geometry:hash", pass.Indirect == "BatchStates", pass.Name)
			for _, buffer := range append(pass.Reads, pass.Writes...) {
				require.NotNil(t, p.Buffer(buffer), buffer)
			}
		}
		require.Equal(t, strings.Fields("batch:next batch:join batch:count batch:emit clear camera:clips geometry:hash queue:finish raster:hardware"), names)
		// 8 tiles of 683 triangles in one group.
		require.Equal(t, [2]uint32{8, 1}, p.Passes[0].Groups)
		require.Equal(t, [2]uint32{1, 1}, p.Passes[1].Groups)
		require.EqualValues(t, 8*341*4, p.Buffer("TileMaps").Bytes)
		require.EqualValues(t, 8*342*4, p.Buffer("BatchLengths").Bytes)
	}
	f := deviceFrame(t, 5000, reuse.Params{})
	l := testLimits
	l.MaxGroups = 5
	p, err := New(f, l)
	require.NoError(t, err)
	require.Equal(t, [2]uint32{5, 2}, p.Passes[0].Groups)
	require.EqualValues(t, 5, p.Passes[0].Spec["MAX_GROUPS"])
}

func TestBatchPlanOnTheHostHasNoPasses(t *testing.T) {
	f := deviceFrame(t, 100, reuse.Params{})
	f.BatchOn = renderer.BatchHost
	p, err := New(f, testLimits)
	require.NoError(t, err)
	require.Equal(t, reuse.Batches(f.Scene, f.Reuse), p.Batches)
	require.Equal(t, "clear", p.Passes[0].Name)
	require.Nil(t, p.Buffer("BatchStates"))
}

// TestBatchBounds: no stream has more batches than there are places for, padding
// included, nor more vertices than the worst case.
func TestBatchBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 9))
	for round := range 200 {
		f := deviceFrame(t, 1000, reuse.Params{Batch: 3 * (1 + r.IntN(512)), Unique: 3 + r.IntN(300)})
		f.Scene.Draws = nil
		for range 1 + r.IntN(30) {
			n := 3 * r.IntN(80)
			f.Scene.Draws = append(f.Scene.Draws, geometry.Draw{FirstIndex: uint32(r.IntN(3000 - n)), IndexCount: uint32(n), VertexCount: 1002})
		}
		f.Scene.Draws = append(f.Scene.Draws, geometry.Draw{IndexCount: 3000, VertexCount: 1002})
		if round%2 == 0 { // no vertex twice in a row of 1002
			for i := range f.Scene.Indices {
				f.Scene.Indices[i] = uint32(i % 1002)
			}
		}
		l := testLimits
		l.MaxGroups = 3 + r.IntN(20)
		p, err := New(f, l)
		require.NoError(t, err)
		st, _ := reuse.Analyze(f.Scene, f.Reuse)
		require.LessOrEqual(t, st.Invocations, p.Chunks[0].WorstVertices)
		require.LessOrEqual(t, p.Chunks[0].WorstVertices, st.Indices)
		y := (st.Batches + l.MaxGroups - 1) / l.MaxGroups
		x := (st.Batches + y - 1) / y
		require.LessOrEqual(t, x*y, p.Chunks[0].BatchCount)
		require.EqualValues(t, p.Chunks[0].BatchCount*shaders.BatchSize, p.Buffer("Batches").Bytes)
	}
}

// TestBatchPlanTakesWhatTheBudgetLeaves: the queue of vertices is smaller than
// the worst case where that is over budget, and an overflow asks for more.
func TestBatchPlanTakesWhatTheBudgetLeaves(t *testing.T) {
	f := deviceFrame(t, 5000, reuse.Params{})
	f.QueueBudget = 8*5000 + 24*4000
	p, err := New(f, testLimits)
	require.NoError(t, err)
	require.InDelta(t, 4000, p.VertexCapacity, 1)
	_, err = New(replan(p, &renderer.OverflowError{Stage: renderer.VertexQueue, Need: 6000, Have: p.VertexCapacity}), testLimits)
	require.EqualError(t, err, "renderer: queue budget of 132.8 KiB is too small: batches cut on the device take all queues at once, about 193.8 KiB")
	// So it is with what the device binds.
	f.QueueBudget = 1 << 20
	l := testLimits
	l.MaxBufferBytes = 4500 * 16
	p, err = New(f, l)
	require.NoError(t, err)
	require.InDelta(t, 4500, p.VertexCapacity, 1)
	f.VertexShare = 0.1
	p, err = New(f, testLimits)
	require.NoError(t, err)
	require.Equal(t, 1500, p.VertexCapacity)
	p, err = New(replan(p, &renderer.OverflowError{Stage: renderer.VertexQueue, Need: 6000, Have: p.VertexCapacity}), testLimits)
	require.NoError(t, err)
	require.Equal(t, 6600, p.VertexCapacity)
}

func TestBatchPlanRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*renderer.Frame, *renderer.Limits)
		want   string
	}{
		{"unknown place", func(f *renderer.Frame, _ *renderer.Limits) { f.BatchOn = 2 }, "renderer: batches cut in place unknown(2): have host, device"},
		{"static", func(f *renderer.Frame, _ *renderer.Limits) { f.Reuse = frame(t, 1, "warp", 8).Reuse },
			"renderer: warp, 8 lanes, batch 24: the device cuts dynamic batches only, static ones need no cutting"},
		{"large batch", func(f *renderer.Frame, _ *renderer.Limits) { f.Reuse.Batch = 1539 },
			"renderer: hash, dynamic batches of 1539/256: the device cuts batches of at most 1536 indices"},
		{"shared memory", func(_ *renderer.Frame, l *renderer.Limits) { l.SharedBytes = 16 << 10 },
			"renderer: cutting batches on the device needs 29.99 KiB of shared memory, the device has 16 KiB"},
		{"budget", func(f *renderer.Frame, _ *renderer.Limits) { f.QueueBudget = 4096 },
			"renderer: queue budget of 4 KiB is too small: batches cut on the device take all queues at once, about 45.06 KiB"},
		{"expanded", func(f *renderer.Frame, l *renderer.Limits) { f.Queue, l.MaxBufferBytes = renderer.Expanded, 200000 },
			"renderer: buffer VertexPositions needs 234.4 KiB (15000 x vec4 posClip), the device binds at most 195.3 KiB; batches that the device cuts take the whole scene at once"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, l := deviceFrame(t, 5000, reuse.Params{}), testLimits
			tt.change(&f, &l)
			_, err := New(f, l)
			require.EqualError(t, err, tt.want)
		})
	}
}

func TestBatchPlanPrints(t *testing.T) {
	p, err := New(deviceFrame(t, 5000, reuse.Params{}), testLimits)
	require.NoError(t, err)
	for _, want := range []string{
		"stream 5000 triangles in 1 draws, at most 59 batches, 1 chunks\n",
		fmt.Sprintf("buffer %-17s %12d bytes  59 x Batch  (from batch:emit)\n", "Batches", 59*16),
		"pass   batch:next       dispatch chunk 0, 8x1 workgroups\n",
		"pass   geometry:hash    dispatch chunk 0, 59x1 workgroups at most, as BatchStates says\n",
	} {
		require.Contains(t, p.String(), want)
	}
}

func TestDrawRangeData(t *testing.T) {
	s := strip(10)
	s.Draws = []geometry.Draw{{FirstIndex: 9, IndexCount: 6}, {FirstIndex: 3}, {IndexCount: 30}}
	require.Equal(t, []shaders.DrawRange{{FirstTriangle: 0, FirstIndex: 9}, {FirstTriangle: 2, FirstIndex: 3}, {FirstTriangle: 2}, {FirstTriangle: 12}}, DrawRangeData(s))
}
