// Package reuse finds repeated indices on the fly: it says which vertices of a
// mesh a strategy shades, how often, and in which batch.
//
//	config, err := reuse.Resolve("warp", 32, 0) // strategy, lanes, batch: 0 takes the default
//	stats, counts, err := config.Count(indices, vertices)
//	for batch, it := range config.Run(indices) { ... }
//
// Config.Batches, Run and Count work on the indices of one draw, a triangle list.
// For all draws of a geometry.Scene, Analyze returns how often each vertex is
// shaded, and Summarize, in less memory, a sum per draw. NewStats (a scene) and
// StatsOf (one draw) compute statistics of counts from elsewhere. Strategies is the
// registry: a strategy is a file with its reference and a line there.
//
// A reference is the oracle of the shader of the same name: the counts of every
// vertex must be equal.
package reuse

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/names"
)

// Strategy is one way to find repeated indices within a batch.
//
// The contract, tested for every strategy at every lane count: a triangle is
// never split across iterations, Unique[Slots[k]] is the k-th index, no iteration
// has more unique vertices than MaxUnique, and the invocations lie between the
// ideal and WorstInvocations.
//
// A strategy of whole draws (WholeDraws) has a contract of its own: each (draw,
// vertex) pair of every draw's range is shaded exactly once, referenced or not,
// so that there may be more invocations than indices, and it has no Reference.
type Strategy struct {
	Name string // registry key, flag value, shader file, debug label

	// UsesLanes says that a batch is processed by a subgroup of Config.Lanes lanes. Otherwise a
	// workgroup of Config.Workgroup invocations processes it.
	UsesLanes bool

	// WholeDraws says that the strategy processes every vertex and every triangle of the draws at
	// once, not batch by batch. It cannot stream through bounded queues.
	WholeDraws bool

	// Listed says that the host lists the vertices of each batch beforehand (Meshlets).
	// The whole stream has to be on the host before it is shaded.
	Listed bool

	// Batchings are the ways to cut the stream that the strategy supports, the default first.
	Batchings []Batching

	// DefaultBatch returns the number of indices per batch if the user gives none.
	DefaultBatch func(c Config) int

	// LeastBatch returns the smallest batch that Fitted chooses; the largest is DefaultBatch. If
	// LeastBatch is nil, Fitted keeps the default.
	LeastBatch func(c Config) int

	// Probes is the default number of table entries that an invocation probes before its subgroup
	// helps; 0 for a strategy without a second tier.
	Probes int

	// Room is the default of Config.Room; 0 for a strategy without a hash table.
	Room int

	// Workgroup is the default of Config.Workgroup for a strategy without lanes, with the first of its
	// Batchings. With the others, or if Workgroup is 0, the default is DefaultWorkgroup.
	Workgroup int

	// MaxUnique bounds len(Iteration.Unique), and the vertices of a batch of
	// VertexBatches.
	MaxUnique func(c Config) int

	// FixedPlaces says that a vertex's place in the vertex queue follows from its place in the
	// stream. The queue then always needs the worst case, one vertex per index.
	FixedPlaces bool

	// Spills says that there may be fewer fixed places than the worst case needs: a batch that
	// needs more takes others from an atomic counter.
	Spills bool

	// WorstInvocations bounds the shader invocations of one batch of n indices.
	WorstInvocations func(c Config, n int) int

	// LargestBatch bounds Config.Batch; nil if only MaxBatch and the number of slots bound it.
	LargestBatch func(c Config) int

	// Table returns the number of entries of the shader's table; nil means the hash table of hash.go, or no
	// table if Room is 0.
	Table func(c Config) int

	// Multiplier chooses, from a sample of the batches, the odd factor by which ids are multiplied
	// before the table lookup; nil if the shader has a fixed one. Counts do not depend on it.
	Multiplier func(sample [][]uint32, c Config) uint32

	// SharedBytes bounds the shared memory that the shader takes for one batch. `virtual` says whether
	// the subgroup is a virtual one. `vertexBytes` is how many bytes of a shaded vertex the shader
	// keeps for assembly: 0 if the queue holds each vertex once.
	SharedBytes func(c Config, virtual bool, vertexBytes int) int

	// Sifted sets the sizes for frames that sift their triangles: the geometry pass draws none, and
	// only lists those that may be visible. If Sifted is nil, such frames have the usual sizes.
	Sifted func(*Config)

	// Together says that the shader can have TriangleLanes invocations draw a triangle together.
	Together bool

	// Reference runs the strategy over one batch, a triangle list that lies within one draw, and
	// yields its iterations in order. An iteration's slices are valid until the next iteration.
	// Reference is nil if WholeDraws is set.
	Reference func(c Config, batch []uint32, yield func(*Iteration))
}

