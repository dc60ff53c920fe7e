// Package budget bounds what reading a file may cost, in memory and in work, by the
// file's size: no file, however small, makes a reader allocate or compute without
// bound. Readers book what they are about to allocate, and every loop whose length does
// not follow from the bytes that were read.
//
// It knows neither formats nor files, only their sizes.
package budget

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/shadeonce/shadeonce/internal/base/bytesize"
)

// A file may take so much memory and work.
const (
	MemorySlack  = 64 << 20 // bytes
	MemoryFactor = 4        // bytes a byte of the file

	WorkSlack  = 1 << 30 // steps
	WorkFactor = 512     // steps a byte of the file

	// PackedFactor bounds how many bytes that were unpacked count for one that was
	// packed. Text of meshes shrinks by a factor of 3 to 20.
	PackedFactor = 20
)

// Steps of work that are not just a byte that is moved or an element that is looked at.
// A step takes about a nanosecond.
const (
	Call  = 64   // a call that finds nothing to do
	Entry = 4096 // opening an entry of a zip file
)

// Budget is what one file may cost, with those beside it that it names. The zero Budget
// is that of an empty file. Its methods may be called side by side.
type Budget struct {
	ctx    context.Context
	times  int64
	packed atomic.Int64 // size of the file where what is read of it is unpacked, else 0
	known  atomic.Int64 // size of the file, as far as it is known ahead
	read   atomic.Int64 // bytes of the file that were read
	beside atomic.Int64 // bytes beside the file that were read
	memory atomic.Int64 // bytes in use
	work   atomic.Int64 // steps done
}

type key struct{}

// Allow returns a context in which files may cost so many times what their size allows.
func Allow(ctx context.Context, times int64) context.Context {
	return context.WithValue(ctx, key{}, times)
}

// Begin makes the budget that of a context: Work returns the cause of the context's end.
func (b *Budget) Begin(ctx context.Context) {
	b.ctx = ctx
	b.times, _ = ctx.Value(key{}).(int64)
}

// Packed tells that the file has so many bytes, and that Read counts those that they
// unpack to.
func (b *Budget) Packed(size int64) { b.packed.Store(size) }

// Known tells how many bytes the file has before they are read.
func (b *Budget) Known(size int64) { b.known.Store(size) }

// Read tells that n more bytes of the file were read.
func (b *Budget) Read(n int64) { b.read.Add(n) }

// Beside tells that n bytes of a file beside this one were read.
func (b *Budget) Beside(n int64) { b.beside.Add(n) }

// Size is how many bytes count.
func (b *Budget) Size() int64 {
	size := max(b.known.Load(), b.read.Load())
	if packed := b.packed.Load(); packed > 0 {
		size = min(size, PackedFactor*packed)
	}
	return size + b.beside.Load()
}

// Memory books n bytes that are about to be allocated, or refuses.
func (b *Budget) Memory(n int64) error {
	size := b.Size()
	limit := max(b.times, 1) * (MemorySlack + MemoryFactor*size)
	if n > limit || b.memory.Add(n) > limit {
		return &Exceeded{size, fmt.Sprintf("needs more than %s of memory", bytesize.Text(limit))}
	}
	return nil
}

// Free gives back n bytes that were booked.
func (b *Budget) Free(n int64) { b.memory.Add(-n) }

// lookEach is how many steps go by between two looks at the context: about a millisecond.
const lookEach = 1 << 20

// Work books steps that are about to be done, or refuses. It returns the cause of the
// context's end.
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

// Exceeded is the error where a file costs too much.
type Exceeded struct {
	size  int64
	needs string
}

func (e *Exceeded) Error() string {
	return fmt.Sprintf("%s, too much for %s of file", e.needs, bytesize.Text(e.size))
}
