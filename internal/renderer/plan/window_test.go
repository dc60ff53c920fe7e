package plan

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// scattered is a scene of draws over parts of one pool: with ids from all over their
// ranges or in a useful order, 41 that share their ranges, and one without triangles.
func scattered(random *rand.Rand) *geometry.Scene {
	s := &geometry.Scene{Name: "scattered"}
	for range 20000 {
		s.Positions = append(s.Positions, mgl32.Vec3{random.Float32(), random.Float32(), random.Float32()})
	}
	add := func(offset, vertices, triangles, reach int) {
		d := geometry.Draw{FirstIndex: uint32(len(s.Indices)), IndexCount: uint32(3 * triangles), VertexOffset: uint32(offset), VertexCount: uint32(vertices), Transform: mgl32.Translate3D(float32(len(s.Draws)), 0, 0)}
		for range triangles {
			for range 3 {
				at := random.IntN(vertices)
				if reach > 0 {
					at = min(vertices-1, (len(s.Indices)-int(d.FirstIndex))/6+random.IntN(reach))
				}
				s.Indices = append(s.Indices, uint32(at))
			}
		}
		s.Draws = append(s.Draws, d)
	}
	add(0, 20000, 3000, 0)    // from all over the pool
	add(100, 2600, 5000, 50)  // in a useful order
	add(5000, 10, 0, 0)       // no triangles
	add(6000, 14000, 1, 0)    // one triangle
	add(2000, 3000, 4001, 40) // with 40 instances
	again := s.Draws[len(s.Draws)-1]
	again.Transform = mgl32.Translate3D(0, 5, 0)
	for range 40 {
		s.Draws = append(s.Draws, again)
	}
	_ = s.MakeNormals(context.Background()) // no error, since nothing cancels the context
	return s
}

func windowFrame(t *testing.T, s *geometry.Scene, batching reuse.Batching) renderer.Frame {
	f := frame(t, 1, "warp", 8)
	if batching == reuse.DynamicBatching {
		c := must.Get(reuse.Resolve("hash", 0, 0))
		c.Batching = batching
		c.Batch, c.Unique = 300, 100
		f.Reuse = c
	}
	f.Scene, f.QueueBudget = s, 64<<10
	for i := range s.Draws {
		f.Marks = append(f.Marks, renderer.Mark(i%3))
	}
	return f
}

// budgets returns device budgets, from one that holds the pools to one that holds little more than two of the smallest windows.
func budgets(s *geometry.Scene, f renderer.Frame) []int64 {
	fixed := 7*f.QueueBudget/4 + stagingBytes + int64(f.Width)*int64(f.Height)*pictureBytes
	return []int64{fixed + s.Bytes() + 400<<10, fixed + 2*leastWindowBytes + 560<<10, fixed + 2*leastWindowBytes + 200<<10}
}

// TestWindows: windows hold the whole stream once, in order, and begin at batches of the whole
// stream. They and their data stay within the budget.
func TestWindows(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := scattered(random)
	for _, batching := range []reuse.Batching{reuse.StaticBatching, reuse.DynamicBatching} {
		f := windowFrame(t, s, batching)
		whole := must.Get(New(f, testLimits))
		require.False(t, whole.Windowed())
		for k, budget := range budgets(s, f) {
			f.DeviceBudget = budget
			p := made(t)(New(f, testLimits))
			what := fmt.Sprint(batching, k)
			require.Greater(t, len(p.Windows), 1, what)
			require.Equal(t, k > 0, p.Gathered, what)
			require.LessOrEqual(t, p.DeviceBytes(), budget, what)

			var data WindowData
			batch, triangle, chunk := 0, 0, 0
			for w := range p.Windows {
				require.Equal(t, triangle, p.Windows[w].FirstTriangle, what)
				data.Fill(p, w)
				checkWindow(t, p, &data, whole.Batches[batch:batch+len(data.Batches)])
				first, end := p.Windows[w].FirstChunk, p.Windows[w].EndChunk
				require.Equal(t, chunk, first, what)
				for ; chunk < end; chunk++ {
					c := p.Chunks[chunk]
					require.Equal(t, triangle, c.FirstTriangle, what)
					require.Equal(t, whole.Batches[batch], whole.Batches[int((&planner{Plan: p}).batchNumber(chunk))+c.FirstBatch], what)
					batch, triangle = batch+c.BatchCount, triangle+c.TriangleCount
				}
			}
			require.Equal(t, len(whole.Batches), batch, what)
			require.Equal(t, s.Triangles(), triangle, what)
		}
	}
}

