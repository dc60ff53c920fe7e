package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/applications"
)

// TestAppsWalkOnADevice compares each step with the CPU, and what is written with what
// the CPU writes.
func TestAppsWalkOnADevice(t *testing.T) {
	folder := t.TempDir()
	args := []string{"apps", "walk", "--agents", "3001", "--grid", "40", "--steps", "3", "--sort", "2,0", "--batching", "dynamic", "--check", "--json", "--strategy"}
	strategies := []string{"naive", "warp", "hash", "multi"}
	if testing.Short() {
		strategies = strategies[:3]
	}
	args = append(args, strings.Join(strategies, ","))
	var rows [2][]applications.Row
	var steps [2]string
	for i, backend := range []string{"gpu", "cpu"} {
		out := filepath.Join(folder, backend)
		r := call(append(args, "--backend", backend, "-o", out)...)
		requireFine(t, r)
		require.NoError(t, json.Unmarshal([]byte(r.out), &rows[i]))
		text, err := os.ReadFile(filepath.Join(out, "walk.json"))
		require.NoError(t, err)
		steps[i] = string(text)
	}
	require.Equal(t, steps[1], steps[0])
	for i, r := range rows[0] {
		require.Equal(t, "gpu", r.Backend)
		if r.Part == "3 steps, sorted every 2" {
			require.Positive(t, r.Sorting)
			require.Less(t, r.Sorting, r.Milliseconds)
		} else {
			require.Equal(t, "3 steps", r.Part)
			require.Zero(t, r.Sorting)
		}
		require.InDelta(t, rows[0][len(strategies)].Milliseconds/r.Milliseconds, r.VsNaive, 1e-9, "naive on agents that are not sorted")
		require.Equal(t, r.Batching == "dynamic", r.Cutting > 0, "%s: only dynamic batches are cut for each step", r.Strategy)
		want := rows[1][i]
		require.Equal(t, []int{want.IDs, want.Referenced, want.Indices, want.Invocations}, []int{r.IDs, r.Referenced, r.Indices, r.Invocations})
		require.Equal(t, want.Hash, r.Hash)
	}
	for _, name := range []string{"density-0.csv", "density-3.csv", "density-3.png", "density.gif"} {
		want, err := os.ReadFile(filepath.Join(folder, "cpu", name))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(folder, "gpu", name))
		require.NoError(t, err)
		require.Equal(t, want, got, name)
	}
}
