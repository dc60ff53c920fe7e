package budget

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemory(t *testing.T) {
	var b Budget
	require.NoError(t, b.Memory(MemorySlack))
	require.EqualError(t, b.Memory(1), "needs more than 64 MiB of memory, too much for 0 bytes of file")
	b.Free(2)
	require.NoError(t, b.Memory(1))
	for _, n := range []int64{MemorySlack + 1, math.MaxInt64} {
		require.Error(t, b.Memory(n))
	}

	// Each byte known or read raises the budget; so do bytes of other files.
	b.Known(1 << 20)
	require.NoError(t, b.Memory(MemoryFactor<<20))
	b.Read(1 << 20)
	require.Error(t, b.Memory(1))
	b.Free(1)
	b.Beside(1)
	require.NoError(t, b.Memory(MemoryFactor))

	// Unpacked bytes count only up to a multiple of the packed ones.
	var p Budget
	p.Packed(10)
	p.Read(1 << 30)
	require.Equal(t, int64(10*PackedFactor), p.Size())
	var exceeded *Exceeded
	require.ErrorAs(t, p.Memory(1<<28), &exceeded)
}

func TestWork(t *testing.T) {
	var b Budget
	require.NoError(t, b.Work(WorkSlack))
	require.EqualError(t, b.Work(1), "takes more than 1073 million steps of work, too much for 0 bytes of file")
	require.Error(t, b.Work(math.MaxInt64))

	var more Budget
	more.Begin(Allow(t.Context(), 3))
	require.NoError(t, more.Work(3*WorkSlack))
	require.Error(t, more.Work(1))
}

// TestWorkEnds: work ends soon after its context.
func TestWorkEnds(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	var b Budget
	b.Begin(ctx)
	require.NoError(t, b.Work(lookEach))
	cancel(enough)
	steps := 0
	for ; b.Work(1) == nil; steps++ {
		require.Less(t, steps, lookEach)
	}
	require.ErrorIs(t, b.Work(lookEach), enough)
}
