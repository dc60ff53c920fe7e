package oracle

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/shape"
	"github.com/shadeonce/shadeonce/renderer"
)

// TestPhashSecondTier counts the indices that whole subgroups placed: all without solo probes, none if an invocation may
// probe the whole table, and some otherwise if the table has no more entries than a batch has vertices. Shading counts stay
// the same.
func TestPhashSecondTier(t *testing.T) {
	b := openGPU(t)
	s := shuffled(asset(t, "sphere4"))
	camera := renderer.FitCamera(s.Bounds(), 1)
	params := []reuse.Params{
		{Batching: "dynamic"}, {Batching: "static"}, {Unique: 4, Batch: 48}, {Unique: 64, Workgroup: 32},
		{Unique: 128, Workgroup: 1024}, {Unique: 512, Batch: 1536}, {Batching: "static", Batch: 96},
	}
	allProbes := []*int{nil, new(0), new(1), new(reuse.MaxUnique)}
	for _, choice := range eachChoice(len(params), len(allProbes), len(renderer.QueueFormNames)) {
		p, queue := params[choice[0]], renderer.QueueForm(choice[2])
		p.Probes, p.Room = allProbes[choice[1]], 1
		c := must.Get(p.Resolve("phash"))
		out, _ := render(t, b, renderer.Frame{Scene: s, Reuse: c, Queue: queue, NoRaster: true}, camera, renderer.WantCounts, "%s, %d probes, %s", c, c.Probes, queue)
		_, want := must.Get2(reuse.Analyze(s, c))
		require.Equal(t, want, out.Counts, "%s, %d probes, %s", c, c.Probes, queue)
		switch table := c.Table(); {
		case c.Probes == 0:
			require.Equal(t, len(s.Indices), out.Cooperated, "%s, %s", c, queue)
			for _, cull := range []bool{false, queue == renderer.Indexed} { // with culling, each half of the queues has states of its own
				out, p := render(t, b, renderer.Frame{Scene: s, Reuse: c, Queue: queue, QueueBudget: 64 << 10, Width: 64, Height: 64, Cull: cull}, camera, renderer.WantCounts, "%s, %s in chunks", c, queue)
				require.Greater(t, len(p.Chunks), 1)
				require.Equal(t, 2, p.Halves)
				require.Equal(t, len(s.Indices), out.Cooperated, "%s, %s, culled %t: the sum of all chunks", c, queue, cull)
			}
		case c.Probes >= table:
			require.Zero(t, out.Cooperated, "%s, %s", c, queue)
		case c.Unique == table:
			t.Logf("%s, %d probes, %s: %d of %d indices placed together", c, c.Probes, queue, out.Cooperated, len(s.Indices))
			require.NotZero(t, out.Cooperated, "%s, %s", c, queue)
		}
	}
}

// TestTablesDoNotChangeCounts: larger hash tables change only the speed.
func TestTablesDoNotChangeCounts(t *testing.T) {
	b := openGPU(t)
	params := []reuse.Params{{}, {Batching: "dynamic"}, {Batch: 96, Workgroup: 32}, {Unique: 64}, {Batch: 1023}}
	for _, s := range []*geometry.Scene{shuffled(asset(t, "sphere4")), asset(t, "soup")} {
		camera := renderer.FitCamera(s.Bounds(), 1)
		names := []string{"hash", "phash"}
		for _, choice := range eachChoice(len(names), len(params), reuse.MaxRoom) {
			p := params[choice[1]]
			p.Room = choice[2] + 1
			c := must.Get(p.Resolve(names[choice[0]]))
			f := renderer.Frame{Scene: s, Reuse: c, NoRaster: true}
			if plan.Fits(f, b.Limits()) != nil {
				require.Greater(t, p.Room*c.Strategy.MaxUnique(c), 1024, "a table of %d entries fits any device", c.Table())
				continue
			}
			out, _ := render(t, b, f, camera, renderer.WantCounts)
			_, want := must.Get2(reuse.Analyze(s, c))
			require.Equal(t, want, out.Counts, "%s, %s, table of %d", s.Name, c, c.Table())
		}
	}
}

// limited is a backend whose device has other limits.
type limited struct {
	plan.Backend
	change func(l *renderer.Limits)
}

func (b limited) Limits() renderer.Limits {
	l := b.Backend.Limits()
	b.change(&l)
	return l
}

// wide returns a backend whose device reports the given number of multiprocessors.
func wide(b plan.Backend, multiprocessors int) limited {
	return limited{b, func(l *renderer.Limits) { l.Multiprocessors = multiprocessors }}
}

