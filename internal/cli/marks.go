package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

// MarkFlags say which draws are seen, by their numbers: "3,8-11". Counts are of all draws.
type MarkFlags struct {
	Hide, Isolate, Highlight string
}

// Add adds the flags.
func (f *MarkFlags) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.Hide, "hide", "", "do not show some `draws`, by number: 3,8-11; they are counted all the same")
	flags.StringVar(&f.Isolate, "isolate", "", "show only some `draws`")
	flags.StringVar(&f.Highlight, "highlight", "", "dim all but some `draws`")
}

// Check refuses flags that contradict each other.
func (f *MarkFlags) Check() error {
	if f.Hide != "" && f.Isolate != "" {
		return Usagef("--isolate shows only some draws: it excludes --hide")
	}
	return nil
}

// Marks are those of a scene's draws; nil where none is marked.
func (f *MarkFlags) Marks(draws int) ([]renderer.Mark, error) {
	if err := f.Check(); err != nil || *f == (MarkFlags{}) {
		return nil, err
	}
	marks := make([]renderer.Mark, draws)
	for _, set := range []struct {
		flag, text string
		others     bool // the draws that are not named are marked
		mark       renderer.Mark
	}{{"highlight", f.Highlight, true, renderer.Dimmed}, {"hide", f.Hide, false, renderer.Hidden}, {"isolate", f.Isolate, true, renderer.Hidden}} {
		if set.text == "" {
			continue
		}
		named, err := drawNumbers(set.flag, set.text, draws)
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

// SeenBounds are the bounds of the draws that marks do not hide.
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

// drawNumbers reads numbers and ranges of draws.
func drawNumbers(flag, text string, draws int) ([]bool, error) {
	named := make([]bool, draws)
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(part, "-")
		if !ranged {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, errLast := strconv.Atoi(last)
		switch {
		case err != nil || errLast != nil || from < 0 || from > to:
			return nil, Usagef("--%s %q: want numbers of draws, as 3,8-11", flag, text)
		case to >= draws:
			return nil, Usagef("--%s %s: the scene has draws 0 to %d", flag, part, draws-1)
		}
		for i := from; i <= to; i++ {
			named[i] = true
		}
	}
	return named, nil
}
