package model

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/indextest"
)

// variants calls f for every model with each of its Variants, and with extreme parameters that
// reach corner cases on short streams.
func variants(t testing.TB, f func(m *Model, p Params)) {
	for _, m := range All {
		list := slices.Clone(m.Variants)
		switch {
		case m.Variants[0].Partition != "":
			for _, partition := range []Partition{PartitionRange, PartitionDealt} {
				list = append(list,
					Params{Entries: 1, Multiprocessors: 1, InFlight: 1, Partition: partition},
					Params{Entries: 5, Multiprocessors: 3, InFlight: 4, Partition: partition},
					Params{Entries: 1 << 30, Multiprocessors: 1 << 8, InFlight: 1 << 30, Partition: partition})
			}
		case m.Variants[0].Entries != 0:
			list = append(list, Params{Entries: 1}, Params{Entries: 2}, Params{Entries: 1 << 30})
		case m.Variants[0].Window != 0:
			list = append(list, Params{Window: 1}, Params{Window: 1 << 30})
		}
		for _, p := range list {
			resolved := must.Get(m.Resolve(p))
			f(m, resolved)
		}
	}
}

// count resolves the parameters and counts one draw.
func count(t testing.TB, model string, p Params, indices ...uint32) []uint32 {
	m := must.Get(Lookup(model))
	p = must.Get(m.Resolve(p))
	return m.Count(indices, int(slices.Max(indices))+1, p)
}

func total(counts []uint32) (sum int) {
	for _, n := range counts {
		sum += int(n)
	}
	return sum
}

// checkModels runs all variants over draws of the stream, including empty and instanced ones, and
// checks what every model promises.
func checkModels(t *testing.T, stream []uint32) {
	s := indextest.Scene(stream, nil, stream[:len(stream)/6*3], nil)
	s.Draws = append(s.Draws, s.Draws[0])
	uses := make([]uint32, s.DrawVertices())
	for i, offset := range reuse.CountOffsets(s) {
		for _, id := range s.DrawIndices(i) {
			uses[offset+id]++
		}
	}
	variants(t, func(m *Model, p Params) {
		st, counts := m.Analyze(s, p)
		require.Len(t, counts, len(uses), m.Label(p))
		for pair, n := range counts {
			require.GreaterOrEqual(t, n, min(1, uses[pair]), "%s: pair %d", m.Label(p), pair)
			require.LessOrEqual(t, n, uses[pair], "%s: pair %d", m.Label(p), pair)
		}
		require.Equal(t, total(counts), st.Invocations)
		require.LessOrEqual(t, st.Reuse(), st.Ideal())
		_, again := m.Analyze(s, p)
		require.Equal(t, counts, again, "%s: not the same twice", m.Label(p))
	})
}

