package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/renderer/soft"
)

func appRows(t *testing.T, args ...string) []apps.Row {
	t.Helper()
	return appRowsOn(t, "cpu", args...)
}

func appRowsOn(t *testing.T, backend string, args ...string) []apps.Row {
	t.Helper()
	return rowsAs[apps.Row](t, fine(t, append([]string{"apps"}, append(args, "--json", "--backend", backend)...)...).out)
}

// savedMesh reads the mesh that a command wrote, exactly as stored.
func savedMesh(t *testing.T, path string) *apps.Mesh {
	t.Helper()
	s := must.Get(format.Open(t.Context(), path))
	return &apps.Mesh{Positions: s.Positions, Triangles: s.Indices}
}

func TestAppsSubdivideOfARealMesh(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.ply")
	rows := appRows(t, "subdivide", shareddata.Path(t, "meshes", "spot.obj"), "-o", out)
	require.Equal(t, "d65de0d1f0b582d6", rows[0].Hash)
	require.Equal(t, "d65de0d1f0b582d6", savedMesh(t, out).Sum())
}

// TestAppsSubdivideOnGPU makes the same meshes on a GPU, with --check comparing each strategy with the reference.
func TestAppsSubdivideOnGPU(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.ply")
	r := fine(t, "apps", "subdivide", "asset:sphere4", "-o", out, "--levels", "2", "--strategy", "warp,hash", "--check", "--backend", "gpu", "--json")
	rows := rowsAs[apps.Row](t, r.out)
	require.Len(t, rows, 4)
	for _, row := range rows {
		require.Equal(t, "gpu", row.Backend)
		require.Positive(t, row.Milliseconds)
		require.Positive(t, row.Tables)
		require.NotEmpty(t, row.Driver)
	}
	require.Equal(t, decode(t, fine(t, "devices", "--json").out)[0]["type"] == "cpu", onCPU.MatchString(r.errors))
	require.Equal(t, "0e9a66039637466e", rows[3].Hash)
	require.Equal(t, "0e9a66039637466e", savedMesh(t, out).Sum())
}

func TestAppsPaper(t *testing.T) {
	rows := appRows(t, "subdivide", shareddata.Path(t, "meshes", "bun_zipper.ply"), "-o", filepath.Join(t.TempDir(), "out.glb"),
		"--order", "forsyth", "--strategy", "naive,warp,hash,phash,sort", "--paper")
	var got [][2]int
	for _, r := range rows {
		got = append(got, [2]int{r.Invocations - r.Edges, r.Edges})
	}
	require.Equal(t, [][2]int{{208353, 208353}, {59429, 139590}, {51328, 124998}, {51328, 124998}, {43114, 114231}}, got)
}

// TestAppsEnvelopeOfWhatMeetsItself: a mesh that intersects itself gives a notice, and success.
func TestAppsEnvelopeOfWhatMeetsItself(t *testing.T) {
	r := runs(t, "apps", "envelope", shareddata.Path(t, "meshes", "suzanne.obj"), "-o", filepath.Join(t.TempDir(), "out.ply"))
	require.Regexp(t, `^shadeonce: .*suzanne.obj: \d+ of 505 vertices of the outer envelope stay where they are: the mesh meets itself there, or nearly\n$`, r.errors)
}

// TestAppsEnvelopeOnAGPU makes and saves the same envelopes as the CPU, with the same counts.
func TestAppsEnvelopeOnAGPU(t *testing.T) {
	folder := t.TempDir()
	onCPU, onGPU := filepath.Join(folder, "cpu.ply"), filepath.Join(folder, "gpu.ply")
	strategies := []string{"naive", "hash", "claim"}
	if testing.Short() { // each strategy is compiled for both envelopes
		strategies = strategies[:2]
	}
	args := []string{"envelope", "asset:knot4", "--side", "both", "--percent", "12", "--strategy", strings.Join(strategies, ","), "--order", "forsyth"}
	want := appRowsOn(t, "cpu", append(args, "-o", onCPU)...)
	got := appRowsOn(t, "gpu", append(args, "-o", onGPU, "--check")...)
	require.Len(t, got, 2*len(strategies))
	for i, r := range got {
		require.Equal(t, "gpu", r.Backend)
		require.Positive(t, r.Milliseconds)
		require.Positive(t, r.Cutting)
		r.On, r.Milliseconds, r.Tables, r.Cutting = want[i].On, want[i].Milliseconds, want[i].Tables, want[i].Cutting
		r.VsNaive, r.VsNaiveIndex = want[i].VsNaive, want[i].VsNaiveIndex
		require.Equal(t, want[i], r)
	}
	require.Equal(t, savedMesh(t, onCPU).Sum(), savedMesh(t, onGPU).Sum())
}

// TestAppsWalkOnADevice compares each step, and the written files, with the CPU's.
func TestAppsWalkOnADevice(t *testing.T) {
	folder := t.TempDir()
	args := []string{"apps", "walk", "--agents", "3001", "--grid", "40", "--steps", "3", "--sort", "2,0", "--batching", "dynamic", "--check", "--json", "--strategy"}
	strategies := []string{"naive", "warp", "hash", "multi"}
	if testing.Short() {
		strategies = strategies[:3]
	}
	args = append(args, strings.Join(strategies, ","))
	var rows [2][]apps.Row
	var steps [2]string
	for i, backend := range []string{"gpu", "cpu"} {
		out := filepath.Join(folder, backend)
		r := call(append(args, "--backend", backend, "-o", out)...)
		require.Equal(t, result{out: r.out, errors: "shadeonce: --batching dynamic applies to hash\n"}, result{r.status, r.out, onCPU.ReplaceAllString(r.errors, "")})
		rows[i] = rowsAs[apps.Row](t, r.out)
		steps[i] = string(must.Get(os.ReadFile(filepath.Join(out, "walk.json"))))
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
		want := must.Get(os.ReadFile(filepath.Join(folder, "cpu", name)))
		require.Equal(t, want, must.Get(os.ReadFile(filepath.Join(folder, "gpu", name))), name)
	}
}

func TestSlowWalk(t *testing.T) {
	var f walkFlags
	f.Agents, f.Steps, f.On = 300000, 10, soft.New()
	require.Regexp(t, "^10 steps of 300000 agents on a CPU ", f.slow())
	f.Steps = 9
	require.Empty(t, f.slow())
}
