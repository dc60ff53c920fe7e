package order_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/base/cputime"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// errEnough is the cause with which tests cancel.
var errEnough = errors.New("enough")

// looks is a context that counts how often it is checked, and is cancelled from a given check on.
type looks struct {
	context.Context
	made, last int
	at, gap    time.Duration // processor time at the latest check, and the longest between two checks
}

func (l *looks) Err() error {
	now := cputime.Used()
	if l.made > 0 {
		l.gap = max(l.gap, now-l.at)
	}
	l.at = now
	if l.made++; l.made > l.last {
		return errEnough
	}
	return nil
}

// TestOrdersAreGivenUp: a cancelled order checks at most twice more, and orders check often: more
// than once per thousand triangles, and at least every eighth of the processor time that the order
// takes, or every 15 ms if that is longer. The scene is unchanged.
func TestOrdersAreGivenUp(t *testing.T) {
	own := must.Get(assets.Make("terrain128"))
	s := must.Get(order.Apply(t.Context(), own, "random"))
	indices := slices.Clone(s.Indices)
	for _, name := range append(order.Names()[1:], "original+fetch", "random+fetch", "tipsify+fetch") {
		t.Run(name, func(t *testing.T) {
			last, steps := 0., 0
			whole := &looks{Context: context.Background(), last: math.MaxInt}
			begun := cputime.Used()
			_, err := order.Apply(progress.With(whole, func(done float64) {
				require.GreaterOrEqual(t, done, last, "progress goes back")
				if done > last {
					steps++
				}
				last = done
			}), s, name)
			require.NoError(t, err)
			require.InDelta(t, 1, last, .05, "progress ends early")
			require.Greater(t, steps, 20)
			require.Greater(t, whole.made, s.Triangles()/1000)
			soon, gap := max((cputime.Used()-begun)/8, 15*time.Millisecond), whole.gap
			for try := 0; try < 8 && gap > soon; try++ { // a garbage collection can lengthen any one try
				again := &looks{Context: context.Background(), last: math.MaxInt}
				_ = must.Get(order.Apply(again, s, name))
				gap = min(gap, again.gap)
			}
			require.LessOrEqual(t, gap, soon)
			for at := range 10 {
				l := &looks{Context: context.Background(), last: whole.made * at / 10}
				ordered, err := order.Apply(l, s, name)
				require.ErrorIs(t, err, errEnough)
				require.Nil(t, ordered)
				require.LessOrEqual(t, l.made-l.last, 2, "works on")
			}
		})
	}
	require.Equal(t, indices, s.Indices)
	_, err := order.Apply(&looks{Context: context.Background()}, s, "original")
	require.ErrorIs(t, err, errEnough)
}
