package report

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/renderer"
)

// hostile is a scene name that a file may have.
const hostile = `<script>alert("x")</script>&.ply`

// stats returns the statistics of a scene with the given number of triangles. The invocations are
// spread over its referenced vertices as evenly as possible.
func stats(triangles, referenced, invocations int) reuse.Stats {
	st := reuse.Stats{Draws: 1, Vertices: referenced, Referenced: referenced, Triangles: triangles, Indices: 3 * triangles, Invocations: invocations}
	low := invocations / referenced
	st.Histogram = make([]int, low+2)
	st.Histogram[low] = referenced - invocations%referenced
	st.Histogram[low+1] = invocations % referenced
	return st
}

// sample is a report of a bunny whose warp reuse differs from the paper's by .02, and of a scene with a hostile name.
func sample() *Report {
	const triangles, referenced = 69451, 34834
	at := func(reuse float64) int { return int(math.Round((1 - reuse) * 3 * triangles)) }
	r := &Report{
		Run: Run{Command: "shadeonce report -o 'x <y>'", Date: time.Unix(0, 0).UTC(), Program: buildinfo.Program{Version: "v1", Commit: "c2"}, Device: "llvmpipe", Driver: "Mesa", Backend: "gpu", Software: true},
		Scenes: []Scene{
			{Name: "bun.ply", Path: "a b/bun.ply", Paper: "bunny", Draws: 1, Vertices: 35947, Referenced: referenced, Triangles: triangles},
			{Name: hostile, Path: hostile, Draws: 1, Vertices: 4, Referenced: 4, Triangles: 2},
		},
		Hardware: Hardware{Counter: "model", Text: "A model."},
		Notes:    []string{"Left out: <b>."},
	}
	add := func(order, counter, column, reading string, kind Kind, rate float64) {
		u := Reuse{Scene: "bun.ply", Order: order, Counter: counter, Name: counter, Kind: kind, Column: column, Reading: reading, Stats: stats(triangles, referenced, at(rate))}
		if counter == "dynamic" {
			u.Name, u.Flags = "hash", " --unique 256"
		}
		tiny := u
		tiny.Scene, tiny.Stats = hostile, stats(2, 4, 4)
		r.Reuse = append(r.Reuse, u, tiny)
	}
	add("forsyth", "ideal", ColumnIdeal, "", Model, .8328)
	for i, c := range PaperColumns[1:4] {
		add("forsyth", "parallel "+c, c, "", Model, .056+.004*float64(i))
		add("forsyth", "dealt "+c, c, "dealt", Model, .03)
	}
	for _, order := range CallOrders {
		warp := map[string]float64{"forsyth": .734, "random": -.06, "original": .266, "hoppe": .7}[order]
		add(order, "model", "", "", Model, warp)
		add(order, "warp", ColumnWarp, "", Strategy, warp)
		add(order, "dynamic", ColumnDynamic, "", Strategy, warp+.065)
		add(order, "hash", "", "", Strategy, warp+.065)
		add(order, "claim", "", "", Strategy, warp+.06)
	}
	for _, lanes := range []int{4, 8, 16} {
		r.Lanes = append(r.Lanes, Reuse{Scene: "bun.ply", Order: "forsyth", Counter: "warp", Name: "warp", Flags: fmt.Sprintf(" --lanes %d --batch 24", lanes), Series: "warp", Kind: Strategy, Lanes: lanes, Stats: stats(triangles, referenced, at(float64(lanes)/40))})
	}
	for _, load := range []string{renderer.SimpleLoad, "512"} {
		for i, name := range []string{Baseline, "warp", "hash"} {
			ms := 2 + .5*float64(i)
			r.Times = append(r.Times, measure.GeometryRow{
				Source: measure.Source{File: "bun.ply", Order: "forsyth"}, Strategy: name, Load: load, Chunks: 2,
				Sizes: measure.Sizes{Batches: measure.Batches{Batching: "static", Batch: 96}, Queue: "indexed"}, MsMedian: ms, MsMin: ms - .125, MsMax: ms + .125,
				Runs: 3, Reuse: .25 * float64(i), BatchingMs: .5, Bytes: 1 << 20,
			})
		}
	}
	r.Pictures = []Picture{{Scene: "bun.ply", Order: "forsyth", Counters: []string{"hash", "sort"}, Reuse: .5, PNG: []byte("\x89PNG"), Alt: "bunny"}}
	return r
}

func filesOf(t *testing.T, r *Report) map[string][]byte {
	list := must.Get(r.Files())
	files := map[string][]byte{}
	var names []string
	for _, f := range list {
		require.NotContains(t, files, f.Name, "two files of one name")
		require.Regexp(t, `^[A-Za-z0-9_.-]+$`, f.Name)
		files[f.Name] = f.Data
		names = append(names, f.Name)
	}
	own, ok := Owned(files[PageName])
	require.True(t, ok)
	require.Equal(t, names, own)
	return files
}

