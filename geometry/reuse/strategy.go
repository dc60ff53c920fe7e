// Package reuse finds repeated indices: the strategies of the geometry stage as
// CPU references, the registry through which everything else reaches them,
// batch splitting and the statistics that are reported.
//
// A reference is the oracle of the shader of the same name: per-vertex shading
// counts must be equal bit for bit. The package knows nothing of Vulkan, files
// or pictures.
package reuse

import (
	"fmt"
	"strings"
)

// Strategy is one way to find repeated indices within a batch.
//
// The contract, tested for every strategy at every lane count: a triangle is
// never split over iterations, Unique[Slots[k]] is the k-th index, no iteration
// has more unique vertices than MaxUnique, and the invocations lie between the
// ideal and WorstInvocations.
type Strategy struct {
	Name   string // registry key, flag value, shader file, debug label
	Doc    string // one line for help texts
	Source string // where it is from

	// DefaultBatch is the indices a batch when the user names none.
	DefaultBatch func(lanes int) int

	// MaxUnique bounds len(Iteration.Unique).
	MaxUnique func(c Config) int

	// FixedPlaces says that a vertex's place in the vertex queue follows from its
	// place in the stream, so that the queue always needs the worst case.
	FixedPlaces bool

	// WorstInvocations bounds the shader invocations of one batch of n indices.
	WorstInvocations func(c Config, n int) int

	// Reference runs the strategy over one batch, a triangle list that lies
	// within one draw, and yields its iterations in order. The slices of an
	// iteration are valid until the next.
	Reference func(c Config, batch []uint32, yield func(*Iteration))
}

// Config is a strategy with its parameters resolved.
type Config struct {
	Strategy *Strategy
	Lanes    int // 4, 8, 16, 32 or 64
	Batch    int // indices a batch, a multiple of 3
}

// Iteration is what a batch yields in one round of shading.
type Iteration struct {
	Unique    []uint32 // vertex ids shaded, in slot order; an id may repeat where a strategy does not look
	Slots     []uint16 // a slot for each index consumed; a multiple of 3
	LaneSlots int      // lanes that the shading of Unique occupied, idle ones included
}

// LaneCounts are the subgroup widths that every strategy runs at.
var LaneCounts = []int{4, 8, 16, 32, 64}

// DefaultLanes is the paper's warp.
const DefaultLanes = 32

// MaxBatch bounds the indices a batch, whose slots a workgroup keeps in shared
// memory. A plan refuses what its device cannot hold.
const MaxBatch = 3072

// Resolve looks a strategy up by name and fills in its parameters: lanes 0 is
// DefaultLanes, batch 0 is the strategy's own default.
func Resolve(name string, lanes, batch int) (Config, error) {
	s, err := Lookup(name)
	if err != nil {
		return Config{}, err
	}
	if lanes == 0 {
		lanes = DefaultLanes
	}
	valid := false
	for _, n := range LaneCounts {
		valid = valid || n == lanes
	}
	if !valid {
		return Config{}, fmt.Errorf("%d lanes: must be one of %s", lanes, strings.Trim(fmt.Sprint(LaneCounts), "[]"))
	}
	if batch == 0 {
		batch = s.DefaultBatch(lanes)
	}
	if batch < 3 || batch > MaxBatch || batch%3 != 0 {
		return Config{}, fmt.Errorf("batch of %d indices: must be a multiple of 3 from 3 to %d", batch, MaxBatch)
	}
	return Config{Strategy: s, Lanes: lanes, Batch: batch}, nil
}
