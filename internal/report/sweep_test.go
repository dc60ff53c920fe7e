package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSweepGrid: a line's figures stand below its own sizes, and a size that it
// was not swept over is no figure.
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

// TestCommandsCountHardware: the commands beside figures with hardware in them
// count it, by the model that stands for it or on the device.
func TestCommandsCountHardware(t *testing.T) {
	t.Parallel()
	r := sample()
	for _, id := range []string{"calls", "orders"} {
		require.Contains(t, r.commandOf(id), " --model model ")
	}
	require.True(t, strings.HasSuffix(r.commandOf("models"), " --strategy none --model all --csv"))
	for id, varies := range map[string]bool{"lanes": true, "batches": true, "uniques": true, "pictures": true, "calls": false, "reuse": false} {
		require.Equal(t, varies, figure{Command: r.commandOf(id)}.Varies(), id)
	}
	require.Equal(t, "CPU references and models.", r.whereCounted())
	require.Contains(t, string(filesOf(t, r)[PageName]), "The OpenGL column")
	r.Hardware = Hardware{Counter: "hardware", Text: "A device.", Measured: true}
	require.Contains(t, r.commandOf("calls"), " --model hardware ")
	require.True(t, strings.HasSuffix(r.commandOf("models"), " --model all,hardware --csv"))
	require.Equal(t, "CPU references; hardware: llvmpipe, Mesa.", r.whereCounted())
	require.Contains(t, r.tableModels().Text, "A device.")
	require.Contains(t, r.figurePictures().Text, "A device. That is what stands for the paper's OpenGL.")
	require.NotContains(t, string(filesOf(t, r)[PageName]), "The OpenGL column")
	require.Equal(t, "Models on the CPU; hardware: llvmpipe, Mesa.", r.tableModels().Where)
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
