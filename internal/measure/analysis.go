package measure

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/base/buildinfo"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/internal/base/progress"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// Subject is a scene to measure, with the names that its rows get.
type Subject struct {
	File, Order string
	Scene       *geometry.Scene
	Numbers     []int // of the scene's draws in the file; nil if it has all draws
}

// Analyze makes a row from the counts of a subject.
func Analyze(of Subject, c *Counted) Analysis {
	st := &c.Stats
	return Analysis{
		Source: of.source(), Strategy: c.Name, Lanes: c.Config.Lanes, Batches: BatchesOf(c.Config), Kind: c.Kind, Backend: c.Backend, Device: c.Device, Program: buildinfo.By(),
		Draws: st.Draws, Vertices: st.Vertices, Referenced: st.Referenced, Triangles: st.Triangles, Indices: st.Indices,
		Invocations: st.Invocations, Reuse: st.Reuse(), Ideal: st.Ideal(), ACMR: st.ACMR(), ATVR: st.ATVR(),
		Utilization: st.LaneUtilization(), Histogram: st.Histogram, Auto: c.Auto,
	}
}

// manyIndices is a number of indices that takes a CPU device seconds to count.
const manyIndices = 20_000_000

// SlowHint says, before work on a scene begins, that it is large for a CPU, and which flags make the
// work quick; otherwise it is empty.
func SlowHint(s *geometry.Scene, doing, flags string) string {
	n := reuse.ShapeIndices(s)
	if n < manyIndices {
		return ""
	}
	return fmt.Sprintf("%s: %s %d million indices on a CPU can take minutes: %s", s.Name, doing, n/1e6, flags)
}

// OnCPU reports whether a backend runs on a CPU, by Vulkan or without.
func OnCPU(b plan.Backend) bool { return b != nil && (b.Info().Software || b.Info().Name == cpu) }

// CountAll counts a subject in several ways, in one at least, and reports its progress to the
// context. The notices are for the user.
func CountAll(ctx context.Context, b plan.Backend, of Subject, counters []*Counter) (all []*Counted, notices []string, err error) {
	var left error
	if b != nil {
		defer b.Set(plan.Options{})
	}
	for i, c := range counters {
		part := progress.Part(ctx, float64(i)/float64(len(counters)), float64(i+1)/float64(len(counters)))
		progress.Tell(part, 0)
		if b != nil {
			b.Set(plan.Options{Progress: func(done float64) error { progress.Tell(part, done); return context.Cause(part) }})
		}
		counted, err := c.Count(b, of.Scene)
		if err != nil && c.GoOn && renderer.DoesNotFit(err) {
			notices, left = append(notices, leftOut(of, c.Name, err)), err
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		all = append(all, counted)
		if counted.Notice != "" {
			notices = append(notices, counted.Notice)
		}
	}
	if len(all) == 0 {
		return nil, nil, left
	}
	return all, notices, nil
}

// leftOut tells the user that a strategy is left out.
func leftOut(of Subject, name string, err error) string {
	return fmt.Sprintf("%s: %s is left out: %v", of.File, name, err)
}

// Limit is a bound on one figure of a row.
type Limit struct {
	figure figure
	bound  float64
}

// figure is a number of a row that a limit can bound.
type figure struct {
	name   string
	higher bool // whether higher is better
	of     func(c Counts) float64
}

// Counts are the numbers from which a row's figures are computed.
type Counts struct{ Triangles, Indices, Referenced, Invocations int }

var figures = []figure{
	{"reuse", true, func(c Counts) float64 { return 1 - share(c.Invocations, c.Indices) }},
	{"acmr", false, func(c Counts) float64 { return share(c.Invocations, c.Triangles) }},
	{"atvr", false, func(c Counts) float64 { return share(c.Invocations, c.Referenced) }},
}

func share(a, b int) float64 { return float64(a) / float64(max(b, 1)) }

// ParseLimits parses the values of --fail-below and --fail-above, such as acmr=0.8. A figure for
// which higher is better can only have a lower limit.
func ParseLimits(below, above []string) (limits []Limit, err error) {
	for _, side := range []struct {
		flag, other, better string
		texts               []string
		higher              bool
	}{{"fail-below", "fail-above", "lower", below, true}, {"fail-above", "fail-below", "higher", above, false}} {
		var have []string
		for _, one := range figures {
			if one.higher == side.higher {
				have = append(have, one.name)
			}
		}
		for _, text := range side.texts {
			name, value, _ := strings.Cut(text, "=")
			at := slices.IndexFunc(figures, func(one figure) bool { return one.name == name })
			bound, err := strconv.ParseFloat(value, 64)
			switch {
			case at < 0:
				return nil, names.Unknown("--"+side.flag, name, have)
			case figures[at].higher != side.higher:
				return nil, fmt.Errorf("--%s %s: a %s %s is better: want --%s %s", side.flag, text, side.better, name, side.other, text)
			case err != nil || bound != bound:
				return nil, fmt.Errorf("--%s %q: want NAME=NUMBER", side.flag, text)
			}
			limits = append(limits, Limit{figures[at], bound})
		}
	}
	return limits, nil
}

// Missed lists the limits that rows miss, one line each; of returns a row's name among all rows,
// and its counts.
func Missed[T any](rows []T, limits []Limit, of func(*T) (name string, c Counts)) (lines []string) {
	for i := range rows {
		name, c := of(&rows[i])
		for _, l := range limits {
			value, side := l.figure.of(c), "above"
			if l.figure.higher {
				side = "below"
			}
			if value != l.bound && (value < l.bound) == l.figure.higher {
				lines = append(lines, fmt.Sprintf("%s: %s %.4f is %s %v", name, l.figure.name, value, side, l.bound))
			}
		}
	}
	return lines
}

// Counts returns the row's file, order and strategy, and its counts.
func (r *Analysis) Counts() (name string, c Counts) {
	return r.File + ", order " + r.Order + ", " + r.Strategy, Counts{r.Triangles, r.Indices, r.Referenced, r.Invocations}
}

// Counts returns the row's file, order, draw and strategy, and its counts.
func (r *DrawAnalysis) Counts() (name string, c Counts) {
	name = fmt.Sprintf("%s, order %s, draw %d %s, %s", r.File, r.Order, r.Draw, r.Name, r.Strategy)
	return name, Counts{r.Triangles, r.Indices, r.Referenced, r.Invocations}
}
