package reuse

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
)

// variants yields every model with every parameter set that tables show, and
// with such that corners are reached on short streams.
func variants(t testing.TB, f func(m *Model, p ModelParams)) {
	for _, m := range Models {
		list := slices.Clone(m.Variants)
		switch {
		case m.Variants[0].Partition != "":
			for _, partition := range []Partition{PartitionRange, PartitionDealt} {
				list = append(list,
					ModelParams{Entries: 1, Multiprocessors: 1, InFlight: 1, Partition: partition},
					ModelParams{Entries: 5, Multiprocessors: 3, InFlight: 4, Partition: partition},
					ModelParams{Entries: 1 << 30, Multiprocessors: 1 << 8, InFlight: 1 << 30, Partition: partition})
			}
		case m.Variants[0].Entries != 0:
			list = append(list, ModelParams{Entries: 1}, ModelParams{Entries: 2}, ModelParams{Entries: 1 << 30})
		case m.Variants[0].Window != 0:
			list = append(list, ModelParams{Window: 1}, ModelParams{Window: 1 << 30})
		}
		for _, p := range list {
			resolved, err := m.Resolve(p)
			require.NoError(t, err)
			f(m, resolved)
		}
	}
}

// count resolves the parameters and counts one draw.
func count(t testing.TB, model string, p ModelParams, indices ...uint32) []uint32 {
	m, err := LookupModel(model)
	require.NoError(t, err)
	p, err = m.Resolve(p)
	require.NoError(t, err)
	return m.Count(scene(indices), p)
}

func total(counts []uint32) (sum int) {
	for _, n := range counts {
		sum += int(n)
	}
	return sum
}

// checkModels runs all variants over draws of the stream, empty and instanced
// ones among them, and checks what every model promises.
func checkModels(t *testing.T, stream []uint32) {
	s := scene(stream, nil, stream[:len(stream)/6*3], nil)
	s.Draws = append(s.Draws, s.Draws[0])
	uses := make([]uint32, s.DrawVertices())
	for i, offset := range CountOffsets(s) {
		for _, id := range s.DrawIndices(i) {
			uses[offset+id]++
		}
	}
	variants(t, func(m *Model, p ModelParams) {
		counts := m.Count(s, p)
		require.Len(t, counts, len(uses), m.Label(p))
		for pair, n := range counts {
			require.GreaterOrEqual(t, n, min(1, uses[pair]), "%s: pair %d", m.Label(p), pair)
			require.LessOrEqual(t, n, uses[pair], "%s: pair %d", m.Label(p), pair)
		}
		st := NewStats(s, counts)
		require.Equal(t, total(counts), st.Invocations)
		require.LessOrEqual(t, st.Reuse(), st.Ideal())
		require.Equal(t, counts, m.Count(s, p), "%s: not the same twice", m.Label(p))
	})
}

func TestModelContract(t *testing.T) {
	for name, stream := range streams() {
		t.Run(name, func(t *testing.T) { checkModels(t, stream) })
	}
}

func FuzzModels(f *testing.F) {
	f.Add([]byte{0, 1, 2, 2, 1, 3})
	f.Add([]byte{9, 9, 9, 1, 2, 3, 4, 5, 6, 1, 2, 3})
	f.Fuzz(func(t *testing.T, ids []byte) {
		stream := make([]uint32, min(len(ids), 3000)/3*3)
		for i := range stream {
			stream[i] = uint32(ids[i])
		}
		if len(stream) > 0 {
			checkModels(t, stream)
		}
	})
}

// TestModelsCountEachDrawApart holds for all but the parallel cache, whose waves
// run on from draw to draw.
func TestModelsCountEachDrawApart(t *testing.T) {
	first, second := streams()["random"], streams()["local"]
	both := scene(first, second, first)
	variants(t, func(m *Model, p ModelParams) {
		if p.Partition == "" {
			alone := slices.Concat(m.Count(scene(first), p), m.Count(scene(second), p), m.Count(scene(first), p))
			require.Equal(t, alone, m.Count(both, p), m.Label(p))
		}
	})
}

func TestModelsOfNothing(t *testing.T) {
	for _, s := range []*geometry.Scene{{}, scene(nil), scene(nil, nil)} {
		variants(t, func(m *Model, p ModelParams) {
			require.Equal(t, make([]uint32, s.DrawVertices()), m.Count(s, p), m.Label(p))
		})
	}
}

func TestIdealByHand(t *testing.T) {
	require.Equal(t, []uint32{1, 1, 1, 0, 1}, count(t, "ideal", ModelParams{}, 0, 1, 2, 2, 1, 4))
}

// TestCachesByHand: after 0 1 2 3 comes 0, which both caches of 4 have. Then 4
// takes the place of 0 in a FIFO and of 1 in an LRU.
func TestCachesByHand(t *testing.T) {
	stream := []uint32{0, 1, 2, 3, 0, 4, 0, 1, 1}
	require.Equal(t, []uint32{2, 2, 1, 1, 1}, count(t, "fifo", ModelParams{Entries: 4}, stream...))
	require.Equal(t, []uint32{1, 2, 1, 1, 1}, count(t, "lru", ModelParams{Entries: 4}, stream...))
	require.Equal(t, []uint32{1, 1, 1, 1, 1}, count(t, "fifo", ModelParams{Entries: 5}, stream...))
	require.Equal(t, []uint32{1, 1, 1, 1, 1}, count(t, "lru", ModelParams{Entries: 5}, stream...))
	require.Equal(t, []uint32{3, 2, 1, 1, 1}, count(t, "lru", ModelParams{Entries: 1}, stream...))
}

