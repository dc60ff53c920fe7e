package main

import (
	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/applications"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/internal/views"
	"github.com/shadeonce/shadeonce/renderer"
)

// budgetExamples are sizes of memory that a shell offers to complete.
var budgetExamples = []string{"16MiB", "64MiB", "256MiB", "1GiB"}

// completeValues completes the values of flags that take a name.
func completeValues(cmd *cobra.Command) {
	values := map[string][]string{
		"compare": reuse.Choices(), "compare-view": views.CompareViews, "sort": inspect.DrawSorts(),
		"up": renderer.UpAxisNames, "app": showing.AppNames, "side": applications.SideNames,
		"queue-budget": budgetExamples, "device-budget": budgetExamples,
		"strategy": views.StrategyKnob.Values, "lanes": views.LanesKnob.Values, "load": views.LoadKnob.Values, "raster": views.RasterKnob.Values,
	}
	cli.CompleteValues(cmd, values)
}
