package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/apps"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

func appRows(t *testing.T, args ...string) []apps.Row {
	t.Helper()
	return appRowsOn(t, "cpu", args...)
}

func appRowsOn(t *testing.T, backend string, args ...string) []apps.Row {
	t.Helper()
	r := call(append([]string{"apps"}, append(args, "--json", "--backend", backend)...)...)
	requireFine(t, r)
	var rows []apps.Row
	require.NoError(t, json.Unmarshal([]byte(r.out), &rows))
	return rows
}

// savedMesh is what a command wrote, as it lies in the file.
func savedMesh(t *testing.T, path string) *apps.Mesh {
	t.Helper()
	s, err := format.Open(t.Context(), path)
	require.NoError(t, err)
	return &apps.Mesh{Positions: s.Positions, Triangles: s.Indices}
}

func TestAppsSubdivideOfARealMesh(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.ply")
	rows := appRows(t, "subdivide", shareddata.Path(t, "meshes", "spot.obj"), "-o", out)
	require.Equal(t, "d65de0d1f0b582d6", rows[0].Hash)
	require.Equal(t, "d65de0d1f0b582d6", savedMesh(t, out).Sum())
}

// TestAppsSubdivideOnGPU makes the same meshes there, by strategies that --check holds
// against the reference.
func TestAppsSubdivideOnGPU(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.ply")
	r := call("apps", "subdivide", "asset:sphere4", "-o", out, "--levels", "2", "--strategy", "warp,hash", "--check", "--backend", "gpu", "--json")
	requireFine(t, r)
	var rows []apps.Row
	require.NoError(t, json.Unmarshal([]byte(r.out), &rows))
	require.Len(t, rows, 4)
	for _, row := range rows {
		require.Equal(t, "gpu", row.Backend)
		require.Positive(t, row.Milliseconds)
		require.Positive(t, row.Tables)
	}
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

// TestAppsEnvelopeOfWhatMeetsItself says so in a line, and succeeds.
func TestAppsEnvelopeOfWhatMeetsItself(t *testing.T) {
	r := call("apps", "envelope", shareddata.Path(t, "meshes", "suzanne.obj"), "-o", filepath.Join(t.TempDir(), "out.ply"))
	require.Equal(t, 0, r.status)
	require.Regexp(t, `^shadeonce: .*suzanne.obj: \d+ of 505 vertices of the outer envelope stay where they are: the mesh meets itself there, or nearly\n$`, r.errors)
}

<<<<<<< HEAD
=======
func TestAppsWalk(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "walk")
	for range 2 { // the second replaces the first
		rows := appRows(t, "walk", "-o", folder, "--agents", "5000", "--grid", "40", "--steps", "10", "--sort", "3", "--strategy", "warp,hash,multi")
		require.Len(t, rows, 3)
		require.Equal(t, 50010, rows[1].Indices, "agents are padded to triples")
		require.Less(t, rows[1].Invocations, rows[0].Invocations)
	}
	text, err := os.ReadFile(filepath.Join(folder, "walk.json"))
	require.NoError(t, err)
	var steps []json.RawMessage
	require.NoError(t, json.Unmarshal(text, &steps))
	require.Len(t, steps, 11)
	file, err := os.Open(filepath.Join(folder, "density-07.png"))
	require.NoError(t, err)
	defer file.Close()
	img, err := png.Decode(file)
	require.NoError(t, err)
	require.Equal(t, 280, img.Bounds().Dx())
	for _, name := range []string{"density-10.csv", "density.gif"} {
		require.FileExists(t, filepath.Join(folder, name))
	}
}

