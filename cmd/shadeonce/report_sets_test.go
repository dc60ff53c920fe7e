package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawsTable writes a frame as a table of draws: a fan that shares vertices, and
// triangles that share none.
func drawsTable(t *testing.T) string {
	b := []byte("VRDRAW1\x00")
	word := func(values ...uint32) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
	}
	vertices := func(n int) {
		for i := range n {
			word(math.Float32bits(float32(math.Cos(float64(i)))), math.Float32bits(float32(math.Sin(float64(i)))), math.Float32bits(float32(i)))
		}
	}
	word(2)
	word(1, 6, 12)
	vertices(6)
	word(0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5)
	word(2, 9, 9)
	vertices(9)
	word(0, 1, 2, 3, 4, 5, 6, 7, 8)
	path := filepath.Join(t.TempDir(), "frame.draws")
	require.NoError(t, os.WriteFile(path, b, 0o666))
	return path
}

// TestReportOfAFrame: a captured frame and its low-reuse set, which is no scene
// to be timed, stand in tables of their own in table 1, the set beside the
// paper's tree.
func TestReportOfAFrame(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "report")
	r := call("report", "--quick", "asset:cube", drawsTable(t), "--backend", "cpu", "-o", folder)
	requireFine(t, r)
	require.Contains(t, r.out, "report: 3 scenes,")
	page, sheet := readReport(t, folder)
	require.Contains(t, page, "Captured frames of games")
	require.Contains(t, page, "the draws with ideal reuse below .4, beside the paper&#39;s tree")
	found := idealRows(sheet("reuse.csv"))
	require.Equal(t, "2 6 18 0.0000", found["frame, draws with ideal reuse below 0.4"])
	require.Equal(t, "3 10 24 0.2000", found["frame"])
	require.Contains(t, page, "frame: where warp saves most, 2 of 2 draws")
	draws := sheet("draws.csv")
	require.Len(t, draws, 2*5)
	require.Equal(t, []string{"1", "18", "18"}, []string{draws[9]["draw"], draws[9]["referenced"], draws[9]["invocations"]}, "over both instances")
}

// idealRows are draws, triangles, referenced vertices and ideal reuse, by scene.
func idealRows(sheet []map[string]string) map[string]string {
	found := map[string]string{}
	for _, row := range sheet {
		if ideal, err := strconv.ParseFloat(row["reuse"], 64); err == nil && row["counter"] == "ideal" {
			found[row["scene"]] = fmt.Sprintf("%s %s %s %.4f", row["draws"], row["triangles"], row["referenced"], ideal)
		}
	}
	return found
}
