// Package reuse finds repeated indices on the fly: it says which vertices of a
// mesh a strategy shades, how often, and in which batch.
//
//	config, err := reuse.Resolve("warp", 32, 0) // strategy, lanes, batch: 0 takes the default
//	stats, counts := config.Count(indices, vertices)
//	for batch, it := range config.Run(indices) { ... }
//
// Config.Batches, Run and Count work on the indices of one draw, a triangle list.
// Analyze and Summarize apply them to all draws of a geometry.Scene. Strategies is
// the registry: a strategy is a file with its reference and a line there.
//
// A reference is the oracle of the shader of the same name: the counts of every
// vertex must be equal.
package reuse

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// Strategy is one way to find repeated indices within a batch.
//
// The contract, tested for every strategy at every lane count: a triangle is
// never split over iterations, Unique[Slots[k]] is the k-th index, no iteration
// has more unique vertices than MaxUnique, and the invocations lie between the
// ideal and WorstInvocations.
//
// A strategy of whole draws (WholeDraws) has a contract of its own: each (draw,
// vertex) pair of every draw's range is shaded exactly once, referenced or not,
// so that there may be more invocations than indices, and it has no Reference.
type Strategy struct {
	Name   string // registry key, flag value, shader file, debug label
	Doc    string // one line for help texts
	Source string // where it is from

	// UsesLanes says that a batch is the work of a subgroup of Config.Lanes lanes.
	// Otherwise it is that of a workgroup of Config.Workgroup invocations.
	UsesLanes bool

	// WholeDraws says that the strategy takes every vertex and every triangle of the
	// draws at once, not batch by batch. It cannot stream through bounded queues.
	WholeDraws bool

	// Listed says that the host lists the vertices of each batch beforehand (Meshlets).
	// The whole stream has to be on the host before it is shaded.
	Listed bool

	// Batchings are the ways to cut the stream that it runs on, the default first.
	Batchings []Batching

	// DefaultBatch is the number of indices per batch unless the user gives one.
	DefaultBatch func(c Config) int

	// LeastBatch is the smallest batch that Fitted chooses where the user gives none,
	// DefaultBatch the largest; nil where no other batch than the default is chosen.
	LeastBatch func(c Config) int

	// Probes is the default number of table entries that an invocation probes before
	// its subgroup helps; 0 for a strategy whose subgroups do not.
	Probes int

	// Room is the default of Config.Room; 0 for a strategy without such a table.
	Room int

	// Workgroup is the default number of invocations that take a batch, for a strategy
	// without lanes and the first of its Batchings; else DefaultWorkgroup.
	Workgroup int

	// MaxUnique bounds len(Iteration.Unique), and the vertices of a batch of
	// VertexBatches.
	MaxUnique func(c Config) int

	// FixedPlaces says that a vertex's place in the vertex queue follows from its
	// place in the stream, so that the queue always needs the worst case, which
	// then is a vertex per index.
	FixedPlaces bool

	// Spills says that there may be fewer fixed places than the worst case needs: a
	// batch that needs more gets others from an atomic counter.
	Spills bool

	// WorstInvocations bounds the shader invocations of one batch of n indices.
	WorstInvocations func(c Config, n int) int

	// LargestBatch bounds Config.Batch; nil if only MaxBatch and the slots do.
	LargestBatch func(c Config) int

	// Table is the entries of the shader's table; nil is HashTable where there is Room.
	Table func(c Config) int

	// Multiplier chooses, from a sample of the batches, the odd factor that ids are
	// multiplied by before the table; nil if the shader has its own. Counts do not
	// depend on it.
	Multiplier func(sample [][]uint32, c Config) uint32

	// SharedBytes bounds the shared memory that the shader takes for one batch.
	// vertexBytes is how much it keeps of a shaded vertex for assembly: 0 if the
	// queue holds each vertex once.
	SharedBytes func(c Config, virtual bool, vertexBytes int) int

	// Reference runs the strategy over one batch, a triangle list that lies
	// within one draw, and yields its iterations in order. The slices of an
	// iteration are valid until the next. Nil where WholeDraws.
	Reference func(c Config, batch []uint32, yield func(*Iteration))
}