// TestFittedBatches: batch sizes fitted to scene and device are the same on both backends. Counts
// are the same too, and equal the reference's with that batch size.
func TestFittedBatches(t *testing.T) {
	b, cpu := backends(t)
	s := shuffled(asset(t, "sphere5"))
	camera := renderer.FitCamera(s.Bounds(), 1)
	of := measure.Subject{File: "sphere5", Order: "shuffled", Scene: s}
	var strategies []string
	for _, strategy := range reuse.Strategies {
		if strategy.LeastBatch != nil {
			strategies = append(strategies, strategy.Name)
		}
	}
	require.Equal(t, []string{"multi", "hash", "phash", "claim", "meshlet"}, strategies)
	// The sphere has 20,480 triangles: an invocation gets a half, one, two, three or more.
	batches := map[int]bool{}
	multiprocessors := []int{1, 3, 6, 20, 132}
	for _, choice := range eachChoice(len(strategies), len(multiprocessors)) {
		c := must.Get(reuse.Params{FitBatch: true}.Resolve(strategies[choice[0]]))
		fitted := c.Fitted(s.Triangles(), multiprocessors[choice[1]])
		require.False(t, fitted.FitBatch)
		what := fmt.Sprintf("%s on %d multiprocessors", fitted, multiprocessors[choice[1]])
		batches[fitted.Batch] = true
		var counts [2][]uint32
		for i, backend := range []plan.Backend{wide(b, multiprocessors[choice[1]]), wide(cpu, multiprocessors[choice[1]])} {
			out, p := render(t, backend, renderer.Frame{Scene: s, Reuse: c, NoRaster: true}, camera, renderer.WantCounts, what)
			require.Equal(t, fitted, p.Frame.Reuse)
			require.Contains(t, p.String(), fmt.Sprintf("of at most %d indices, chosen for %d multiprocessor", fitted.Batch, multiprocessors[choice[1]]))
			counts[i] = out.Counts
			counted := must.Get(measure.Strategy(c, renderer.Frame{}).Count(backend, s))
			require.Equal(t, fitted.Batch, measure.Analyze(of, counted).Batch)
		}
		require.Equal(t, counts[1], counts[0], what)
		_, want := must.Get2(reuse.Analyze(s, fitted))
		require.Equal(t, want, counts[0], what)
	}
	if !testing.Short() {
		require.Len(t, batches, 8, "48, 96, 192, 288, 384, 768, 1152 and 1536 indices: %v", batches)
	}
}

// TestPhashQueues compares the triangles of both tiers, corner by corner, with the CPU's.
func TestPhashQueues(t *testing.T) {
	b, cpu := backends(t)
	s := shuffled(asset(t, "sphere3"))
	for _, probes := range []int{0, 4} {
		c := must.Get(reuse.Params{Unique: 64, Probes: new(probes)}.Resolve("phash"))
		for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
			mode := fmt.Sprintf("%d probes, %s", probes, queue)
			checkQueues(t, b, cpu, mode, renderer.Frame{Scene: s, Reuse: c, Queue: queue, Width: 128, Height: 128})
		}
	}
}

// TestWarpQueues: an iteration of warp may have more triangles than lanes, since triangles share its vertices.
func TestWarpQueues(t *testing.T) {
	b, cpu := backends(t)
	s := *asset(t, "sphere3")
	s.Indices = slices.Repeat(s.Indices[:6], 20)
	s.Draws = slices.Clone(s.Draws)
	s.Draws[0].IndexCount = 120
	c := resolve(t, "warp", 8, 96)
	checkQueues(t, b, cpu, "warp", renderer.Frame{Scene: &s, Reuse: c, Width: 128, Height: 128})
}

// TestSortSlots: slots of sort are the ranks of the ids, so that even the records equal the
// reference's, not only the vertices that they name.
func TestSortSlots(t *testing.T) {
	b := openGPU(t)
	s := shuffled(asset(t, "sphere4"))
	for _, p := range []reuse.Params{{Batching: "dynamic"}, {Batching: "static"}, {Batch: 3}, {Batch: 3072, Unique: 900, Workgroup: 32}} {
		c := must.Get(p.Resolve("sort"))
		f := renderer.Frame{Scene: s, Reuse: c, Raster: renderer.ComputeRaster, Width: 128, Height: 128} // with hardware the queue would have corners, not records
		out, made := render(t, b, f, renderer.FitCamera(s.Bounds(), 1), renderer.WantQueues)
		for _, batch := range made.Batches {
			c.Strategy.Reference(c, s.Indices[batch.FirstIndex:batch.FirstIndex+batch.IndexCount], func(it *reuse.Iteration) {
				for k, slot := range it.Slots {
					record := out.Queues.Triangles[int(batch.FirstTriangle)+k/3]
					if got := record[0] >> (10 * (k % 3)) & 1023; got != uint32(slot) {
						require.Equal(t, uint32(slot), got, "%s: batch at %d, index %d", c, batch.FirstIndex, k)
					}
				}
			})
		}
	}
}

