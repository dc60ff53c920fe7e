package main

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
)

// invocations finds the line of a report that tells them.
var invocations = regexp.MustCompile(`\d+ invocations`)

func TestParseLoad(t *testing.T) {
	for text, want := range map[string]struct {
		shader renderer.VertexShader
		cycles int
	}{
		"simple": {}, "0": {}, "256": {cycles: 256}, "skin": {shader: renderer.Skin}, "displace": {shader: renderer.Displace},
	} {
		shader, cycles, err := parseLoad(text)
		require.NoError(t, err, text)
		require.Equal(t, want.shader, shader, text)
		require.Equal(t, want.cycles, cycles, text)
		if text != "0" {
			require.Equal(t, text, loadText(&renderer.Frame{VertexShader: shader, Load: cycles}))
		}
	}
	for text, near := range map[string]string{
		"": "", "transform": "", "Skin": " did you mean skin?", "skins": " did you mean skin?", "-1": "", "1048577": "", "1e3": "",
	} {
		_, _, err := parseLoad(text)
		require.EqualError(t, err, `--load "`+text+`":`+near+` want simple, skin, displace, or 0 to 1048576 cycles`)
	}
}

// TestRenderLoad: real vertex shaders show, by either host and every strategy
// alike, and shade no other vertices; mere cycles do not show.
func TestRenderLoad(t *testing.T) {
	for host, on := range hosts {
		picture := func(flags ...string) any {
			img, _ := draw(t, on(append([]string{"asset:knot16", "--size", "96x96", "--no-legend", "--view", "shaded"}, flags...)...)...)
			return img
		}
		simple := picture()
		require.Equal(t, simple, picture("--load", "simple"), host)
		require.Equal(t, simple, picture("--load", "64"), host)
		skin, displaced := picture("--load", "skin"), picture("--load", "displace")
		require.NotEqual(t, simple, skin, host)
		require.NotEqual(t, simple, displaced, host)
		require.NotEqual(t, skin, displaced, host)
		require.Equal(t, skin, picture("--load", "skin", "--strategy", "hash"), host)
		require.Equal(t, displaced, picture("--load", "displace", "--queue", "expanded"), host)
		_, text := draw(t, on("asset:sphere3", "--size", "64x64")...)
		_, skinned := draw(t, on("asset:sphere3", "--size", "64x64", "--load", "skin")...)
		require.Equal(t, invocations.FindString(text), invocations.FindString(skinned), host)
	}
}

func TestRenderRefusesLoads(t *testing.T) {
	folder := t.TempDir()
	r := call("render", "asset:cube", "-o", filepath.Join(folder, "x.png"), "--load", "bones")
	requireFailure(t, exitUsage, `--load "bones": want simple, skin, displace, or 0 to 1048576 cycles`, r)
	requireEmpty(t, folder)
}

func TestBenchLoads(t *testing.T) {
	r := call("bench", "asset:sphere3", "--strategy", "naive-index,hash", "--load", "simple,skin,displace", "--runs", "1", "--json")
	requireFine(t, r)
	rows := decode(t, r.out)
	require.Len(t, rows, 6)
	for i, row := range rows {
		require.Equal(t, []string{"simple", "skin", "displace"}[i/2], row["load"])
		require.Equal(t, rows[i%2]["invocations"], row["invocations"])
		require.NotEqual(t, "0", row["ms_median"])
	}
}
