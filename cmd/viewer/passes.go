package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/inkyblackness/imgui-go/v4"

	"github.com/shadeonce/shadeonce/renderer"
)

// passHistory is how many frames the graphs of passes reach back.
const passHistory = 120

// passTimesLog keeps the device's times of the last frames, by pass.
type passTimesLog struct {
	passes []string // in order of first use
	times  map[string][]float32
}

// add notes the times of a frame. Passes that it does not have are dropped: they
// belong to other settings.
func (l *passTimesLog) add(timings []renderer.Timing) {
	fresh := map[string][]float32{}
	l.passes = l.passes[:0]
	for _, t := range timings {
		l.passes = append(l.passes, t.Pass)
		times := append(l.times[t.Pass], float32(milliseconds(t.Duration)))
		fresh[t.Pass] = times[max(0, len(times)-passHistory):]
	}
	l.times = fresh
}

// longest are the passes that took most over all frames kept, at most n of them.
func (l *passTimesLog) longest(n int) []string {
	sum := func(pass string) (total float32) {
		for _, t := range l.times[pass] {
			total += t
		}
		return total / float32(len(l.times[pass]))
	}
	list := slices.Clone(l.passes)
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(sum(b), sum(a)) })
	return list[:min(n, len(list))]
}

// passesPanel draws a graph a pass, those that take longest first.
func (a *app) passesPanel() {
	const shown = 6
	list := a.log.longest(shown)
	for _, pass := range list {
		times := a.log.times[pass]
		text := fmt.Sprintf("%s  %.3f ms", pass, times[len(times)-1])
		imgui.PlotLinesV("##"+pass, times, 0, text, 0, 1.25*slices.Max(times)+1e-6, imgui.Vec2{X: imgui.ContentRegionAvail().X, Y: 34 * float32(a.gui.scale)})
	}
	if left := len(a.log.passes) - len(list); left > 0 {
		imgui.Text(fmt.Sprintf("and %d shorter ones", left))
	}
	if len(list) == 0 {
		imgui.Text("this device has no timestamps")
	}
}

func sumTimings(timings []renderer.Timing) (total time.Duration) {
	for _, t := range timings {
		total += t.Duration
	}
	return total
}
