package reuse

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
)

// configs yields every variant of every strategy at a few batch sizes.
func configs(t testing.TB, f func(Config)) {
	for _, strategy := range Strategies {
		for _, v := range strategy.Variants() {
			for _, batch := range []int{0, 3, 12, 93, 384, 1023} {
				if most := strategy.LargestBatch; most != nil {
					batch = min(batch, most(v))
				}
				p := Params{Lanes: v.Lanes, Batching: v.Batching.String(), Batch: batch}
				c := must.Get(p.Resolve(strategy.Name))
				f(c)
				if v.Batching == DynamicBatching {
					p.Unique = 5
					c = must.Get(p.Resolve(strategy.Name))
					f(c)
				}
			}
		}
	}
}

// checkContract runs one batch and checks the contract that every strategy promises.
func checkContract(t testing.TB, c Config, batch []uint32) {
	consumed, invocations := 0, 0
	c.Strategy.Reference(c, batch, func(it *Iteration) {
		require.Zero(t, len(it.Slots)%3, "a triangle is split")
		require.NotEmpty(t, it.Slots, "an iteration without progress")
		require.LessOrEqual(t, len(it.Unique), c.Strategy.MaxUnique(c))
		require.LessOrEqual(t, len(it.Unique), it.LaneSlots)
		for k, slot := range it.Slots {
			if int(slot) >= len(it.Unique) || batch[consumed+k] != it.Unique[slot] {
				require.FailNow(t, "wrong slot", "index %d", consumed+k)
			}
		}
		consumed += len(it.Slots)
		invocations += len(it.Unique)
	})
	require.Equal(t, len(batch), consumed)
	ideal := map[uint32]bool{}
	for _, id := range batch {
		ideal[id] = true
	}
	require.GreaterOrEqual(t, invocations, len(ideal))
	require.LessOrEqual(t, invocations, c.Strategy.WorstInvocations(c, len(batch)))
}

// checkScene checks the contract over a whole scene.
func checkScene(t testing.TB, s *geometry.Scene, c Config) {
	if c.Strategy.WholeDraws {
		checkWholeDraws(t, s, c)
		return
	}
	for _, b := range Batches(s, c) {
		checkContract(t, c, s.Indices[b.FirstIndex:b.FirstIndex+b.IndexCount])
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	for name, stream := range indextest.Streams() {
		t.Run(name, func(t *testing.T) {
			s := indextest.Scene(stream)
			configs(t, func(c Config) {
				checkScene(t, s, c)
			})
		})
	}
}

func FuzzContract(f *testing.F) {
	f.Add([]byte{0, 1, 2, 2, 1, 3}, uint8(0), uint8(0))
	f.Add([]byte{9, 9, 9, 1, 2, 3, 4, 5, 6, 1, 2, 3}, uint8(3), uint8(1))
	f.Fuzz(func(t *testing.T, ids []byte, lanes, strategy uint8) {
		stream := make([]uint32, min(len(ids), 4*MaxBatch)/3*3)
		for i := range stream {
			stream[i] = uint32(ids[i])
		}
		if len(stream) == 0 {
			return
		}
		variants := Strategies[int(strategy)%len(Strategies)].Variants()
		c := variants[int(lanes)%len(variants)]
		s := indextest.Scene(stream)
		checkScene(t, s, c)
	})
}

// TestContractCatchesABrokenStrategy proves that the contract check can fail, with a flipped
// slot.
func TestContractCatchesABrokenStrategy(t *testing.T) {
	t.Parallel()
	broken := warp
	broken.Reference = func(c Config, batch []uint32, yield func(*Iteration)) {
		warpReference(c, batch, func(it *Iteration) {
			if len(it.Unique) > 1 {
				it.Slots[0] ^= 1
			}
			yield(it)
		})
	}
	c := must.Get(Resolve("warp", 8, 0))
	c.Strategy = &broken
	probe := &recorder{TB: t}
	func() {
		defer func() { _ = recover() }()
		checkContract(probe, c, []uint32{0, 1, 2, 2, 1, 3})
	}()
	require.True(t, probe.failed)
}

type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) FailNow()              { r.failed = true; panic("stop") }
func (r *recorder) Helper()               {}

// TestWarpByHand follows Algorithm 1 at four lanes.
func TestWarpByHand(t *testing.T) {
	t.Parallel()
	c := must.Get(Resolve("warp", 4, 12))
	type iteration struct {
		unique []uint32
		slots  []uint16
	}
	var got []iteration
	// The first chunk 0 1 2 2 fills three lanes. Of the second, 1 3 3 4, 3 takes the last lane and
	// 4 fails: seven indices done, which is two triangles. The seventh index is left to the next
	// iteration, which shades 3 again.
	warpReference(c, []uint32{0, 1, 2, 2, 1, 3, 3, 4, 5, 3, 5, 4}, func(it *Iteration) {
		got = append(got, iteration{append([]uint32{}, it.Unique...), append([]uint16{}, it.Slots...)})
	})
	require.Equal(t, []iteration{
		{[]uint32{0, 1, 2, 3}, []uint16{0, 1, 2, 2, 1, 3}},
		{[]uint32{3, 4, 5}, []uint16{0, 1, 2, 0, 2, 1}},
	}, got)
}

