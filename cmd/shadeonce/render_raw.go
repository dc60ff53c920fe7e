package main

import (
	"slices"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// --strategy hardware is no strategy: the graphics pipeline draws the scene's
// own buffers.

// parameterFlags are what has no meaning for the graphics pipeline alone.
var parameterFlags = []string{
	"lanes", "batch", "batching", "unique", "workgroup", "probes", "subgroups", "queue", "queue-budget", "load",
}

// takeRaw finds out whether the graphics pipeline alone was asked for, and
// leaves no strategy to be resolved then.
func (f *renderFlags) takeRaw() (raw bool, err error) {
	if !slices.Equal(f.Strategies, []string{renderer.HardwareStrategy}) {
		return false, nil
	}
	for _, flag := range parameterFlags {
		if f.Given(flag) {
			return true, cli.Usagef("--strategy %s has no strategy: it excludes --%s", renderer.HardwareStrategy, flag)
		}
	}
	if f.raster != cli.AutoRaster && f.raster != renderer.HardwareRaster.String() {
		return true, cli.Usagef("--strategy %s excludes --raster %s", renderer.HardwareStrategy, f.raster)
	}
	if f.Backend.Backend == cli.CPU {
		return true, cli.Usagef("--strategy %s excludes --backend %s", renderer.HardwareStrategy, cli.CPU)
	}
	f.Strategies, f.NoneAllowed = []string{cli.None}, true
	return true, nil
}

// showHardware gives a raw frame of the counts view what the device's own vertex
// reuse shades. stats has it where the device can count, in every view.
func showHardware(b plan.Backend, frame *renderer.Frame) (stats *reuse.Stats, err error) {
	counts, _, err := measure.CountHardware(b, frame.Scene)
	if frame.View == renderer.Counts {
		if err != nil {
			return nil, err
		}
		frame.Shown = counts
	}
	if err != nil {
		return nil, nil // a picture of another view does without
	}
	st := reuse.NewStats(frame.Scene, counts)
	return &st, nil
}
