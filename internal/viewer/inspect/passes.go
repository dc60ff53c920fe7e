package inspect

import (
	"cmp"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/renderer"
)

// passHistory is the number of frames in the graphs of passes.
const passHistory = 120

// PassLog keeps the device's times of the latest frames, by pass.
type PassLog struct {
	Passes []string // in order of first use
	Times  map[string][]float32
}

// Add adds the times of a frame. It drops passes that the frame does not have, since they belong
// to other settings.
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

// Longest returns the n passes that took the most time over all stored frames, in the order in
// which they run.
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

// SumTimings returns the time of all passes.
func SumTimings(timings []renderer.Timing) (total time.Duration) {
	for _, t := range timings {
		total += t.Duration
	}
	return total
}
