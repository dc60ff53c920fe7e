package stream

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/renderer/plan"
)

func TestSubmissions(t *testing.T) {
	for _, c := range []struct {
		passes string
		apart  bool
		want   []string
	}{
		{"cab", false, []string{"cab"}}, {"ab", true, []string{"a", "b"}}, {"cab", true, []string{"ca", "b"}}, {"ca", true, []string{"ca"}}, {"c", true, []string{"c"}},
	} {
		var passes []plan.Pass
		for _, r := range c.passes {
			passes = append(passes, plan.Pass{Name: map[rune]string{'c': clearing, 'a': "a", 'b': "b"}[r]})
		}
		var got []string
		for _, part := range parts(passes, c.apart) {
			got = append(got, "")
			for _, p := range part {
				got[len(got)-1] += p.Name[:1]
			}
		}
		require.Equal(t, c.want, got, c.passes)
	}
}

// TestMedian checks the number of runs: 25 and at least half a second, but none begins after two seconds.
func TestMedian(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			each time.Duration
			runs int
		}{{time.Millisecond, 500}, {40 * time.Millisecond, 25}, {100 * time.Millisecond, 20}, {1500 * time.Millisecond, 2}, {time.Hour, 1}} {
			runs := 0
			took, err := Median(func() (time.Duration, error) {
				time.Sleep(c.each)
				runs++
				return time.Duration(runs * 7 % 500), nil
			}, func(t time.Duration) time.Duration { return t })
			require.NoError(t, err)
			require.Equal(t, c.runs, runs, c.each)
			lower, higher := 0, 0
			for n := max(1, runs-timedRuns+1); n <= runs; n++ {
				if x := time.Duration(n * 7 % 500); x < took {
					lower++
				} else if x > took {
					higher++
				}
			}
			require.True(t, lower-higher >= 0 && lower-higher <= 1, "%d are less than the median, %d are more", lower, higher)
		}
		failed := errors.New("failed")
		_, err := Median(func() (int, error) { return 0, failed }, func(int) time.Duration { return 0 })
		require.ErrorIs(t, err, failed)
	})
}
