package measure

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
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

func TestOnlyProgramKeepsItsDraws(t *testing.T) {
	s := &geometry.Scene{
		Draws: []geometry.Draw{{Name: "a"}, {Name: "b"}, {Name: "c"}},
		Shading: &geometry.Shading{
			Programs: []geometry.ShaderProgram{{Name: "first"}, {Name: "second"}},
			Draws:    []geometry.DrawShading{{Program: 1}, {Program: -1}, {Program: 1}},
		},
	}
	one, draws := onlyProgram(s, 1)
	require.Equal(t, []int{0, 2}, draws)
	require.Equal(t, "c", one.Draws[1].Name)
	require.Equal(t, []geometry.ShaderProgram{{Name: "second"}}, one.Shading.Programs)
	require.Zero(t, one.Shading.Draws[1].Program)
	require.Equal(t, 1, s.Shading.Draws[2].Program, "the scene stays as it was")
	none, _ := onlyProgram(s, 0)
	require.Nil(t, none)
}

func TestDrawsAreSortedByWhatIsSaved(t *testing.T) {
	rows := []DrawAnalysis{{Draw: 0, Saved: 5}, {Draw: 0}, {Draw: 1, Saved: 9}, {Draw: 1}, {Draw: 2, DrawTimes: DrawTimes{NaiveUs: 3, Us: 1}}, {Draw: 2}}
	SortDraws(rows, 2, "saved")
	var order []int
	for _, r := range rows {
		order = append(order, r.Draw)
	}
	require.Equal(t, []int{2, 2, 1, 1, 0, 0}, order)
}
