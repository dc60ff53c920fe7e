package cli

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/renderer"
)

// LookFlags say how pictures look.
type LookFlags struct {
	Light         string
	Smooth, Edges bool
	Background    string
	Transparent   bool
	Samples       int
}

// Add adds the flags of pictures that are written.
func (f *LookFlags) Add(flags *pflag.FlagSet) {
	f.AddLook(flags)
	flags.BoolVar(&f.Transparent, "transparent", false, "leave the background out of the picture")
	flags.IntVar(&f.Samples, "samples", 1, "samples per pixel, which smooth edges: 1, 4, 9 or 16")
}

// AddLook adds the flags of any picture.
func (f *LookFlags) AddLook(flags *pflag.FlagSet) {
	flags.StringVar(&f.Light, "light", renderer.SoftLight.String(), "light in the counts and batches views: "+strings.Join(renderer.LightNames, ", ")+"; soft keeps every colour nearest to its own in the legend")
	flags.BoolVar(&f.Smooth, "smooth", false, "counts view: mix the colours of a triangle's corners, rather than show the nearest vertex")
	flags.BoolVar(&f.Edges, "edges", false, "draw the edges of triangles that are more than 3 pixels high")
	flags.StringVar(&f.Background, "background", "", "`colour` where nothing is drawn, #RRGGBB (default dark grey)")
}

// Sampled makes a frame draw its samples side by side, and returns how many a pixel has
// along each side.
func (f *LookFlags) Sampled(frame *renderer.Frame) (side int, err error) {
	side = int(math.Sqrt(float64(max(f.Samples, 0))))
	if side*side != f.Samples || side < 1 || side > 4 {
		return 0, Usagef("--samples %d: want 1, 4, 9 or 16", f.Samples)
	}
	if width, height := side*frame.Width, side*frame.Height; max(width, height) > renderer.MaxImageSide {
		return 0, Usagef("--samples %d of %dx%d pixels are %dx%d, each side at most %d", f.Samples, frame.Width, frame.Height, width, height, renderer.MaxImageSide)
	}
	frame.Width, frame.Height = side*frame.Width, side*frame.Height
	frame.Look.Edges *= float32(side)
	return side, nil
}

// Read reads the flags.
func (f *LookFlags) Read() (l renderer.Look, err error) {
	if f.Transparent && f.Background != "" {
		return l, Usagef("--transparent leaves the background out: it excludes --background")
	}
	if err := Read(&l.Light, ParseLight, f.Light); err != nil {
		return l, err
	}
	if l.Smooth = f.Smooth; f.Edges {
		l.Edges = renderer.EdgeWidth
	}
	if f.Background != "" {
		l.Background, err = parseColor(f.Background)
	}
	return l, err
}

// LookValues are the values of the flags that lead to a look.
func LookValues(l renderer.Look) map[string]string {
	background := ""
	if c := l.Background; c != (color.RGBA{}) {
		background = fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	}
	return map[string]string{
		"light": l.Light.String(), "smooth": strconv.FormatBool(l.Smooth), "edges": strconv.FormatBool(l.Edges > 0), "background": background,
	}
}

// parseColor reads #RRGGBB; the # may be left out, since a shell may take it for the
// beginning of a comment.
func parseColor(text string) (c color.RGBA, err error) {
	digits := strings.TrimPrefix(text, "#")
	rgb, err := strconv.ParseUint(digits, 16, 24)
	if err != nil || len(digits) != 6 {
		return c, Usagef("--background %q: want #RRGGBB, as #ffffff", text)
	}
	return color.RGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255}, nil
}