// TestWindowsHoldTexCoords: texture coordinates of two sets are the largest data of a vertex, so that
// their buffer bounds a window.
func TestWindowsHoldTexCoords(t *testing.T) {
	s := scattered(rand.New(rand.NewPCG(3, 4)))
	withTexture(s)
	s.Attributes, s.Textures.Sets = append(s.Attributes, s.Attributes[0]), []int{0, 1}
	f, l := windowFrame(t, s, reuse.StaticBatching), testLimits
	l.MaxBufferBytes = 64 << 10
	p := made(t)(New(f, l))
	require.True(t, p.Gathered)
	var data WindowData
	most := 0
	for w := range p.Windows {
		data.Fill(p, w)
		most = max(most, len(TexCoordData(data.Scene)))
	}
	require.LessOrEqual(t, int64(most), p.Buffer(TexCoords).Bytes)
	require.Greater(t, int64(most), p.Buffer(Positions).Bytes, "windows are that large")
}

// checkWindow compares the data of a window with the scene that it was taken from.
func checkWindow(t *testing.T, p *Plan, data *WindowData, want []reuse.Batch) {
	s, from := data.Scene, p.Frame.Scene
	require.NoError(t, s.Validate(t.Context()))
	fits := func(b Block, n, size int) { require.LessOrEqual(t, int64(n*size), p.Buffer(b).Bytes, b) }
	fits(Draws, len(s.Draws), shaders.DrawSize)
	fits(Batches, len(data.Batches), shaders.BatchSize)
	fits(Counts, s.DrawVertices(), 4)
	if p.Gathered {
		fits(Positions, len(s.Positions), 12)
		fits(Normals, len(s.Normals), 12)
		fits(Indices, len(s.Indices), 4)
	}
	require.Len(t, data.Batches, len(want))
	for i, b := range data.Batches {
		require.Equal(t, want[i].FirstTriangle, b.FirstTriangle)
		require.Equal(t, want[i].IndexCount, b.IndexCount)
		got, exp := &s.Draws[b.Draw], &from.Draws[want[i].Draw]
		require.Equal(t, exp.Transform, got.Transform)
		require.Equal(t, p.Frame.Marks[want[i].Draw], data.Marks[b.Draw])
		for k := range b.IndexCount {
			a := got.VertexOffset + s.Indices[b.FirstIndex+k]
			c := exp.VertexOffset + from.Indices[want[i].FirstIndex+k]
			if from.Positions[c] != s.Positions[a] || from.Normals[c] != s.Normals[a] {
				t.Fatalf("batch %d, index %d: vertex %d is not that of the scene, %d", i, k, a, c)
			}
		}
	}
	// Counts are copied to the scene and back.
	local := make([]uint32, s.DrawVertices())
	for i := range local {
		local[i] = uint32(i + 1)
	}
	total := make([]uint32, from.DrawVertices())
	data.AddCounts(total, local)
	sum := uint32(0)
	for _, n := range total {
		sum += n
	}
	require.Equal(t, uint32(len(local))*uint32(len(local)+1)/2, sum)
	seen := data.Counts(total, nil)
	require.Len(t, seen, len(local))
	offsets, places := reuse.CountOffsets(from), reuse.CountOffsets(s)
	for i, b := range data.Batches {
		for k := range b.IndexCount {
			pair := offsets[want[i].Draw] + from.Indices[want[i].FirstIndex+k]
			if total[pair] != seen[places[b.Draw]+s.Indices[b.FirstIndex+k]] {
				t.Fatalf("batch %d, index %d: the count is not that of pair %d", i, k, pair)
			}
		}
	}
}

