// Package model counts how often vertex caches and published designs of hardware
// would shade each vertex, for comparison with the strategies of package reuse.
//
//	lru, err := model.Lookup("lru")
//	p, err := lru.Resolve(model.Params{Entries: 32})
//	counts := lru.Count(indices, vertices, p)
//	st := reuse.StatsOf(indices, counts)
//
// Caches are in cache.go (ideal, fifo, lru) and parallel.go, published hardware
// in vendor.go. Parse reads models as users write them. No model promises what
// a device at hand does.
package model

import (
	"fmt"

	"github.com/shadeonce/shadeonce/internal/names"
)

// Model is one cache or one design of hardware. Unlike a strategy it has no shader:
// it is only simulated.
//
// The contract, tested for every model: each referenced (draw, vertex) pair is
// shaded at least once and at most once per index, no result is reused across
// draws, and the time is linear in the index stream whatever the parameters.
type Model struct {
	Name   string // registry key and flag value
	Doc    string // one line for help texts
	Source string // where it is from

	// Variants are the parameters that tables show it at, the default first. A
	// parameter that is zero in the default is not one of the model's.
	Variants []Params

	// draw adds to counts how often each vertex of one draw is shaded. memory is
	// a zero per vertex, for the model to use. Nil for a model with a Partition,
	// whose waves run on from draw to draw: it has stream.
	draw func(p Params, indices, counts, memory []uint32)

	// stream does the same for all draws of a stream.
	stream func(p Params, s pairStream, counts []uint32)
}

// Params are the parameters of all models. Zero means the model's own default.
type Params struct {
	Entries         int       // vertices that a cache holds
	Window          int       // indices that a lookup sees back
	Multiprocessors int       // each with a cache of its own
	InFlight        int       // invocations that a multiprocessor runs at once
	Partition       Partition // how the stream is dealt to the multiprocessors
}

// Partition is how the index stream is dealt to multiprocessors.
type Partition string

const (
	// PartitionRange gives each multiprocessor one contiguous range of the stream,
	// all of equal length up to one triangle.
	PartitionRange Partition = "range"
	// PartitionDealt gives chunks to the multiprocessors in turn, like cards. A
	// chunk is three waves, the least that is whole waves and whole triangles.
	PartitionDealt Partition = "dealt"
)

// All is the registry of models. Flags, tables and tests follow from it.
var All = []*Model{
	&ideal,
	&fifo,
	&lru,
	&parallel,
	&nvidia,
	&amd,
	&intel,
	&nv96,
}

// Names lists the registered models in registry order.
func Names() []string {
	list := make([]string, len(All))
	for i, m := range All {
		list[i] = m.Name
	}
	return list
}

// Lookup finds a model by name.
func Lookup(name string) (*Model, error) {
	for _, m := range All {
		if m.Name == name {
			return m, nil
		}
	}
	return nil, names.Unknown("model", name, Names())
}

// Resolve fills the zero parameters with the model's defaults. It refuses
// parameters that the model does not have and values out of range.
func (m *Model) Resolve(p Params) (Params, error) {
	own := m.Variants[0]
	for _, f := range []struct {
		name     string
		value    *int
		fallback int
		hi       int
	}{
		{"entries", &p.Entries, own.Entries, 1 << 30},
		{"window", &p.Window, own.Window, 1 << 30},
		{"multiprocessors", &p.Multiprocessors, own.Multiprocessors, 1 << 16},
		{"in flight", &p.InFlight, own.InFlight, 1 << 30},
	} {
		switch {
		case *f.value == 0:
			*f.value = f.fallback
		case f.fallback == 0:
			return Params{}, fmt.Errorf("model %s: has no parameter %q", m.Name, f.name)
		case *f.value < 1 || *f.value > f.hi:
			return Params{}, fmt.Errorf("model %s: %s %d is out of range 1..%d", m.Name, f.name, *f.value, f.hi)
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

// Label names the model with its resolved parameters as Parse reads it: "lru:16",
// "parallel:512:range". Multiprocessors and what is in flight stand there only where they
// are not the model's own.
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
