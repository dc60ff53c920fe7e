package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/renderer"
)

var update = flag.Bool("update", false, "let testdata hold what reports are now")

// TestPageAndSheetsSayWhatWasMeasured compares whole reports with testdata: pages without their
// style, sheets, and the texts and lines of each plot. go test ./internal/report -update rewrites testdata.
func TestPageAndSheetsSayWhatWasMeasured(t *testing.T) {
	t.Parallel()
	quiet := sample()
	quiet.Run.Software, quiet.Run.Backend, quiet.Times, quiet.Lanes, quiet.Scenes[0].Paper = false, "cpu", nil, nil, ""
	for name, r := range map[string]*Report{"everything": everything(), "cpu": quiet} {
		list := must.Get(r.Files())
		var got strings.Builder
		plots := 0
		for _, f := range list {
			text := f.Data
			switch filepath.Ext(f.Name) {
			case ".svg":
				plots++
				text = drawn(t, f.Data)
			case ".html":
				text = regexp.MustCompile(`(?s)<style>.*?</style>|<svg .*?</svg>\n?`).ReplaceAll(text, nil)
				text = regexp.MustCompile(`(</tr>|</p>|</h\d>|</dd>|</li>|<br/>)<`).ReplaceAll(text, []byte("$1\n<"))
			}
			fmt.Fprintf(&got, "== %s\n%s", f.Name, bytes.TrimSpace(text))
			got.WriteString("\n")
		}
		require.Equal(t, plots, bytes.Count(list[0].Data, []byte("<svg ")), "the page shows each plot")
		path := filepath.Join("testdata", name+".txt")
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(got.String()), 0o666))
		}
		require.Equal(t, string(must.Get(os.ReadFile(path))), got.String(), name)
	}
}

// everything returns sample's report, extended by every part that a report can have.
func everything() *Report {
	r := sample()
	r.Run.Software = false
	r.Scenes[0].Paper, r.Scenes[1].Given = "sphere", true
	r.Scenes = append(r.Scenes, Scene{Name: "a", Path: "a.rdc", Frame: true, Given: true, Draws: 12, Triangles: 1200}, Scene{Name: "b", Path: "b.draws", Frame: true, Given: true})
	r.Hardware = Hardware{Counter: "hardware", Text: "A device.", Measured: true}
	r.Draws = append(frameDraws("a"), frameDraws("b")...)
	for i := range 24 {
		d := &r.Draws[i]
		if d.Shader = "pipeline 7"; d.Draw == 11 {
			continue // not timed, since time ran out
		}
		d.VertexNs, d.SimpleNs, d.NaiveUs, d.Us = 2, 1, .6, .4+.2*float64(i%2)
		if d.Strategy == "claim" {
			d.Us = .5 - .03*float64(d.Draw%3)
		}
	}
	r.Reuse = append(r.Reuse, Reuse{Scene: hostile, Order: "forsyth", Counter: "multi", Name: "multi", Kind: Strategy, Stats: stats(2, 4, 5)})
	for _, n := range []int{48, 96, 192} {
		u := Reuse{Scene: "bun.ply", Order: "forsyth", Counter: "hash", Name: "hash", Flags: fmt.Sprintf(" --batch %d --unique %d", n, n/2), Series: "hash", Kind: Strategy, Batch: n, Unique: n / 2, Stats: stats(69451, 34834, 100000-100*n)}
		r.Batches, r.Uniques = append(r.Batches, u), append(r.Uniques, u)
	}
	r.TimedAt, r.Run.Flags = map[string]string{"hash": " --unique 256"}, " --device 1"
	for i, name := range []string{"naive", "sort", "hash"} {
		ms := 4 - 1.5*float64(i)
		row := measure.ApplicationRow{App: "subdivide", File: "bun.ply", Part: "level 1", Strategy: name, Batches: measure.Batches{Batching: "static", Batch: 96}, Milliseconds: ms, VsNaive: 4 / ms, VsNaiveIndex: 2 / ms, Hash: "0123"}
		r.Applications = append(r.Applications, row)
		row.App, row.Part, row.Tables, row.Cutting = "envelope", "outer", .5, .25
		r.Applications = append(r.Applications, row)
		row.App, row.File, row.Part, row.Sorting = "walk", "300000 agents", "10 steps", .125
		r.Applications = append(r.Applications, row)
	}
	for _, load := range []string{renderer.SimpleLoad, "512"} { // a tiny scene is shown and not averaged
		r.Times = append(r.Times, measure.GeometryRow{Source: measure.Source{File: hostile}, Strategy: Baseline, Load: load, MsMedian: 1}, measure.GeometryRow{Source: measure.Source{File: hostile}, Strategy: "hash", Load: load, MsMedian: 99})
	}
	r.Sets = &Report{
		Scenes: []Scene{{Name: SetName("a"), Of: "a", Draws: 2, Triangles: 100}},
		Reuse:  []Reuse{{Scene: SetName("a"), Order: "forsyth", Counter: "ideal", Column: ColumnIdeal, Kind: Model, Stats: stats(100, 200, 210)}},
	}
	return r
}

// drawn lists the contents of an SVG: its texts with their places, and its paths with their style, number of
// coordinates and extent.
func drawn(t *testing.T, svg []byte) []byte {
	var out bytes.Buffer
	number := regexp.MustCompile(`-?\d+(?:\.\d+)?(?:e-?\d+)?`)
	text := ""
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out.Bytes()
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			attributes := map[string]string{}
			for _, a := range token.Attr {
				attributes[a.Name.Local] = a.Value
			}
			text = ""
			switch token.Name.Local {
			case "text":
				text = fmt.Sprintf("%s,%s", whole(attributes["x"]), whole(attributes["y"]))
			case "path":
				var low, high [2]float64
				points := number.FindAllString(attributes["d"], -1)
				for i, p := range points {
					var x float64
					fmt.Sscan(p, &x)
					if i < 2 || x < low[i%2] {
						low[i%2] = x
					}
					if i < 2 || x > high[i%2] {
						high[i%2] = x
					}
				}
				fmt.Fprintf(&out, "%s: %d numbers, %.0f,%.0f to %.0f,%.0f\n", attributes["style"], len(points), low[0], low[1], high[0], high[1])
			}
		case xml.CharData:
			if text != "" {
				fmt.Fprintf(&out, "%s %s\n", text, token)
				text = ""
			}
		}
	}
}

// whole returns a number without its fraction.
func whole(number string) string {
	var x float64
	fmt.Sscan(number, &x)
	return fmt.Sprint(math.Round(x))
}