// TestDispatchesOfTwoDimensions: a device that runs few workgroups in one dimension needs two. They change neither counts nor pictures, by lists of compute and fused frames, too.
func TestDispatchesOfTwoDimensions(t *testing.T) {
	b, _ := backends(t)
	s := asset(t, "city3")
	camera := renderer.FitCamera(s.Bounds(), 1.5)
	for i, host := range []renderer.RasterHost{renderer.HardwareRaster, renderer.ComputeRaster, renderer.FusedRaster} {
		f := renderer.Frame{Scene: s, Reuse: resolve(t, []string{"warp", "hash", "claim"}[i], 8, 24), Raster: host, View: renderer.Shaded, Width: 300, Height: 200}
		const want = renderer.WantColor | renderer.WantCounts
		one, _ := render(t, b, f, camera, want)
		most := []int{5, 100, 5}[i]
		two, p := render(t, limited{b, func(l *renderer.Limits) { l.MaxGroups = most }}, f, camera, want)
		require.Regexp(t, fmt.Sprintf(`(geometry|fused):.* %dx([2-9]|[1-9][0-9]+) workgroups`, most), p.String(), host)
		require.Equal(t, one.Counts, two.Counts, host)
		require.Equal(t, one.Color.Pix, two.Color.Pix, host)
	}
}

// sparse has draws that reference only some of their vertices.
func sparse(t testing.TB) *geometry.Scene {
	s := *asset(t, "city6")
	s.Name = "sparse city"
	s.Draws = append([]geometry.Draw{}, s.Draws...)
	for i := range s.Draws {
		s.Draws[i].IndexCount = max(3, s.Draws[i].IndexCount/6*3)
	}
	require.NoError(t, s.Validate(t.Context()))
	require.Less(t, shape.Referenced(&s)[0], int(s.Draws[0].VertexCount))
	return &s
}

// TestMultiShadesWholeDraws covers what the tests of all strategies leave out: unreferenced vertices, odd batches and
// workgroups, a budget too small for any queue, and all views in both queue forms; with -short each scene, batch and
// workgroup once.
func TestMultiShadesWholeDraws(t *testing.T) {
	b, cpu := backends(t)
	scenes := []*geometry.Scene{asset(t, "triangle"), asset(t, "city6"), sparse(t), shuffled(asset(t, "sphere4"))}
	params := []reuse.Params{{}, {Batch: 3}, {Batch: 93, Workgroup: 32}, {Batch: reuse.MaxBatch, Workgroup: 64}, {Workgroup: 1024}}
	for _, choice := range eachChoice(len(scenes), len(params), len(renderer.ViewNames)) {
		s, view := scenes[choice[0]], renderer.View(choice[2])
		if testing.Short() {
			view = renderer.View(choice[1] % len(renderer.ViewNames)) // each view needs its own pipelines
		}
		camera := renderer.FitCamera(s.Bounds(), 1)
		c := must.Get(params[choice[1]].Resolve("multi"))
		_, want := must.Get2(reuse.Analyze(s, c))
		var first *renderer.Output
		for _, queue := range []renderer.QueueForm{renderer.Indexed, renderer.Expanded} {
			mode := fmt.Sprintf("%s, %s, workgroup %d, %s, %s", s.Name, c, c.Workgroup, view, queue)
			f := renderer.Frame{Scene: s, Reuse: c, Queue: queue, View: view, Width: 96, Height: 96, QueueBudget: 1}
			checkQueues(t, b, cpu, mode, f)
			out, made := render(t, b, f, camera, renderer.WantColor|renderer.WantDepth|renderer.WantCounts, mode)
			require.Len(t, made.Chunks, 1, mode)
			require.Equal(t, want, out.Counts, mode)
			if first == nil {
				first = out
			}
			require.True(t, bytes.Equal(first.Color.Pix, out.Color.Pix), mode)
			require.Equal(t, first.Depth, out.Depth, mode)
		}
	}
}

// TestMultiCountsViewIsThatOfPerfectReuse: hash finds every repeated index of a cube, so it too
// shades each vertex once, and the heatmaps are equal.
func TestMultiCountsViewIsThatOfPerfectReuse(t *testing.T) {
	b := openGPU(t)
	s := asset(t, "cube")
	draw := func(name string) *renderer.Output {
		c := resolve(t, name, 0, 0)
		return renderPicture(t, b, renderer.Frame{Scene: s, Reuse: c, View: renderer.Counts, Width: 128, Height: 128})
	}
	want, got, naive := draw("hash"), draw("multi"), draw("naive-index")
	require.True(t, bytes.Equal(want.Color.Pix, got.Color.Pix))
	require.False(t, bytes.Equal(naive.Color.Pix, got.Color.Pix))
}