// TestWindowPasses: a window is uploaded into the free copy, and its passes use this copy. The counts view counts
// all windows, then clears the queue states that culling's counting round has left, and then draws the first window.
func TestWindowPasses(t *testing.T) {
	s := scattered(rand.New(rand.NewPCG(3, 4)))
	for i, view := range []renderer.View{renderer.Counts, renderer.Counts, renderer.Shaded} {
		f := windowFrame(t, s, reuse.StaticBatching)
		f.View, f.Raster, f.Cull = view, renderer.ComputeRaster, i == 1
		f.DeviceBudget = budgets(s, f)[1]
		p := made(t)(New(f, testLimits))
		uploads, slot := 0, -1
		fetched := 0
		for _, step := range steps(p) {
			require.Equal(t, NoBuffer, conflict(step))
			for _, pass := range step {
				checkUses(t, &pass)
				switch op := pass.Op.(type) {
				case *Clear:
					require.Contains(t, []int{0, len(p.Windows)}, uploads)
				case *Upload:
					require.Equal(t, uploads%2, op.Slot)
					require.Equal(t, uploads%len(p.Windows), op.Window)
					slot, uploads = op.Slot, uploads+1
					require.Equal(t, view == renderer.Counts && uploads > len(p.Windows), op.Counted)
					require.Equal(t, op.Counted, view == renderer.Counts && fetched == len(p.Windows))
				case *Fetch:
					require.Equal(t, []string{nameOf(p, Counts, slot)}, touching(p, pass, Read))
					fetched++
				case *Dispatch:
					if !strings.HasSuffix(pass.Name, ":warp") {
						continue
					}
					require.Contains(t, touching(p, pass, Read), nameOf(p, Positions, slot))
					require.Contains(t, touching(p, pass, Read), nameOf(p, Batches, slot))
					require.Equal(t, nameOf(p, Clips, slot), boundTo(p, pass, Clips))
				}
			}
		}
		require.Equal(t, len(p.Windows), fetched)
		require.Equal(t, map[renderer.View]int{renderer.Counts: 2, renderer.Shaded: 1}[view]*len(p.Windows), uploads)
		require.Contains(t, p.String(), fmt.Sprintf("batches, %d windows", len(p.Windows)))
	}
}

// TestBudgetBeyondTheDevice: a scene too large for the device is drawn in windows, with or without a larger device budget.
func TestBudgetBeyondTheDevice(t *testing.T) {
	s := scattered(rand.New(rand.NewPCG(3, 4)))
	s.Draws = append(s.Draws, slices.Repeat(s.Draws[5:], 70)...)
	f, l := windowFrame(t, s, reuse.StaticBatching), testLimits
	l.DeviceBytes = stagingBytes + 8<<20
	for _, f.DeviceBudget = range []int64{0, 1 << 40} {
		require.True(t, must.Get(New(f, l)).Windowed())
	}
}

func TestWindowsRefuse(t *testing.T) {
	s := scattered(rand.New(rand.NewPCG(5, 6)))
	for _, tt := range []struct {
		change func(*renderer.Frame)
		want   string
	}{
		{func(f *renderer.Frame) { f.DeviceBudget = 1 << 20 }, "device memory of 1 MiB is too small: queues, staging, picture and two windows need about 32.28 MiB"},
		{func(f *renderer.Frame) { f.DeviceBudget = 1 << 20; f.NoRaster, f.QueueBudget = true, 64<<20 }, "two windows need about 38.55 MiB"},
		{func(f *renderer.Frame) { f.DeviceBudget, f.QueueBudget = 1<<20, 64<<20 }, "two windows need about 45.42 MiB"},
		{func(f *renderer.Frame) { f.VertexShader = renderer.Skin }, "; the skeleton is made for the whole scene at once"},
		{func(f *renderer.Frame) { f.Reuse, _ = reuse.Resolve("multi", 0, 0) }, "; multi takes the whole scene at once"},
		{func(f *renderer.Frame) { f.DeviceBudget = -1 }, "device budget of -1 bytes"},
	} {
		f := windowFrame(t, s, reuse.StaticBatching)
		f.DeviceBudget = budgets(s, f)[2]
		tt.change(&f)
		_, err := New(f, testLimits)
		require.ErrorContains(t, err, tt.want)
	}
}

