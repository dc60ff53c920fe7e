package cli

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/apps/subdivide"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/bytesize"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// MemoryFlags bound the memory that a frame takes. Empty texts mean the defaults.
type MemoryFlags struct {
	Queue, Device string
	flags         *pflag.FlagSet // nil if there are no flags for the queues
	halves        int
}

// QueueBudgetHelp describes --queue-budget, and QueueBudgetDefault its default.
const QueueBudgetHelp = "memory for the queues: a scene that needs more is drawn in chunks"

var QueueBudgetDefault = fmt.Sprintf("a sixteenth of the device's, %s to %s", plainBytes(renderer.LeastQueueBudget), plainBytes(renderer.MostQueueBudget))

// plainBytes formats a byte count as users write it in flags.
func plainBytes(n int64) string { return strings.ReplaceAll(bytesize.Text(n), " ", "") }

// Add adds the flags for the queues and for all device memory. `without` describes the default of
// --queue-budget.
func (f *MemoryFlags) Add(flags *pflag.FlagSet, without string) {
	f.flags = flags
	flags.StringVar(&f.Queue, "queue-budget", "", fmt.Sprintf("%s (default %s)", QueueBudgetHelp, without))
	flags.IntVar(&f.halves, "queue-halves", 2, "2: one half of the queues is filled while the other is drawn; 1: larger chunks, one after the other")
	f.AddDevice(flags)
}

// AddDevice adds only the flag for all device memory.
func (f *MemoryFlags) AddDevice(flags *pflag.FlagSet) {
	flags.StringVar(&f.Device, "device-budget", "", "device memory for all: a scene that needs more is uploaded in windows (default what the device has)")
}

// Apply sets the frame's memory bounds.
func (f *MemoryFlags) Apply(frame *renderer.Frame) (err error) {
	if f.flags != nil {
		if f.halves != 1 && f.halves != 2 {
			return Usagef("--queue-halves %d: want 1 or 2", f.halves)
		}
		frame.OneHalf = f.halves == 1
		if f.Queue != "" || f.flags.Changed("queue-budget") {
			if frame.QueueBudget, err = ParseBytes("queue-budget", f.Queue); err != nil {
				return err
			}
		}
	}
	if f.Device != "" {
		frame.DeviceBudget, err = ParseBytes("device-budget", f.Device)
	}
	return err
}

// CullFlags are the flags of commands that can cull.
type CullFlags struct {
	Cull  bool
	Faces string
}

// Add adds --cull and --cull-faces to a command.
func (f *CullFlags) Add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.Cull, "cull", false, "drop triangles that show nothing before attributes are shaded; counts are then of attributes")
	flags.StringVar(&f.Faces, "cull-faces", renderer.FacesOfFile.String(),
		"whose back faces are dropped: "+strings.Join(renderer.FaceCullingNames, ", ")+"; file means where the file says so, which only glTF does")
}

// Apply sets the frame's culling.
func (f *CullFlags) Apply(frame *renderer.Frame) (err error) {
	frame.Cull = f.Cull
	frame.CullFaces, err = ParseFaces(f.Faces)
	return err
}

// Refuse returns an error if a frame asks for modes that exclude each other. It does not need the
// scene. `given` maps further modes to the flags that ask for them: see plan.Refuse.
func Refuse(frame *renderer.Frame, given map[*plan.Mode]string) error {
	return AsUsage(plan.Refuse(frame, given))
}

// SubdivideFlags are the flags of commands that can subdivide the mesh that they draw.
type SubdivideFlags struct{ Levels int }

// Add adds --subdivide to a command.
func (f *SubdivideFlags) Add(flags *pflag.FlagSet) {
	flags.IntVar(&f.Levels, "subdivide", 0, fmt.Sprintf("`times` that each triangle becomes four, by Loop's scheme, 0 to %d; the last time while it is drawn", subdivide.MaxLevels))
}

// Check returns an error for a number out of range.
func (f *SubdivideFlags) Check() error {
	return InRange("subdivide", f.Levels, 0, subdivide.MaxLevels)
}