// TestBelady: a FIFO of 4 shades more than one of 3 on Belady's own stream; an
// LRU never does.
func TestBelady(t *testing.T) {
	belady := []uint32{1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5}
	require.Equal(t, 9, total(count(t, "fifo", ModelParams{Entries: 3}, belady...)))
	require.Equal(t, 10, total(count(t, "fifo", ModelParams{Entries: 4}, belady...)))
}

func TestLRUInclusion(t *testing.T) {
	for name, stream := range streams() {
		before := count(t, "lru", ModelParams{Entries: 1}, stream...)
		for entries := 2; entries < 70; entries++ {
			now := count(t, "lru", ModelParams{Entries: entries}, stream...)
			for id := range now {
				require.LessOrEqual(t, now[id], before[id], "%s: vertex %d with %d entries", name, id, entries)
			}
			before = now
		}
		require.Equal(t, count(t, "ideal", ModelParams{}, stream...), before, name)
	}
}

// TestCachesAgainstQueues compares with caches that are slices searched from end
// to end.
func TestCachesAgainstQueues(t *testing.T) {
	slow := func(indices []uint32, entries int, refresh bool) []uint32 {
		counts := make([]uint32, slices.Max(indices)+1)
		var queue []uint32
		for _, id := range indices {
			at := slices.Index(queue, id)
			if at >= 0 && !refresh {
				continue
			}
			if at >= 0 {
				queue = slices.Delete(queue, at, at+1)
			} else {
				counts[id]++
			}
			if queue = append(queue, id); len(queue) > entries {
				queue = queue[1:]
			}
		}
		return counts
	}
	for name, stream := range streams() {
		for _, entries := range []int{1, 2, 3, 16, 24, 32, 59, 60, 2000} {
			p := ModelParams{Entries: entries}
			require.Equal(t, slow(stream, entries, false), count(t, "fifo", p, stream...), "fifo %d: %s", entries, name)
			require.Equal(t, slow(stream, entries, true), count(t, "lru", p, stream...), "lru %d: %s", entries, name)
		}
	}
}

func TestLookupModel(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Models {
		found, err := LookupModel(m.Name)
		require.NoError(t, err)
		require.Same(t, m, found)
		require.False(t, seen[m.Name], m.Name)
		seen[m.Name] = true
		require.NotEmpty(t, m.Doc)
		require.NotEmpty(t, m.Source)
		labels := map[string]bool{}
		for _, p := range m.Variants {
			require.False(t, labels[m.Label(p)], m.Label(p))
			labels[m.Label(p)] = true
		}
	}
	_, err := LookupModel("lur")
	require.EqualError(t, err, `unknown model "lur": did you mean lru? have ideal, fifo, lru, parallel, `+
		`nvidia-32-32-32, amd-14-64-128, intel-128-0-0, nv-96-32`)
}

func TestModelResolve(t *testing.T) {
	p, err := lruModel.Resolve(ModelParams{Entries: 40})
	require.NoError(t, err)
	require.Equal(t, "lru 40", lruModel.Label(p))
	p, err = parallelModel.Resolve(ModelParams{Entries: 2048, Partition: PartitionDealt})
	require.NoError(t, err)
	require.Equal(t, "parallel 2048 dealt 28x1024", parallelModel.Label(p))
	p, err = nv96Model.Resolve(ModelParams{})
	require.NoError(t, err)
	require.Equal(t, "nv-96-32 window 42", nv96Model.Label(p))
	require.Equal(t, "ideal", idealModel.Label(ModelParams{}))
	for _, tt := range []struct {
		model *Model
		p     ModelParams
		want  string
	}{
		{&fifoModel, ModelParams{Entries: -1}, "model fifo: entries -1 is out of range 1..1073741824"},
		{&lruModel, ModelParams{Entries: 1<<30 + 1}, "model lru: entries 1073741825 is out of range 1..1073741824"},
		{&idealModel, ModelParams{Entries: 16}, `model ideal: has no parameter "entries"`},
		{&amdModel, ModelParams{Window: 42}, `model amd-14-64-128: has no parameter "window"`},
		{&fifoModel, ModelParams{Partition: PartitionRange}, `model fifo: has no parameter "partition"`},
		{&parallelModel, ModelParams{Partition: "card"}, `model parallel: unknown partition "card": have range, dealt`},
		{&parallelModel, ModelParams{Multiprocessors: 1 << 17}, "model parallel: multiprocessors 131072 is out of range 1..65536"},
	} {
		_, err := tt.model.Resolve(tt.p)
		require.EqualError(t, err, tt.want)
	}
}

// randomIDs is n indices below most.
func randomIDs(seed uint64, n int, most uint32) []uint32 {
	r := rand.New(rand.NewPCG(seed, 0))
	ids := make([]uint32, n)
	for i := range ids {
		ids[i] = r.Uint32N(most)
	}
	return ids
}
