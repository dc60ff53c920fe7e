package survey

import (
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/model"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/report"
)

// counter counts a scene's invocations. row is the report's row, except for the fields about the scene.
type counter struct {
	row report.Reuse
	*measure.Counter
}

// strategyCounter returns a counter that runs a strategy's CPU reference at the given sizes; an error if the
// strategy refuses them.
func strategyCounter(strategy string, p reuse.Params) (counter, error) {
	c, err := p.Resolve(strategy)
	if err != nil {
		return counter{}, err
	}
	row := report.Reuse{Counter: strategy, Name: strategy, Flags: flagsOf(p), Series: strategy, Kind: report.Strategy, Lanes: c.Lanes, Batch: c.Batch, Unique: c.Unique}
	return counter{row, measure.Reference(c)}, nil
}

// flagsOf returns the flags of analyze, bench and render that set the sizes p.
func flagsOf(p reuse.Params) (flags string) {
	for _, f := range []struct {
		name  string
		value any
		given bool
	}{
		{"lanes", p.Lanes, p.Lanes > 0}, {"batching", p.Batching, p.Batching != ""}, {"batch", p.Batch, p.Batch > 0}, {"unique", p.Unique, p.Unique > 0}, {"table", p.Room, p.Room > 0},
	} {
		if f.given {
			flags += fmt.Sprintf(" --%s %v", f.name, f.value)
		}
	}
	return flags
}

func modelCounter(m *model.Model, p model.Params) counter {
	return counterOf(measure.Model(model.Config{Model: m, Params: p}), report.Model)
}

func counterOf(c *measure.Counter, kind report.Kind) counter {
	return counter{report.Reuse{Counter: c.Name, Name: c.Name, Series: c.Name, Kind: kind}, c}
}

// Sizes of the paper's section 5.1: its tables and pictures use these, whatever the strategies'
// defaults.
var (
	paperWarp    = reuse.Params{Lanes: 32, Batch: 96}
	paperDynamic = reuse.Params{Batching: reuse.DynamicBatching.String(), Batch: 1023, Unique: 256, Room: 1}
)

// paperParams returns the sizes with which the paper ran a strategy. Strategies with dynamic batches
// get the paper's sizes, those of its hash tables included; others get their defaults.
func paperParams(s *reuse.Strategy) reuse.Params {
	if !s.Streams() || !slices.Contains(s.Batchings, reuse.DynamicBatching) {
		return reuse.Params{}
	}
	p := paperDynamic
	p.Room = min(p.Room, s.Room)
	return p
}

// cacheColumns are the columns of the parallel cache, by its number of 32-byte entries.
var cacheColumns = map[int]string{512: report.ColumnCache16, 1024: report.ColumnCache32, 2048: report.ColumnCache64}

// strategyCounters returns counters for the paper's two strategies and for all registered ones at default sizes.
func strategyCounters() []counter {
	list := []counter{must.Get(strategyCounter("warp", paperWarp)), must.Get(strategyCounter("hash", paperDynamic))}
	list[0].row.Column, list[1].row.Column = report.ColumnWarp, report.ColumnDynamic
	list[1].row.Counter, list[1].row.Series = report.ColumnDynamic, report.ColumnDynamic
	for _, s := range reuse.Strategies {
		if c := must.Get(strategyCounter(s.Name, reuse.Params{})); c.Config.String() != list[0].Config.String() {
			list = append(list, c)
		} else {
			list[0].row.Flags = ""
		}
	}
	return list
}

