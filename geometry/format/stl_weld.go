package format

import (
	"context"
	"fmt"
	"hash/maphash"
	"math/bits"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/must"
	"github.com/shadeonce/shadeonce/internal/progress"
)

// stlWeld numbers positions by first use, equal ones once. Its hash table holds
// 1 + a vertex's number, or 0; its seed is random, so that no file can be made
// to collide, and the numbers do not depend on it.
type stlWeld struct {
	ctx       context.Context
	src       *Input
	positions *pool[mgl32.Vec3]
	indices   *pool[uint32]
	table     []uint32 // a power of two of them
	seed      maphash.Seed
}

const stlFirstTable = 1 << 10

func newStlWeld(ctx context.Context, src *Input) *stlWeld {
	return &stlWeld{
		ctx: ctx, src: src, seed: maphash.MakeSeed(), table: make([]uint32, stlFirstTable),
		positions: newPool[mgl32.Vec3](src, 0), indices: newPool[uint32](src, 0),
	}
}

// expect makes room for n triangles, with half as many vertices as closed
// surfaces have.
func (w *stlWeld) expect(n int) {
	w.indices = newPool[uint32](w.src, 3*n)
	w.resize(max(stlFirstTable, 1<<bits.Len(uint(n))))
}

func (w *stlWeld) resize(n int) {
	must.OK(w.src.Charge(4 * int64(n)))
	w.table = make([]uint32, n)
	meter := progress.NewMeter(progress.Silent(w.ctx), w.positions.n)
	for id := range w.positions.n {
		must.OK(meter.At(id))
		w.table[w.slot(*w.positions.at(uint32(id)))] = uint32(id) + 1
	}
}

// slot is where p is, or belongs, in the table.
func (w *stlWeld) slot(p mgl32.Vec3) int {
	mask := len(w.table) - 1
	for i := int(maphash.Comparable(w.seed, p)) & mask; ; i = (i + 1) & mask {
		id := w.table[i]
		if id == 0 || *w.positions.at(id - 1) == p {
			return i
		}
	}
}

// corner appends the next corner of a triangle, or says what is wrong with it.
func (w *stlWeld) corner(p mgl32.Vec3) (cause string) {
	for k := range p {
		if p[k] == 0 {
			p[k] = 0 // also for -0
		}
		if p[k]-p[k] != 0 {
			return fmt.Sprintf("position is not finite: %v", p)
		}
	}
	i := w.slot(p)
	if w.table[i] == 0 {
		w.positions.add(p)
		w.table[i] = uint32(w.positions.n)
		if w.positions.n > len(w.table)/4*3 {
			w.resize(2 * len(w.table))
		}
		w.indices.add(uint32(w.positions.n - 1))
	} else {
		w.indices.add(w.table[i] - 1)
	}
	return ""
}
