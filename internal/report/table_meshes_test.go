package report

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/measure"
)

// TestOwnMeshesFirst: given meshes come first, then the paper; without any the page is about the
// paper only.
func TestOwnMeshesFirst(t *testing.T) {
	r := sample()
	page := pageOf(t, r)
	require.NotContains(t, page, "Your meshes")
	require.Contains(t, page, "<h1>The paper, measured again</h1>")

	r.Scenes[0].Given = true
	r.Reuse = append(r.Reuse, Reuse{Scene: "bun.ply", Order: "forsyth", Counter: "multi", Kind: Strategy, Stats: stats(69451, 34834, 35947)})
	page = pageOf(t, r)
	require.Contains(t, page, "<h1>Vertex reuse of bun.ply</h1>")
	own, meshes, pictures, paper, table := strings.Index(page, ">Your meshes<"), strings.Index(page, `<section id="meshes">`), strings.Index(page, `<section id="pictures">`),
		strings.Index(page, ">The paper, measured again<"), strings.Index(page, `<section id="reuse">`)
	require.Positive(t, own)
	require.IsIncreasing(t, []int{own, meshes, pictures, paper, table})
	require.Contains(t, page, "bun.ply (1\u202f113 of 35\u202f947 vertices)", "multi shades them")
	require.Contains(t, page, `<span style="--step: #29a338">1</span>`, "the colours' key")
	require.Contains(t, page, "prefers-color-scheme: dark")
}

func TestTitleNamesFewMeshes(t *testing.T) {
	few := &Report{Scenes: slices.Repeat([]Scene{{Name: "a", Given: true}}, 4)}
	require.Equal(t, "Vertex reuse of a, a, a, a", few.title())
	few.Scenes = append(few.Scenes, few.Scenes[0])
	require.Equal(t, "Vertex reuse of 5 meshes", few.title())
}

// TestNoTimesNoCPUTimes: a page without times does not mention the CPU's.
func TestNoTimesNoCPUTimes(t *testing.T) {
	r := sample()
	require.Contains(t, pageOf(t, r), "All times on this page were measured on a CPU")
	r.Times, r.Applications = nil, nil
	require.NotContains(t, pageOf(t, r), "measured on a CPU")
	r.Draws = frameDraws("a")
	r.Draws[0].VertexNs = 1
	require.Contains(t, pageOf(t, r), "measured on a CPU", "times of draws are times, too")
}

func pageOf(t *testing.T, r *Report) string {
	files, err := r.Files()
	require.NoError(t, err)
	return string(files[0].Data)
}

// TestLinesThatCoincide: such lines become one, with all their names.
func TestLinesThatCoincide(t *testing.T) {
	a, b, c := series{Name: "a", X: []float64{1}, Y: []float64{2}}, series{Name: "b", X: []float64{1}, Y: []float64{3}}, series{Name: "c", X: []float64{1}, Y: []float64{2}}
	p := panel{Series: []series{a, b, c}}
	require.Equal(t, []string{"a, c", "b"}, distinct(p.merged().Series, func(s *series) string { return s.Name }))
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

// TestDrawsThatSaveMost lists ten draws of a frame, beginning with the one that saves most, and
// their sum over all draws, for the best strategy in the frame.
func TestDrawsThatSaveMost(t *testing.T) {
	t.Parallel()
	r := sample()
	r.Scenes = append(r.Scenes, Scene{Name: "a", Path: "a.rdc", Frame: true, Given: true}, Scene{Name: "b", Path: "b.draws", Frame: true, Given: true})
	r.Draws = append(frameDraws("a"), frameDraws("b")...)
	for i := range 24 {
		d := &r.Draws[i]
		if d.Shader = "pipeline 7"; d.Draw == 11 {
			continue // not timed, since time ran out
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

// TestApplications shows times next to the paper's tables 3 and 4, as ratios to naive.
func TestApplications(t *testing.T) {
	r := sample()
	row := func(app, scene, strategy string, ms float64) measure.ApplicationRow {
		return measure.ApplicationRow{App: app, File: scene, Part: "level 1", Strategy: strategy, Batches: measure.Batches{Batching: "static", Batch: 96}, Milliseconds: ms, VsNaive: 4 / ms, VsNaiveIndex: 2 / ms, Hash: "0123"}
	}
	r.Applications = []measure.ApplicationRow{
		row("subdivide", "bun.ply", "naive", 4), row("subdivide", "bun.ply", "sort", 2.5), row("walk", "300000 agents", "hash", 1), row("walk", "300000 agents", "claim", 1),
	}
	files := filesOf(t, r)
	read := func(name string) map[string][]string {
		rows, err := csv.NewReader(bytes.NewReader(files[name])).ReadAll()
		require.NoError(t, err)
		table := map[string][]string{}
		for column, title := range rows[0] {
			for _, cells := range rows[1:] {
				table[title] = append(table[title], cells[column])
			}
		}
		return table
	}
	subdivide, walk := read("subdivide.csv"), read("walk.csv")
	require.Equal(t, []string{"1", "1.6"}, subdivide["speed"])
	require.Equal(t, []string{"0.7", "0.57"}, subdivide["paper_ms"])
	require.Equal(t, "1.228", subdivide["paper_speed"][1][:5])
	require.Equal(t, []string{"0.09", ""}, walk["paper_ms"], "the paper has no claim")
	require.Contains(t, string(files[PageName]), "No scene of the paper&#39;s table 4")
}