// sheetOf reads a CSV: for each row, a map from column to cell.
func sheetOf(t *testing.T, data []byte) []map[string]string {
	rows := must.Get(csv.NewReader(bytes.NewReader(data)).ReadAll())
	var list []map[string]string
	for _, row := range rows[1:] {
		m := map[string]string{}
		for i, cell := range row {
			m[rows[0][i]] = cell
		}
		list = append(list, m)
	}
	return list
}

func TestPageNeedsNothingElseAndEscapes(t *testing.T) {
	t.Parallel()
	files := filesOf(t, sample())
	page := string(files[PageName])
	require.NotContains(t, page, hostile)
	require.NotContains(t, strings.ToLower(page), "<script")
	require.NotContains(t, page, "<b>.")
	names := 0
	_, body, _ := strings.Cut(page, "\n") // the first line is not XML
	d := xml.NewDecoder(strings.NewReader(body))
	d.Entity = xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err) // fails, for instance, if an element is not closed
		switch token := token.(type) {
		case xml.CharData:
			if string(token) == hostile {
				names++
			}
		case xml.StartElement:
			require.NotEqual(t, "link", token.Name.Local)
			for _, a := range token.Attr {
				switch {
				case a.Name.Local == "src":
					require.True(t, strings.HasPrefix(a.Value, "data:image/png;base64,"), a.Value)
				case a.Name.Local == "href" && !strings.HasPrefix(a.Value, "#"):
					require.Contains(t, files, a.Value)
				}
			}
		}
	}
	require.Positive(t, names, "the name itself is shown")
	require.NotContains(t, strings.ReplaceAll(strings.ReplaceAll(page, "http://www.w3.org/2000/svg", ""), "http://www.w3.org/1999/xlink", ""), "http")
	require.Contains(t, page, "measured on a CPU")
	quiet := sample()
	quiet.Run.Software = false
	require.NotContains(t, string(filesOf(t, quiet)[PageName]), "measured on a CPU")
}

// Every column of every sheet is documented, and rows are as long as the head.
func TestSheetsAreDocumented(t *testing.T) {
	t.Parallel()
	r := sample()
	files := filesOf(t, r)
	page := string(files[PageName])
	sheets := 0
	for name, data := range files {
		if !strings.HasSuffix(name, ".csv") {
			continue
		}
		sheets++
		rows := sheetOf(t, data)
		if len(rows) == 0 {
			continue
		}
		require.Contains(t, page, `<a href="`+name+`">`)
		for column := range rows[0] {
			require.Contains(t, page, "<code>"+column+"</code>", name)
		}
	}
	require.Greater(t, sheets, 10)
	bad := sheet{Columns: []column{{"a", "a"}}}
	bad.add(1, 2)
	_, err := bad.csv()
	require.EqualError(t, err, "report: a row of 2 cells for 1 columns")
}

func TestAnEmptyReportIsWritten(t *testing.T) {
	t.Parallel()
	filesOf(t, &Report{})
}

func TestExplanationsAreOfTheirReading(t *testing.T) {
	for _, e := range explanations {
		require.Equal(t, e.text, explain(difference{Figure: e.figure, Reading: e.reading}).Explanation)
	}
}

// TestCallsDifferEitherWay: both more and fewer invocations than the paper states count as a difference.
func TestCallsDifferEitherWay(t *testing.T) {
	r := sample()
	require.Empty(t, r.callDifferences())
	st := &r.find("bun.ply", "random", "model").Stats
	for _, invocations := range []int{7, 5} {
		st.Invocations = invocations * st.Referenced
		list := r.callDifferences()
		require.Len(t, list, 1)
		require.Equal(t, "random", list[0].Column)
	}
}

// TestHeatmapsOnThePage: numbers are little-endian, counts bytes, names escaped; a page without heatmaps
// has no script.
func TestHeatmapsOnThePage(t *testing.T) {
	t.Parallel()
	r := &Report{}
	require.NotContains(t, string(must.Get(r.page(nil, nil))), "<script")
	r.Heatmaps = []Heatmap{{Scene: `"><b>`, Positions: []float32{1, -2, 0}, Indices: []uint32{258, 0}, Counts: [2][]uint32{{1, 255, 256}, {2, 3, 1000}}}}
	page := string(must.Get(r.page(nil, nil)))
	require.NotContains(t, page, `"><b>`)
	require.Equal(t, 1, strings.Count(page, `<div class="heatmap"`))
	require.Contains(t, page, "<script>"+heatmapScript+"</script>")
	for name, want := range map[string]string{
		"positions": "\x00\x00\x80\x3f\x00\x00\x00\xc0\x00\x00\x00\x00", "indices": "\x02\x01\x00\x00\x00\x00\x00\x00", "left": "\x01\xff\xff", "right": "\x02\x03\xff",
	} {
		require.Contains(t, page, `data-`+name+`="`+strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(want)), "+", "&#43;")+`"`)
	}
}