func TestWarpLoadsNoChunkOnceLanesAreFull(t *testing.T) {
	t.Parallel()
	c := must.Get(Resolve("warp", 4, 12))
	var consumed []int
	// The first chunk fills all lanes, so the repeated ids after it are not found.
	warpReference(c, []uint32{0, 1, 2, 3, 0, 1, 2, 3, 0}, func(it *Iteration) {
		consumed = append(consumed, len(it.Slots))
	})
	require.Equal(t, []int{3, 3, 3}, consumed)
}

func TestAnalyzeCountsEachDrawApart(t *testing.T) {
	t.Parallel()
	s := indextest.Scene([]uint32{0, 1, 2, 2, 1, 3}, []uint32{0, 1, 2})
	s.Draws = append(s.Draws, s.Draws[0]) // an instance of the first draw
	c := must.Get(Resolve("warp", 8, 0))
	st, counts := must.Get2(Analyze(s, c))
	require.Equal(t, []uint32{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, counts)
	require.Equal(t, Stats{
		Draws: 3, Vertices: 11, Referenced: 11, Triangles: 5, Indices: 15, Invocations: 11,
		Batches: 3, Iterations: 3, LaneSlots: 24, Histogram: []int{0, 11},
	}, st)
	require.Equal(t, st.Ideal(), st.Reuse())
	require.InDelta(t, 11.0/24, st.LaneUtilization(), 1e-12)
}

func TestNaiveShadesEveryIndex(t *testing.T) {
	t.Parallel()
	s := indextest.Scene([]uint32{0, 1, 2, 2, 1, 4})
	c := must.Get(Resolve("naive", 32, 0))
	st, counts := must.Get2(Analyze(s, c))
	require.Equal(t, []uint32{1, 2, 2, 0, 1}, counts)
	require.Equal(t, []int{0, 2, 2}, st.Histogram, "the unreferenced vertex has no place")
	require.Zero(t, st.Reuse())
	require.Equal(t, 3.0, st.ACMR())
	require.InDelta(t, 1.5, st.ATVR(), 1e-12)
	st, _ = must.Get2(Analyze(indextest.Scene(make([]uint32, 2*96)), c))
	require.Equal(t, 2*96, st.LaneSlots, "no lane is idle")

	all := Stats{Triangles: 4, Indices: 12, Referenced: 5, Histogram: []int{2, 3}}
	require.Equal(t, Stats{Triangles: 1, Indices: 3, Referenced: 3, Histogram: []int{0, 3}}, all.Culled(1))
	require.Equal(t, []int{2, 3}, all.Histogram, "those of the frame before it was culled stay")
}

func TestStaticBatches(t *testing.T) {
	t.Parallel()
	s := indextest.Scene(make([]uint32, 30), make([]uint32, 9))
	c := must.Get(Resolve("warp", 4, 12))
	require.Equal(t, []Batch{
		{0, 12, 0, 0}, {12, 12, 0, 4}, {24, 6, 0, 8}, {30, 9, 1, 10},
	}, Batches(s, c))
}

func TestDynamicBatches(t *testing.T) {
	t.Parallel()
	s := indextest.Scene([]uint32{0, 1, 2, 2, 1, 3, 3, 1, 4, 0, 1, 2}, []uint32{5, 5, 5})
	s.Draws = append(s.Draws, s.Draws[0])
	for _, tt := range []struct {
		batch, unique int
		want          []Batch
	}{
		{12, 256, []Batch{{0, 12, 0, 0}, {12, 3, 1, 4}, {0, 12, 2, 5}}},
		{9, 256, []Batch{{0, 9, 0, 0}, {9, 3, 0, 3}, {12, 3, 1, 4}, {0, 9, 2, 5}, {9, 3, 2, 8}}},
		{12, 4, []Batch{{0, 6, 0, 0}, {6, 3, 0, 2}, {9, 3, 0, 3}, {12, 3, 1, 4}, {0, 6, 2, 5}, {6, 3, 2, 7}, {9, 3, 2, 8}}},
	} {
		c := must.Get(Params{Batch: tt.batch, Unique: tt.unique}.Resolve("hash"))
		require.Equal(t, tt.want, Batches(s, c), "%d/%d", tt.batch, tt.unique)
	}
}

func TestResolveRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		strategy string
		p        Params
		want     string
	}{
		{"wrap", Params{}, `unknown strategy "wrap": did you mean warp? have ` + strings.Join(Choices(), ", ")},
		{"warp", Params{Lanes: 12}, "12 lanes: must be one of 4 8 16 32 64"},
		{"warp", Params{Batch: 100}, "batch of 100 indices: must be a multiple of 3 from 3 to 3072"},
		{"warp", Params{Batch: -3}, "batch of -3 indices: must be a multiple of 3 from 3 to 3072"},
		{"warp", Params{Batch: 3075}, "batch of 3075 indices: must be a multiple of 3 from 3 to 3072"},
		{"hash", Params{Batching: "static", Batch: 3072}, "batch of 3072 indices: hash may find 3072 unique vertices in it, but only 1024 have slots: must be a multiple of 3 from 3 to 1023"},
		{"claim", Params{Lanes: 4, Batch: 123}, "batch of 123 indices: claim takes a multiple of 3 from 3 to 120 at 4 lanes"},
		{"claim", Params{Lanes: 64, Batch: 1026}, "batch of 1026 indices: claim takes a multiple of 3 from 3 to 1023 at 64 lanes"},
		{"warp", Params{Batching: "dynamic"}, "dynamic batches: warp supports only static batches"},
		{"multi", Params{Batching: "dynamic"}, "dynamic batches: multi supports only static batches"},
		{"meshlet", Params{Batching: "static"}, "static batches: meshlet supports only dynamic batches"},
		{"warp", Params{Batching: "sorted"}, `unknown batching "sorted": have static, dynamic`},
		{"warp", Params{Unique: 12}, "a bound on unique vertices needs dynamic batches, and warp has static ones"},
		{"multi", Params{Unique: 64}, "a bound on unique vertices needs dynamic batches, and multi has static ones"},
		{"sort", Params{Unique: 64, Batching: "static"}, "a bound on unique vertices needs dynamic batches, and sort has static ones"},
		{"hash", Params{Unique: 2}, "2 unique vertices per batch: must be 3 to 1024"},
		{"meshlet", Params{Unique: 257}, "257 unique vertices per batch: meshlet takes 3 to 256"},
		{"hash", Params{Workgroup: 48}, "workgroup of 48: must be a power of two from 32 to 1024"},
		{"hash", Params{Probes: new(0)}, "0 probes: strategy hash has no second tier, so it takes no number of probes"},
		{"warp", Params{Probes: new(4)}, "4 probes: strategy warp has no second tier, so it takes no number of probes"},
		{"phash", Params{Probes: new(-1)}, "-1 probes: must be 0 to 1024"},
		{"phash", Params{Probes: new(1025)}, "1025 probes: must be 0 to 1024"},
		{"warp", Params{Room: 2}, "table of 2 entries per vertex: warp has no such table"},
		{"claim", Params{Room: 2}, "table of 2 entries per vertex: claim has no such table"},
		{"hash", Params{Room: 5}, "table of 5 entries per vertex: must be 1 to 4"},
	} {
		_, err := tt.p.Resolve(tt.strategy)
		require.EqualError(t, err, tt.want)
	}
	for lanes, most := range map[int]int{4: 120, 8: 240, 16: 480, 32: 960, 64: 1023} {
		must.Get(Resolve("claim", lanes, most))
	}
}

