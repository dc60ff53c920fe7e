package main

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/cli"
)

// invocations finds the line of a report that tells them.
var invocations = regexp.MustCompile(`\d+ invocations`)

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
	requireFailure(t, cli.ExitUsage, `--load "bones": want simple, skin, displace, or 0 to 1048576 cycles`, r)
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
