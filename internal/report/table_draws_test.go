package report

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/measure"
)

// frameDraws are twelve draws of a frame by two strategies. warp has fewer invocations.
func frameDraws(frame string) (rows []measure.DrawAnalysis) {
	for i := range 12 {
		d := measure.DrawAnalysis{File: frame, Draw: i, Name: "pass <1>", Instances: 1, Triangles: 100, Indices: 300, Referenced: 60}
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

// TestDrawsThatSaveMost lists ten draws of a frame, the first of which saves most, and their
// sum over all, by the strategy that is best in the frame.
func TestDrawsThatSaveMost(t *testing.T) {
	t.Parallel()
	r := sample()
	r.Scenes = append(r.Scenes, Scene{Name: "a", Path: "a.rdc", Frame: true, Given: true}, Scene{Name: "b", Path: "b.draws", Frame: true, Given: true})
	r.Draws = append(frameDraws("a"), frameDraws("b")...)
	for i := range 24 {
		d := &r.Draws[i]
		if d.Shader = "pipeline 7"; d.Draw == 11 {
			continue // there was no time for it
		}
		d.VertexNs, d.SimpleNs, d.NaiveUs, d.Us = 2, 1, .6, .4
		if d.Strategy == "claim" {
			d.Us = .5 - .03*float64(d.Draw%3)
		}
	}
	for i := 1; i < 24; i += 2 {
		r.Draws[i].Us *= 1.5 // warp
	}
	files := filesOf(t, r)
	page := string(files[PageName])
	require.Contains(t, page, "a: where claim saves most, 10 of 12 draws", "it saves most time")
	require.Contains(t, page, "b: where warp saves most, 10 of 12 draws", "it has the fewest invocations")
	list := elements(t, pageBody(files[PageName]))
	require.Equal(t, []string{"2", "pass <1>", "pipeline 7", "300", "180", "60", "2.000", "1.000", "0.16", "0.60"}, rowAfter(t, list, "2", "pass <1>", 10))
	require.Equal(t, []string{"", "all 12 draws", "shaders: 1", "3\u202f600", "1\u202f740", "720", "2.000", "1.000", "1.40", "6.60"}, rowAfter(t, list, "", "all 12 draws", 10))
	require.Equal(t, []string{"11", "pass <1>", "–", "300", "85", "60"}, rowAfter(t, list, "11", "pass <1>", 6), "of the frame that was not timed; of the other it is not among the first")
	require.Contains(t, page, "shadeonce analyze a.rdc --per-draw --sort saved --strategy claim,warp --vertex-shader captured --csv")

	rows := sheetOf(t, files["draws.csv"])
	require.Len(t, rows, len(r.Draws))
	for i, d := range r.Draws {
		require.Equal(t, []string{d.File, strconv.Itoa(d.Draw), d.Strategy, strconv.Itoa(d.Invocations)},
			[]string{rows[i]["scene"], rows[i]["draw"], rows[i]["strategy"], rows[i]["invocations"]})
		require.Equal(t, d.VertexNs == 0, rows[i]["vertex_ns"] == "" && rows[i]["us"] == "")
	}

	r.Draws = frameDraws("b")
	page = string(filesOf(t, r)[PageName])
	require.Contains(t, page, "shadeonce analyze b.draws --per-draw --sort saved --strategy claim,warp --csv")
	require.NotContains(t, page, "µs saved")
}
