package report

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
)

func TestBarsAreDrawn(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	p := panel{Categories: []string{"a", "b", "c"}, Line: nan, Series: []series{
		{Name: `<&">`, Y: []float64{1, 2, nan}}, {Name: "second", Y: []float64{3, -1, .5}},
	}}
	plot := plotted{Name: "x", Alt: "alt", panels: []panel{p}}
	require.NoError(t, plot.draw())
	shapes := string(drawn(t, plot.SVG))
	require.Equal(t, 2+1, strings.Count(shapes, "fill:#0072B2"), "a bar a value, none for NaN, and the legend's")
	require.Equal(t, 3+1, strings.Count(shapes, "fill:#E69F00"))
	require.NotContains(t, string(plot.SVG), `<&">`)
	require.Contains(t, string(plot.SVG), "&lt;&amp;")
	require.NotContains(t, string(plot.SVG), "NaN")
}

func TestTicks(t *testing.T) {
	t.Parallel()
	labels := func(ticks []plot.Tick) (all []string) {
		for _, tick := range ticks {
			all = append(all, tick.Label)
		}
		return all
	}
	require.Equal(t, []string{"0", "20", "40", "60", "80", "100"}, labels(evenTicks{}.Ticks(0, 100)))
	require.Equal(t, []string{"0.70", "0.72", "0.74", "0.76", "0.78", "0.80"}, labels(evenTicks{}.Ticks(.7, .8)))
	require.Equal(t, []string{"-0.5", "0.0", "0.5", "1.0", "1.5"}, labels(evenTicks{}.Ticks(-.6, 1.6)))
	require.Empty(t, evenTicks{}.Ticks(1, 1))
	require.Equal(t, []string{"0.5 ×", "1 ×", "2 ×"}, labels(ratioTicks(.4, 3)))
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x      float64
		digits int
		want   string
	}{{.7148, 4, ".7148"}, {-.062, 3, "−.062"}, {0, 4, "0"}, {-.00001, 4, "0"}, {.99999, 4, "1.0000"}, {10.5, 1, "10.5"}, {-1.25, 2, "−1.25"}, {math.NaN(), 3, "–"}} {
		require.Equal(t, c.want, ratio(c.x, c.digits))
	}
	require.Equal(t, "+.0010", signed(.001))
	require.Equal(t, "−.0010", signed(-.001))
	require.Equal(t, "0", signed(.00001))
	require.Equal(t, "7\u202f197\u202f218", grouped(7197218))
	require.Equal(t, "999", grouped(999))
	require.Equal(t, "1 triangle", triangles(1))
	require.Equal(t, "2 triangles", triangles(2))
	require.InDelta(t, 2, geometricMean([]float64{1, 4}), 1e-15)
	require.Equal(t, "azAZ09-_---", fileSafe("azAZ09-_./ä"))
	require.Equal(t, `a 'b c' 'd'\''e' ''`, Quote("a", "b c", "d'e", ""))
}

// TestSweepGrid: a line's figures are in the columns of its own sizes; the columns of other sizes
// are empty.
func TestSweepGrid(t *testing.T) {
	t.Parallel()
	g := sweepGrid("bunny", panel{X: "lanes", Series: []series{
		{Name: "warp", X: []float64{4, 16}, Y: []float64{.0297, .613}}, {Name: "claim", X: []float64{16, 8}, Y: []float64{.75, .7}},
	}})
	require.True(t, g.Folded)
	require.Equal(t, "bunny: reuse by lanes, in figures", g.Caption)
	require.Equal(t, []string{"", "4", "8", "16"}, g.Head)
	require.Equal(t, []gridRow{
		{"", []cell{text("warp"), number(".0297"), none(), number(".6130")}},
		{"", []cell{text("claim"), none(), number(".7000"), number(".7500")}},
	}, g.Rows)
	require.True(t, g.Words(0))
	require.False(t, g.Words(1))
	require.False(t, g.Words(9), "no such column")
}

func TestFocus(t *testing.T) {
	t.Parallel()
	sphere, knot, other := Scene{Name: "sphere6", Path: "asset:sphere6"}, Scene{Name: "knot32", Path: "asset:knot32"}, Scene{Name: "x", Path: "x"}
	bunny := Scene{Name: "b", Path: "b", Paper: "bunny"}
	require.Equal(t, []string{"b"}, Focus([]Scene{sphere, other, bunny}))
	require.Equal(t, []string{"sphere6", "knot32"}, Focus([]Scene{other, sphere, knot}))
	require.Equal(t, []string{"x"}, Focus([]Scene{other}))
	own, frame, huge := Scene{Name: "own", Given: true}, Scene{Name: "f", Given: true, Frame: true}, Scene{Name: "h", Given: true, Triangles: largestFocus + 1}
	require.Equal(t, []string{"own"}, Focus([]Scene{bunny, frame, huge, own}), "what was given comes first")
	require.Empty(t, Focus(nil))
	require.Contains(t, string(filesOf(t, sample())[PageName]), "paper, OpenGL, in words")
	r := sample()
	r.Scenes[0].Paper = ""
	require.Contains(t, string(filesOf(t, r)[PageName]), "was not among the files given")
}
