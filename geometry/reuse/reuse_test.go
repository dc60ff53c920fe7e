package reuse

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
)

// streams are index lists that reach the corners of a strategy.
func streams() map[string][]uint32 {
	r := rand.New(rand.NewPCG(1, 2))
	random := make([]uint32, 3*500)
	local := make([]uint32, 3*500)
	for i := range random {
		random[i] = r.Uint32N(60)
		local[i] = uint32(i/4) + r.Uint32N(9)
	}
	fan := make([]uint32, 0, 3*200)
	for i := uint32(0); i < 200; i++ {
		fan = append(fan, 0, i+1, i+2)
	}
	distinct := make([]uint32, 3*100)
	for i := range distinct {
		distinct[i] = uint32(i)
	}
	return map[string][]uint32{
		"one triangle": {0, 1, 2},
		"degenerate":   {5, 5, 5, 5, 5, 6, 6, 5, 5},
		"fan":          fan,
		"distinct":     distinct,
		"random":       random,
		"local":        local,
	}
}

// configs yields every variant of every strategy at a few batch sizes.
func configs(t testing.TB, f func(Config)) {
	for _, strategy := range Strategies {
		for _, v := range strategy.Variants() {
			for _, batch := range []int{0, 3, 12, 93, 384, 1023} {
				if most := strategy.LargestBatch; most != nil {
					batch = min(batch, most(v))
				}
				p := Params{Lanes: v.Lanes, Batching: v.Batching.String(), Batch: batch}
				c, err := p.Resolve(strategy.Name)
				require.NoError(t, err)
				f(c)
				if v.Batching == DynamicBatching {
					p.Unique = 5
					c, err = p.Resolve(strategy.Name)
					require.NoError(t, err)
					f(c)
				}
			}
		}
	}
}

// checkContract runs one batch and checks what every strategy promises.
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
	for name, stream := range streams() {
		t.Run(name, func(t *testing.T) {
			s := scene(stream)
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
		s := scene(stream)
		checkScene(t, s, c)
	})
}

// brokenContract proves that the contract check can fail: a flipped slot.
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
	c, err := Resolve("warp", 8, 0)
	require.NoError(t, err)
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

// TestWarpByHand follows Algorithm 1 on five lanes' worth of detail, at four.
func TestWarpByHand(t *testing.T) {
	t.Parallel()
	c, err := Resolve("warp", 4, 12)
	require.NoError(t, err)
	type iteration struct {
		unique []uint32
		slots  []uint16
	}
	var got []iteration
	// The first chunk 0 1 2 2 fills three lanes; the second, 1 3 3 4, gives the last
	// lane to 3 and fails at 4: seven done, so two triangles. The seventh index is
	// left to the next iteration, which shades 3 again.
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
	c, err := Resolve("warp", 4, 12)
	require.NoError(t, err)
	var consumed []int
	// The first chunk fills all lanes, so that the repeats after it are not seen.
	warpReference(c, []uint32{0, 1, 2, 3, 0, 1, 2, 3, 0}, func(it *Iteration) {
		consumed = append(consumed, len(it.Slots))
	})
	require.Equal(t, []int{3, 3, 3}, consumed)
}

func scene(draws ...[]uint32) *geometry.Scene {
	s := &geometry.Scene{Name: "test"}
	for _, indices := range draws {
		most := uint32(0)
		for _, id := range indices {
			most = max(most, id)
		}
		s.Draws = append(s.Draws, geometry.Draw{
			FirstIndex: uint32(len(s.Indices)), IndexCount: uint32(len(indices)),
			VertexOffset: uint32(len(s.Positions)), VertexCount: most + 1,
			Transform: mgl32.Ident4(), Color: geometry.DefaultColor,
		})
		s.Indices = append(s.Indices, indices...)
		s.Positions = append(s.Positions, make([]mgl32.Vec3, most+1)...)
	}
	return s
}

func TestAnalyzeCountsEachDrawApart(t *testing.T) {
	t.Parallel()
	s := scene([]uint32{0, 1, 2, 2, 1, 3}, []uint32{0, 1, 2})
	s.Draws = append(s.Draws, s.Draws[0]) // an instance of the first
	c, err := Resolve("warp", 8, 0)
	require.NoError(t, err)
	st, counts := Analyze(s, c)
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
	s := scene([]uint32{0, 1, 2, 2, 1, 4})
	c, err := Resolve("naive", 32, 0)
	require.NoError(t, err)
	st, counts := Analyze(s, c)
	require.Equal(t, []uint32{1, 2, 2, 0, 1}, counts)
	require.Equal(t, []int{0, 2, 2}, st.Histogram, "the unreferenced vertex has no place")
	require.Zero(t, st.Reuse())
	require.Equal(t, 3.0, st.ACMR())
	require.InDelta(t, 1.5, st.ATVR(), 1e-12)
	st, _ = Analyze(scene(make([]uint32, 2*96)), c)
	require.Equal(t, 2*96, st.LaneSlots, "no lane is idle")
}

