// Package budget bounds what reading a file may cost, in memory and in work, by the file's size:
// no file, however small, makes a reader allocate or compute without bound. Readers charge what
// they are about to allocate, and every loop whose length is not proportional to the bytes that
// were read.
//
// It knows neither formats nor files, only their sizes.
package budget

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/shadeonce/shadeonce/internal/base/bytesize"
)

// Limits on the memory and work of a file: slack + factor * size.
const (
	MemorySlack  = 64 << 20 // bytes
	MemoryFactor = 4        // bytes per byte of the file

	WorkSlack  = 1 << 30 // steps
	WorkFactor = 512     // steps per byte of the file

	// PackedFactor bounds how many unpacked bytes count per packed byte. Mesh text shrinks by a
	// factor of 3 to 20.
	PackedFactor = 20
)

// How many steps longer work counts as. A step, such as moving a byte or examining an element, takes about a
// nanosecond.
const (
	Call  = 64   // a call that finds nothing to do
	Entry = 4096 // opening an entry of a zip file
)

// Budget is the allowed cost of a file, including other files that it refers to. The zero Budget is
// that of an empty file. Its methods may be called concurrently.
type Budget struct {
	ctx    context.Context
	times  int64        // factor on all limits, from Allow's context; 0 means 1
	packed atomic.Int64 // size of the file if it is compressed, else 0
	known  atomic.Int64 // size of the file, as far as it is known in advance
	read   atomic.Int64 // bytes of the file that were read
	beside atomic.Int64 // bytes of other files that were read
	memory atomic.Int64 // bytes in use
	work   atomic.Int64 // steps done
}

type key struct{}

// Allow returns a context that allows each file `times` its usual memory and work.
func Allow(ctx context.Context, times int64) context.Context {
	return context.WithValue(ctx, key{}, times)
}

// Begin ties the budget to a context: from then on Work returns the context's cause when the
// context ends.
func (b *Budget) Begin(ctx context.Context) {
	b.ctx = ctx
	b.times, _ = ctx.Value(key{}).(int64)
}

// Packed sets the size of a compressed file. Read then counts the bytes that it unpacks to.
func (b *Budget) Packed(size int64) { b.packed.Store(size) }

// Known sets the size of the file before it is read.
func (b *Budget) Known(size int64) { b.known.Store(size) }

// Read adds n bytes of the file that were read.
func (b *Budget) Read(n int64) { b.read.Add(n) }

// Beside adds n bytes of other files that were read.
func (b *Budget) Beside(n int64) { b.beside.Add(n) }

// Size returns the number of bytes from which the limits are computed: those of the file and of other files.
// Unpacked bytes count only up to PackedFactor per packed byte.
func (b *Budget) Size() int64 {
	size := max(b.known.Load(), b.read.Load())
	if packed := b.packed.Load(); packed > 0 {
		size = min(size, PackedFactor*packed)
	}
	return size + b.beside.Load()
}

// Memory charges n bytes that are about to be allocated. It fails if the budget is exceeded.
func (b *Budget) Memory(n int64) error {
	size := b.Size()
	limit := max(b.times, 1) * (MemorySlack + MemoryFactor*size)
	if n > limit || b.memory.Add(n) > limit {
		return &Exceeded{size, fmt.Sprintf("needs more than %s of memory", bytesize.Text(limit))}
	}
	return nil
}

// Free gives n charged bytes back to the budget.
func (b *Budget) Free(n int64) { b.memory.Add(-n) }

const lookEach = 1 << 20 // the number of steps between two checks of the context: about a millisecond

// Work charges steps that are about to be done. It fails if the budget is exceeded. Every lookEach steps it also checks
// the context, and fails with the context's cause if that has ended.
func (b *Budget) Work(steps int64) error {
	size := b.Size()
	limit := max(b.times, 1) * (WorkSlack + WorkFactor*size)
	if steps > limit {
		steps = limit + 1
	}
	done := b.work.Add(steps)
	if done > limit {
		return &Exceeded{size, fmt.Sprintf("takes more than %d million steps of work", limit/1e6)}
	}
	if b.ctx != nil && done/lookEach != (done-steps)/lookEach {
		return context.Cause(b.ctx)
	}
	return nil
}

// Exceeded is the error of a charge beyond the limits.
type Exceeded struct {
	size  int64
	needs string
}

func (e *Exceeded) Error() string {
	return fmt.Sprintf("%s, too much for %s of file", e.needs, bytesize.Text(e.size))
}