func TestModelContract(t *testing.T) {
	t.Parallel()
	for name, stream := range indextest.Streams() {
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

// TestModelsCountEachDrawApart covers all models but the parallel cache, whose waves continue
// from draw to draw.
func TestModelsCountEachDrawApart(t *testing.T) {
	t.Parallel()
	first, second := indextest.Streams()["random"], indextest.Streams()["local"]
	both := indextest.Scene(first, second, first)
	variants(t, func(m *Model, p Params) {
		if p.Partition == "" {
			one, two := m.Count(first, 60, p), m.Count(second, int(slices.Max(second))+1, p)
			_, counts := m.Analyze(both, p)
			require.Equal(t, slices.Concat(one, two, one), counts, m.Label(p))
		}
	})
}

func TestModelsOfNothing(t *testing.T) {
	t.Parallel()
	for _, s := range []*geometry.Scene{{}, indextest.Scene(nil), indextest.Scene(nil, nil)} {
		variants(t, func(m *Model, p Params) {
			_, counts := m.Analyze(s, p)
			require.Equal(t, make([]uint32, s.DrawVertices()), counts, m.Label(p))
		})
	}
}

// TestBelady: on Belady's own stream a FIFO of 4 entries shades more than one of 3.
func TestBelady(t *testing.T) {
	t.Parallel()
	belady := []uint32{1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5}
	require.Equal(t, 9, total(count(t, "fifo", Params{Entries: 3}, belady...)))
	require.Equal(t, 10, total(count(t, "fifo", Params{Entries: 4}, belady...)))
}

// TestCachesAgainstQueues compares with caches that are plain slices, searched linearly.
func TestCachesAgainstQueues(t *testing.T) {
	t.Parallel()
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
	for name, stream := range indextest.Streams() {
		for _, entries := range []int{1, 2, 3, 16, 24, 32, 59, 60, 2000} {
			p := Params{Entries: entries}
			require.Equal(t, slow(stream, entries, false), count(t, "fifo", p, stream...), "fifo %d: %s", entries, name)
			require.Equal(t, slow(stream, entries, true), count(t, "lru", p, stream...), "lru %d: %s", entries, name)
		}
	}
}

func TestLookup(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, m := range All {
		found := must.Get(Lookup(m.Name))
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
	_, err := Lookup("lur")
	require.EqualError(t, err, `unknown model "lur": did you mean lru? have ideal, fifo, lru, parallel, `+
		`nvidia-32-32-32, amd-14-64-128, intel-128-0-0, nv-96-32`)
}

func TestResolve(t *testing.T) {
	t.Parallel()
	p := must.Get(lru.Resolve(Params{Entries: 40}))
	require.Equal(t, "lru:40", lru.Label(p))
	p = must.Get(parallel.Resolve(Params{Entries: 2048, Partition: PartitionDealt}))
	require.Equal(t, "parallel:2048:dealt", parallel.Label(p))
	p = must.Get(nv96.Resolve(Params{}))
	require.Equal(t, "nv-96-32:window=42", nv96.Label(p))
	require.Equal(t, "ideal", ideal.Label(Params{}))
	for _, tt := range []struct {
		model *Model
		p     Params
		want  string
	}{
		{&fifo, Params{Entries: -1}, "model fifo: entries -1 is out of range 1..1073741824"},
		{&lru, Params{Entries: 1<<30 + 1}, "model lru: entries 1073741825 is out of range 1..1073741824"},
		{&ideal, Params{Entries: 16}, `model ideal: has no parameter "entries"`},
		{&amd, Params{Window: 42}, `model amd-14-64-128: has no parameter "window"`},
		{&fifo, Params{Partition: PartitionRange}, `model fifo: has no parameter "partition"`},
		{&parallel, Params{Partition: "card"}, `model parallel: unknown partition "card": have range, dealt`},
		{&parallel, Params{Multiprocessors: 1 << 17}, "model parallel: multiprocessors 131072 is out of range 1..65536"},
	} {
		_, err := tt.model.Resolve(tt.p)
		require.EqualError(t, err, tt.want)
	}
}

// TestSummarize compares Summarize with the counts of the whole scene.
func TestSummarize(t *testing.T) {
	t.Parallel()
	many := indextest.ManyDraws(0)
	many.Draws = append(many.Draws, many.Draws[5:15]...) // repeated draws
	for _, s := range []*geometry.Scene{{}, indextest.Scene(nil), indextest.Scene([]uint32{0, 0, 0}, nil, []uint32{1, 2, 3}), many} {
		variants(t, func(m *Model, p Params) {
			want, counts := m.Analyze(s, p)
			st, sums := m.Summarize(s, p)
			require.Equal(t, want, st, m.Label(p))
			require.Equal(t, sumCounts(s, counts), sums, m.Label(p))
		})
	}
}

func TestParse(t *testing.T) {
	labels := func(text string) (list []string) {
		configs := must.Get(Parse(text))
		for _, c := range configs {
			list = append(list, c.String())
			again := must.Get(Parse(c.String()))
			require.Equal(t, []Config{c}, again, "a label names its model")
		}
		return list
	}
	for text, want := range map[string][]string{
		"ideal": {"ideal"}, "ideal:all": {"ideal"}, "lru": {"lru:16"}, "lru:32": {"lru:32"}, "fifo:entries=7": {"fifo:7"},
		"lru:all": {"lru:16", "lru:24", "lru:32"}, "parallel:1024": {"parallel:1024:range"},
		"parallel:dealt:64": {"parallel:64:dealt"},
		"parallel:inflight=32:partition=range:multiprocessors=2:1": {"parallel:1:range:multiprocessors=2:inflight=32"},
		"nv-96-32:window=96": {"nv-96-32:window=96"},
	} {
		require.Equal(t, want, labels(text), text)
	}
	var all []string
	for _, m := range All {
		for _, p := range m.Variants {
			all = append(all, m.Label(p))
		}
	}
	require.Equal(t, all, labels("all"))
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                               `unknown model "": have ideal`,
		"lur":                            `unknown model "lur": did you mean lru? have ideal`,
		"lur:32":                         `unknown model "lur": did you mean lru? have ideal`,
		"all:32":                         `unknown model "all": have ideal`,
		"lru:":                           `model "lru:": unknown parameter "": have a number of entries, range, dealt, KEY=NUMBER`,
		"lru:x":                          `model "lru:x": unknown parameter "x"`,
		"parallel:deatl":                 `model "parallel:deatl": unknown parameter "deatl": did you mean dealt?`,
		"lru:0":                          `model "lru:0": entries "0": must be a number from 1`,
		"lru:-5":                         `model "lru:-5": entries "-5": must be a number from 1`,
		"lru:entries=x":                  `model "lru:entries=x": entries "x": must be a number from 1`,
		"lru:8:9":                        `model "lru:8:9": its entries are given twice`,
		"parallel:range:dealt":           `model "parallel:range:dealt": its partition is given twice`,
		"lru:entires=8":                  `unknown parameter "entires": did you mean entries? have entries, window, multiprocessors, inflight`,
		"parallel:range:partition=dealt": "its partition is given twice",
		"parallel:partition=x":           `unknown partition "x": have range, dealt`,
		"lru:2000000000":                 "model lru: entries 2000000000 is out of range 1..1073741824",
		"lru:range":                      `model lru: has no parameter "partition"`,
		"ideal:3":                        `model ideal: has no parameter "entries"`,
		"lru:all:3":                      `model "lru:all:3": unknown parameter "all"`,
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}
