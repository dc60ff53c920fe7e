package model_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
	"github.com/shadeonce/shadeonce/internal/meshtest"
	"github.com/shadeonce/shadeonce/internal/model"
)

// ordered returns the named scene in the named order.
func ordered(t testing.TB, name, by string) *geometry.Scene {
	return must.Get(order.Apply(t.Context(), meshtest.Scene(t, name), by))
}

func modelReuse(t testing.TB, s *geometry.Scene, name string, p model.Params) float64 {
	t.Helper()
	m := must.Get(model.Lookup(name))
	p = must.Get(m.Resolve(p))
	st, _ := m.Summarize(s, p)
	got := st.Reuse()
	t.Logf("%s %s: %.4f", s.Name, m.Label(p), got)
	return got
}

// TestParallelCacheOfThePaper compares the parallel cache with the rows of the paper's table 1;
// meshes are in Forsyth order, as in the paper.
func TestParallelCacheOfThePaper(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		scene string
		paper [3]float64
	}{
		{"sphere6", [3]float64{.063, .065, .069}},
		{"bun_zipper.ply", [3]float64{.056, .060, .067}},
	} {
		t.Run(row.scene, func(t *testing.T) {
			s := ordered(t, row.scene, "forsyth")
			for i, entries := range []int{512, 1024, 2048} {
				got := modelReuse(t, s, "parallel", model.Params{Entries: entries})
				require.InDelta(t, row.paper[i], got, .012, "%d entries", entries)
			}
		})
	}
}

// TestModelFigures detects changes of models, on meshes in Forsyth order. The ideal follows from
// the meshes; the other figures are not published.
func TestModelFigures(t *testing.T) {
	t.Parallel()
	figures := []struct {
		model         string
		p             model.Params
		sphere, bunny float64
	}{
		{"ideal", model.Params{}, .8333, .8328},
		{"fifo", model.Params{}, .7648, .7677},
		{"fifo", model.Params{Entries: 24}, .7763, .7830},
		{"fifo", model.Params{Entries: 32}, .7814, .7899},
		{"lru", model.Params{}, .7642, .7683},
		{"lru", model.Params{Entries: 24}, .7768, .7835},
		{"lru", model.Params{Entries: 32}, .7822, .7903},
		{"parallel", model.Params{}, .0646, .0547},
		{"parallel", model.Params{Entries: 1024}, .0677, .0567},
		{"parallel", model.Params{Entries: 2048}, .0681, .0567},
		{"parallel", model.Params{Multiprocessors: 1}, .0731, .0666},
		{"parallel", model.Params{Partition: model.PartitionDealt}, .0517, .0494},
		{"nvidia-32-32-32", model.Params{}, .7127, .7146},
		{"amd-14-64-128", model.Params{}, .7373, .7374},
		{"intel-128-0-0", model.Params{}, .8066, .8102},
		{"nv-96-32", model.Params{}, .7075, .7074},
		{"nv-96-32", model.Params{Window: 96}, .7127, .7146},
	}
	for i, name := range []string{"sphere6", "bun_zipper.ply"} {
		t.Run(name, func(t *testing.T) {
			s := ordered(t, name, "forsyth")
			for _, f := range figures {
				assert.InDelta(t, [2]float64{f.sphere, f.bunny}[i], modelReuse(t, s, f.model, f.p), .0001, "%s %+v", f.model, f.p)
			}
		})
	}
}

// TestModelsLinear runs each model on streams on which a linear search of the cache would take
// hours.
func TestModelsLinear(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("millions of indices")
	}
	const n = 1 << 20
	soup := indextest.Distinct(3 * n)
	for name, indices := range map[string][]uint32{
		"soup": soup, "repeated": slices.Repeat([]uint32{0, 1, 2}, n), "returning": slices.Repeat(soup[:n/3*3], 3),
	} {
		vertices := int(slices.Max(indices)) + 1
		for _, m := range model.All {
			for _, p := range []model.Params{{}, {Entries: 1 << 18}, {Entries: 1 << 18, Multiprocessors: 1 << 12, InFlight: 1 << 16}} {
				p, err := m.Resolve(p)
				if err != nil {
					continue // the model does not have this parameter
				}
				start := time.Now()
				require.Len(t, m.Count(indices, vertices, p), vertices)
				t.Logf("%s %s: %.2f s", name, m.Label(p), time.Since(start).Seconds())
			}
		}
	}
}

// BenchmarkModel times every model at its default parameters.
func BenchmarkModel(b *testing.B) {
	for _, name := range []string{"forsyth", "random"} {
		s := ordered(b, "sphere6", name)
		for _, m := range model.All {
			b.Run(name+"/"+m.Name, func(b *testing.B) {
				for b.Loop() {
					m.Summarize(s, m.Variants[0])
				}
				b.ReportMetric(float64(s.IndexStreamLen())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mindices/s")
			})
		}
	}
}