// TestWindowsNeed: 5 % more than the device memory that an error names is enough, 5 % less is not.
func TestWindowsNeed(t *testing.T) {
	s := scattered(rand.New(rand.NewPCG(5, 6)))
	for _, queues := range []int64{100 << 10, 64 << 20} {
		for _, raster := range []bool{true, false} {
			f := windowFrame(t, s, reuse.StaticBatching)
			f.QueueBudget, f.NoRaster, f.DeviceBudget = queues, !raster, 4<<20
			_, err := New(f, testLimits)
			require.Error(t, err)
			_, text, ok := strings.Cut(err.Error(), "need about ")
			require.True(t, ok, err)
			var mebibytes float64
			_, err = fmt.Sscanf(text, "%f MiB", &mebibytes)
			require.NoError(t, err, text)
			f.DeviceBudget = int64(1.05 * mebibytes * (1 << 20))
			_ = made(t)(New(f, testLimits))
			f.DeviceBudget = int64(0.95 * mebibytes * (1 << 20))
			_, err = New(f, testLimits)
			require.Error(t, err)
		}
	}
}

// TestIdTable: the direct and the hashed form of the table number ids in order of first use.
func TestIdTable(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	var table idTable
	forms := map[bool]int{}
	for range 200 {
		spread, first := 1+random.IntN(1<<uint(1+random.IntN(20))), uint32(random.IntN(1<<30))
		ids := make([]uint32, 3*(1+random.IntN(300)))
		for i := range ids {
			ids[i] = first + uint32(random.IntN(spread))
		}
		table.reset(ids)
		forms[table.hashed]++
		var seen []uint32
		for _, id := range ids {
			n, fresh := table.number(id)
			require.Equal(t, !slices.Contains(seen, id), fresh)
			if fresh {
				seen = append(seen, id)
			}
			require.Equal(t, id, seen[n])
		}
		require.Equal(t, len(seen), int(table.count))
	}
	require.Greater(t, forms[true], 20)
	require.Greater(t, forms[false], 20)
}

// TestWindowsTellVertexOffsetsApart: draws of one window that share their indices, but have other
// vertex offsets or fewer vertices, each get their own vertices.
func TestWindowsTellVertexOffsetsApart(t *testing.T) {
	s := scattered(rand.New(rand.NewPCG(3, 4)))
	first := s.Draws[1] // 5,000 triangles over 2,600 vertices
	first.IndexCount = 3 * 100
	for i := range 60 {
		first.VertexOffset = uint32(100 + 3000*(i%5))
		part := first
		part.IndexCount -= uint32(3 * (i % 50)) // without its last triangles
		s.Draws = append(s.Draws, part, first)
	}
	f := windowFrame(t, s, reuse.StaticBatching)
	whole := made(t)(New(f, testLimits))
	f.DeviceBudget = budgets(s, f)[2]
	p := made(t)(New(f, testLimits))
	require.True(t, p.Gathered)

	var data WindowData
	batch, together := 0, 0
	for w := range p.Windows {
		offsets := map[uint32]bool{} // of whole draws with the shared indices
		for _, piece := range p.Windows[w].Pieces {
			if d := &s.Draws[piece.Draw]; d.FirstIndex == first.FirstIndex && piece.First == 0 && piece.Count == first.IndexCount {
				offsets[d.VertexOffset] = true
			}
		}
		together = max(together, len(offsets))
		data.Fill(p, w)
		checkWindow(t, p, &data, whole.Batches[batch:batch+len(data.Batches)])
		batch += len(data.Batches)
	}
	require.Greater(t, together, 1, "no window has draws of one range of indices at several offsets")
}