// modelCounters returns a counter for each variant of every model. If the paper has the model, the row's Column is set.
func modelCounters() []counter {
	var list []counter
	for _, m := range model.All {
		variants := m.Variants
		if m.Name == "parallel" {
			variants = slices.Clip(variants)
			for _, p := range m.Variants { // another reading of the paper: one multiprocessor
				if p.Multiprocessors = 1; p.Partition == m.Variants[0].Partition {
					variants = append(variants, p)
				}
			}
		}
		for _, p := range variants {
			c := modelCounter(m, p)
			switch {
			case m.Name == "ideal":
				c.row.Column = report.ColumnIdeal
			case m.Name != "parallel":
			case p.Multiprocessors == 1:
				c.row.Column, c.row.Reading = cacheColumns[p.Entries], "one multiprocessor"
			case p.Partition != m.Variants[0].Partition:
				c.row.Column, c.row.Reading = cacheColumns[p.Entries], string(p.Partition)
			default:
				c.row.Column = cacheColumns[p.Entries]
			}
			list = append(list, c)
		}
	}
	return list
}

const hardwareStandIn = "nvidia-32-32-32" // the model that replaces the graphics pipeline if that cannot be counted

// hardwareCounters returns the counter that the report calls hardware: the device's graphics pipeline if it can
// count, else a published model. On a CPU device the model follows as a second counter. The second result describes
// the first counter for the page.
func hardwareCounters(b plan.Backend) ([]counter, report.Hardware) {
	m := must.Get(model.Lookup(hardwareStandIn))
	c, own := modelCounter(m, m.Variants[0]), counterOf(measure.Hardware(), report.Measured)
	if measure.CanCountHardware(b) != nil || !b.Limits().VertexCounters {
		return []counter{c}, report.Hardware{
			Counter: c.row.Counter,
			Text:    fmt.Sprintf("What stands for hardware is a published model, %s (%s; %s): it is not the graphics pipeline of this or any device.", m.Name, m.Doc, m.Source),
		}
	}
	said := report.Hardware{
		Counter: own.row.Counter, Measured: true,
		Text: fmt.Sprintf("Hardware is the graphics pipeline of %s: it drew the same indices, and its vertex shader counted.", b.Info().Device),
	}
	if measure.OnCPU(b) {
		said.StandIn = c.row.Counter
		return []counter{own, c}, said
	}
	return []counter{own}, said
}

// sweeps are the counters of the three sweeps: over lane counts, batch sizes, and numbers of unique vertices.
type sweeps struct{ lanes, batches, uniques []counter }

// batchSizes are the swept numbers of indices per batch, all multiples of 3.
var batchSizes = []int{24, 48, 96, 192, 384, 576, 768, 960, 1536, 1920, 3072}

// uniqueSizes are the swept numbers of unique vertices per dynamic batch.
var uniqueSizes = []int{16, 32, 64, 128, 256, 512, 1024}

func sweepCounters() sweeps {
	var all sweeps
	// A strategy's line leaves out the sizes that the strategy refuses.
	add := func(list *[]counter, strategy, series string, p reuse.Params) {
		one, err := strategyCounter(strategy, p)
		if err != nil {
			return
		}
		one.row.Counter, one.row.Series = one.Config.String(), series
		*list = append(*list, one)
	}
	for _, s := range reuse.Strategies {
		for _, lanes := range reuse.LaneCounts {
			if s.UsesLanes {
				add(&all.lanes, s.Name, s.Name, reuse.Params{Lanes: lanes})
			}
		}
	}
	static, dynamic := reuse.StaticBatching.String(), reuse.DynamicBatching.String()
	for _, n := range batchSizes {
		add(&all.batches, "warp", "warp, 32 lanes", reuse.Params{Lanes: 32, Batch: n})
		add(&all.batches, "hash", "hash, static", reuse.Params{Batching: static, Batch: n})
		add(&all.batches, "hash", "dynamic, 256", reuse.Params{Batching: dynamic, Batch: n, Unique: 256})
	}
	for _, batch := range []int{384, 1023, 3072} {
		for _, n := range uniqueSizes {
			add(&all.uniques, "hash", fmt.Sprintf("%d indices", batch), reuse.Params{Batching: dynamic, Batch: batch, Unique: n})
		}
	}
	return all
}