// TestRunYieldsEveryIndex compares Run with the batches: every index is consumed once, in order,
// in the iteration's batch, and its slot holds its vertex. Count counts what Run shades; TestSummarizeIsAnalyze tests scenes.
func TestRunYieldsEveryIndex(t *testing.T) {
	t.Parallel()
	for name, indices := range indextest.Streams() {
		vertices := int(slices.Max(indices)) + 3 // with two unreferenced vertices
		configs(t, func(c Config) {
			st, counts := must.Get2(c.Count(indices, vertices))
			require.Equal(t, vertices, st.Vertices)
			require.LessOrEqual(t, st.Referenced, vertices-2)
			require.Equal(t, len(indices)/3, st.Triangles)
			if c.Strategy.WholeDraws {
				require.Equal(t, slices.Repeat([]uint32{1}, vertices), counts)
				for range c.Run(indices) {
					t.Fatal("a strategy of whole draws has no iterations")
				}
				return
			}
			var batchOf []int // by index: its batch
			for batch := range c.Batches(indices) {
				number := 0
				if n := len(batchOf); n > 0 {
					number = batchOf[n-1] + 1
				}
				batchOf = append(batchOf, slices.Repeat([]int{number}, len(batch))...)
			}
			require.Len(t, batchOf, len(indices), name)
			next, shaded := 0, make([]uint32, vertices)
			for batch, it := range c.Run(indices) {
				require.Equal(t, next, it.First)
				for _, id := range it.Unique {
					shaded[id]++
				}
				for k, slot := range it.Slots {
					if it.Unique[slot] != indices[next+k] || batchOf[next+k] != batch {
						t.Fatalf("%s: %s: index %d", name, c, next+k)
					}
				}
				next += len(it.Slots)
			}
			require.Equal(t, len(indices), next)
			require.Equal(t, shaded, counts, "%s: %s", name, c)
		})
	}
}

// TestRunStops: Run stops when the caller breaks out of the loop, also within a batch.
func TestRunStops(t *testing.T) {
	t.Parallel()
	c := must.Get(Resolve("naive", 4, 48))
	for stop := range 5 {
		yielded := 0
		for range c.Run(make([]uint32, 3*48)) {
			if yielded++; yielded > stop {
				break
			}
		}
		require.Equal(t, stop+1, yielded)
	}
	for range c.Batches(make([]uint32, 3*48)) {
		break
	}
}