// Config is a strategy with its parameters resolved.
type Config struct {
	Strategy  *Strategy
	Lanes     int // a subgroup's: 4, 8, 16, 32 or 64; 0 where the strategy uses none
	Workgroup int // invocations per workgroup; 0 if the strategy uses lanes
	Batching  Batching
	Batch     int // indices per batch at most, a multiple of 3
	Unique    int // unique vertices per batch at most; DynamicBatching only, else 0
	Probes    int // entries that an invocation probes before its subgroup helps; counts do not depend on it
	Room      int // entries of the hash table per vertex that a batch may have, at least; counts do not depend on it

	// FitBatch says that nobody asked for the batch: Fitted may choose another.
	FitBatch bool

	// Auto says that the strategy and its sizes, but for lanes, are left to whoever knows
	// scene and device. Until then they are those of a strategy that may be picked.
	Auto bool
}

// Name is the strategy's name, or Auto where it is not picked yet.
func (c Config) Name() string {
	if c.Auto {
		return Auto
	}
	return c.Strategy.Name
}

// String names the strategy with the parameters that its counts depend on.
func (c Config) String() string {
	if c.Auto {
		return Auto
	}
	text := c.Strategy.Name
	if c.Strategy.UsesLanes {
		text += fmt.Sprintf(", %d lanes", c.Lanes)
	}
	if c.Batching == DynamicBatching {
		return text + fmt.Sprintf(", dynamic batches of %d/%d", c.Batch, c.Unique)
	}
	return text + fmt.Sprintf(", batch %d", c.Batch)
}

// Iteration is one round of shading of a batch.
type Iteration struct {
	First     int      // place of the first index consumed in the draw; set by Config.Run
	Unique    []uint32 // vertex ids shaded, in slot order; an id may repeat where a strategy does not look
	Slots     []uint16 // a slot for each index consumed; a multiple of 3
	LaneSlots int      // lanes that the shading of Unique occupied, idle ones included
}

// shaded returns an iteration whose vertices are shaded lanes at a time.
func shaded(unique []uint32, slots []uint16, lanes int) *Iteration {
	rounds := (len(unique) + lanes - 1) / lanes
	return &Iteration{Unique: unique, Slots: slots, LaneSlots: rounds * lanes}
}

// LaneCounts are the subgroup widths that every strategy with lanes runs at.
var LaneCounts = []int{4, 8, 16, 32, 64}

// Defaults of the parameters: the paper's warp, and its dynamic batches of 256
// unique vertices for as many threads.
const (
	DefaultLanes     = 32
	DefaultUnique    = 256
	DefaultWorkgroup = 256
)

// Bounds of the parameters. Slots are 10 bits of a triangle's record; a batch's
// slots are kept in shared memory, and a plan refuses what its device cannot hold.
const (
	MaxBatch  = 3072
	MaxUnique = 1024
	MaxRoom   = 4
)

// Params are a strategy's parameters as a user gives them: zero values take the
// strategy's own.
type Params struct {
	Lanes     int
	Workgroup int
	Batching  string // a name of BatchingNames
	Batch     int
	Unique    int
	Probes    *int // nil takes the strategy's own: 0 is a number of probes
	Room      int

	// FitBatch leaves the batch, where it is not given, to Config.Fitted.
	FitBatch bool
}

// Resolve looks a strategy up by name; lanes 0 is DefaultLanes, batch 0 is the
// strategy's own default. Strategies without lanes ignore them.
func Resolve(name string, lanes, batch int) (Config, error) {
	return Params{Lanes: lanes, Batch: batch}.Resolve(name)
}

// Resolve looks a strategy up by name, fills in what is zero and checks what is
// not. Auto leaves the strategy and its sizes, but for lanes, open.
func (p Params) Resolve(name string) (Config, error) {
	if name == Auto {
		return p.auto()
	}
	s, err := Lookup(name)
	if err != nil {
		return Config{}, err
	}
	if err := p.Check(); err != nil {
		return Config{}, err
	}
	c := Config{Strategy: s}
	if c.Batching, err = p.batching(s); err != nil {
		return Config{}, err
	}
	switch {
	case s.UsesLanes:
		c.Lanes = cmp.Or(p.Lanes, DefaultLanes)
	case c.Batching == s.Batchings[0]:
		c.Workgroup = cmp.Or(p.Workgroup, s.Workgroup, DefaultWorkgroup)
	default:
		c.Workgroup = cmp.Or(p.Workgroup, DefaultWorkgroup)
	}
	if c.Probes = s.Probes; p.Probes != nil {
		if c.Probes = *p.Probes; s.Probes == 0 {
			return Config{}, fmt.Errorf("%d probes: %s has no second tier that would follow them", c.Probes, s.Name)
		}
	}
	if c.Room = cmp.Or(p.Room, s.Room); s.Room == 0 && p.Room != 0 {
		return Config{}, fmt.Errorf("table of %d entries per vertex: %s has no such table", p.Room, s.Name)
	}
	return c.sized(p)
}

