package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/shadeonce/shadeonce/internal/cli"
)

// TestBudgetsThatAreTooSmall: one line that says what is needed, or what cannot be taken
// in windows, and no picture.
func TestBudgetsThatAreTooSmall(t *testing.T) {
	folder := t.TempDir()
	const terrain = "asset:terrain300 --size 64x64 --device-budget 34MiB --queue-budget 1MiB "
	for _, c := range []struct {
		args, want string
		status     int
	}{
		{"asset:knot --queue-budget 1000", "queue budget of 1000 bytes is too small: one batch of 96 indices needs 1.406 KiB", cli.ExitFailure},
		{"asset:knot --queue-budget 1000 --raster compute", "one batch of 96 indices needs 1.281 KiB", cli.ExitFailure},
		{"asset:knot --queue-budget 1000 --queue expanded", "one batch of 96 indices needs 2.25 KiB", cli.ExitFailure},
		{"asset:knot --size 64x64 --device-budget 1000", "device memory of 1000 bytes is too small: queues, staging, picture and two windows need about 38.55 MiB", cli.ExitUsage},
		{"asset:knot --device-budget 33MiB", "device memory of 33 MiB is too small: queues, staging, picture and two windows need about 70.96 MiB", cli.ExitFailure},
		{"asset:knot --size 16384x16384 --device-budget 100MiB", "device memory of 100 MiB is too small: queues, staging, picture and two windows need about 8.0", cli.ExitFailure},
		{terrain + "--strategy multi", "the device budget is 34 MiB; multi takes the whole scene at once", cli.ExitFailure},
		{terrain + "--load skin", "the device budget is 34 MiB; the skeleton is made for the whole scene at once", cli.ExitFailure},
		{"asset:terrain300 --size 64x64 --device-budget 34MiB --strategy hardware --view shaded", "the device budget is 34 MiB", cli.ExitFailure},
	} {
		t.Run(c.args, func(t *testing.T) {
			args := append([]string{"render", "-o", filepath.Join(folder, "x.png")}, strings.Fields(c.args)...)
			requireFailure(t, c.status, c.want, call(onGPU(args...)...))
			requireEmpty(t, folder)
		})
	}
}
