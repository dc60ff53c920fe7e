package main

import (
	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/renderer"
)

// completeValues completes the values of flags that take a name.
func completeValues(cmd *cobra.Command) {
	values := map[string][]string{
		"order": order.Names(), "compare": reuse.Names(), "compare-view": compareNames[compareSplit:], "cull-faces": renderer.FaceCullingNames, "sort": inspect.DrawSorts(), "queue-budget": budgetExamples, "device-budget": budgetExamples,
	}
	for flag, k := range map[string]*knob{
		"strategy": &strategyKnob, "lanes": &lanesKnob, "load": &loadKnob, "queue": &queueKnob, "subgroups": &subgroupsKnob,
		"raster": &rasterKnob, "view": &viewKnob, "palette": &paletteKnob,
	} {
		values[flag] = k.values
	}
	values["raster"] = append([]string{cli.AutoRaster}, rasterKnob.values...)
	for flag, names := range values {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
	}
}
