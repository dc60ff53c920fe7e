package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVsNaive: times are shown relative to the fastest form without reuse of the same
// file, order and load; above 1 is slower.
func TestVsNaive(t *testing.T) {
	var rows []benchRow
	add := func(order, strategy, load string, ms float64) {
		rows = append(rows, benchRow{File: "a", Order: order, Strategy: strategy, Load: load, MsMedian: ms, Runs: 1})
	}
	add("original", "naive", "simple", 8)
	add("original", "naive-index", "simple", 4)
	add("original", "hash", "simple", 3)
	add("original", "sort", "simple", 6)
	add("original", "naive", "skin", 100)
	add("forsyth", "naive-index", "simple", 1)
	add("forsyth", "hash", "simple", 2)
	add("original", "hash", "displace", 5)
	var text strings.Builder
	require.NoError(t, writeBench(&text, rows))
	lines := strings.Split(text.String(), "\n")
	column := func(line string) string {
		at := strings.Index(lines[0], "vs naive") + len("vs naive") // right-aligned
		fields := strings.Fields(line[:at])
		return fields[len(fields)-1]
	}
	require.Equal(t, "naive", column(lines[0]))
	var relative []string
	for _, line := range lines[1 : 1+len(rows)] {
		relative = append(relative, column(line))
	}
	require.Equal(t, []string{"2.00", "1.00", "0.75", "1.50", "1.00", "1.00", "2.00", "-"}, relative)
}
