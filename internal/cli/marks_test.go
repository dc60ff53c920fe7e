package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestMarks(t *testing.T) {
	five := &geometry.Scene{Draws: make([]geometry.Draw, 5)}
	const p, h, d = renderer.Plain, renderer.Hidden, renderer.Dimmed
	for flags, want := range map[MarkFlags][]renderer.Mark{
		{}:                               nil,
		{Hide: "1,3-4"}:                  {p, h, p, h, h},
		{Isolate: "2"}:                   {h, h, p, h, h},
		{Highlight: "0,4"}:               {p, d, d, d, p},
		{Highlight: "0", Hide: "1"}:      {p, h, d, d, d},
		{Highlight: "0-4"}:               nil,
		{Isolate: "0-2", Highlight: "2"}: {d, d, p, h, h},
	} {
		require.Equal(t, want, must.Get(flags.Marks(five)), "%+v", flags)
	}
	for says, flags := range map[string]MarkFlags{
		"are draws 0 to 4":      {Hide: "2,5"},
		"want numbers of draws": {Isolate: "4-2"},
		`--highlight ",": want`: {Highlight: ","},
	} {
		_, err := flags.Marks(five)
		require.ErrorContains(t, err, says)
	}
}

// The camera fits the visible draws, dimmed or not.
func TestSeenBounds(t *testing.T) {
	s := must.Get(assets.Make("city4"))
	flags := MarkFlags{Isolate: "3,5", Highlight: "3"}
	marks := must.Get(flags.Marks(s))
	require.Equal(t, s.Only([]int{3, 5}).Bounds(), SeenBounds(s, marks))
	require.Equal(t, s.Bounds(), SeenBounds(s, nil))
	for i := range marks {
		marks[i] = renderer.Hidden
	}
	require.Equal(t, s.Bounds(), SeenBounds(s, marks))
}

// WithDraw returns lists that name only numbers that the scene has; a range may span missing ones.
func TestWithDraw(t *testing.T) {
	s := &geometry.Scene{}
	for _, event := range []uint32{9, 12, 12, 13, 20} {
		s.Draws = append(s.Draws, geometry.Draw{Event: event})
	}
	for _, c := range []struct {
		list   string
		number int
		in     bool
		want   string
	}{
		{"", 12, true, "12"}, {"12", 12, true, "12"}, {"12", 13, true, "12-13"}, {"12-13", 9, true, "9-13"}, {"9-20", 12, false, "9,13-20"},
		{"9,20", 20, false, "9"}, {"9", 9, false, ""}, {"", -1, true, "9-20"}, {"of another scene", 13, true, "13"},
	} {
		got := WithDraw(c.list, s, c.number, c.in)
		require.Equal(t, c.want, got)
		must.Get((&MarkFlags{Hide: got}).Marks(s))
	}
	require.Equal(t, "0", WithDraw("", must.Get(assets.Make("city2")), 0, true), "draws without an event are numbered from 0")
}
