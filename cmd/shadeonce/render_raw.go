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

// parameterFlags are the flags of strategies, which --strategy hardware refuses.
var parameterFlags = []string{
	"lanes", "batch", "batching", "unique", "workgroup", "probes", "subgroups", "queue", "queue-budget", "load",
}

// takeRaw reports whether only the graphics pipeline was asked for, and then empties
// the list of strategies.
func (f *renderFlags) takeRaw() (raw bool, err error) {
	if !slices.Equal(f.Strategies, []string{renderer.HardwareStrategy}) {
		return false, nil
	}
	for _, flag := range parameterFlags {
		if f.Given(flag) {
			return true, cli.Usagef("--strategy %s has no strategy: it excludes --%s", renderer.HardwareStrategy, flag)
		}
	}
	if shader, _ := f.shader.Ours(); shader != renderer.Transform {
		return true, cli.Usagef("--strategy %s has no vertex shader of ours but the one that only transforms: it excludes --vertex-shader %s", renderer.HardwareStrategy, shader)
	}
	if f.raster != renderer.AutoRaster.String() && f.raster != renderer.HardwareRaster.String() {
		return true, cli.Usagef("--strategy %s excludes --raster %s", renderer.HardwareStrategy, f.raster)
	}
	if f.Backend.Backend == cli.CPU {
		return true, cli.Usagef("--strategy %s excludes --backend %s", renderer.HardwareStrategy, cli.CPU)
	}
	f.Strategies, f.NoneAllowed = []string{cli.None}, true
	return true, nil
}

// showHardware counts what the graphics pipeline shades: for the counts view of a
// raw frame it must, for other views stats is nil where the device cannot count.
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