func TestTitleNamesFewMeshes(t *testing.T) {
	few := &Report{Scenes: slices.Repeat([]Scene{{Name: "a", Given: true}}, 4)}
	require.Equal(t, "Vertex reuse of a, a, a, a", few.title())
	few.Scenes = append(few.Scenes, few.Scenes[0])
	require.Equal(t, "Vertex reuse of 5 meshes", few.title())
}

// TestLinesThatCoincide: lines with equal points are drawn as one, labelled with all their names.
func TestLinesThatCoincide(t *testing.T) {
	a, b, c := series{Name: "a", X: []float64{1}, Y: []float64{2}}, series{Name: "b", X: []float64{1}, Y: []float64{3}}, series{Name: "c", X: []float64{1}, Y: []float64{2}}
	d := series{Name: "d", X: []float64{2}, Y: []float64{2}}
	p := panel{Series: []series{a, b, c, d}}
	require.Equal(t, []string{"a, c", "b", "d"}, distinct(p.merged().Series, func(s *series) string { return s.Name }))
	require.Equal(t, "a", p.Series[0].Name)
}

// TestMeansOfTimedScenes: scenes where naive was not timed, and small scenes, do not count in the mean relative to
// naive.
func TestMeansOfTimedScenes(t *testing.T) {
	r := &Report{Scenes: []Scene{{Name: "a", Triangles: smallScene}, {Name: "b", Triangles: smallScene}, {Name: "small", Triangles: smallScene - 1}}}
	timed := func(strategy string, ms float64, files ...string) {
		for _, file := range files {
			var m measure.GeometryRow
			m.File, m.Strategy, m.MsMedian = file, strategy, ms
			r.Times = append(r.Times, m)
		}
	}
	timed(Baseline, 4, "a")
	timed("claim", 1, "a", "b")
	timed(Baseline, 1, "small")
	timed("claim", 1, "small")
	ours, _, scenes := r.summary("", "claim")
	require.Equal(t, .25, ours)
	require.Equal(t, 1, scenes)

	timed(Baseline, 4, "b", "c") // naive and claim now have more scenes than the strategy that was timed last
	timed("warp", 1, "a")
	g, _ := r.relativeSummary()
	require.Contains(t, g.Head, ", 2 scenes")
}

