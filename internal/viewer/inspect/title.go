package inspect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/internal/base/names"
)

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