// Modes maps the mode that the flags ask for to its flag. Refuse needs it, since only the scene says
// whether a frame subdivides.
func (f *SubdivideFlags) Modes() map[*plan.Mode]string {
	if f.Levels == 0 {
		return map[*plan.Mode]string{}
	}
	return map[*plan.Mode]string{plan.Subdivision: plan.Subdivision.Flag}
}

// Apply subdivides a scene as the flags say.
func (f *SubdivideFlags) Apply(stderr io.Writer, s *geometry.Scene) (out *geometry.Scene, err error) {
	if f.Levels == 0 {
		return s, nil
	}
	return out, WithProgress(stderr, "subdividing", func(ctx context.Context) error {
		out, err = f.Subdivide(ctx, s)
		return err
	})
}

// Subdivide subdivides a scene Levels times, which must be at least once.
func (f *SubdivideFlags) Subdivide(ctx context.Context, s *geometry.Scene) (*geometry.Scene, error) {
	if err := subdivide.FitsDrawn(s, f.Levels); err != nil {
		return nil, err
	}
	return subdivide.NewScene(ctx, s, f.Levels)
}

// LookFlags are the flags for the look of pictures.
type LookFlags struct {
	Light         string
	Smooth, Edges bool
	Range         string
	Background    string
	Transparent   bool
	Samples       int
}

// Add adds the flags for pictures that are written to files.
func (f *LookFlags) Add(flags *pflag.FlagSet) {
	f.AddLook(flags)
	flags.BoolVar(&f.Transparent, "transparent", false, "leave the background out of the picture")
	flags.IntVar(&f.Samples, "samples", 1, "samples per pixel, which smooth edges: 1, 4, 9 or 16")
}

// AddLook adds the flags for all pictures. A Light that is already set is the default.
func (f *LookFlags) AddLook(flags *pflag.FlagSet) {
	flags.StringVar(&f.Light, "light", cmp.Or(f.Light, renderer.SoftLight.String()), "light in the counts and batches views: "+strings.Join(renderer.LightNames, ", ")+"; soft keeps every colour nearest to its own in the legend")
	flags.BoolVar(&f.Smooth, "smooth", false, "counts view: mix the colours of a triangle's corners, rather than show the nearest vertex")
	flags.BoolVar(&f.Edges, "edges", false, "draw the edges of triangles that are more than 3 pixels high")
	flags.StringVar(&f.Range, "range", renderer.Range{}.String(), rangeHelp)
	flags.StringVar(&f.Background, "background", "", "`colour` where nothing is drawn, #RRGGBB (default dark grey)")
}

// Sampled enlarges a frame so that it has a pixel for each sample. It returns the number of samples
// along a side of a pixel of the picture.
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

// Apply sets the frame's look.
func (f *LookFlags) Apply(frame *renderer.Frame) error {
	l := &frame.Look
	if l.Smooth = f.Smooth; f.Edges {
		l.Edges = renderer.EdgeWidth
	}
	return cmp.Or(Read(&l.Light, ParseLight, f.Light), Read(&l.Range, ParseRange, f.Range), Read(&l.Background, ParseColor, f.Background))
}

const rangeHelp = "varying view: values from black to full colour, `LOW..HIGH`, or " + renderer.AbsRange + ", the magnitudes from 0 to 1"

// ParseRange parses --range.
func ParseRange(text string) (renderer.Range, error) {
	r, err := renderer.ParseRange(text)
	if err != nil {
		return r, Usagef("--range %w", err)
	}
	return r, nil
}

// ColorText returns the text from which ParseColor reads a colour.
func ColorText(c color.RGBA) string {
	if c == (color.RGBA{}) {
		return ""
	}
	return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
}

// ParseColor parses #RRGGBB. An empty text is no colour. The # may be missing, since in a shell it
// can begin a comment.
func ParseColor(text string) (c color.RGBA, err error) {
	digits := strings.TrimPrefix(text, "#")
	rgb, err := strconv.ParseUint(digits, 16, 24)
	switch {
	case text == "":
		return c, nil
	case err != nil || len(digits) != 6:
		return c, Usagef("--background %q: want #RRGGBB, as #ffffff", text)
	}
	return color.RGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255}, nil
}

