package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// draws is an OBJ of three draws: a strip that is reused well, two triangles
// that share an edge, and two that share nothing.
func draws(t testing.TB) string {
	t.Helper()
	var text strings.Builder
	for i := range 20 {
		fmt.Fprintf(&text, "v %d 0 0\nv %d 1 0\n", i, i)
	}
	text.WriteString("g apart\nf 1 2 3\nf 4 5 6\ng strip\n")
	for i := 1; i < 38; i++ {
		fmt.Fprintf(&text, "f %d %d %d\n", i, i+1, i+2)
	}
	text.WriteString("g edge\nf 1 2 3\nf 2 3 4\n")
	path := filepath.Join(t.TempDir(), "draws.obj")
	require.NoError(t, os.WriteFile(path, []byte(text.String()), 0o600))
	return path
}

func TestPerDraw(t *testing.T) {
	t.Parallel()
	path := draws(t)
	rows := analyses(t, path, "--per-draw", "--strategy", "naive,warp", "--backend", "cpu")
	require.Len(t, rows, 6)
	for i, want := range []string{
		"1 strip 1 37 naive 111 72 0", "1 strip 1 37 warp 43 4 0.61",
		"0 apart 1 2 naive 6 0 0", "0 apart 1 2 warp 6 0 0",
		"2 edge 1 2 naive 6 2 0", "2 edge 1 2 warp 4 0",
	} {
		r := rows[i]
		got := fmt.Sprint(r["draw"], " ", r["name"], " ", r["instances"], " ", r["triangles"], " ", r["strategy"], " ", r["invocations"], " ", r["lost"], " ", r["reuse"])
		require.True(t, strings.HasPrefix(got, want), "row %d is %s", i, got)
		require.Equal(t, path, r["file"])
	}
	// Of the strip, iterations of 32 and 4 vertices, and a second batch of 7.
	// What the draws add up to is what the file has.
	whole := analyses(t, path, "--strategy", "warp", "--backend", "cpu")
	require.Equal(t, "53", fmt.Sprint(whole[0]["invocations"]))
	require.Equal(t, "49", fmt.Sprint(whole[0]["referenced"]))
}

func TestPerDrawSort(t *testing.T) {
	t.Parallel()
	path := draws(t)
	for by, want := range map[string]string{"triangles": "strip apart edge", "reuse": "apart edge strip", "lost": "strip apart edge"} {
		rows := analyses(t, path, "--per-draw", "--strategy", "warp", "--backend", "cpu", "--sort", by)
		var names []string
		for _, r := range rows {
			names = append(names, r["name"].(string))
		}
		require.Equal(t, want, strings.Join(names, " "), by)
	}
}

func TestPerDrawTable(t *testing.T) {
	t.Parallel()
	path := draws(t)
	r := call("analyze", path, "--per-draw", "--strategy", "naive,warp", "--backend", "cpu")
	requireFine(t, r)
	lines := strings.Split(r.out, "\n")
	require.Equal(t, strings.Fields("draw name instances triangles ideal naive warp lost"), strings.Fields(lines[0]))
	require.Equal(t, strings.Fields("1 strip 1 37 0.6486 0.0000 0.6126 72"), strings.Fields(lines[1]))
	require.Contains(t, r.out, path+", order original: 3 draws, 41 triangles, 74 invocations lost\nlost: invocations of naive")
	two := call("analyze", path, "asset:cube", "--per-draw", "--strategy", "warp", "--backend", "cpu")
	requireFine(t, two)
	require.Equal(t, "file", strings.Fields(two.out)[0])
	require.Contains(t, two.out, "\nasset:cube ")
}

func TestPerDrawCSVAndModels(t *testing.T) {
	t.Parallel()
	r := call("analyze", draws(t), "--per-draw", "--strategy", "none", "--model", "ideal,lru:4", "--csv")
	requireFine(t, r)
	records, err := csv.NewReader(strings.NewReader(r.out)).ReadAll()
	require.NoError(t, err)
	require.Len(t, records, 1+6)
	require.Equal(t, strings.Fields("schema file order draw name instances triangles indices referenced ideal strategy kind lanes batch invocations lost reuse placed residual shader steps saved vertex_ns simple_ns naive_us us picked reason version commit"), records[0])
	require.Equal(t, "ideal", records[1][10])
	require.Equal(t, "0", records[1][15], "nothing is lost")
}

// TestPerDrawInstances has a draw twice: one row.
func TestPerDrawInstances(t *testing.T) {
	t.Parallel()
	rows := analyses(t, "asset:city", "--per-draw", "--strategy", "warp", "--backend", "cpu")
	sum, most := 0.0, 0.0
	for _, r := range rows {
		n := number(t, r["triangles"])
		sum += n
		most = max(most, number(t, r["instances"]))
	}
	require.Greater(t, most, 1.0)
	whole := analyses(t, "asset:city", "--strategy", "warp", "--backend", "cpu")
	require.Equal(t, number(t, whole[0]["triangles"]), sum)
}

func TestMaxIdeal(t *testing.T) {
	t.Parallel()
	path := draws(t)
	rows := analyses(t, path, "--per-draw", "--max-ideal", "0.4", "--strategy", "warp", "--backend", "cpu")
	require.Len(t, rows, 2)
	require.Equal(t, "0 apart", fmt.Sprint(rows[0]["draw"], " ", rows[0]["name"]))
	require.Equal(t, "2 edge", fmt.Sprint(rows[1]["draw"], " ", rows[1]["name"]), "numbers are those in the file")
	whole := analyses(t, path, "--max-ideal", "0.4", "--strategy", "warp", "--backend", "cpu")
	require.Equal(t, "4 2", fmt.Sprint(whole[0]["triangles"], " ", whole[0]["draws"]))
	require.Equal(t, "1", fmt.Sprint(analyses(t, path, "--max-ideal", "0.3333", "--strategy", "warp", "--backend", "cpu")[0]["draws"]), "below, not at")
	requireFailure(t, 1, "no draw has an ideal reuse below 0", call("analyze", path, "--max-ideal", "0", "--backend", "cpu"))
}

func TestPerDrawUsage(t *testing.T) {
	t.Parallel()
	requireFailure(t, 2, "did you mean lost", call("analyze", "asset:cube", "--per-draw", "--sort", "last"))
	requireFailure(t, 2, "--per-draw", call("analyze", "asset:cube", "--sort", "lost"))
	requireFailure(t, 2, "--max-ideal", call("analyze", "asset:cube", "--max-ideal", "NaN"))
	requireFailure(t, 2, "--max-ideal", call("analyze", "asset:cube", "--max-ideal", "2"))
}