// TestSpills: batches that shade more vertices than they have fixed slots spill the rest. If spill
// space runs out, the frame is planned again.
func TestSpills(t *testing.T) {
	b := openGPU(t)
	c := resolve(t, "claim", 8, 0)
	s := asset(t, "terrain96")
	// Every sixtieth batch has vertices from all over the mesh.
	mixed := shuffled(s)
	for i := range len(s.Indices) / c.Batch {
		if i%60 != 3 {
			copy(mixed.Indices[i*c.Batch:(i+1)*c.Batch], s.Indices[i*c.Batch:(i+1)*c.Batch])
		}
	}
	camera := renderer.FitCamera(s.Bounds(), 1)
	const want = renderer.WantColor | renderer.WantCounts | renderer.WantDepth
	for _, budget := range []int64{0, 200 << 10} {
		f := renderer.Frame{Scene: mixed, Reuse: c, Raster: renderer.ComputeRaster, View: renderer.Shaded, Width: 128, Height: 128, QueueBudget: budget}
		f.VertexShare = 1
		whole, p := render(t, b, f, camera, want)
		require.Equal(t, 3*p.Chunks[0].TriangleCount, p.SpillFirst(0))
		_, counts := must.Get2(reuse.Analyze(mixed, c))
		require.Equal(t, counts, whole.Counts)
		worst := p.VertexCapacity

		overflows := 0
		for _, share := range []float64{0.7, 0.5, 0.4, 0.3, 0.1, 0} {
			f.VertexShare = share
			p := planned(t, b, f)
			if share == 0.5 {
				require.Less(t, p.SpillFirst(0), 2*p.Chunks[0].TriangleCount)
				require.Less(t, p.VertexCapacity, worst)
			}
			_, err := b.Exec(p, camera, 0)
			if err != nil {
				var overflow *renderer.OverflowError
				require.ErrorAs(t, err, &overflow)
				require.Greater(t, overflow.Need, overflow.Have)
				overflows++
			}
			out, _ := render(t, b, f, camera, want)
			require.Equal(t, whole.Counts, out.Counts)
			require.Equal(t, whole.Color.Pix, out.Color.Pix)
			require.Equal(t, whole.Depth, out.Depth)
		}
		require.NotZero(t, overflows)
		require.Less(t, overflows, 6)
	}
}

// TestAutoAsNamed: the strategies that auto chooses for a CPU (no multiprocessors) and for a large GPU have the counts of
// the reference, and draw the same pictures as when the user names them.
func TestAutoAsNamed(t *testing.T) {
	b := openGPU(t)
	auto := resolve(t, reuse.Auto, 0, 0)
	picked := map[string]bool{}
	for at, name := range []string{"sphere3", "soup", "city2"} {
		s := asset(t, name)
		counted := must.Get(measure.Strategy(auto, renderer.Frame{}).Count(b, s))
		require.Equal(t, reuse.Auto, counted.Name)
		require.NotEmpty(t, counted.Reason)
		auto := auto
		if name == "city2" {
			auto = resolve(t, reuse.AutoStreaming, 0, 0)
		}
		for i, multiprocessors := range []int{0, 132} {
			for k, load := range []int{0, 4096} {
				if testing.Short() && i != (k+at)%2 { // every scene and every value, not every combination
					continue
				}
				l := b.Limits()
				l.Multiprocessors = multiprocessors
				f := renderer.Frame{Scene: s, Reuse: auto, Raster: renderer.AutoRaster, Load: load, View: renderer.Counts, Width: 96, Height: 64}
				what := fmt.Sprint(name, multiprocessors, load)
				p, err := plan.New(f, l)
				require.NoError(t, err, what)
				require.Contains(t, p.Choice.String(), p.Frame.Reuse.Strategy.Name, what)
				require.Contains(t, p.Choice.String(), p.Frame.Raster.String(), what)
				picked[p.Frame.Reuse.Strategy.Name+"/"+p.Frame.Raster.String()] = true
				camera := renderer.FitCamera(s.Bounds(), 1.5)
				out, p, err := plan.Exec(b, p, camera, renderer.WantCounts|renderer.WantColor)
				require.NoError(t, err, what)
				_, counts := must.Get2(reuse.Analyze(s, p.Frame.Reuse))
				require.Equal(t, counts, out.Counts, what)
				f = p.Frame
				f.Reuse.FitBatch = false // the device's own multiprocessors may select other batches
				named, _ := render(t, b, f, camera, renderer.WantColor, what)
				require.Equal(t, named.Color.Pix, out.Color.Pix, what)
			}
		}
	}
	require.Greater(t, len(picked), 2, "%v", picked)
}
