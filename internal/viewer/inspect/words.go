package inspect

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// Thousands groups digits: 1,234,567.
func Thousands(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0 && text[at-1] != '-'; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// Ratio formats a ratio with the given number of digits; NaN and infinities become "-".
func Ratio(x float64, digits int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "-"
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

// HistogramSteps sums a histogram of shading counts into the six steps of the scale; the last step is 6 and more.
// total is the number of vertices shaded at least once.
func HistogramSteps(histogram []int) (steps [6]int, total int) {
	for times, n := range histogram {
		if times > 0 {
			steps[min(times, len(steps))-1] += n
			total += n
		}
	}
	return steps, total
}

// BatchFill returns the share of the batches' capacity that indices fill; 0 without batches.
func BatchFill(p *plan.Plan) float64 {
	if len(p.Batches) == 0 {
		return 0
	}
	used := 0
	for _, b := range p.Batches {
		used += int(b.IndexCount)
	}
	return float64(used) / (float64(len(p.Batches)) * float64(p.Frame.Reuse.Batch))
}

// FileName returns a scene's name without file extensions, in characters that every file system allows.
func FileName(s *geometry.Scene) string {
	model := filepath.Base(s.Name)
	for ext := filepath.Ext(model); ext != "" && ext != model; ext = filepath.Ext(model) {
		model = strings.TrimSuffix(model, ext)
	}
	model = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, model)
	model = model[:min(len(model), 80)]
	if strings.Trim(model, "_") == "" {
		model = "scene"
	}
	return model
}

// PictureName returns a screenshot's name, made from the model and the settings, without its number and
// ".png".
func PictureName(f *renderer.Frame, indexOrder string) string {
	strategy := f.Reuse.Strategy.Name
	if f.Reuse.Strategy.UsesLanes {
		strategy += fmt.Sprintf("-%dlanes", f.Reuse.Lanes)
	}
	name := fmt.Sprintf("%s-%s-%s-%s", FileName(f.Scene), strategy, f.Queue, f.View)
	if indexOrder != "original" {
		name += "-" + OrderInName(indexOrder)
	}
	return name
}

// OrderInName returns an index order as a part of a file name.
func OrderInName(indexOrder string) string { return strings.ReplaceAll(indexOrder, "+", "-") }

// Describe returns the description that a saved picture carries: how it was made.
func Describe(f *renderer.Frame, indexOrder string, invocations int) string {
	return fmt.Sprintf("%s: strategy %s, order %s, queue %s, view %s%s, %d invocations", f.Scene.Name, f.Reuse, indexOrder, f.Queue, f.View, plan.CullingText(f), invocations)
}

// Milliseconds returns a duration in milliseconds.
func Milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }

// OneLine makes text from files fit for a title: it replaces control characters and cuts long text.
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

// Smooth returns a moving average of frame times, updated with the latest frame's time.
func Smooth(mean, latest time.Duration) time.Duration {
	if mean == 0 {
		return latest
	}
	return mean + (latest-mean)/8
}

// Benchmark summarizes the frame times that --frames measures, and how often the window was shown.
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

// Pace measures the rate at which the window is shown.
type Pace struct {
	first, last time.Time
	shown       int
	longest     time.Duration
}

// Note records that the window was shown.
func (p *Pace) Note(now time.Time) {
	if p.first.IsZero() {
		p.first, p.last = now, now
		return
	}
	p.shown++
	p.longest = max(p.longest, now.Sub(p.last))
	p.last = now
}

const passHistory = 120 // the number of frames in the graphs of passes

// PassLog keeps the device's times of the latest frames, by pass, in milliseconds.
type PassLog struct {
	Passes []string // of the last frame, in the order in which they run
	Times  map[string][]float32
}

// Add adds the times of a frame. It drops passes that the frame lacks, since they belong to other settings.
func (l *PassLog) Add(timings []renderer.Timing) {
	fresh := map[string][]float32{}
	l.Passes = l.Passes[:0]
	for _, t := range timings {
		l.Passes = append(l.Passes, t.Pass)
		times := append(l.Times[t.Pass], float32(t.Duration.Seconds()*1e3))
		fresh[t.Pass] = times[max(0, len(times)-passHistory):]
	}
	l.Times = fresh
}

// Longest returns the n passes that took the most time on average over the stored frames, in the order
// in which they run.
func (l *PassLog) Longest(n int) []string {
	sum := func(pass string) (total float32) {
		for _, t := range l.Times[pass] {
			total += t
		}
		return total / float32(len(l.Times[pass]))
	}
	list := slices.Clone(l.Passes)
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(sum(b), sum(a)) })
	list = list[:min(n, len(list))]
	slices.SortFunc(list, func(a, b string) int { return cmp.Compare(slices.Index(l.Passes, a), slices.Index(l.Passes, b)) })
	return list
}

// SumTimings returns the total time of the passes.
func SumTimings(timings []renderer.Timing) (total time.Duration) {
	for _, t := range timings {
		total += t.Duration
	}
	return total
}
