package cli

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
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
// the names of built-in scenes. `own` lists values of the command's own flags, and values that
// replace the usual ones of other flags.
func CompleteValues(cmd *cobra.Command, own map[string][]string) {
	values := map[string][]string{
		"strategy": append([]string{All}, reuse.Choices()...), "order": order.Names(), "batching": reuse.BatchingNames,
		"subgroups": renderer.SubgroupsNames, "backend": backendNames, "view": append(slices.Clone(renderer.ViewNames), VaryingView),
		"queue": renderer.QueueFormNames, "raster": renderer.RasterHostNames, "load": LoadNames(), "cull-faces": renderer.FaceCullingNames,
		"palette": picture.CountPaletteNames, "lanes": LaneNames(), "queue-halves": {"2", "1"}, "size": {"1280x720", "1920x1080", "3840x2160"},
		"camera": append(slices.Sorted(maps.Keys(namedViews)), "ortho", Captured),
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
		_ = cmd.RegisterFlagCompletionFunc("device", completeDevice)
	}
	if strings.Contains(cmd.Use, "FILE") {
		cmd.ValidArgsFunction = completeFile
	}
}

// completion offers the values of a flag. After a comma it offers the values that the list lacks.
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
// offers nothing, since a shell completes file names only if nothing is offered.
func completeFile(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(typed) < 2 || !strings.HasPrefix(AssetPrefix, typed[:min(len(typed), len(AssetPrefix))]) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return names.Of(assets.All, func(a assets.Asset) string { return AssetPrefix + a.Name }), cobra.ShellCompDirectiveDefault
}

// completeShader offers the built-in shaders whose names begin with the typed text. If there are
// none, or nothing is typed, it offers files.
func completeShader(_ *cobra.Command, _ []string, typed string) (list []string, _ cobra.ShellCompDirective) {
	for _, name := range shaderNames() {
		if typed != "" && strings.HasPrefix(name, typed) {
			list = append(list, name)
		}
	}
	if len(list) > 0 {
		return list, cobra.ShellCompDirectiveNoFileComp
	}
	return names.Of(shade.Endings(), func(ending string) string { return strings.TrimPrefix(ending, ".") }), cobra.ShellCompDirectiveFilterFileExt
}

// LaneNames lists the lane counts as users write them in flags.
func LaneNames() []string { return names.Of(reuse.LaneCounts, strconv.Itoa) }

// completeDevice offers the Vulkan devices by number and name; none without Vulkan.
func completeDevice(*cobra.Command, []string, string) (list []string, _ cobra.ShellCompDirective) {
	infos, _ := gpu.ListDevices()
	for i := range infos {
		list = append(list, cobra.CompletionWithDesc(fmt.Sprint(i), infos[i].Name))
	}
	return list, cobra.ShellCompDirectiveNoFileComp
}

// Read parses the text of a flag and stores the result in *to.
func Read[T any](to *T, parse func(string) (T, error), text string) (err error) {
	*to, err = parse(text)
	return err
}

// Among returns an error for the first value that is not in the list; `what` names the values.
func Among(what string, have []string, values ...string) error {
	for _, value := range values {
		if !slices.Contains(have, value) {
			return UsageError{names.Unknown(what, value, have)}
		}
	}
	return nil
}

// InRange returns an error if a flag's number is out of range.
func InRange(flag string, value, from, to int) error {
	if value < from || value > to {
		return Usagef("--%s %d: must be %d to %d", flag, value, from, to)
	}
	return nil
}

// ParseName finds a flag's value among the names of an enumeration; `what` names it in errors.
func ParseName[T ~uint32](what string, have []string, value string) (T, error) {
	return T(max(0, slices.Index(have, value))), Among(what, have, value)
}

