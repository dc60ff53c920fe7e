package inspect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// Figures is what the title says about the picture.
type Figures struct {
	Plan    *plan.Plan // nil before the first picture
	Order   string     // index order of its scene
	Stats   reuse.Stats
	Timings []renderer.Timing
	Frame   time.Duration // of a whole frame, smoothed; 0 before the second
	Loading string        // the file being opened, if any
	Making  string        // the index order being made, if any
	Doing   string        // what is being made for an application, if anything
	Walk    string        // the walk that is shown and its strategy, if any; it covers the plan's picture
	At      int           // the file's number
	Files   int           // number of files to step through
	Right   string        // the right side's strategy, if it is another one
	Against string        // what it is compared with, if anything
	Notice  string        // the last error or finished action, if any
}

// Title returns the window's title: the file, how it is shaded, and the results.
func Title(f Figures) string {
	const program = "shadeonce"
	switch {
	case f.Plan == nil && f.Loading != "":
		return "loading " + OneLine(f.Loading) + " - " + program
	case f.Plan == nil:
		return program
	}
	name := OneLine(f.Plan.Frame.Scene.Name)
	if f.Walk != "" {
		name = "walk"
	}
	if f.Files > 1 {
		name += fmt.Sprintf(" (%d/%d)", f.At+1, f.Files)
	}
	how := StrategyName(f.Plan.Frame.Reuse)
	if f.Plan.Choice.Strategy != "" {
		how = f.Plan.StrategyName() + ": " + how
	}
	if f.Right != "" {
		how += " and " + f.Right
	}
	return fmt.Sprintf("%s: %s, reuse %s - %s", name, how, Ratio(f.Stats.Reuse(), 4), program)
}

// Milliseconds returns a duration in milliseconds.
func Milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }

// OneLine makes text that comes from files safe to show in a title.
func OneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	const most = 200
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "..."
	}
	return text
}

// Smooth mixes a new frame's time into the mean of the last few.
func Smooth(mean, latest time.Duration) time.Duration {
	if mean == 0 {
		return latest
	}
	return mean + (latest-mean)/8
}

// Benchmark summarizes the times of --frames.
func Benchmark(times []time.Duration, p Pace) string {
	if len(times) == 0 {
		return "0 frames"
	}
	sorted := slices.Sorted(slices.Values(times))
	median := sorted[len(sorted)/2]
	text := fmt.Sprintf("%s: median %.3f ms/frame (%.1f fps), min %.3f, max %.3f",
		names.Count(len(sorted), "frame"), Milliseconds(median), 1/median.Seconds(), Milliseconds(sorted[0]), Milliseconds(sorted[len(sorted)-1]))
	if p.shown > 0 {
		text += fmt.Sprintf("; window shown %.1f times a second, at most %.0f ms apart", float64(p.shown)/p.last.Sub(p.first).Seconds(), Milliseconds(p.longest))
	}
	return text
}

// Pace measures how often the window is shown.
type Pace struct {
	first, last time.Time
	shown       int
	longest     time.Duration
}

// Note notes that the window was shown.
func (p *Pace) Note(now time.Time) {
	if p.first.IsZero() {
		p.first, p.last = now, now
		return
	}
	p.shown++
	p.longest = max(p.longest, now.Sub(p.last))
	p.last = now
}
