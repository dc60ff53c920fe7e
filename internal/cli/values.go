package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/renderer"
)

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
