package model

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/indextest"
)

// TestParallelByHand follows short streams through few and small waves.
func TestParallelByHand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		p      Params
		stream []uint32
		want   []uint32
	}{
		{"repeats in a wave are shaded", Params{Entries: 9, Multiprocessors: 1, InFlight: 6},
			[]uint32{0, 0, 0, 0, 0, 0, 0, 0, 0}, []uint32{6}},
		{"hits take no place in a wave", Params{Entries: 9, Multiprocessors: 1, InFlight: 2},
			[]uint32{0, 1, 0, 1, 2, 2, 2, 2, 2}, []uint32{1, 1, 2}},
		// Waves 0 1 | 2 3: 2 entries hold only the last wave, so 0 is shaded again.
		{"the oldest are evicted", Params{Entries: 2, Multiprocessors: 1, InFlight: 2},
			[]uint32{0, 1, 2, 3, 0, 3}, []uint32{2, 1, 1, 1}},
		// Waves 0 1 | (0) 2 3, the hit in brackets: 0 was refreshed, so 1 is evicted before 0.
		{"a hit refreshes", Params{Entries: 3, Multiprocessors: 1, InFlight: 2},
			[]uint32{0, 1, 0, 2, 3, 0, 0, 0, 1}, []uint32{1, 2, 1, 1}},
		{"ranges share nothing", Params{Entries: 9, Multiprocessors: 2, InFlight: 1},
			[]uint32{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}, []uint32{2, 2, 2}},
		{"uneven ranges", Params{Entries: 9, Multiprocessors: 4, InFlight: 1},
			[]uint32{0, 1, 2, 0, 1, 2, 0, 1, 2}, []uint32{3, 3, 3}},
		// Chunks of 3 indices in turn: a b a. The first multiprocessor's second chunk finds all its
		// vertices.
		{"dealt in turn", Params{Entries: 9, Multiprocessors: 2, InFlight: 1, Partition: PartitionDealt},
			[]uint32{0, 1, 2, 0, 1, 2, 0, 1, 2}, []uint32{2, 2, 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, count(t, "parallel", tt.p, tt.stream...))
		})
	}
}

// TestParallelAcrossDraws: an instance reuses nothing from the draw before it, and one wave may
// hold vertices of both.
func TestParallelAcrossDraws(t *testing.T) {
	t.Parallel()
	s := indextest.Scene([]uint32{0, 1, 2, 0, 1, 2})
	s.Draws = append(s.Draws, s.Draws[0], s.Draws[0])
	p := parallelParams(512, PartitionRange)
	p.Multiprocessors, p.InFlight = 1, 3
	_, counts := parallel.Analyze(s, p)
	require.Equal(t, []uint32{1, 1, 1, 1, 1, 1, 1, 1, 1}, counts)
	// Waves of seven: 0 1 2 0 1 2 0' | 1' 2' (0') 1' 2' 0" 1" 2" | (0" 1" 2"), with hits in
	// brackets.
	p.InFlight = 7
	_, counts = parallel.Analyze(s, p)
	require.Equal(t, []uint32{2, 2, 2, 1, 2, 2, 1, 1, 1}, counts)
}

// TestParallelSpans: with either partition, each index belongs to exactly one multiprocessor, and
// no triangle to two.
func TestParallelSpans(t *testing.T) {
	t.Parallel()
	for _, length := range []int{0, 3, 27, 84, 300} {
		for _, partition := range []Partition{PartitionRange, PartitionDealt} {
			for _, mps := range []int{1, 2, 28} {
				taken := make([]int, length)
				p := Params{Multiprocessors: mps, InFlight: 2, Partition: partition}
				for mp := range mps {
					p.eachSpan(mp, length, func(lo, hi int) {
						require.Zero(t, lo%3)
						require.Zero(t, hi%3)
						for k := lo; k < hi; k++ {
							taken[k]++
						}
					})
				}
				require.Equal(t, slices.Repeat([]int{1}, length), taken)
			}
		}
	}
}

// TestParallelAgainstSlices compares with caches that are plain slices.
func TestParallelAgainstSlices(t *testing.T) {
	t.Parallel()
	slow := func(indices []uint32, p Params) []uint32 {
		counts := make([]uint32, slices.Max(indices)+1)
		for mp := range p.Multiprocessors {
			var cache, flying []uint32
			use := func(id uint32) {
				if at := slices.Index(cache, id); at >= 0 {
					cache = slices.Delete(cache, at, at+1)
				}
				cache = append(cache, id)
				cache = cache[max(0, len(cache)-p.Entries):]
			}
			p.eachSpan(mp, len(indices), func(lo, hi int) {
				for _, id := range indices[lo:hi] {
					if slices.Contains(cache, id) {
						use(id)
						continue
					}
					counts[id]++
					if flying = append(flying, id); len(flying) == p.InFlight {
						for _, done := range flying {
							use(done)
						}
						flying = nil
					}
				}
			})
		}
		return counts
	}
	all := indextest.Streams()
	all["long"] = indextest.Random(4, 3*3000, 700)
	for name, stream := range all {
		for _, partition := range []Partition{PartitionRange, PartitionDealt} {
			for _, p := range []Params{
				{Entries: 1, Multiprocessors: 1, InFlight: 1}, {Entries: 4, Multiprocessors: 3, InFlight: 7},
				{Entries: 64, Multiprocessors: 4, InFlight: 32}, {Entries: 512, Multiprocessors: 2, InFlight: 1024},
			} {
				p.Partition = partition
				require.Equal(t, slow(stream, p), count(t, "parallel", p, stream...), "%+v: %s", p, name)
			}
		}
	}
}
