package stream

import (
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/clock"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestSubmissions(t *testing.T) {
	for _, c := range []struct {
		passes string
		apart  bool
		want   []string
	}{
		{"cab", false, []string{"cab"}}, {"ab", true, []string{"a", "b"}}, {"cab", true, []string{"ca", "b"}}, {"ca", true, []string{"ca"}}, {"c", true, []string{"c"}},
	} {
		var passes []plan.Pass
		for _, r := range c.passes {
			passes = append(passes, plan.Pass{Name: map[rune]string{'c': clearing, 'a': "a", 'b': "b"}[r]})
		}
		var got []string
		for _, part := range parts(passes, c.apart) {
			got = append(got, "")
			for _, p := range part {
				got[len(got)-1] += p.Name[:1]
			}
		}
		require.Equal(t, c.want, got, c.passes)
	}
}

// TestMedian checks the number of runs: 25 and at least half a second, but none begins after two seconds.
func TestMedian(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			each time.Duration
			runs int
		}{{time.Millisecond, 500}, {40 * time.Millisecond, 25}, {100 * time.Millisecond, 20}, {1500 * time.Millisecond, 2}, {time.Hour, 1}} {
			runs := 0
			took, err := Median(func() (time.Duration, error) {
				time.Sleep(c.each)
				runs++
				return time.Duration(runs * 7 % 500), nil
			}, func(t time.Duration) time.Duration { return t })
			require.NoError(t, err)
			require.Equal(t, c.runs, runs, c.each)
			lower, higher := 0, 0
			for n := max(1, runs-timedRuns+1); n <= runs; n++ {
				if x := time.Duration(n * 7 % 500); x < took {
					lower++
				} else if x > took {
					higher++
				}
			}
			require.True(t, lower-higher >= 0 && lower-higher <= 1, "%d are less than the median, %d are more", lower, higher)
		}
		failed := errors.New("failed")
		_, err := Median(func() (int, error) { return 0, failed }, func(int) time.Duration { return 0 })
		require.ErrorIs(t, err, failed)
		_, err = Median[int](nil, nil)
		require.ErrorContains(t, err, "without functions")
	})
}

// TestShade shades four edges of which two are named twice. Before that, tables without a name of their own or with elements
// that are not numbers are refused, and so is reading more than a table has. Nothing stays on the device. Shaders are
// compiled before their time counts.
func TestShade(t *testing.T) {
	t.Setenv("MESA_SHADER_CACHE_DISABLE", "true")
	b := must.Get(gpu.OpenBackend(gpu.BackendOptions{Device: os.Getenv("SHADEONCE_DEVICE"), Validation: os.Getenv("SHADEONCE_VALIDATION") != ""}))
	t.Cleanup(func() { b.Close(); require.Empty(t, b.Messages()) })
	type padded struct {
		A uint8
		B uint32
	}
	lengths := Result[float32]("EdgeLengths", 4)
	for want, bad := range map[string]Block{
		"needs a name": {}, `table ""`: Result[uint32]("", 1), `table "EdgeLengths"`: lengths,
		"padded is not made": Result[padded]("B", 1), "int is not made": Result[int]("B", 1), "table B: -1 element": Result[uint32]("B", -1),
	} {
		_, err := NewTables(b, lengths, bad)
		require.ErrorContains(t, err, want)
	}
	tables := must.Get(NewTables(b, Table("LengthPoints", []mgl32.Vec3{{}, {1, 0, 0}, {0, 2, 0}}), Table("LengthEnds", [][2]uint32{{0, 1}, {0, 2}, {1, 2}, {0, 1}}),
		lengths, Result[float32]("CornerLengths", 6)))
	defer tables.Close()
	for n, table := range map[int]*gpu.Buffer{-1: tables["EdgeLengths"], 5: tables["EdgeLengths"], 1: nil} {
		_, err := Load[uint32](b, table, n)
		require.ErrorContains(t, err, "there is no such table, or it has fewer")
	}
	s, o := reuse.Stream{Indices: []uint32{0, 1, 2, 2, 1, 3}, IDs: 4}, Options{Function: plan.Function{Name: "length", Reuse: must.Get(reuse.Resolve("naive", 0, 3)), Held: 4}}
	out := must.Get(Shade(t.Context(), b, s, tables, o))
	require.Equal(t, []uint32{1, 2, 2, 1}, out.Counts)
	require.Equal(t, [3]int{6, 4, 2}, [3]int{out.Stats.Invocations, out.Stats.Referenced, out.Stats.Batches})
	require.Equal(t, []float32{1, 4, 5, 1}, must.Get(Load[float32](b, tables["EdgeLengths"], 4)))
	require.True(t, out.Took > 0 && out.Cutting > 0)
	o.Reuse = must.Get(reuse.Resolve("claim", 0, 0))
	since := clock.Start()
	r := must.Get(NewRun(b, s, tables, o))
	defer r.Close()
	made := since()
	require.Less(t, must.Get(r.Do(t.Context())), made)
}