// batching is how a strategy cuts the stream: as asked for by name, or by sizes that
// only dynamic batches can have, or else as the strategy does by default.
func (p Params) batching(s *Strategy) (Batching, error) {
	dynamic := p.Unique != 0 || p.Batch > MaxUnique
	switch i := slices.Index(BatchingNames, p.Batching); {
	case p.Batching != "" && !slices.Contains(s.Batchings, Batching(i)):
		return 0, fmt.Errorf("%s batches: %s runs on %s", p.Batching, s.Name, joinNames(s.Batchings))
	case p.Batching != "":
		return Batching(i), nil
	case dynamic && slices.Contains(s.Batchings, DynamicBatching):
		return DynamicBatching, nil
	}
	return s.Batchings[0], nil
}

// Variants are a strategy's configurations at its own sizes: every lane count
// or, without lanes, every batching. Tests and tables go through them.
func (s *Strategy) Variants() []Config {
	var list []Config
	add := func(p Params) {
		c, err := p.Resolve(s.Name)
		if err != nil {
			panic(err) // a registered strategy resolves at its own sizes: tested
		}
		list = append(list, c)
	}
	for _, batching := range s.Batchings {
		if !s.UsesLanes {
			add(Params{Batching: batching.String()})
			continue
		}
		for _, lanes := range LaneCounts {
			add(Params{Batching: batching.String(), Lanes: lanes})
		}
	}
	return list
}

// sized resolves the batch sizes.
func (c Config) sized(p Params) (Config, error) {
	if c.Batching == DynamicBatching {
		c.Unique = cmp.Or(p.Unique, DefaultUnique)
		if most := c.Strategy.LargestUnique(); c.Unique > most {
			return Config{}, fmt.Errorf("%d unique vertices per batch: %s takes 3 to %d", c.Unique, c.Strategy.Name, most)
		}
	} else if p.Unique != 0 {
		return Config{}, fmt.Errorf("unique vertices bound dynamic batches alone, %s has static ones", c.Strategy.Name)
	}
	c.Batch = cmp.Or(p.Batch, c.Strategy.DefaultBatch(c))
	c.FitBatch = p.FitBatch && p.Batch == 0 && c.Batching == c.Strategy.Batchings[0] && c.Strategy.LeastBatch != nil
	if err := c.checkBatch(); err != nil {
		return Config{}, err
	}
	if n := c.Strategy.MaxUnique(c); n > MaxUnique && !c.Strategy.FixedPlaces {
		return Config{}, fmt.Errorf("batch of %d indices: %s may find %d unique vertices there, at most %d have a slot: must be a multiple of 3 from 3 to %d", c.Batch, c.Strategy.Name, n, MaxUnique, c.largestBatch())
	}
	return c, nil
}

// Run runs the strategy's reference over the indices of one draw, a triangle list.
// It yields every iteration, in order, with the number of its batch; index
// Iteration.First+k of the draw is vertex Unique[Slots[k]]. The slices of an
// iteration are valid until the next one.
//
// A strategy of whole draws (Strategy.WholeDraws) has no iterations: its Count
// says what it shades.
func (c Config) Run(indices []uint32) iter.Seq2[int, *Iteration] {
	return func(yield func(int, *Iteration) bool) {
		if c.Strategy.WholeDraws {
			return
		}
		number, first, more := 0, 0, true
		for batch := range c.Batches(indices) {
			c.Strategy.Reference(c, batch, func(it *Iteration) {
				it.First = first
				first += len(it.Slots)
				more = more && yield(number, it)
			})
			if !more {
				return
			}
			number++
		}
	}
}

// Count runs the strategy over the indices of one draw, a triangle list whose
// indices are all below vertices. It returns the draw's statistics and how often
// each of its vertices is shaded.
func (c Config) Count(indices []uint32, vertices int) (Stats, []uint32) {
	counts := make([]uint32, vertices)
	if c.Strategy.WholeDraws {
		for v := range counts {
			counts[v] = 1
		}
		st := StatsOf(indices, counts)
		c.addWholeDraw(&st)
		return st, counts
	}
	batches, iterations, laneSlots := 0, 0, 0
	for batch, it := range c.Run(indices) {
		for _, id := range it.Unique {
			counts[id]++
		}
		batches = batch + 1
		iterations++
		laneSlots += it.LaneSlots
	}
	st := StatsOf(indices, counts)
	st.Batches, st.Iterations, st.LaneSlots = batches, iterations, laneSlots
	return st, counts
}
