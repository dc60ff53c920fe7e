package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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

// TestAppsEnvelopeSizes: the application's own batches, unless a flag gives some.
func TestAppsEnvelopeSizes(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.ply")
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "576/128"}, {[]string{"--strategy", "sort"}, "768/128"}, {[]string{"--strategy", "warp"}, "96"}, {[]string{"--strategy", "multi"}, "192"},
		{[]string{"--unique", "64"}, "1023/64"}, {[]string{"--strategy", "claim", "--lanes", "16"}, "192"}, {[]string{"--strategy", "claim", "--paper"}, "384"},
	} {
		rows := appRows(t, append([]string{"envelope", "asset:cube", "-o", out}, c.args...)...)
		require.Equal(t, c.want, rows[0].Sizes(), c.args)
	}
}