// TestOptionsAreChecked changes one thing at a time of a stream, its options and its tables.
func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	fits := reuse.Stream{Name: "four", Indices: []uint32{0, 1, 2, 2, 1, 3}, IDs: 4}
	for want, change := range map[string]func(*Options, *reuse.Stream, Tables){
		"":                               func(*Options, *reuse.Stream, Tables) {},
		"has no indices":                 func(_ *Options, s *reuse.Stream, _ Tables) { s.Indices = nil },
		"of -4 bytes":                    func(o *Options, _ *reuse.Stream, _ Tables) { o.Held = -4 },
		"of 6 bytes":                     func(o *Options, _ *reuse.Stream, _ Tables) { o.Held = 6 },
		"parts of -1 corners":            func(o *Options, _ *reuse.Stream, _ Tables) { o.Part = -1 },
		"no such subgroups":              func(o *Options, _ *reuse.Stream, _ Tables) { o.Subgroups = renderer.VirtualSubgroups + 1 },
		"without a table Counts":         func(o *Options, _ *reuse.Stream, _ Tables) { o.AddCounts = true },
		"cut of 2 batches":               func(o *Options, _ *reuse.Stream, _ Tables) { o.Cut.Stream++ },
		"from 3 on in draw 0":            func(o *Options, _ *reuse.Stream, _ Tables) { o.Cut.Table[0].FirstIndex = 3 },
		"6 elements from 0 on in draw 1": func(o *Options, _ *reuse.Stream, _ Tables) { o.Cut.Table[0].Draw = 1 },
		"has 6 elements from 0 on":       func(o *Options, _ *reuse.Stream, _ Tables) { o.Reuse = must.Get(reuse.Resolve("naive", 0, 3)) },
		"batch 0 of the cut has 6":       func(o *Options, _ *reuse.Stream, _ Tables) { o.Cut.Stream = 0 }, // so it is a batch of 6 ids
	} {
		s, tables := fits, Tables{}
		o := Options{Function: plan.Function{Name: "length", Reuse: must.Get(reuse.Resolve("claim", 0, 0)), Held: 4}}
		o.Cut = plan.CutStream(s, o.Reuse)
		change(&o, &s, tables)
		if err := o.check(s, tables); want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
	s := reuse.Stream{Indices: []uint32{9, 9, 9}, IDs: 4}
	o := Options{Function: plan.Function{Reuse: must.Get(reuse.Resolve("claim", 0, 0))}}
	require.Error(t, o.check(s, nil))
	require.NoError(t, o.check(s, Tables{plan.Indices: &gpu.Buffer{}}), "the ids are those of the table")
	o.AddCounts = true
	require.NoError(t, o.check(fits, Tables{plan.Counts: &gpu.Buffer{}}))
}
