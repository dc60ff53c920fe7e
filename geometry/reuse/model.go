package reuse

import (
	"fmt"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/names"
)

// Model says how often hardware of a certain design would shade each vertex. It
// is no strategy: nothing runs it, it has no shader, and it is here to be
// compared with. No model promises what a device at hand does.
//
// The contract, tested for every model: each referenced (draw, vertex) pair is
// shaded at least once and at most once an index, no result is reused across
// draws, and the time is linear in the index stream whatever the parameters.
type Model struct {
	Name   string // registry key and flag value
	Doc    string // one line for help texts
	Source string // where it is from

	// Variants are the parameters that tables show it at, the default first. A
	// parameter that is zero in the default is not one of the model's.
	Variants []ModelParams

	// Count gives the shading counts of a scene that passes Validate, laid out as
	// Analyze returns them; NewStats derives the figures. Call it with what Resolve
	// returned.
	Count func(s *geometry.Scene, p ModelParams) []uint32
}

// ModelParams are what the models can be asked to vary. Zero means the model's
// own default.
type ModelParams struct {
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

// Models is the registry of models: the flags, tables and tests follow from it.
var Models = []*Model{
	&idealModel,
	&fifoModel,
	&lruModel,
	&parallelModel,
	&nvidiaModel,
	&amdModel,
	&intelModel,
	&nv96Model,
}

// ModelNames lists the registered models in registry order.
func ModelNames() []string {
	list := make([]string, len(Models))
	for i, m := range Models {
		list[i] = m.Name
	}
	return list
}

// LookupModel finds a model by name.
func LookupModel(name string) (*Model, error) {
	for _, m := range Models {
		if m.Name == name {
			return m, nil
		}
	}
	return nil, names.Unknown("model", name, ModelNames())
}

// Resolve fills the zero parameters with the model's defaults. It refuses
// parameters that the model does not have and values out of range.
func (m *Model) Resolve(p ModelParams) (ModelParams, error) {
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
			return ModelParams{}, fmt.Errorf("model %s: has no parameter %q", m.Name, f.name)
		case *f.value < 1 || *f.value > f.hi:
			return ModelParams{}, fmt.Errorf("model %s: %s %d is out of range 1..%d", m.Name, f.name, *f.value, f.hi)
		}
	}
	switch {
	case p.Partition == "":
		p.Partition = own.Partition
	case own.Partition == "":
		return ModelParams{}, fmt.Errorf("model %s: has no parameter %q", m.Name, "partition")
	case p.Partition != PartitionRange && p.Partition != PartitionDealt:
		return ModelParams{}, fmt.Errorf("model %s: %w", m.Name,
			names.Unknown("partition", string(p.Partition), partitions))
	}
	return p, nil
}

// Label names the model with its resolved parameters, for headings: "lru 16",
// "parallel 512 range 28x1024".
func (m *Model) Label(p ModelParams) string {
	label := m.Name
	if p.Entries != 0 {
		label += fmt.Sprintf(" %d", p.Entries)
	}
	if p.Window != 0 {
		label += fmt.Sprintf(" window %d", p.Window)
	}
	if p.Partition != "" {
		label += fmt.Sprintf(" %s %dx%d", p.Partition, p.Multiprocessors, p.InFlight)
	}
	return label
}

// idealModel is the bound that nothing can beat.
var idealModel = Model{
	Name:     "ideal",
	Doc:      "every referenced vertex of a draw is shaded once: a cache without end or delay",
	Source:   "paper, section 5.1",
	Variants: []ModelParams{{}},
	Count: func(s *geometry.Scene, _ ModelParams) []uint32 {
		counts := make([]uint32, s.DrawVertices())
		offsets := CountOffsets(s)
		for i, offset := range offsets {
			own := counts[offset:]
			for _, id := range s.DrawIndices(i) {
				own[id] = 1
			}
		}
		return counts
	},
}
