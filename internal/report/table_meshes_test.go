package report

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/measure"
)

func TestTitleNamesFewMeshes(t *testing.T) {
	few := &Report{Scenes: slices.Repeat([]Scene{{Name: "a", Given: true}}, 4)}
	require.Equal(t, "Vertex reuse of a, a, a, a", few.title())
	few.Scenes = append(few.Scenes, few.Scenes[0])
	require.Equal(t, "Vertex reuse of 5 meshes", few.title())
}

// TestLinesThatCoincide: such lines become one, with all their names.
func TestLinesThatCoincide(t *testing.T) {
	a, b, c := series{Name: "a", X: []float64{1}, Y: []float64{2}}, series{Name: "b", X: []float64{1}, Y: []float64{3}}, series{Name: "c", X: []float64{1}, Y: []float64{2}}
	d := series{Name: "d", X: []float64{2}, Y: []float64{2}}
	p := panel{Series: []series{a, b, c, d}}
	require.Equal(t, []string{"a, c", "b", "d"}, distinct(p.merged().Series, func(s *series) string { return s.Name }))
	require.Equal(t, "a", p.Series[0].Name)
}

// frameDraws returns twelve draws of a frame with two strategies. warp has fewer invocations.
func frameDraws(frame string) (rows []measure.DrawAnalysis) {
	for i := range 12 {
		d := measure.DrawAnalysis{Source: measure.Source{File: frame}, Draw: i, Name: "pass <1>", Instances: 1, Triangles: 100, Indices: 300, Referenced: 60}
		for _, s := range []string{"claim", "warp"} {
			d.Strategy, d.Kind, d.Invocations = s, measure.KindStrategy, 200-10*i
			if s == "warp" {
				d.Invocations -= 5
			}
			rows = append(rows, d)
		}
	}
	return rows
}