// Config is a strategy with its parameters resolved.
type Config struct {
	Strategy  *Strategy
	Lanes     int // lanes of a subgroup: 4, 8, 16, 32 or 64; 0 if the strategy uses none
	Workgroup int // invocations per workgroup; 0 if the strategy uses lanes
	Batching  Batching
	Batch     int // indices per batch at most, a multiple of 3
	Unique    int // unique vertices per batch at most; DynamicBatching only, else 0
	Probes    int // entries that an invocation probes before its subgroup helps; counts do not depend on it
	Room      int // least number of hash-table entries per vertex that a batch may have; counts do not depend on it

	// FitBatch says that the user gave no batch size, so that Fitted and Sifted may choose another;
	// FitWorkgroup says that the user gave no workgroup size either.
	FitBatch, FitWorkgroup bool

	// Auto says that the strategy and all sizes except lanes are chosen later, when scene and
	// device are known. Until then the fields have the values of one candidate, claim.
	Auto bool
	// Streaming restricts Auto to strategies that stream.
	Streaming bool
}

// Name returns the strategy's name, or Auto while it is not picked yet.
func (c Config) Name() string {
	switch {
	case c.Strategy == nil:
		return "no strategy"
	case c.Auto && c.Streaming:
		return AutoStreaming
	case c.Auto:
		return Auto
	}
	return c.Strategy.Name
}

// String returns the strategy's name with the parameters that its counts depend on.
func (c Config) String() string {
	if c.Auto || c.Strategy == nil {
		return c.Name()
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
	First     int      // position in the draw of the first index consumed; set by Config.Run
	Unique    []uint32 // vertex ids shaded, in slot order; ids may repeat if a strategy does not look for repeats
	Slots     []uint16 // a slot for each index consumed; their number is a multiple of 3
	LaneSlots int      // lanes that the shading of Unique occupied, including idle ones
}

// shaded returns an iteration that shades `lanes` vertices at a time.
func shaded(unique []uint32, slots []uint16, lanes int) *Iteration {
	rounds := (len(unique) + lanes - 1) / lanes
	return &Iteration{Unique: unique, Slots: slots, LaneSlots: rounds * lanes}
}

// LaneCounts are the subgroup widths that every strategy with lanes supports.
var LaneCounts = []int{4, 8, 16, 32, 64}

// Defaults of the parameters, as in the paper: warps of 32 lanes, and dynamic batches of 256 unique
// vertices with as many threads.
const (
	DefaultLanes     = 32
	DefaultUnique    = 256
	DefaultWorkgroup = 256
)

// Bounds of the parameters. A triangle's record has 10 bits for each slot, hence MaxUnique. A batch's
// slots are kept in shared memory; a plan refuses a batch that its device cannot hold.
const (
	MaxBatch  = 3072
	MaxUnique = 1024
	MaxRoom   = 4
)

// Params are a strategy's parameters as a user gives them: zero values mean the strategy's
// defaults.
type Params struct {
	Lanes     int
	Workgroup int
	Batching  string // one of BatchingNames
	Batch     int
	Unique    int
	Probes    *int // nil means the strategy's default, since 0 is a valid number of probes
	Room      int

	// FitBatch lets Config.Fitted choose the batch if it is not given.
	FitBatch bool
}

// Resolve looks a strategy up by name. 0 for `lanes` means DefaultLanes, and 0 for `batch` the
// strategy's default. Strategies without lanes ignore `lanes`.
func Resolve(name string, lanes, batch int) (Config, error) {
	return Params{Lanes: lanes, Batch: batch}.Resolve(name)
}

// Resolve looks a strategy up by name, fills in zero parameters and checks the others. For Auto
// it leaves the strategy and all sizes but lanes open.
func (p Params) Resolve(name string) (_ Config, err error) {
	defer must.Catch(&err)
	if IsAuto(name) {
		return p.auto(name)
	}
	s, err := Lookup(name)
	if err != nil {
		return Config{}, names.Unknown("strategy", name, Choices())
	}
	must.OK(p.Check())
	c := Config{Strategy: s, Batching: must.Get(p.batching(s))}
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
			must.Fail("%d probes: strategy %s has no second tier, so it takes no number of probes", c.Probes, s.Name)
		}
	}
	if c.Room = cmp.Or(p.Room, s.Room); s.Room == 0 && p.Room != 0 {
		must.Fail("table of %d entries per vertex: %s has no such table", p.Room, s.Name)
	}
	return c.sized(p)
}

// batching returns how to cut the stream: as p.Batching says, which the strategy must support. If it is
// empty, batches are dynamic if the sizes need that and the strategy supports it; otherwise its default.
func (p Params) batching(s *Strategy) (Batching, error) {
	dynamic := p.Unique != 0 || p.Batch > MaxUnique
	switch i := slices.Index(BatchingNames, p.Batching); {
	case p.Batching != "" && !slices.Contains(s.Batchings, Batching(i)):
		return 0, fmt.Errorf("%s batches: %s supports only %s", p.Batching, s.Name, strings.Join(names.Of(s.Batchings, Batching.String), " or ")+" batches")
	case p.Batching != "":
		return Batching(i), nil
	case dynamic && slices.Contains(s.Batchings, DynamicBatching):
		return DynamicBatching, nil
	}
	return s.Batchings[0], nil
}