func TestAppsRefuse(t *testing.T) {
	folder := t.TempDir()
	out := filepath.Join(folder, "out")
	flat := filepath.Join(folder, "flat.obj")
	require.NoError(t, os.WriteFile(flat, []byte("v 0 0 0\nv 1 0 0\nf 1 2 2\n"), 0o600))
	infinite := filepath.Join(folder, "nan.obj")
	require.NoError(t, os.WriteFile(infinite, []byte("v 0 0 0\nv 1 0 nan\nv 1 1 1\nf 1 2 3\n"), 0o600))
	levels := filepath.Join(folder, "levels.csv")
	require.NoError(t, os.WriteFile(levels, []byte("name,age\n"), 0o600))
	full, notes, folders := filepath.Join(folder, "full"), filepath.Join(folder, "notes"), filepath.Join(folder, "folders")
	require.NoError(t, errors.Join(os.Mkdir(full, 0o700), os.Mkdir(notes, 0o700), os.MkdirAll(filepath.Join(folders, "density-1.png"), 0o700)))
	require.NoError(t, os.WriteFile(filepath.Join(full, "other"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(notes, "density-notes.txt"), nil, 0o600))
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{2, "no output given: -o", []string{"subdivide", "asset:cube"}},
		{2, "--levels 0: must be 1 to 12", []string{"subdivide", "asset:cube", "-o", out + ".ply", "--levels", "0"}},
		{1, "asset:sphere6: order original: 9 levels of 81920 triangles are more than the 715827882 triangles that an index stream can have",
			[]string{"subdivide", "asset:sphere6", "-o", out + ".ply", "--levels", "9"}},
		{1, "asset:sphere4: order original: 3 levels make 327680 triangles, which take about 40 MiB of memory: there is 30 MiB",
			[]string{"subdivide", "asset:sphere4", "-o", out + ".ply", "--levels", "3", "--memory-budget", "30MiB"}},
		{2, "--memory-budget ", []string{"subdivide", "asset:cube", "-o", out + ".ply", "--memory-budget", "lots"}},
		{1, "flat.obj: order original: no triangles with three different corners", []string{"subdivide", flat, "-o", out + ".ply"}},
		{1, "nan.obj: line 2: ", []string{"envelope", infinite, "-o", out + ".ply"}},
		{1, "is not of a format that can be saved", []string{"subdivide", "asset:cube", "-o", out + ".stl"}},
		{2, "--percent 0: must be 0.001 to 100", []string{"envelope", "asset:cube", "-o", out + ".ply", "--percent", "0"}},
		{2, "--percent NaN: must be 0.001 to 100", []string{"envelope", "asset:cube", "-o", out + ".ply", "--percent", "nan"}},
		{2, `unknown side "both sides"`, []string{"envelope", "asset:cube", "-o", out + ".ply", "--side", "both sides"}},
		{2, "want a name that ends with .csv or .json", []string{"envelope", "asset:cube", "-o", out + ".ply", "--levels", out}},
		{2, "--grid 0: must be 1 to 4096", []string{"walk", "-o", out, "--grid", "0"}},
		{2, "--agents 0: must be 1 to 1073741824", []string{"walk", "-o", out, "--agents", "0"}},
		{2, "--agents 2147483648: must be 1 to 1073741824", []string{"walk", "-o", out, "--agents", "2147483648"}},
		{2, "--steps 0: must be 1 to 10000", []string{"walk", "-o", out, "--steps", "0"}},
		{2, "--order: agents have no order", []string{"walk", "-o", out, "--order", "forsyth"}},
		{1, "full: not overwritten: it holds files that are not a walk's, such as other", []string{"walk", "-o", full}},
		{1, "folders: not overwritten: it holds files that are not a walk's, such as density-1.png", []string{"walk", "-o", folders}},
		{1, "notes: not overwritten: it holds files that are not a walk's, such as density-notes.txt", []string{"walk", "-o", notes}},
		{1, "flat.obj: cannot write: not a directory", []string{"walk", "-o", flat}},
		{1, "x: cannot write into folder ", []string{"walk", "-o", filepath.Join(out, "x")}},
		{1, "x.ply: cannot save: no such file or directory", []string{"subdivide", "asset:cube", "-o", filepath.Join(out, "x.ply")}},
		{1, "levels.csv: not overwritten: the file exists and is not a table of levels", []string{"envelope", "asset:cube", "-o", out + ".ply", "--levels", levels}},
		{2, "--backend cpu runs without Vulkan: it excludes --device", []string{"walk", "-o", out, "--device", "0", "--backend", "cpu"}},
		{2, "--paper sets the batches: it excludes --batch", []string{"walk", "-o", out, "--paper", "--batch", "96"}},
		{2, "--paper sets the batches: it excludes --table", []string{"walk", "-o", out, "--paper", "--table", "3"}},
	} {
		r := call(append([]string{"apps"}, c.args...)...)
		require.Equal(t, c.status, r.status, "%v: %s", c.args, r.errors)
		require.Contains(t, r.errors, c.want)
		require.Equal(t, 1, strings.Count(r.errors, "\n"), r.errors)
		require.Empty(t, r.out)
	}
	left, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	require.Len(t, left, 6, "nothing was written")
}

>>>>>>> 1675685b (Reword errors that named no cause or no limit)
// TestAppsEnvelopeOnAGPU makes what the CPU makes, shading as often, and saves it.
func TestAppsEnvelopeOnAGPU(t *testing.T) {
	folder := t.TempDir()
	onCPU, onGPU := filepath.Join(folder, "cpu.ply"), filepath.Join(folder, "gpu.ply")
	strategies := []string{"naive", "hash", "claim"}
	if testing.Short() { // each is compiled for both envelopes
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
		r.Backend, r.Device, r.Milliseconds, r.Tables, r.Cutting = want[i].Backend, want[i].Device, want[i].Milliseconds, want[i].Tables, want[i].Cutting
		r.VsNaive, r.VsNaiveIndex = want[i].VsNaive, want[i].VsNaiveIndex
		require.Equal(t, want[i], r)
	}
	require.Equal(t, savedMesh(t, onCPU).Sum(), savedMesh(t, onGPU).Sum())
}

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
	var rows [2][]apps.Row
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