// MarkFlags choose which draws are visible or highlighted, by number (geometry.Scene.Number), as in "3,8-11". Hidden
// draws are counted, too.
type MarkFlags struct {
	Hide, Isolate, Highlight string
}

// Add adds --hide, --isolate and --highlight to a command.
func (f *MarkFlags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.Hide, "hide", "", "do not show some `draws`, by number, of a captured frame by event: 3,8-11; they are counted all the same")
	flags.StringVar(&f.Isolate, "isolate", "", "show only some `draws`")
	flags.StringVar(&f.Highlight, "highlight", "", "dim all but some `draws`")
}

// Marks returns a mark per draw of the scene; nil if no draw is marked.
func (f *MarkFlags) Marks(s *geometry.Scene) ([]renderer.Mark, error) {
	if *f == (MarkFlags{}) {
		return nil, nil
	}
	marks := make([]renderer.Mark, len(s.Draws))
	for _, set := range []struct {
		flag, text string
		others     bool // mark the draws that are not named, instead of the named ones
		mark       renderer.Mark
	}{{"highlight", f.Highlight, true, renderer.Dimmed}, {"hide", f.Hide, false, renderer.Hidden}, {"isolate", f.Isolate, true, renderer.Hidden}} {
		if set.text == "" {
			continue
		}
		named, err := drawNumbers(set.flag, set.text, s)
		if err != nil {
			return nil, err
		}
		for i := range marks {
			if named[i] != set.others {
				marks[i] = set.mark
			}
		}
	}
	if !slices.ContainsFunc(marks, func(m renderer.Mark) bool { return m != renderer.Plain }) {
		return nil, nil
	}
	return marks, nil
}

// WithDraw returns `list`, a list of draws as in MarkFlags, with the draws of a number added; if `in` is
// false, with these removed. The number -1 stands for all draws.
func WithDraw(list string, s *geometry.Scene, number int, in bool) string {
	named := make([]bool, len(s.Draws))
	if list != "" {
		named, _ = drawNumbers("", list, s) // nil if the list names draws that this scene lacks
	}
	numbers := map[int]bool{}
	for i := range s.Draws {
		n := s.Number(i)
		numbers[n] = named != nil && named[i]
		if n == number || number < 0 {
			numbers[n] = in
		}
	}
	var parts []string
	all := slices.Sorted(maps.Keys(numbers))
	for i := 0; i < len(all); i++ {
		if !numbers[all[i]] {
			continue
		}
		part := strconv.Itoa(all[i])
		first := i
		for i+1 < len(all) && numbers[all[i+1]] {
			i++ // a range may span numbers that no draw has
		}
		if i > first {
			part += "-" + strconv.Itoa(all[i])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}

// SeenBounds returns the bounds of the draws that are not hidden; those of all draws if all are hidden.
func SeenBounds(s *geometry.Scene, marks []renderer.Mark) geometry.Box {
	var seen []int
	for i, m := range marks {
		if m != renderer.Hidden {
			seen = append(seen, i)
		}
	}
	if len(seen) == 0 { // nothing is marked, or all is hidden
		return s.Bounds()
	}
	return s.Only(seen).Bounds()
}

// drawNumbers parses numbers and ranges of draws, and reports which draws they name.
func drawNumbers(flag, text string, s *geometry.Scene) ([]bool, error) {
	named := make([]bool, len(s.Draws))
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, errLast := strconv.Atoi(last)
		if err != nil || errLast != nil || from < 0 || from > to {
			return nil, Usagef("--%s %q: want numbers of draws, as 3,8-11", flag, text)
		}
		draws, err := s.Numbered(from, to)
		if err != nil {
			return nil, Usagef("--%s %s: %v", flag, part, err)
		}
		for _, i := range draws {
			named[i] = true
		}
	}
	return named, nil
}