// Variants returns a strategy's configurations at its default sizes: one per lane count or, without
// lanes, per batching. Tests and tables iterate over them.
func (s *Strategy) Variants() []Config {
	var list []Config
	add := func(p Params) {
		c, err := p.Resolve(s.Name)
		if err != nil {
			panic(err) // tests resolve every registered strategy at its default sizes
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

// sized fills in and checks the batch sizes.
func (c Config) sized(p Params) (Config, error) {
	if c.Batching == DynamicBatching {
		c.Unique = cmp.Or(p.Unique, DefaultUnique)
		if most := c.Strategy.LargestUnique(); c.Unique > most {
			return Config{}, fmt.Errorf("%d unique vertices per batch: %s takes 3 to %d", c.Unique, c.Strategy.Name, most)
		}
	} else if p.Unique != 0 {
		return Config{}, fmt.Errorf("a bound on unique vertices needs dynamic batches, and %s has static ones", c.Strategy.Name)
	}
	c.Batch = cmp.Or(p.Batch, c.Strategy.DefaultBatch(c))
	c.FitBatch = p.FitBatch && p.Batch == 0 && c.Batching == c.Strategy.Batchings[0] && (c.Strategy.LeastBatch != nil || c.Strategy.Sifted != nil)
	c.FitWorkgroup = c.FitBatch && p.Workgroup == 0
	if most := c.Strategy.LargestBatch; most != nil && c.Batch > most(c) {
		return Config{}, fmt.Errorf("batch of %d indices: %s takes a multiple of 3 from 3 to %d at %d lanes", c.Batch, c.Strategy.Name, most(c), c.Lanes)
	}
	if n := c.Strategy.MaxUnique(c); n > MaxUnique && !c.Strategy.FixedPlaces {
		return Config{}, fmt.Errorf("batch of %d indices: %s may find %d unique vertices in it, but only %d have slots: must be a multiple of 3 from 3 to %d", c.Batch, c.Strategy.Name, n, MaxUnique, c.largestBatch())
	}
	return c, nil
}

// Run runs the strategy's reference over the indices of one draw, a triangle list.
// It yields every iteration, in order, with the number of its batch; index
// Iteration.First+k of the draw is vertex Unique[Slots[k]]. The slices of an
// iteration are valid until the next one.
//
// A strategy of whole draws (Strategy.WholeDraws) has no iterations: its Count
// says what it shades. A Config that Check refuses has none either.
func (c Config) Run(indices []uint32) iter.Seq2[int, *Iteration] {
	return func(yield func(int, *Iteration) bool) {
		if c.Check() == nil && !c.Strategy.WholeDraws && len(indices)%3 == 0 {
			c.run(indices)(yield)
		}
	}
}

func (c Config) run(indices []uint32) iter.Seq2[int, *Iteration] {
	return func(yield func(int, *Iteration) bool) {
		number, first, more := 0, 0, true
		for batch := range c.batches(indices) {
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

// Count runs the strategy over the indices of one draw, a triangle list. It returns the draw's
// statistics and how often each of its vertices is shaded. Indices that are not below `vertices`
// are an error, as is a Config that Check refuses.
func (c Config) Count(indices []uint32, vertices int) (Stats, []uint32, error) {
	if err := cmp.Or(c.Check(), Stream{Indices: indices, IDs: vertices}.CheckSize()); err != nil {
		return Stats{}, nil, err
	}
	counts := make([]uint32, vertices)
	st, err := c.count(indices, counts)
	if err != nil {
		return Stats{}, nil, err
	}
	return st, counts, nil
}

// count is Count for a caller that provides counts: one per vertex of the draw, all 0.
func (c Config) count(indices, counts []uint32) (Stats, error) {
	named := make([]bool, len(counts))
	if err := name(named, indices); err != nil {
		return Stats{}, err
	}
	if c.Strategy.WholeDraws {
		for v := range counts {
			counts[v] = 1
		}
		st := statsOf(len(indices), named, counts)
		c.addWholeDraw(&st)
		return st, nil
	}
	batches, iterations, laneSlots := 0, 0, 0
	for batch, it := range c.run(indices) {
		for _, id := range it.Unique {
			counts[id]++
		}
		batches = batch + 1
		iterations++
		laneSlots += it.LaneSlots
	}
	st := statsOf(len(indices), named, counts)
	st.Batches, st.Iterations, st.LaneSlots = batches, iterations, laneSlots
	return st, nil
}
