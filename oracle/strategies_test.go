package oracle

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

// TestPhashSecondTier counts the indices that subgroups placed together, in
// full tables and in small ones: all of them without solo probes, some with the
// default, none where an invocation may probe the whole table. What is shaded
// does not depend on it.
func TestPhashSecondTier(t *testing.T) {
	b := openGPU(t)
	s := shuffled(asset(t, "sphere4"))
	camera := renderer.FitCamera(s.Bounds(), 1)
	params := []reuse.Params{
		{}, {Batching: "static"}, {Unique: 4, Batch: 48}, {Unique: 64, Workgroup: 32},
		{Unique: 128, Workgroup: 1024}, {Unique: 512, Batch: 1536}, {Batching: "static", Batch: 96},
	}
	allProbes := []*int{nil, new(0), new(1), new(reuse.MaxUnique)}
	for _, choice := range choices(len(params), len(allProbes), len(renderer.QueueFormNames)) {
		p, queue := params[choice[0]], renderer.QueueForm(choice[2])
		p.Probes = allProbes[choice[1]]
		c, err := p.Resolve("phash")
		require.NoError(t, err)
		if p.Workgroup == 32 {
			c.Workgroup = 37 // its last subgroup is not full
		}
		out, _, err := plan.Render(b, renderer.Frame{Scene: s, Reuse: c, Queue: queue, NoRaster: true}, camera, renderer.WantCounts)
		require.NoError(t, err, "%s, %d probes, %s", c, c.Probes, queue)
		_, want := reuse.Analyze(s, c)
		require.Equal(t, want, out.Counts, "%s, %d probes, %s", c, c.Probes, queue)
		switch table := reuse.HashTable(c); {
		case c.Probes == 0:
			require.Equal(t, len(s.Indices), out.Cooperated, "%s, %s", c, queue)
		case c.Probes >= table:
			require.Zero(t, out.Cooperated, "%s, %s", c, queue)
		case c.Unique == table:
			t.Logf("%s, %d probes, %s: %d of %d indices placed together", c, c.Probes, queue, out.Cooperated, len(s.Indices))
			require.NotZero(t, out.Cooperated, "%s, %s", c, queue)
		}
	}
}

// TestPhashQueues compares the triangles of both tiers, corner by corner, with the
// CPU's.
func TestPhashQueues(t *testing.T) {
	b := openGPU(t)
	cpu := soft.New()
	defer cpu.Close()
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

// TestSortSlots: sort's slots are the ranks of the ids, so that even the records equal
// the reference's, not only the vertices that they name.
func TestSortSlots(t *testing.T) {
	b := openGPU(t)
	s := shuffled(asset(t, "sphere4"))
	for _, p := range []reuse.Params{{}, {Batching: "static"}, {Batch: 3}, {Batch: 3072, Unique: 900, Workgroup: 32}} {
		c, err := p.Resolve("sort")
		require.NoError(t, err)
		f := renderer.Frame{Scene: s, Reuse: c, Width: 128, Height: 128}
		out, made, err := plan.Render(b, f, renderer.FitCamera(s.Bounds(), 1), renderer.WantQueues)
		require.NoError(t, err)
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