// Parsers of flags whose values are the names of an enumeration.
var (
	ParseView      = Parser[renderer.View]("view", renderer.ViewNames)
	ParsePalette   = Parser[picture.Palette]("palette", picture.CountPaletteNames)
	ParseLight     = Parser[renderer.Light]("light", renderer.LightNames)
	ParseQueue     = Parser[renderer.QueueForm]("queue form", renderer.QueueFormNames)
	ParseSubgroups = Parser[renderer.Subgroups]("subgroups", renderer.SubgroupsNames)
	ParseFaces     = Parser[renderer.FaceCulling]("choice of faces", renderer.FaceCullingNames)
	ParseUp        = Parser[renderer.UpAxis]("up axis", renderer.UpAxisNames)
	ParseRaster    = Parser[renderer.RasterHost]("raster host", renderer.RasterHostNames) // on the cpu backend, auto draws with soft
)

// Parser returns ParseName for one enumeration.
func Parser[T ~uint32](what string, have []string) func(string) (T, error) {
	return func(value string) (T, error) { return ParseName[T](what, have, value) }
}

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

// LoadNames lists the loads that have a name: simple, and the built-in vertex shaders.
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
		return 0, 0, Usagef("--load %q:%s want %s", text, names.Hint(names.Nearest(text, LoadNames())), LoadHelp())
	}
	return renderer.Transform, n, nil
}

// Captured is the value of --camera for a captured frame's own view, and of --vertex-shader for its
// own vertex shaders.
const Captured = "captured"

// CameraHelp describes the values of --camera; DEG is degrees, MOST an upper bound.
const CameraHelp = `comma-separated: front, back, left, right, top, bottom, az=DEG, el=DEG, zoom=F, fov=DEG, ortho, at=X:Y:Z, distance=D, near=MOST, up=AXIS, center=X:Y, time=S; or captured`

var namedViews = map[string][2]float32{
	"front": {0, 0}, "back": {180, 0}, "left": {-90, 0}, "right": {90, 0}, "top": {0, 90}, "bottom": {0, -90},
}

// ParseCamera returns the camera that fits the box, changed as the text says (CameraHelp). Later words
// replace earlier ones, which CheckCamera refuses. "captured" changes nothing: SceneCamera handles it.
func ParseCamera(text string, box geometry.Box, aspect float32) (renderer.Camera, error) {
	return ParseCameraInto(text, box, aspect, renderer.Part{})
}

// ParseCameraInto is ParseCamera for a box that is fitted into a part of the picture.
func ParseCameraInto(text string, box geometry.Box, aspect float32, part renderer.Part) (renderer.Camera, error) {
	c := renderer.FitCamera(box, aspect)
	// These are applied after the fit, which depends on directions and field of view.
	zoom, distance, target, center := float32(1), float32(0), (*mgl32.Vec3)(nil), part.Center
	numbers := map[string]*float32{"az": &c.Azimuth, "el": &c.Elevation, "fov": &c.FovY, "time": &c.Time, "near": &c.NearMost, "zoom": &zoom, "distance": &distance}
	for _, word := range cameraWords(text) {
		if angles, ok := namedViews[word]; ok {
			c.Azimuth, c.Elevation = angles[0], angles[1]
			continue
		}
		key, value, _ := strings.Cut(word, "=")
		f, ok := number(value)
		switch {
		case word == Captured:
		case word == "ortho":
			c.Orthographic = true
		case key == "at":
			if target, ok = point(value); !ok {
				return c, fmt.Errorf("camera at %q: want X:Y:Z", value)
			}
		case key == "up":
			up, err := ParseUp(value)
			if err != nil {
				return c, err
			}
			c.Up = up
		case key == "center":
			at, ok := point(value + ":0")
			if !ok {
				return c, fmt.Errorf("camera center %q: want X:Y", value)
			}
			center = at.Vec2()
		case (key == "distance" || key == "near") && !(f > 0):
			return c, fmt.Errorf("camera %s %q: must be above 0", key, value)
		case numbers[key] == nil:
			near := names.Nearest(word, append(slices.Sorted(maps.Keys(namedViews)), "ortho", Captured))
			return c, fmt.Errorf("camera %q:%s want %s", word, names.Hint(near), CameraHelp)
		case !ok:
			return c, fmt.Errorf("camera %s %q: want a number", key, value)
		case key == "fov" && (f < 1 || f > 170):
			return c, fmt.Errorf("camera fov %g: must be 1 to 170 degrees", f)
		case key == "zoom" && (f < 1e-3 || f > 1e3):
			return c, fmt.Errorf("camera zoom %g: must be 0.001 to 1000", f)
		default:
			*numbers[key] = float32(f)
		}
	}
	c.FitInto(box, aspect, part)
	c.Center = center
	if target != nil {
		c.Target = *target
	}
	if distance != 0 {
		c.Distance = distance
	}
	c.Zoom(zoom, box)
	return c, c.Check()
}

func cameraWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

// number parses a finite number; ok is false if the text is not one.
func number(text string) (float64, bool) {
	f, err := strconv.ParseFloat(text, 32)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// point reads X:Y:Z.
func point(text string) (*mgl32.Vec3, bool) {
	parts := strings.Split(text, ":")
	var at mgl32.Vec3
	for i, part := range parts {
		f, ok := number(part)
		if !ok || len(parts) != len(at) {
			return nil, false
		}
		at[i] = float32(f)
	}
	return &at, true
}

// CheckPass refuses a pass of a built-in scene; opening a file refuses a pass that it lacks.
func CheckPass(path, pass string) error {
	if pass == "" || !strings.HasPrefix(path, AssetPrefix) {
		return nil
	}
	return Usagef("--pass %s: %s has no passes, a captured frame has", pass, path)
}

// CheckCamera returns an error for a user's text that is invalid whatever the scene. No word may replace an earlier
// one, but az= and el= may follow a named view: they change one of its angles.
func CheckCamera(text string, aspect float32) error {
	if _, err := ParseCamera(text, geometry.Box{Max: mgl32.Vec3{1, 1, 1}}, aspect); err != nil {
		return AsUsage(err)
	}
	given := map[string]bool{}
	for _, word := range cameraWords(text) {
		key, _, _ := strings.Cut(word, "=")
		_, named := namedViews[word]
		if named {
			key = "view"
		}
		switch {
		case word == Captured && text != word:
			return Usagef("camera %q takes no other words", word)
		case given[key] || named && (given["az"] || given["el"]):
			return Usagef("camera %q replaces an earlier word", word)
		}
		given[key] = true
	}
	return nil
}

// SceneCamera is ParseCamera for a scene that may have a view of its own. It returns that view if
// the text is empty or "captured". `view` is nil for other scenes.
func SceneCamera(text string, box geometry.Box, view *geometry.View, aspect float32) (renderer.Camera, error) {
	if text != Captured && (text != "" || view == nil) {
		return ParseCamera(text, box, aspect)
	}
	if view == nil {
		return renderer.Camera{}, fmt.Errorf("camera %q: only a replayed frame has a view of its own", text)
	}
	c := renderer.CapturedCamera(view, aspect)
	return c, c.Check()
}

// CameraText returns the text from which ParseCamera makes the same camera for the same box.
func CameraText(c renderer.Camera) string {
	number := func(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }
	words := []string{
		"az=" + number(c.Azimuth), "el=" + number(c.Elevation), "fov=" + number(c.FovY),
		"at=" + number(c.Target[0]) + ":" + number(c.Target[1]) + ":" + number(c.Target[2]),
		"distance=" + number(c.Distance),
	}
	if c.NearMost > 0 {
		words = append(words, "near="+number(c.NearMost))
	}
	if c.Orthographic {
		words = append(words, "ortho")
	}
	if c.Up != renderer.UpY {
		words = append(words, "up="+c.Up.String())
	}
	if c.Time != 0 {
		words = append(words, "time="+number(c.Time))
	}
	if c.Center != (mgl32.Vec2{}) {
		words = append(words, "center="+number(c.Center[0])+":"+number(c.Center[1]))
	}
	return strings.Join(words, ",")
}
