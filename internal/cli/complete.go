package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/renderer/gpu"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/renderer/shade"
	"github.com/shadeonce/shadeonce/renderer"
)

// CompleteValues completes the values of flags that take a name, and, if the command takes files,
// the names of built-in scenes. own adds values of the command's own flags, or replaces the usual
// ones.
func CompleteValues(cmd *cobra.Command, own map[string][]string) {
	values := map[string][]string{
		"strategy": append([]string{All}, reuse.Choices()...), "order": order.Names(), "batching": reuse.BatchingNames,
		"subgroups": renderer.SubgroupsNames, "backend": backendNames, "view": append(slices.Clone(renderer.ViewNames), VaryingView),
		"queue": renderer.QueueFormNames, "raster": renderer.RasterHostNames, "load": LoadNames(), "cull-faces": renderer.FaceCullingNames,
		"palette": picture.CountPaletteNames, "lanes": LaneNames(), "queue-halves": {"2", "1"}, "size": {"1280x720", "1920x1080", "3840x2160"},
		"camera": cameraWords(),
	}
	maps.Copy(values, own)
	for name, list := range values {
		if flag := cmd.Flags().Lookup(name); flag != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, completion(flag, list))
		}
	}
	if cmd.Flags().Lookup("vertex-shader") != nil {
		_ = cmd.RegisterFlagCompletionFunc("vertex-shader", completeShader)
		_ = cmd.MarkFlagFilename("uniforms", "yaml", "yml", "json")
	}
	if cmd.Flags().Lookup("device") != nil {
		_ = cmd.RegisterFlagCompletionFunc("device", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return devices(), cobra.ShellCompDirectiveNoFileComp
		})
	}
	if strings.Contains(cmd.Use, "FILE") {
		cmd.ValidArgsFunction = completeFile
	}
}

// completion offers the values of a flag. After a comma in a list it offers those not in the list.
func completion(flag *pflag.Flag, values []string) cobra.CompletionFunc {
	_, list := flag.Value.(pflag.SliceValue)
	list = list && flag.Value.Type() != "stringArray" || flag.Name == "camera"
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		directive := cobra.ShellCompDirectiveNoFileComp
		before := typed[:strings.LastIndex(typed, ",")+1]
		if !list || before == "" {
			return values, directive
		}
		var left []string
		for _, value := range values {
			if !slices.Contains(strings.Split(before, ","), value) {
				left = append(left, before+value)
			}
		}
		return left, directive
	}
}

// completeFile offers the built-in scenes once two letters of "asset:" are typed. Before that it
// offers nothing, since only then does a shell complete file names.
func completeFile(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(typed) < 2 || !strings.HasPrefix(AssetPrefix, typed[:min(len(typed), len(AssetPrefix))]) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return names.Of(assets.All, func(a assets.Asset) string { return AssetPrefix + a.Name }), cobra.ShellCompDirectiveDefault
}

// completeShader offers built-in shaders that begin as typed. If there are none, or nothing is
// typed, it offers files.
func completeShader(_ *cobra.Command, _ []string, typed string) (list []string, _ cobra.ShellCompDirective) {
	for _, name := range shaderNames() {
		if typed != "" && strings.HasPrefix(name, typed) {
			list = append(list, name)
		}
	}
	if len(list) > 0 {
		return list, cobra.ShellCompDirectiveNoFileComp
	}
	for _, ending := range shade.Endings() {
		list = append(list, strings.TrimPrefix(ending, "."))
	}
	return list, cobra.ShellCompDirectiveFilterFileExt
}

// LaneNames lists the lane counts as flags take them.
func LaneNames() []string { return names.Of(reuse.LaneCounts, strconv.Itoa) }

func cameraWords() []string { return append(slices.Sorted(maps.Keys(namedViews)), "ortho", Captured) }

// devices lists the Vulkan devices by number and name. Without Vulkan it is empty.
func devices() (list []string) {
	infos, _ := gpu.ListDevices()
	for i := range infos {
		list = append(list, cobra.CompletionWithDesc(fmt.Sprint(i), infos[i].Name))
	}
	return list
}
