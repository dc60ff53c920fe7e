package progress_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// told returns a context, and the progress that work reports to it.
func told(t *testing.T) (context.Context, *[]float64) {
	var list []float64
	return progress.With(t.Context(), func(done float64) { list = append(list, done) }), &list
}

func TestPartsAreSharesOfTheWhole(t *testing.T) {
	ctx, list := told(t)
	progress.Tell(ctx, .25)
	half := progress.Part(ctx, .5, 1)
	progress.Tell(half, .5)
	progress.Tell(progress.Part(half, 0, .5), 1)
	progress.Tell(progress.Silent(half), .9)
	progress.Tell(progress.Part(progress.Silent(half), 0, 1), .9)
	require.Equal(t, []float64{.25, .75, .75}, *list)

	plain := t.Context()
	require.Equal(t, plain, progress.Part(plain, 0, .5), "nobody asks")
	require.Equal(t, plain, progress.Silent(plain))
	progress.Tell(plain, 1)
}

func TestEachTakesAllOnceAndTells(t *testing.T) {
	for _, n := range []int{0, 1, 4095, 4096, 4097, 100_000} {
		ctx, list := told(t)
		seen := 0
		require.NoError(t, progress.Each(ctx, n, func(from, to int) {
			require.Equal(t, seen, from)
			require.Greater(t, to, from)
			seen = to
		}))
		require.Equal(t, n, seen)
		require.Equal(t, float64(min(n, 1)), (*list)[len(*list)-1])
		require.IsNonDecreasing(t, append([]float64{0, 0}, *list...))
	}
}

// TestWorkIsGivenUp: work ends soon after its context, with the context's cause.
func TestWorkIsGivenUp(t *testing.T) {
	enough := errors.New("enough")
	ctx, stop := context.WithCancelCause(t.Context())
	done := 0
	require.ErrorIs(t, progress.Each(ctx, 1<<30, func(_, to int) {
		if done = to; to > 50_000 {
			stop(enough)
		}
	}), enough)
	require.Less(t, done, 60_000)
	require.ErrorIs(t, progress.Each(ctx, 1<<30, func(int, int) { t.Error("it begins all the same") }), enough)

	ctx, stop = context.WithCancelCause(t.Context())
	meter := progress.NewMeter(ctx, 1<<20)
	require.NoError(t, meter.At(0))
	stop(enough)
	for done = 0; meter.At(done) == nil; done++ {
	}
	require.Less(t, done, 1000)
	first := progress.NewMeter(ctx, 1)
	require.ErrorIs(t, first.At(0), enough, "at the first call")
}

// TestProgressNeverFalls: progress does not decrease if a core reports late.
func TestProgressNeverFalls(t *testing.T) {
	ctx, list := told(t)
	progress.Tell(ctx, .5)
	progress.Tell(ctx, .3)
	progress.Tell(ctx, .6)
	require.Equal(t, []float64{.5, .6}, *list)
}
