package format

import (
	"context"
	"fmt"
	"hash/maphash"
	"math/bits"

	"github.com/go-gl/mathgl/mgl32"

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
	w := &stlWeld{ctx: ctx, src: src, seed: maphash.MakeSeed(), table: make([]uint32, stlFirstTable)}
	w.positions, _ = newPool[mgl32.Vec3](src, 0)
	w.indices, _ = newPool[uint32](src, 0)
	return w
}

// expect makes room for n triangles, with half as many vertices as closed
// surfaces have.
func (w *stlWeld) expect(n int) (err error) {
	if w.indices, err = newPool[uint32](w.src, 3*n); err != nil {
		return err
	}
	return w.resize(max(stlFirstTable, 1<<bits.Len(uint(n))))
}

func (w *stlWeld) resize(n int) error {
	if err := w.src.Charge(4 * int64(n)); err != nil {
		return err
	}
	w.table = make([]uint32, n)
	meter := progress.NewMeter(progress.Silent(w.ctx), w.positions.n)
	for id := range w.positions.n {
		if err := meter.At(id); err != nil {
			return err
		}
		w.table[w.slot(*w.positions.at(uint32(id)))] = uint32(id) + 1
	}
	return nil
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
func (w *stlWeld) corner(p mgl32.Vec3) (cause string, err error) {
	for k := range p {
		if p[k] == 0 {
			p[k] = 0 // also for -0
		}
		if p[k]-p[k] != 0 {
			return fmt.Sprintf("position is not finite: %v", p), nil
		}
	}
	i := w.slot(p)
	if w.table[i] == 0 {
		if err := w.positions.add(p); err != nil {
			return "", err
		}
		w.table[i] = uint32(w.positions.n)
		if w.positions.n > len(w.table)/4*3 {
			if err := w.resize(2 * len(w.table)); err != nil {
				return "", err
			}
		}
		return "", w.indices.add(uint32(w.positions.n - 1))
	}
	return "", w.indices.add(w.table[i] - 1)
}
