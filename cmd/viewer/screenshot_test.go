package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPictureNames(t *testing.T) {
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
		name := pictureName(&testPlan(t, model).Frame, "original")
		require.Equal(t, want+"-warp-16lanes-indexed-shaded", name, "%q", model)
	}
	require.Equal(t, "a-warp-16lanes-indexed-shaded-hoppe32-fetch", pictureName(&testPlan(t, "a.obj").Frame, "hoppe32+fetch"))
}

func TestPicturesAreDescribed(t *testing.T) {
	text := describe(&testPlan(t, "häse").Frame, "original", 7)
	require.True(t, strings.HasPrefix(text, "häse: strategy warp, 16 lanes"), text)
	require.Contains(t, text, ", order original, ")
	require.Contains(t, text, "7 invocations")
}
