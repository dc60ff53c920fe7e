package main

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
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

// TestReportOfAFrame: a captured frame and its low-reuse set stand beside the
// paper's tree in table 1, and are no scenes to be timed.
func TestReportOfAFrame(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "report")
	r := call("report", "--quick", drawsTable(t), "--backend", "cpu", "-o", folder)
	requireFine(t, r)
	require.Contains(t, r.out, "report: 2 scenes,")
	page, sheet := readReport(t, folder)
	require.Contains(t, page, "Captured frames of games")
	const set = "frame.draws, draws with ideal reuse below 0.4"
	require.Contains(t, page, set)
	found := map[string]string{}
	for _, row := range sheet("reuse.csv") {
		if row["counter"] == "ideal" {
			found[row["scene"]] = row["draws"] + " " + row["triangles"] + " " + row["reuse"]
		}
	}
	require.Equal(t, "2 6 0", found[set])
	require.Equal(t, "3 10 0.19999999999999996", found["frame.draws"])
}
