package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/bytesize"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// ParseName finds a flag's value among the names of an enumeration; what names
// the enumeration in the error.
func ParseName[T ~uint32](what string, have []string, value string) (T, error) {
	i := slices.Index(have, value)
	if i < 0 {
		return 0, UsageError{names.Unknown(what, value, have)}
	}
	return T(i), nil
}

// ParseView, and those after it, read the value of the flag of that name.
func ParseView(value string) (renderer.View, error) {
	return ParseName[renderer.View]("view", renderer.ViewNames, value)
}

// ParsePalette reads --palette.
func ParsePalette(value string) (picture.Palette, error) {
	return ParseName[picture.Palette]("palette", picture.CountPaletteNames, value)
}

// AutoRaster is the default of --raster: the graphics pipeline, which draws on every
// device, also where the compute rasterizer cannot run for want of 64-bit integers.
// The cpu backend draws by soft in its place.
const AutoRaster = "auto"

// RasterNames are the values of --raster.
func RasterNames() []string { return append([]string{AutoRaster}, renderer.RasterHostNames...) }

// ParseRaster reads --raster.
func ParseRaster(value string) (renderer.RasterHost, error) {
	if value == AutoRaster {
		return renderer.HardwareRaster, nil
	}
	return ParseName[renderer.RasterHost]("raster host", renderer.RasterHostNames, value)
}

// ParseQueue reads --queue.
func ParseQueue(value string) (renderer.QueueForm, error) {
	return ParseName[renderer.QueueForm]("queue form", renderer.QueueFormNames, value)
}

// ParseSubgroups reads --subgroups.
func ParseSubgroups(value string) (renderer.Subgroups, error) {
	return ParseName[renderer.Subgroups]("subgroups", renderer.SubgroupsNames, value)
}

// ParseFaces reads --cull-faces.
func ParseFaces(value string) (renderer.FaceCulling, error) {
	return ParseName[renderer.FaceCulling]("choice of faces", renderer.FaceCullingNames, value)
}

// ParseSize reads --size, WIDTHxHEIGHT in pixels.
func ParseSize(text string) (width, height int, err error) {
	w, h, ok := strings.Cut(text, "x")
	width, errW := strconv.Atoi(w)
	height, errH := strconv.Atoi(h)
	if !ok || errW != nil || errH != nil || width < 1 || height < 1 || width > renderer.MaxImageSide || height > renderer.MaxImageSide {
		return 0, 0, Usagef("--size %q: want WIDTHxHEIGHT, each 1 to %d pixels", text, renderer.MaxImageSide)
	}
	return width, height, nil
}

// ParseBytes reads the byte count of a flag.
func ParseBytes(flag, text string) (int64, error) {
	n, err := bytesize.Parse(text)
	if err != nil {
		return 0, Usagef("--%s %w", flag, err)
	}
	return n, nil
}

// LoadNames are the loads that have a name: simple, and the real vertex shaders.
func LoadNames() []string {
	return append([]string{renderer.SimpleLoad}, renderer.VertexShaderNames[renderer.Transform+1:]...)
}

// LoadHelp says what --load takes.
func LoadHelp() string {
	return fmt.Sprintf("%s, or 0 to %d cycles", strings.Join(LoadNames(), ", "), renderer.MaxLoad)
}

// ParseLoad reads --load, what shading a vertex costs: a vertex shader by name,
// or cycles in addition to transforming.
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
