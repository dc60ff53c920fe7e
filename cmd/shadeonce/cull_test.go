package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/stretchr/testify/require"
)

func TestRenderCulls(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "x.png")
	r := call(onGPU("render", "asset:sphere4", "-o", picture, "--cull", "--cull-faces", "all", "--raster", "compute")...)
	requireFine(t, r)
	require.Contains(t, r.out, "culled: 0 triangles beyond the view, ")
	require.Contains(t, r.out, "cull:triangles")
	require.NotContains(t, r.out, "ideal")

	rows := decode(t, call("render", "asset:sphere4", "--repeat", "1", "--json", "--cull", "--cull-faces", "all").out)
	require.NotEmpty(t, rows)
	sum := 0
	for _, name := range []string{"culled_frustum", "culled_back_face", "culled_zero_area", "culled_no_sample", "triangles_left"} {
		var n int
		_, err := fmt.Sscan(fmt.Sprint(rows[0][name]), &n)
		require.NoError(t, err)
		sum += n
	}
	require.Equal(t, 5120, sum)
	require.Equal(t, true, rows[0]["cull"])
	require.Equal(t, "all", rows[0]["cull_faces"])
	rows = decode(t, call("render", "asset:sphere4", "--repeat", "1", "--json").out)
	require.Equal(t, false, rows[0]["cull"])
	require.Equal(t, "0", fmt.Sprint(rows[0]["triangles_left"]))

	requireFine(t, call("render", "asset:sphere4", "-o", picture, "--cull", "--backend", "cpu"))
	table := call("render", "asset:cube", "--repeat", "1", "--cull")
	requireFine(t, table)
	require.Contains(t, table.out, "\nculled: ")
}

func TestBenchCulls(t *testing.T) {
	r := call("bench", "asset:sphere4", "--strategy", "warp,multi", "--load", "simple,256", "--cull", "--cull-faces", "all", "--camera", "zoom=0.01", "--runs", "2", "--json")
	requireFine(t, r)
	rows := decode(t, r.out)
	require.Len(t, rows, 4)
	for _, row := range rows {
		require.Equal(t, true, row["cull"])
		require.NotEqual(t, "0", fmt.Sprint(row["culled_back_face"]))
		require.NotEqual(t, "0", fmt.Sprint(row["culled_no_sample"]), "it is far away")
		require.NotEqual(t, "0", fmt.Sprint(row["ms_median"]))
		require.Equal(t, "0", fmt.Sprint(row["bytes"]), "it depends on the picture")
	}
	table := call("bench", "asset:cube", "--strategy", "warp", "--cull", "--runs", "1")
	requireFine(t, table)
	require.Contains(t, table.out, "asset:cube, warp, milliseconds with culling; culled: ")
}

func TestCullFlagsAreChecked(t *testing.T) {
	t.Parallel()
	picture := filepath.Join(t.TempDir(), "x.png")
	for want, args := range map[string][]string{
		"--cull needs --queue indexed":                                             {"render", "no file", "-o", picture, "--cull", "--queue", "expanded"},
		"--cull-faces none needs --cull":                                           {"render", "no file", "-o", picture, "--cull-faces", "none"},
		`unknown choice of faces "front": have file, all, none`:                    {"render", "no file", "-o", picture, "--cull", "--cull-faces", "front"},
		"--camera is for whole frames and for culling: it needs --frame or --cull": {"bench", "no file", "--camera", "zoom=2"},
		"--size is for whole frames and for culling: it needs --frame or --cull":   {"bench", "no file", "--size", "5x5"},
		`--size "5": want WIDTHxHEIGHT`:                                            {"bench", "no file", "--cull", "--size", "5"},
		"camera":                                                                   {"bench", "no file", "--cull", "--camera", "zoom=x"},
	} {
		requireFailure(t, cli.ExitUsage, want, call(args...))
	}
	requireEmpty(t, filepath.Dir(picture))
}
