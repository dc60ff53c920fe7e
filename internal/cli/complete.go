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
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
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

// Read parses the text of a flag into a setting.
func Read[T any](to *T, parse func(string) (T, error), text string) (err error) {
	*to, err = parse(text)
	return err
}

// Among returns an error for the first value that is not among those there are; what names it.
func Among(what string, have []string, values ...string) error {
	for _, value := range values {
		if !slices.Contains(have, value) {
			return UsageError{names.Unknown(what, value, have)}
		}
	}
	return nil
}

// ParseName finds a flag's value among the names of an enumeration; what names it in errors.
func ParseName[T ~uint32](what string, have []string, value string) (T, error) {
	return T(max(0, slices.Index(have, value))), Among(what, have, value)
}

// Parsers of --view, --palette, --light, --queue, --subgroups and --cull-faces.
var (
	ParseView      = parser[renderer.View]("view", renderer.ViewNames)
	ParsePalette   = parser[picture.Palette]("palette", picture.CountPaletteNames)
	ParseLight     = parser[renderer.Light]("light", renderer.LightNames)
	ParseQueue     = parser[renderer.QueueForm]("queue form", renderer.QueueFormNames)
	ParseSubgroups = parser[renderer.Subgroups]("subgroups", renderer.SubgroupsNames)
	ParseFaces     = parser[renderer.FaceCulling]("choice of faces", renderer.FaceCullingNames)
	ParseUp        = parser[renderer.UpAxis]("up axis", renderer.UpAxisNames)
)

func parser[T ~uint32](what string, have []string) func(string) (T, error) {
	return func(value string) (T, error) { return ParseName[T](what, have, value) }
}

// ParseRaster parses --raster. The cpu backend draws with soft if it is auto.
var ParseRaster = parser[renderer.RasterHost]("raster host", renderer.RasterHostNames)

// ParseSize parses --size: WIDTHxHEIGHT in pixels.
func ParseSize(text string) (width, height int, err error) {
	w, h, ok := strings.Cut(text, "x")
	width, errW := strconv.Atoi(w)
	height, errH := strconv.Atoi(h)
	if !ok || errW != nil || errH != nil || width < 1 || height < 1 || width > renderer.MaxImageSide || height > renderer.MaxImageSide {
		return 0, 0, Usagef("--size %q: want WIDTHxHEIGHT, each 1 to %d pixels", text, renderer.MaxImageSide)
	}
	return width, height, nil
}

// ParseBytes parses a flag that is a number of bytes.
func ParseBytes(flag, text string) (int64, error) {
	n, err := bytesize.Parse(text)
	if err != nil {
		return 0, Usagef("--%s %w", flag, err)
	}
	return n, nil
}

// LoadNames lists the loads that have a name: simple, and the real vertex shaders.
func LoadNames() []string {
	return append([]string{renderer.SimpleLoad}, renderer.VertexShaderNames[renderer.Transform+1:]...)
}

// LoadHelp lists the values of --load.
func LoadHelp() string {
	return fmt.Sprintf("%s, or 0 to %d cycles", strings.Join(LoadNames(), ", "), renderer.MaxLoad)
}

// ParseLoad parses --load, the cost of shading a vertex: a vertex shader by name, or cycles in
// addition to the transform.
func ParseLoad(text string) (renderer.VertexShader, int, error) {
	if at := slices.Index(LoadNames(), text); at >= 0 {
		return renderer.VertexShader(at), 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > renderer.MaxLoad {
		near := names.Nearest(text, LoadNames())
		if near != "" {
			near = " did you mean " + near + "?"
		}
		return 0, 0, Usagef("--load %q:%s want %s", text, near, LoadHelp())
	}
	return renderer.Transform, n, nil
}