// TestDifferencesFromThePaper: reuse that differs by more than Bound is marked, whichever is larger.
func TestDifferencesFromThePaper(t *testing.T) {
	scene, column := paper().Scenes[0].Name, PaperColumns[0]
	theirs := paperReuse(scene, column)
	for _, off := range []float64{-2 * Bound, -Bound / 2, 0, Bound / 2, 2 * Bound} {
		const indices = 1e6
		u := &Reuse{Stats: reuse.Stats{Indices: indices, Invocations: int(indices * (1 - theirs - off))}}
		c := differenceCell(u, scene, column)
		require.Equal(t, math.Abs(off) > Bound, c.Class == classBeyond, off)
	}
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

func TestVerdicts(t *testing.T) {
	t.Parallel()
	mesh := func(name, path string, frame bool, own, forsyth, hash int) (s Scene, list []Reuse) {
		for order, n := range map[string]int{"original": own, "forsyth": forsyth} {
			list = append(list, Reuse{Scene: name, Order: order, Counter: "model", Name: "model", Kind: Model, Stats: stats(200, 100, n)})
		}
		for counter, flags := range map[string]string{"hash": "", "dynamic": " --unique 256", "naive": "", "multi": ""} {
			n := map[string]int{"hash": hash, "dynamic": 101, "naive": 102, "multi": 100}[counter]
			list = append(list, Reuse{Scene: name, Order: "original", Counter: counter, Name: counter, Flags: flags, Kind: Strategy, Stats: stats(200, 100, n)})
		}
		list = append(list, Reuse{Scene: name, Order: "forsyth", Counter: "hash", Name: "hash", Kind: Strategy, Stats: stats(200, 100, 100)})
		return Scene{Name: name, Path: path, Frame: frame, Given: true}, list
	}
	r := &Report{Run: Run{Device: "a card", Flags: " --device 1"}, Hardware: Hardware{Counter: "model"}}
	for _, m := range []struct {
		name, path         string
		frame              bool
		own, forsyth, hash int
		text, command      string
	}{
		{"spot.obj", "a/spot.obj", false, 210, 120, 104, "spot.obj: every vertex is shaded 2.10 times on average by a GPU like the model model, in forsyth order 1.20 times. " +
			"Strategy hash, which finds repeats while it draws, shades it 1.04 times as it is. Run this command:", "shadeonce convert a/spot.obj --order forsyth -o spot-forsyth.obj"},
		{"it's.OFF (2)", "-it's.OFF.gz", false, 210, 205, 104, "", `shadeonce convert './-it'\''s.OFF.gz' --order forsyth -o 'it'\''s (2)-forsyth.glb'`},
		{"x.stl", "x.stl", false, 210, 205, 104, "", "shadeonce convert x.stl --order forsyth -o x-forsyth.glb"},
		{"sphere6", "asset:sphere6", false, 210, 205, 104, "", "shadeonce convert asset:sphere6 --order forsyth -o sphere6-forsyth.glb"},
		{"good", "good.gltf", false, 120, 119, 110, "good: every vertex is shaded 1.20 times on average by a GPU like the model model. " +
			"Strategy hash, which finds repeats while it draws, shades it 1.10 times as it is. No order that was counted saves 2 %: leave the file as it is.", ""},
		{"f", "f.zip.xml", true, 210, 120, 104, "", "shadeonce analyze f.zip.xml --per-draw --sort lost --strategy none --model model --device 1"},
	} {
		s, list := mesh(m.name, m.path, m.frame, m.own, m.forsyth, m.hash)
		r.Scenes, r.Reuse = append(r.Scenes, s), append(r.Reuse, list...)
		v := r.Verdicts()
		require.Len(t, v, len(r.Scenes))
		last := v[len(v)-1]
		require.Equal(t, m.command, last.Command)
		if m.text != "" {
			require.Equal(t, m.text, last.Text)
		}
	}
	s, list := mesh("worse", "worse.obj", false, 103, 103, 108)
	r.Scenes, r.Reuse = append(r.Scenes, s), append(r.Reuse, list...)
	require.NotContains(t, r.Verdicts()[len(r.Scenes)-1].Text, "Strategy", "none that shades more")
	r.Hardware.Measured = true
	require.Contains(t, r.Verdicts()[0].Text, "2.10 times on average by the graphics pipeline of a card, in forsyth")
	r.Hardware = Hardware{Counter: "hardware of a processor", Measured: true, StandIn: "model"}
	require.Contains(t, r.Verdicts()[0].Text, "2.10 times on average by a GPU like the model model")
	r.Scenes[0].Given = false
	require.Len(t, r.Verdicts(), len(r.Scenes)-1, "built-in scenes have none")
}

func TestNamesOfReorderedFiles(t *testing.T) {
	for path, want := range map[string]string{"a/bunny.obj": "bunny-x.obj", "a.ply.b.ply": "a.ply.b-x.ply", "b.stl": "b-x.glb", "frame.draws.zst": "frame-x.glb", "a/.obj": "-x.obj"} {
		name := strings.TrimSuffix(path[strings.LastIndex(path, "/")+1:], ".zst")
		require.Equal(t, want, reorderedName(&Scene{Name: name, Path: path}, "x"))
	}
}

// TestBestDraws: strategies whose draws were timed come first, then those that save most time, then those with the fewest
// invocations.
func TestBestDraws(t *testing.T) {
	rows := frameDraws("a")
	require.Equal(t, "warp", bestDraws(rows)[0].Strategy)
	rows[0].NaiveUs, rows[0].Us = 2, 3
	require.Equal(t, "claim", bestDraws(rows)[0].Strategy, "timed, although slower than naive")
	rows[1].NaiveUs, rows[1].Us = 2, 2.5
	require.Equal(t, "warp", bestDraws(rows)[0].Strategy)
}

// TestTableOfMeshes: the best order of a column is marked. There is no table of draws without a frame.
func TestTableOfMeshes(t *testing.T) {
	r := sample()
	r.Scenes[0].Given, r.Scenes[1].Given = true, true
	marked := map[string]string{}
	for _, row := range r.tableMeshes().Grids[0].Rows {
		marked[row.Cells[0].Text] = row.Cells[2].Class
	}
	require.Equal(t, map[string]string{"original": "", "random": "", "forsyth": classBest, "hoppe": ""}, marked)
	require.False(t, slices.ContainsFunc(r.figures(), func(f figure) bool { return f.ID == "draws" }))
}

// TestPercentsInPaths: the loops of sweeps name files as they are.
func TestPercentsInPaths(t *testing.T) {
	r := sample()
	r.Scenes[0].Path = "50%d/100%.ply"
	commands := r.sweepCommands(sweeps[0])
	require.Len(t, commands, 1)
	require.Contains(t, commands[0], "50%d/100%.ply")
	require.Contains(t, commands[0], " --strategy warp ")
}
