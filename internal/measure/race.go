package measure

import (
	"context"
	"slices"
	"time"

	"github.com/shadeonce/shadeonce/internal/progress"
)

// WarmUp is how long a field runs before it is timed: a GPU that was idle needs a
// while to raise its clocks. Only tests set it, which time nothing.
var WarmUp = 700 * time.Millisecond

// series are the times of all runs of one thing, in order.
type series struct {
	name  string
	times []time.Duration
}

// contestant is something that is timed. run executes it once, and records one
// time or several by name.
type contestant struct {
	run   func(record func(name string, d time.Duration)) error
	times []series // by name, in the order in which the names were first recorded
}

func (c *contestant) record(name string, d time.Duration) {
	at := slices.IndexFunc(c.times, func(s series) bool { return s.name == name })
	if at < 0 {
		at = len(c.times)
		c.times = append(c.times, series{name: name})
	}
	c.times[at].times = append(c.times[at].times, d)
}

// race runs a field in turns, so that drift hits all alike: rounds without record
// until the warm-up is over, then the runs that are recorded. It is the one loop
// by which everything is timed.
//
// It tells the context how far it has come; the warm-up is the first tenth.
func race(ctx context.Context, field []*contestant, warmUp time.Duration, runs int) error {
	const warm = .1
	for begin := time.Now(); time.Since(begin) < warmUp; {
		progress.Tell(ctx, warm*float64(time.Since(begin))/float64(warmUp))
		for _, c := range field {
			if err := c.run(func(string, time.Duration) {}); err != nil {
				return err
			}
		}
	}
	for round := range runs {
		for i, c := range field {
			progress.Tell(ctx, warm+(1-warm)*(float64(round)+float64(i)/float64(len(field)))/float64(runs))
			if err := c.run(c.record); err != nil {
				return err
			}
		}
	}
	return nil
}

// Spread is the least, the middle and the greatest of the times of some runs.
type Spread struct {
	MsMin    float64 `json:"ms_min"`
	MsMedian float64 `json:"ms_median"`
	MsMax    float64 `json:"ms_max"`
	Runs     int     `json:"runs"`
}

// spread summarizes at least one time. The middle of an even number is the mean
// of two.
func spread(times []time.Duration) Spread {
	sorted := slices.Sorted(slices.Values(times))
	n := len(sorted)
	middle := (sorted[(n-1)/2] + sorted[n/2]) / 2
	return Spread{Milliseconds(sorted[0]), Milliseconds(middle), Milliseconds(sorted[n-1]), n}
}

// Milliseconds is a time as rows have it.
func Milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }
