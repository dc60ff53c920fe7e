package oracle

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
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
		c, err := reuse.Params{Unique: 64, Probes: new(probes)}.Resolve("phash")
		require.NoError(t, err)
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
