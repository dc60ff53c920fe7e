package cli

import (
	"fmt"
	"image/color"
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
}

// Add adds the flags.
func (f *LookFlags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.Light, "light", renderer.SoftLight.String(), "light in the counts and batches views: "+strings.Join(renderer.LightNames, ", ")+"; soft keeps every colour nearest to its own in the legend")
	flags.BoolVar(&f.Smooth, "smooth", false, "counts view: mix the colours of a triangle's corners, rather than show the nearest vertex")
	flags.BoolVar(&f.Edges, "edges", false, "draw the edges of triangles that are at least 3 pixels high")
	flags.StringVar(&f.Background, "background", "", "`colour` where nothing is drawn, #RRGGBB (default dark grey)")
}

// Read reads the flags.
func (f *LookFlags) Read() (l renderer.Look, err error) {
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

// parseColor reads #RRGGBB; the # may be left out, since a shell may take it for the
// beginning of a comment.
func parseColor(text string) (c color.RGBA, err error) {
	digits := strings.TrimPrefix(text, "#")
	_, err = fmt.Sscanf(digits, "%02x%02x%02x", &c.R, &c.G, &c.B)
	if c.A = 255; err != nil || len(digits) != 6 {
		return color.RGBA{}, Usagef("--background %q: want #RRGGBB, as #ffffff", text)
	}
	return c, nil
}
