package measure

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
)

func TestTimesAreSharedBetweenTheDrawsOfAShader(t *testing.T) {
	timed := []GeometryRow{
		{Strategy: "naive", Load: "captured", MsMedian: 2, Invocations: 1000}, {Strategy: "claim", Load: "captured", MsMedian: 1, Invocations: 400},
		{Strategy: "naive", Load: "simple", MsMedian: .5, Invocations: 1000}, {Strategy: "claim", Load: "simple", MsMedian: .4, Invocations: 400},
	}
	row := DrawAnalysis{Strategy: "claim", Kind: KindStrategy, Indices: 500, Invocations: 100}
	require.Equal(t, DrawTimes{VertexNs: 2000, SimpleNs: 500, NaiveUs: 1000, Us: 250}, timesOf(timed, &row, 1000))
	row.Kind = KindModel
	require.Zero(t, timesOf(timed, &row, 1000).Us, "a model is not timed")
}

// Draws of one mesh under one name are instances of each other.
func TestDrawsOfOneMesh(t *testing.T) {
	d := geometry.Draw{Name: "a", FirstIndex: 3, IndexCount: 9, VertexCount: 5, VertexOffset: 7}
	s := &geometry.Scene{Draws: []geometry.Draw{d, d}}
	require.True(t, sameDraw(s, 0, 1))
	for _, change := range []func(d *geometry.Draw){
		func(d *geometry.Draw) { d.Name = "b" }, func(d *geometry.Draw) { d.FirstIndex++ }, func(d *geometry.Draw) { d.IndexCount++ },
		func(d *geometry.Draw) { d.VertexCount++ }, func(d *geometry.Draw) { d.VertexOffset++ },
	} {
		s.Draws[1] = d
		change(&s.Draws[1])
		require.False(t, sameDraw(s, 0, 1), s.Draws[1])
	}
}

func TestOnlyProgramKeepsItsDraws(t *testing.T) {
	s := &geometry.Scene{
		Draws: []geometry.Draw{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Shading: &geometry.Shading{
			Programs: []link.Program{{Name: "first"}, {Name: "second"}},
			Draws:    []geometry.DrawShading{{Program: 1}, {Program: -1}, {Program: 1}},
		},
	}
	one := s.OnlyProgram(1)
	require.Equal(t, []geometry.Draw{s.Draws[0], s.Draws[2]}, one.Draws)
	require.Equal(t, []link.Program{{Name: "second"}}, one.Shading.Programs)
	require.Zero(t, one.Shading.Draws[1].Program)
	require.Equal(t, 1, s.Shading.Draws[2].Program, "the scene stays as it was")
}

func TestLargeShadersAreTimedFirst(t *testing.T) {
	s := &geometry.Scene{
		Indices: make([]uint32, 30),
		Draws:   []geometry.Draw{{IndexCount: 3, VertexCount: 1}, {IndexCount: 9, VertexCount: 1}, {IndexCount: 6, VertexCount: 1}, {IndexCount: 30, VertexCount: 1}},
		Shading: &geometry.Shading{
			Programs: make([]link.Program, 3),
			Draws:    []geometry.DrawShading{{Program: 0}, {Program: 2}, {Program: 0}, {Program: -1}},
		},
	}
	require.Equal(t, []int{0, 2}, programsBySize(s), "of two that are alike the first; the one without draws is left out")
	s.Draws[1].IndexCount = 12
	require.Equal(t, []int{2, 0}, programsBySize(s))
	ended, end := context.WithCancel(t.Context())
	end()
	require.ErrorIs(t, (&Draws{}).Time(ended, nil, Subject{Scene: s}, nil), context.Canceled)
}

func TestDrawsAreSortedByWhatIsSaved(t *testing.T) {
	rows := []DrawAnalysis{{Draw: 0, Saved: 5}, {Draw: 0}, {Draw: 1, Saved: 9}, {Draw: 1}, {Draw: 2, DrawTimes: DrawTimes{NaiveUs: 3, Us: 1}}, {Draw: 2}}
	rows = append(rows, DrawAnalysis{Draw: 3, Indices: 9, Invocations: 8}, DrawAnalysis{Draw: 3}, DrawAnalysis{Draw: 4, Indices: 9, Invocations: 4}, DrawAnalysis{Draw: 4})
	SortDraws(rows, 2, "saved")
	var order []int
	for _, r := range rows {
		order = append(order, r.Draw)
	}
	require.Equal(t, []int{2, 2, 1, 1, 0, 0, 4, 4, 3, 3}, order)
}
