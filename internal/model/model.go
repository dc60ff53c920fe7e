// Package model counts how often vertex caches and published designs of hardware
// would shade each vertex, for comparison with the strategies of package reuse.
//
//	lru, err := model.Lookup("lru")
//	p, err := lru.Resolve(model.Params{Entries: 32})
//	counts := lru.Count(indices, vertices, p)
//	st, err := reuse.StatsOf(indices, counts)
//
// Caches are in cache.go (ideal, fifo, lru) and parallel.go, published hardware
// in vendor.go. Parse reads models as users write them. No model promises what
// a device at hand does.
package model

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/shape"
)

// Model is one cache or one design of hardware. Unlike a strategy it has no shader:
// it is only simulated.
//
// The contract, tested for every model: each referenced (draw, vertex) pair is
// shaded at least once and at most once per index, no result is reused across
// draws, and the time is linear in the index stream whatever the parameters.
type Model struct {
	Name   string // registry key and flag value
	Doc    string // one line for the help
	Source string // paper or program that it is from

	// Variants are the parameter sets in our tables, the default first. A parameter that is zero in
	// the default does not exist in this model.
	Variants []Params

	// draw adds to counts how often each vertex of one draw is shaded. memory has one zero per
	// vertex, for the model to use. draw is nil for models with a Partition, whose waves continue
	// from draw to draw; they have stream instead.
	draw func(p Params, indices, counts, memory []uint32)

	// stream adds to counts how often each (draw, vertex) pair of a whole scene is shaded.
	stream func(p Params, s pairStream, counts []uint32)
}

// Params are the parameters of all models. Zero means the model's own default.
type Params struct {
	Entries         int       // vertices that a cache holds
	Window          int       // how many indices back a lookup can find a vertex
	Multiprocessors int       // number of multiprocessors, each with its own cache
	InFlight        int       // invocations that a multiprocessor runs at once
	Partition       Partition // how the stream is dealt to the multiprocessors
}

// Partition says how the index stream is dealt to multiprocessors.
type Partition string

const (
	// PartitionRange gives each multiprocessor one contiguous range of the stream; lengths differ
	// by at most a triangle.
	PartitionRange Partition = "range"
	// PartitionDealt deals chunks to the multiprocessors in turn, like cards. A chunk is three
	// waves, the least number that always ends on a whole triangle.
	PartitionDealt Partition = "dealt"
)

// All is the registry of models, from which flags, tables and tests follow.
var All = []*Model{&ideal, &fifo, &lru, &parallel, &nvidia, &amd, &intel, &nv96}

// Names lists the registered models in registry order.
func Names() []string { return names.Of(All, func(m *Model) string { return m.Name }) }

// Lookup finds a model by name.
func Lookup(name string) (*Model, error) {
	at := slices.Index(Names(), name)
	if at < 0 {
		return nil, names.Unknown("model", name, Names())
	}
	return All[at], nil
}

// Resolve fills the zero parameters with the model's defaults. It refuses
// parameters that the model does not have and values out of range.
func (m *Model) Resolve(p Params) (Params, error) {
	own := m.Variants[0]
	for _, k := range keyed {
		switch value, fallback := k.value(&p), *k.value(&own); {
		case *value == 0:
			*value = fallback
		case fallback == 0:
			return Params{}, fmt.Errorf("model %s: has no parameter %q", m.Name, k.name)
		case *value < 1 || *value > k.most:
			return Params{}, fmt.Errorf("model %s: %s %d is out of range 1..%d", m.Name, k.name, *value, k.most)
		}
	}
	switch {
	case p.Partition == "":
		p.Partition = own.Partition
	case own.Partition == "":
		return Params{}, fmt.Errorf("model %s: has no parameter %q", m.Name, "partition")
	case p.Partition != PartitionRange && p.Partition != PartitionDealt:
		return Params{}, fmt.Errorf("model %s: %w", m.Name,
			names.Unknown("partition", string(p.Partition), partitions))
	}
	return p, nil
}

// Label returns the model with its resolved parameters in the form that Parse reads: "lru:16",
// "parallel:512:range". Multiprocessors and invocations in flight appear only if they differ from
// the model's default.
func (m *Model) Label(p Params) string {
	own, label := m.Variants[0], m.Name
	if p.Entries != 0 {
		label += fmt.Sprintf(":%d", p.Entries)
	}
	if p.Window != 0 {
		label += fmt.Sprintf(":window=%d", p.Window)
	}
	if p.Partition != "" {
		label += fmt.Sprintf(":%s", p.Partition)
	}
	if p.Multiprocessors != own.Multiprocessors {
		label += fmt.Sprintf(":multiprocessors=%d", p.Multiprocessors)
	}
	if p.InFlight != own.InFlight {
		label += fmt.Sprintf(":inflight=%d", p.InFlight)
	}
	return label
}

// Config is a model with its parameters resolved.
type Config struct {
	Model  *Model
	Params Params
}

// String is the model's label.
func (c Config) String() string { return c.Model.Label(c.Params) }

// Help describes what Parse reads.
const Help = "NAME[:VALUE...]: a number is its entries, range or dealt its partition, KEY=NUMBER sets\n" +
	"entries, window, multiprocessors or inflight; NAME:all is it at every size of the tables"

// AllVariants after a model's name, or instead of one, selects every variant.
const AllVariants = "all"

// keyed lists the numeric parameters with their names in texts and errors.
var keyed = []struct {
	key, name string
	most      int
	value     func(p *Params) *int
}{
	{"entries", "entries", 1 << 30, func(p *Params) *int { return &p.Entries }},
	{"window", "window", 1 << 30, func(p *Params) *int { return &p.Window }},
	{"multiprocessors", "multiprocessors", 1 << 16, func(p *Params) *int { return &p.Multiprocessors }},
	{"inflight", "in flight", 1 << 30, func(p *Params) *int { return &p.InFlight }},
}

