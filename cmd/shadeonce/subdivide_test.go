package main

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var reuseLine = regexp.MustCompile(`(?m)^reuse .*$`)

// TestRenderSubdivided shades as often as after the mesh was subdivided and stored, with
// both backends.
func TestRenderSubdivided(t *testing.T) {
	folder := t.TempDir()
	stored, out := filepath.Join(folder, "fine.ply"), filepath.Join(folder, "out.png")
	requireFine(t, call("apps", "subdivide", "asset:knot8", "-o", stored, "--levels", "2", "--backend", "cpu", "--order", "forsyth"))
	var lines []string
	for _, args := range [][]string{
		{stored, "--backend", "cpu"},
		{"asset:knot8", "--subdivide", "2", "--order", "forsyth", "--backend", "cpu"},
		{"asset:knot8", "--subdivide", "2", "--order", "forsyth"},
	} {
		r := call(append([]string{"render", "--strategy", "hash", "-o", out, "--size", "64x64"}, args...)...)
		requireFine(t, r)
		lines = append(lines, reuseLine.FindString(r.out))
	}
	require.Regexp(t, `^reuse 0\.\d+ of 0\.8333 ideal, \d+ invocations for 32768 triangles$`, lines[0])
	require.Equal(t, []string{lines[0], lines[0], lines[0]}, lines)
	r := call("render", "asset:knot8", "--subdivide", "1", "--plan")
	requireFine(t, r)
	require.Contains(t, r.out, "frame  knot8, subdivided once, warp")
	require.Contains(t, r.out, "stream 8192 triangles in 1 draw")
	require.Contains(t, r.out, "buffer Indices                  24576 bytes  6144 x uint  (from scene)")
}

func TestBenchSubdivided(t *testing.T) {
	for _, args := range [][]string{{"--frame", "--strategy", "all", "--raster", "compute", "--size", "64x64"}, {"--strategy", "claim,multi", "--backend", "cpu"}} {
		if testing.Short() && args[0] == "--frame" {
			continue // every strategy and rasterizer is compiled
		}
		r := call(append([]string{"bench", "asset:knot8", "--subdivide", "1", "--runs", "1"}, args...)...)
		requireFine(t, r)
		require.Contains(t, r.out, "claim")
		require.NotContains(t, r.out, "fit     hardware")
	}
}

func TestSubdivideRefuses(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.png")
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{2, "--subdivide 13: must be 0 to 12", []string{"render", "asset:cube", "-o", out, "--subdivide", "13"}},
		{2, "--subdivide -1: must be 0 to 12", []string{"bench", "asset:cube", "--subdivide", "-1"}},
		{2, "--strategy hardware draws stored meshes: it excludes --subdivide", []string{"render", "asset:cube", "-o", out, "--subdivide", "1", "--strategy", "hardware", "--view", "shaded"}},
		{2, "--strategy hardware draws stored meshes: it excludes --subdivide", []string{"bench", "--frame", "asset:cube", "--subdivide", "1", "--strategy", "hardware,claim"}},
		{2, "--load skin moves vertices of stored meshes: it excludes --subdivide", []string{"bench", "asset:cube", "--subdivide", "1", "--load", "simple,skin"}},
		{1, "asset:sphere6: 9 levels of 81920 triangles are more than the 715827882 triangles that an index stream can have",
			[]string{"render", "asset:sphere6", "-o", out, "--subdivide", "9"}},
	} {
		r := call(c.args...)
		require.Equal(t, c.status, r.status, "%v: %s", c.args, r.errors)
		require.Contains(t, r.errors, c.want)
		require.NoFileExists(t, out)
	}
}