func TestStaticBatches(t *testing.T) {
	t.Parallel()
	s := scene(make([]uint32, 30), make([]uint32, 9))
	c, err := Resolve("warp", 4, 12)
	require.NoError(t, err)
	require.Equal(t, []Batch{
		{0, 12, 0, 0}, {12, 12, 0, 4}, {24, 6, 0, 8}, {30, 9, 1, 10},
	}, Batches(s, c))
}

func TestDynamicBatches(t *testing.T) {
	t.Parallel()
	s := scene([]uint32{0, 1, 2, 2, 1, 3, 3, 1, 4, 0, 1, 2}, []uint32{5, 5, 5})
	s.Draws = append(s.Draws, s.Draws[0])
	for _, tt := range []struct {
		batch, unique int
		want          []Batch
	}{
		{12, 256, []Batch{{0, 12, 0, 0}, {12, 3, 1, 4}, {0, 12, 2, 5}}},
		{9, 256, []Batch{{0, 9, 0, 0}, {9, 3, 0, 3}, {12, 3, 1, 4}, {0, 9, 2, 5}, {9, 3, 2, 8}}},
		{12, 4, []Batch{{0, 6, 0, 0}, {6, 3, 0, 2}, {9, 3, 0, 3}, {12, 3, 1, 4}, {0, 6, 2, 5}, {6, 3, 2, 7}, {9, 3, 2, 8}}},
	} {
		c, err := Params{Batch: tt.batch, Unique: tt.unique}.Resolve("hash")
		require.NoError(t, err)
		require.Equal(t, tt.want, Batches(s, c), "%d/%d", tt.batch, tt.unique)
	}
}

// TestDynamicBatchesCloseOnlyWhereTheyMust: no batch could take one triangle more.
func TestDynamicBatchesCloseOnlyWhereTheyMust(t *testing.T) {
	t.Parallel()
	s := scene(streams()["local"], streams()["random"])
	c, err := Params{Batch: 93, Unique: 20}.Resolve("hash")
	require.NoError(t, err)
	next := uint32(0)
	for _, b := range Batches(s, c) {
		require.Equal(t, next, b.FirstTriangle)
		next += b.IndexCount / 3
		end := s.Draws[b.Draw].FirstIndex + s.Draws[b.Draw].IndexCount
		ids := map[uint32]bool{}
		for k := b.FirstIndex; k < min(b.FirstIndex+b.IndexCount+3, end); k++ {
			ids[s.Indices[k]] = true
			if k == b.FirstIndex+b.IndexCount-1 {
				require.LessOrEqual(t, len(ids), 20)
			}
		}
		closed := b.FirstIndex+b.IndexCount == end || b.IndexCount == 93 || len(ids) > 20
		require.True(t, closed, "batch at %d", b.FirstIndex)
	}
	require.Equal(t, s.Triangles(), int(next))
}

func BenchmarkDynamicBatches(b *testing.B) {
	stream := make([]uint32, 0, 3<<20)
	for i := range uint32(1 << 20) {
		stream = append(stream, i/2, i/2+1, i/2+1000)
	}
	s := scene(stream)
	c, err := Params{}.Resolve("hash")
	require.NoError(b, err)
	for b.Loop() {
		Batches(s, c)
	}
	b.ReportMetric(float64(len(stream))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mindices/s")
}

func TestResolveParamsRefuses(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Params{
		"dynamic batches: warp runs on static batches":                      {Batching: "dynamic"},
		`unknown batching "sorted": have static, dynamic`:                   {Batching: "sorted"},
		"unique vertices bound dynamic batches alone, warp has static ones": {Unique: 12},
	} {
		_, err := p.Resolve("warp")
		require.EqualError(t, err, want)
	}
	for want, p := range map[string]Params{
		"workgroup of 48: must be a power of two from 32 to 1024": {Workgroup: 48},
		"2 unique vertices per batch: must be 3 to 1024":          {Unique: 2},
		"batch of 3072 indices: hash may find 3072 unique vertices there, at most 1024 have a slot: must be a multiple of 3 from 3 to 1023": {Batching: "static", Batch: 3072},
		"batch of 1000 indices: must be a multiple of 3 from 3 to 3072":                                                                     {Batch: 1000},
	} {
		_, err := p.Resolve("hash")
		require.EqualError(t, err, want)
	}
}

func TestResolveRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		lanes, batch int
		want         string
	}{
		{"wrap", 0, 0, `unknown strategy "wrap": did you mean warp? have ` + strings.Join(Choices(), ", ")},
		{"warp", 12, 0, "12 lanes: must be one of 4 8 16 32 64"},
		{"warp", 32, 100, "batch of 100 indices: must be a multiple of 3 from 3 to 3072"},
		{"warp", 32, -3, "batch of -3 indices: must be a multiple of 3 from 3 to 3072"},
		{"warp", 32, 3075, "batch of 3075 indices: must be a multiple of 3 from 3 to 3072"},
	} {
		t.Run(fmt.Sprint(tt.name, tt.lanes, tt.batch), func(t *testing.T) {
			_, err := Resolve(tt.name, tt.lanes, tt.batch)
			require.EqualError(t, err, tt.want)
		})
	}
}