// Parse parses models as a user names them: "lru", "lru:32", "parallel:1024:dealt",
// "nv-96-32:window=96", "lru:all", "all". Without "all" it returns one configuration.
func Parse(text string) ([]Config, error) {
	name, rest, given := strings.Cut(text, ":")
	if name == AllVariants && !given {
		var all []Config
		for _, m := range All {
			all = append(all, m.configs()...)
		}
		return all, nil
	}
	m, err := Lookup(name)
	if err != nil {
		return nil, err
	}
	if rest == AllVariants {
		return m.configs(), nil
	}
	var p Params
	if given {
		for word := range strings.SplitSeq(rest, ":") {
			if err := p.set(word); err != nil {
				return nil, fmt.Errorf("model %.60q: %w", text, err)
			}
		}
	}
	if p, err = m.Resolve(p); err != nil {
		return nil, err
	}
	return []Config{{m, p}}, nil
}

// configs returns the model's variants.
func (m *Model) configs() []Config {
	list := make([]Config, len(m.Variants))
	for i, p := range m.Variants {
		list[i] = Config{m, p}
	}
	return list
}

var partitions = []string{string(PartitionRange), string(PartitionDealt)}

// set parses one parameter, such as "32" or "window=96". It is an error if the parameter is already
// set.
func (p *Params) set(word string) error {
	key, number, named := strings.Cut(word, "=")
	if !named && slices.Contains(partitions, word) {
		key, number = "partition", word
	}
	if key == "partition" {
		switch {
		case !slices.Contains(partitions, number):
			return names.Unknown("partition", number, partitions)
		case p.Partition != "":
			return errors.New("its partition is given twice")
		}
		p.Partition = Partition(number)
		return nil
	}
	if !named {
		key, number = keyed[0].key, word
	}
	keys := make([]string, len(keyed))
	for i, k := range keyed {
		if keys[i] = k.key; k.key != key {
			continue
		}
		n, err := strconv.Atoi(number)
		switch value := k.value(p); {
		case err != nil && !named:
			return names.NotAmong("parameter", word, names.Nearest(word, partitions),
				"a number of entries, range, dealt, KEY=NUMBER")
		case err != nil || n < 1:
			return fmt.Errorf("%s %.20q: must be a number from 1", key, number)
		case *value != 0:
			return fmt.Errorf("its %s are given twice", key)
		default:
			*value = n
			return nil
		}
	}
	return names.Unknown("parameter", key, append(keys, "partition"))
}

// Count returns how often each vertex is shaded when one draw with these indices, a triangle
// list, is drawn. p comes from Resolve. reuse.StatsOf computes statistics from the counts.
func (m *Model) Count(indices []uint32, vertices int, p Params) []uint32 {
	counts := make([]uint32, vertices)
	if m.stream != nil {
		var s pairStream
		s.add(indices, 0)
		m.stream(p, s, counts)
	} else {
		m.draw(p, indices, counts, make([]uint32, vertices))
	}
	return counts
}

// Analyze counts the draws of a valid scene. The counts have the layout of reuse.Analyze's.
func (m *Model) Analyze(s *geometry.Scene, p Params) (reuse.Stats, []uint32) {
	counts := make([]uint32, s.DrawVertices())
	var stream pairStream
	for i, offset := range reuse.CountOffsets(s) {
		if indices := s.DrawIndices(i); m.stream != nil {
			stream.add(indices, offset)
		} else {
			copy(counts[offset:], m.Count(indices, int(s.Draws[i].VertexCount), p))
		}
	}
	if m.stream != nil {
		m.stream(p, stream, counts)
	}
	return must.Get(reuse.NewStats(s, counts)), counts
}

// Summarize returns the statistics of Analyze, and a sum per draw instead of the counts. A model
// with a Partition counts the whole stream at once. For other models no cache outlives a draw: draws
// over the same ranges are counted only once, in about 9 bytes per vertex of the largest draw.
func (m *Model) Summarize(s *geometry.Scene, p Params) (reuse.Stats, []reuse.DrawSum) {
	if m.stream != nil {
		st, counts := m.Analyze(s, p)
		return st, sumCounts(s, counts)
	}
	return SumDraws(s, func(indices []uint32, vertices int) reuse.Stats {
		return must.Get(reuse.StatsOf(indices, m.Count(indices, vertices, p)))
	})
}

// SumDraws counts the draws of a valid scene one by one; it counts draws over the same ranges only
// once. It returns the statistics of all draws, and a sum per draw.
func SumDraws(s *geometry.Scene, count func(indices []uint32, vertices int) reuse.Stats) (reuse.Stats, []reuse.DrawSum) {
	st := reuse.Stats{Histogram: []int{0}}
	sums := shape.Once(s, func(i, times int) reuse.DrawSum {
		draw := count(s.DrawIndices(i), int(s.Draws[i].VertexCount))
		st.Add(draw, times)
		return reuse.DrawSum{Invocations: draw.Invocations, Referenced: draw.Referenced}
	})
	return st, sums
}

// sumCounts adds up the counts of (draw, vertex) pairs by draw.
func sumCounts(s *geometry.Scene, counts []uint32) []reuse.DrawSum {
	sums := make([]reuse.DrawSum, len(s.Draws))
	for i, offset := range reuse.CountOffsets(s) {
		st := must.Get(reuse.StatsOf(s.DrawIndices(i), counts[offset:][:s.Draws[i].VertexCount]))
		sums[i] = reuse.DrawSum{Invocations: st.Invocations, Referenced: st.Referenced}
	}
	return sums
}
