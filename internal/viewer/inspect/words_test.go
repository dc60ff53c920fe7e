package inspect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -100: "-100", -1000: "-1,000"} {
		require.Equal(t, want, Thousands(n))
	}
}

// The longest passes by mean time are listed in the order in which they run; passes missing from
// the last frame are forgotten.
func TestPassTimesLogForgetsOtherPasses(t *testing.T) {
	t.Parallel()
	var l PassLog
	frame := []renderer.Timing{{Pass: "a", Duration: 90}, {Pass: "b", Duration: 1000}, {Pass: "c", Duration: 10}}
	for i := range passHistory + 5 {
		l.Add(frame[:2+i%2])
	}
	require.Len(t, l.Times["a"], passHistory)
	require.NotContains(t, l.Times, "c", "the last frame had none")
	require.Equal(t, []string{"b"}, l.Longest(1))
	l.Add(append([]renderer.Timing{{Pass: "new", Duration: 500}}, frame...))
	require.Equal(t, []string{"new", "b"}, l.Longest(2))
	require.Equal(t, []string{"new", "a", "b", "c"}, l.Longest(9))
}

func TestFigures(t *testing.T) {
	t.Parallel()
	steps, total := HistogramSteps([]int{9, 1, 2, 3, 4, 5, 6, 7, 8})
	require.Equal(t, [6]int{1, 2, 3, 4, 5, 6 + 7 + 8}, steps, "the last step has all that follow; unshaded ones count nowhere")
	require.Equal(t, 1+2+3+4+5+6+7+8, total)
	p := viewtest.Titled(t, "a")
	require.Zero(t, BatchFill(p))
	room := uint32(p.Frame.Reuse.Batch)
	p.Batches = []reuse.Batch{{IndexCount: room}, {IndexCount: room / 2}}
	require.InDelta(t, .75, BatchFill(p), 1e-9)
}

func TestPictureNames(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]string{
		"bunny.ply":               "bunny",
		"bunny.ply.gz":            "bunny",
		"sphere6":                 "sphere6",
		"a b/../c d.obj":          "c_d",
		"..":                      "scene",
		".hidden":                 "_hidden",
		"":                        "scene",
		"ü\x00\n.off":             "scene",
		strings.Repeat("x", 5000): strings.Repeat("x", 80),
	} {
		name := PictureName(&viewtest.Titled(t, model).Frame, "original")
		require.Equal(t, want+"-warp-16lanes-indexed-shaded", name, "%q", model)
	}
	f := viewtest.Titled(t, "a.obj").Frame
	require.Equal(t, "a-warp-16lanes-indexed-shaded-hoppe32-fetch", PictureName(&f, "hoppe32+fetch"))
	meshlet := must.Get(reuse.Resolve("meshlet", 0, 0))
	f.Reuse = meshlet
	require.Equal(t, "a-meshlet-indexed-shaded", PictureName(&f, "original"))
}

func TestPicturesAreDescribed(t *testing.T) {
	t.Parallel()
	text := Describe(&viewtest.Titled(t, "häse").Frame, "original", 7)
	require.True(t, strings.HasPrefix(text, "häse: strategy warp, 16 lanes"), text)
	require.Contains(t, text, ", order original, ")
	require.Contains(t, text, "7 invocations")
}
