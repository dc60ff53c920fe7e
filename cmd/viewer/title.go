package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/internal/showing"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/renderer/plan"
)

// figures is what the title says about the picture.
type figures struct {
	plan    *plan.Plan // nil before the first picture
	order   string     // index order of its scene
	stats   reuse.Stats
	timings []renderer.Timing
	frame   time.Duration // of a whole frame, smoothed; 0 before the second
	loading string        // the file being opened, if any
	making  string        // the index order being made, if any
	doing   string        // what is made of an application, if anything
	walk    *showing.Result
	against string // what it is compared with, if anything
	notice  string // the last thing that went wrong or was done, if any
}

// title is the window's title: what is shown, what it cost, and how long it took. The times
// come last, where a narrow window cuts them off.
func title(f figures) string {
	var parts []string
	if f.notice != "" {
		parts = append(parts, "["+oneLine(f.notice)+"]")
	}
	if f.loading != "" {
		parts = append(parts, "loading "+f.loading)
	}
	if f.making != "" {
		parts = append(parts, "ordering by "+f.making)
	}
	if f.doing != "" {
		parts = append(parts, f.doing)
	}
	if f.plan == nil {
		return strings.Join(append(parts, "shadeonce"), " | ")
	}
	if f.walk != nil {
		parts = append(parts, f.walk.Words(false)[0], f.walk.Config.String(), f.shaded())
		return strings.Join(parts, " | ")
	}
	frame := &f.plan.Frame
	strategy := frame.Reuse.Strategy.Name
	if frame.Reuse.Strategy.UsesLanes {
		strategy += fmt.Sprintf(", %d %s lanes", frame.Reuse.Lanes, map[bool]string{true: "native", false: "virtual"}[f.plan.Native])
	}
	settings := fmt.Sprintf("%s, %s, %s", strategy, frame.Queue, frame.View)
	if f.order != "" {
		settings += ", " + f.order + " order"
	}
	if f.against != "" {
		settings += ", " + f.against
	}
	shaded := f.shaded()
	if frame.Cull {
		shaded = fmt.Sprintf("%d attribute shadings after culling", f.stats.Invocations)
	}
	parts = append(parts, frame.Scene.Name, settings, shaded)
	if len(f.timings) > 0 {
		parts = append(parts, inspect.PassTimes(f.timings))
	}
	if f.frame > 0 {
		parts = append(parts, fmt.Sprintf("%.0f fps", 1/f.frame.Seconds()))
	}
	return strings.Join(parts, " | ")
}

// shaded is how much was shaded.
func (f *figures) shaded() string {
	return fmt.Sprintf("%d invocations, reuse %.4f of %.4f", f.stats.Invocations, f.stats.Reuse(), f.stats.Ideal())
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }

// oneLine makes text that comes from files safe to show in a title.
func oneLine(text string) string {
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

// smooth mixes a new frame's time into the mean of the last few.
func smooth(mean, latest time.Duration) time.Duration {
	if mean == 0 {
		return latest
	}
	return mean + (latest-mean)/8
}

// benchmark sums up the times of --frames.
func benchmark(times []time.Duration, p pace) string {
	if len(times) == 0 {
		return "0 frames"
	}
	sorted := slices.Sorted(slices.Values(times))
	median := sorted[len(sorted)/2]
	text := fmt.Sprintf("%s: median %.3f ms/frame (%.1f fps), min %.3f, max %.3f",
		names.Count(len(sorted), "frame"), milliseconds(median), 1/median.Seconds(), milliseconds(sorted[0]), milliseconds(sorted[len(sorted)-1]))
	if p.shown > 0 {
		text += fmt.Sprintf("; window shown %.1f times a second, at most %.0f ms apart", float64(p.shown)/p.last.Sub(p.first).Seconds(), milliseconds(p.longest))
	}
	return text
}
