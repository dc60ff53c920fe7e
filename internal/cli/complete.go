package cli

import (
	"maps"

	"github.com/spf13/cobra"

	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// CompleteValues completes the values of the command's flags that take a name.
// own are those of flags that other commands do not have, or with other values.
func CompleteValues(cmd *cobra.Command, own map[string][]string) {
	values := map[string][]string{
		"strategy": append([]string{All}, reuse.Choices()...), "order": order.Names(), "batching": reuse.BatchingNames,
		"subgroups": renderer.SubgroupsNames, "backend": backendNames, "view": renderer.ViewNames,
		"queue": renderer.QueueFormNames, "raster": renderer.RasterHostNames, "load": LoadNames(), "cull-faces": renderer.FaceCullingNames,
		"palette": picture.CountPaletteNames,
	}
	maps.Copy(values, own)
	for flag, names := range values {
		if cmd.Flags().Lookup(flag) != nil {
			_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
		}
	}
}
