package main

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/stretchr/testify/require"
)

// TestSizesThatCannotWork goes through every flag that takes a size, on each
// command that has it: refused as bad usage, in one line that names the range,
// before the file is looked for.
func TestSizesThatCannotWork(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	strategies := []string{"analyze", "bench", "render"}
	const (
		batches = "must be a multiple of 3 from 3 to 3072"
		unique  = "unique vertices per batch: must be 3 to 1024"
		groups  = "must be a power of two from 32 to 1024"
		lanes   = "lanes: must be one of 4 8 16 32 64"
		probes  = "probes: must be 0 to 1024"
		table   = "entries per vertex: must be 1 to 4"
		budget  = "want bytes, or a whole number with KiB, MiB or GiB, from 1 to 1024GiB"
		loads   = "want simple, skin, displace, or 0 to 1048576 cycles"
		pixels  = "want WIDTHxHEIGHT, each 1 to 16384 pixels"
	)
	for _, c := range []struct {
		commands []string
		flag     string
		values   []string
		want     string
	}{
		{strategies, "batch", []string{"0", "1", "95", "-3", "3075", "3000000000"}, batches},
		{strategies, "unique", []string{"0", "2", "-1", "1025"}, unique},
		{strategies, "workgroup", []string{"0", "1", "16", "100", "2048", "-256"}, groups},
		{strategies, "lanes", []string{"0", "5", "128", "-4"}, lanes},
		{strategies, "probes", []string{"-1", "1025"}, probes},
		{strategies, "table", []string{"0", "-1", "5"}, table},
		{strategies, "batching", []string{"dinamic"}, "did you mean dynamic? have static, dynamic"},
		{[]string{"bench"}, "load", []string{"-1", "1048577", "simpel", "1e3", "99999999999999999999"}, loads},
		{[]string{"bench"}, "load", []string{"simple,,256", "simpel"}, loads},
		{[]string{"bench"}, "load", []string{""}, "no --load given: want simple, skin, displace, or 0 to 1048576 cycles"},
		{[]string{"bench"}, "runs", []string{"0", "-1", "100001"}, "want 1 to 100000"},
		{[]string{"bench", "render"}, "queue-budget", []string{"0", "-1MiB", "64MB", "1025GiB", "1.5GiB", ""}, budget},
		{[]string{"bench", "render"}, "device-budget", []string{"0", "-1MiB", "64MB", "1025GiB", "1.5GiB"}, budget},
		{[]string{"render"}, "size", []string{"640", "0x480", "640x-1", "16385x1", ""}, pixels},
		{[]string{"render"}, "repeat", []string{"-1", "100001"}, "want 1 to 100000 frames"},
		{[]string{"analyze"}, "model", []string{"lru:0"}, "must be a number from 1"},
		{[]string{"analyze"}, "model", []string{"lru:1073741825"}, "is out of range 1..1073741824"},
	} {
		for _, command := range c.commands {
			for _, value := range c.values {
				args := []string{command, "no such file", "--" + c.flag + "=" + value}
				t.Run(strings.Join(args, " "), func(t *testing.T) {
					if command == "render" {
						args = append(args, "-o", filepath.Join(folder, "x.png"))
					}
					// Also where the strategy has no use for the size.
					for _, strategy := range []string{"naive", "hash", "claim"} {
						requireFailure(t, cli.ExitUsage, c.want, call(append(args, "--strategy", strategy)...))
					}
					requireEmpty(t, folder)
				})
			}
		}
	}
}

// Sizes that a strategy cannot have are refused as those that none can.
func TestSizesThatCannotWorkTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args string
		want string
	}{
		{"analyze --strategy hash --batching static --batch 1026", "at most 1024 have a slot: must be a multiple of 3 from 3 to 1023"},
		{"bench --strategy hash --batching static --batch 1026", "must be a multiple of 3 from 3 to 1023"},
		{"analyze --strategy warp --unique 64", "unique vertices bound dynamic batches alone, warp has static ones"},
		{"analyze --strategy hash --batching static --unique 64", "unique vertices bound dynamic batches alone, hash has static ones"},
		{"analyze --strategy meshlet --unique 257", "257 unique vertices per batch: meshlet takes 3 to 256"},
		{"bench --strategy meshlet --batching static", "static batches: meshlet runs on dynamic batches"},
		{"analyze --strategy claim --table 2", "table of 2 entries per vertex: claim has no such table"},
		{"analyze --strategy naive --probes 2", "2 probes: naive has no second tier that would follow them"},
	} {
		t.Run(c.args, func(t *testing.T) {
			requireFailure(t, cli.ExitUsage, c.want, call(append(strings.Fields(c.args), "no such file")...))
		})
	}
}

// What does not fit the device's shared memory is told what does, which is true.
func TestSizesThatFitAreNamed(t *testing.T) {
	render := func(unique string) result {
		return call("render", "asset:cube", "--plan", "--backend", "gpu", "--strategy", "hash", "--batch", "3072", "--queue", "expanded", "--unique", unique)
	}
	r := render("1024")
	if r.status == 0 {
		t.Skip("the device has shared memory for more than any batch takes")
	}
	requireFailure(t, cli.ExitUsage, "of shared memory, the device has", r)
	found := regexp.MustCompile(`at most (\d+) unique vertices per batch, or batches of at most (\d+) indices would fit`).FindStringSubmatch(r.errors)
	require.Len(t, found, 3, r.errors)
	requireFine(t, render(found[1]))
	most, err := strconv.Atoi(found[1])
	require.NoError(t, err)
	requireFailure(t, cli.ExitUsage, "would fit", render(strconv.Itoa(most+1)))
	requireFailure(t, cli.ExitUsage, "would fit", call("bench", "no such file", "--strategy", "hash", "--batch", "3072", "--queue", "expanded", "--unique", "1024"))
}

func TestSizesAtTheirBounds(t *testing.T) {
	t.Parallel()
	for _, flags := range []string{
		"--strategy naive --batch 3072", "--strategy hash --unique 3 --batch 3", "--strategy hash --workgroup 32", "--strategy hash --workgroup 1024",
		"--strategy hash --batch 1023", "--strategy hash --batch 3072", "--strategy hash --table 1", "--strategy all --table 4",
		"--strategy phash --probes 0", "--strategy phash --probes 1024",
		"--strategy warp --lanes 4", "--strategy warp --lanes 64", "--strategy hash --batching static --batch 1023", "--strategy all --probes 3",
		"--strategy meshlet --unique 256 --batch 3072", "--strategy meshlet --unique 3", "--strategy all --unique 1024",
	} {
		requireFine(t, call(strings.Fields("analyze asset:cube --backend cpu "+flags)...))
	}
	require.Equal(t, cli.ExitFailure, call("analyze", "asset:cube", "--backend", "cpu", "no such file").status)
}
