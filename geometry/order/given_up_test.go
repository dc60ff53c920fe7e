package order_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/order"
	"github.com/shadeonce/shadeonce/internal/cputime"
	"github.com/shadeonce/shadeonce/internal/progress"
)

// errEnough is why tests give up.
var errEnough = errors.New("enough")

// lateness orders a scene and gives up after a time. It returns the processor time
// until that has an effect, 0 where the order was made by then.
func lateness(t *testing.T, s *geometry.Scene, name string, after time.Duration) time.Duration {
	t.Helper()
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	var since time.Duration
	given := make(chan bool)
	timer := time.AfterFunc(after, func() {
		defer close(given)
		since = cputime.Used()
		stop(errEnough)
	})
	ordered, err := order.Apply(ctx, s, name)
	if timer.Stop() || err == nil {
		require.NoError(t, err)
		return 0
	}
	<-given
	require.ErrorIs(t, err, errEnough)
	require.Nil(t, ordered)
	return cputime.Used() - since
}

// TestOrdersAreGivenUp at once, by the processor time that is used afterwards, held
// against that of ordering; the best of several tries, since the garbage collector runs
// when it likes. The scene stays as it was.
func TestOrdersAreGivenUp(t *testing.T) {
	if testing.Short() {
		t.Skip("a mesh of a third of a million triangles")
	}
	own, err := assets.Make("terrain400")
	require.NoError(t, err)
	s, err := order.Apply(t.Context(), own, "random")
	require.NoError(t, err)
	indices, goroutines := slices.Clone(s.Indices), runtime.NumGoroutine()
	names := append(order.Names()[1:], "original+fetch", "random+fetch", "tipsify+fetch")
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			start, used, last, steps := time.Now(), cputime.Used(), 0., 0
			_, err := order.Apply(progress.With(t.Context(), func(done float64) {
				require.GreaterOrEqual(t, done, last-1e-9, "progress goes back")
				last = done
				steps++
			}), s, name)
			require.NoError(t, err)
			require.InDelta(t, 1, last, .05, "progress ends early")
			require.Greater(t, steps, 20)
			whole, work := time.Since(start), cputime.Used()-used
			soon := max(min(work/8, 50*time.Millisecond), 15*time.Millisecond)
			var said []string
			for _, at := range []time.Duration{1, 6, 11, 18} {
				least := time.Duration(math.MaxInt64)
				for try := 0; try < 8 && least > soon; try++ {
					least = min(least, lateness(t, s, name, whole*at/20))
				}
				require.Less(t, least, soon, "given up after %v of %v", whole*at/20, whole)
				said = append(said, fmt.Sprintf("%.1f", least.Seconds()*1e3))
			}
			t.Logf("%.0f ms; given up within ms: %s", whole.Seconds()*1e3, strings.Join(said, ", "))
		})
	}
	require.Equal(t, indices, s.Indices)
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines)
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errEnough)
	_, err = order.Apply(ctx, s, "original")
	require.ErrorIs(t, err, errEnough)
}
