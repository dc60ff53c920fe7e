package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/shareddata"
	"github.com/shadeonce/shadeonce/internal/cli"
)

// analyses runs analyze with --json; numbers keep their spelling.
func analyses(t testing.TB, args ...string) []map[string]any {
	t.Helper()
	r := fine(t, append([]string{"analyze", "--json"}, args...)...)
	return decode(t, r.out)
}

func decode(t testing.TB, text string) []map[string]any {
	t.Helper()
	var rows []map[string]any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&rows))
	require.False(t, d.More(), "one array")
	require.NotNil(t, rows)
	return rows
}

func TestAnalyzeEscapesNamesInTables(t *testing.T) {
	t.Parallel()
	r := fine(t, "analyze", writeFile(t, "a\x1b[2J\nb.obj", oneTriangle), "--backend", "cpu")
	require.Contains(t, r.out, `a\x1b[2J\nb.obj`)
	require.NotContains(t, r.out, "\x1b")
}

// A GPU's counts are those of the reference: but for who says so, both rows are one.
func TestAnalyzeOnTheGPUEqualsTheCPU(t *testing.T) {
	for i, flags := range [][]string{{}, {"--lanes", "8", "--batch", "30"}, {"--lanes", "64", "--subgroups", "virtual"}} {
		scenes := append([]string{"asset:soup", "asset:city2"}, flags...)
		if testing.Short() && i > 0 { // each strategy is compiled anew
			scenes = append(scenes, "--strategy", "warp,hash")
		}
		onCPU, gpu := analyses(t, append(scenes, "--backend", "cpu")...), analyses(t, onGPU(scenes...)...)
		for i := range gpu {
			require.Equal(t, "gpu", gpu[i]["backend"])
			require.NotEqual(t, onCPU[i]["device"], gpu[i]["device"])
			gpu[i]["backend"], gpu[i]["device"] = onCPU[i]["backend"], onCPU[i]["device"]
		}
		require.Equal(t, onCPU, gpu)
	}
	r := fine(t, onGPU("analyze", "asset:cube")...)
	require.Contains(t, r.out, "the counts of every vertex equal the CPU reference")
}

func TestUnknownDevice(t *testing.T) {
	for _, backend := range []string{"auto", "gpu"} {
		requireFailure(t, cli.ExitFailure, `no device "no such card"; there is 0: `,
			callRoot(newRoot(nil), "analyze", "asset:cube", "--backend", backend, "--device", "no such card"))
	}
}

// Every file of the folder of hostile files ends in success or one line.
func TestHostileFolder(t *testing.T) {
	t.Parallel()
	folder := shareddata.Path(t, "hostile", "gltf")
	seen := 0
	require.NoError(t, filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		seen++
		r := call("analyze", "--backend", "cpu", "--strategy", "naive", "--json", path)
		if r.status != 0 {
			requireFailure(t, cli.ExitFailure, d.Name(), r)
		} else {
			require.Len(t, decode(t, r.out), 1)
		}
		return nil
	}))
	require.Positive(t, seen)
}
