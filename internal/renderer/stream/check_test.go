package stream

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

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
