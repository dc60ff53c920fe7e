package inspect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 1234567: "1,234,567", -100: "-100", -1000: "-1,000"} {
		require.Equal(t, want, Thousands(n))
	}
}

func TestPassTimesLogForgetsOtherPasses(t *testing.T) {
	t.Parallel()
	var l PassLog
	for i := range passHistory + 5 {
		l.Add([]renderer.Timing{{Pass: "a", Duration: 1}, {Pass: "b", Duration: 1000}, {Pass: "c", Duration: 10}}[:2+i%2])
	}
	require.Len(t, l.Times["a"], passHistory)
	require.NotContains(t, l.Times, "c", "the last frame had none")
	require.Equal(t, []string{"b"}, l.Longest(1))
}

func testPlan(t *testing.T, name string) *plan.Plan {
	config, err := reuse.Resolve("warp", 16, 0)
	require.NoError(t, err)
	return &plan.Plan{Frame: renderer.Frame{Scene: &geometry.Scene{Name: name}, Reuse: config, View: renderer.Shaded}}
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
		name := PictureName(&testPlan(t, model).Frame, "original")
		require.Equal(t, want+"-warp-16lanes-indexed-shaded", name, "%q", model)
	}
	require.Equal(t, "a-warp-16lanes-indexed-shaded-hoppe32-fetch", PictureName(&testPlan(t, "a.obj").Frame, "hoppe32+fetch"))
}

func TestPicturesAreDescribed(t *testing.T) {
	t.Parallel()
	text := Describe(&testPlan(t, "häse").Frame, "original", 7)
	require.True(t, strings.HasPrefix(text, "häse: strategy warp, 16 lanes"), text)
	require.Contains(t, text, ", order original, ")
	require.Contains(t, text, "7 invocations")
}
