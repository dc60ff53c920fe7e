package interpret

import (
	"math/bits"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// bitField compiles instructions on some bits of an integer; scalars give their position and
// number. Bits beyond the integer are ignored.
func (f *frame) bitField(in module.Instruction) {
	base, t, n := f.operand(in.At(2), integer, 0)
	insert, rest := base, in.Operands[3:]
	if in.Op == module.OpBitFieldInsert {
		insert, _, _ = f.operand(in.At(3), integer, n)
		rest = in.Operands[4:]
	}
	if len(rest) < 2 || insert.t.words != base.t.words {
		must.Fail("operands of type %v and %v", base.t, insert.t)
	}
	offset, a, _ := f.operand(rest[0], integer, 1)
	count, b, _ := f.operand(rest[1], integer, 1)
	v := f.results(in, integer, t.width, n)
	width, words := t.width, t.words
	f.emit(in, v, func(t *thread) {
		from := min(read(t.r, offset.at, a.words), uint64(width))
		many := min(read(t.r, count.at, b.words), uint64(width)-from)
		field := mask(uint(many))
		for i := range n {
			x := read(t.r, base.at+i*words, words)
			switch {
			case in.Op == module.OpBitFieldInsert:
				x = x&^(field<<from) | (read(t.r, insert.at+i*words, words)&field)<<from
			case in.Op == module.OpBitFieldSExtract && many > 0:
				x = uint64(signed(x>>from, uint(many)))
			default:
				x = x >> from & field
			}
			write(t.r, v.at+i*words, words, x&mask(width))
		}
	}, base, insert, offset, count)
}

// extendedInteger compiles instructions whose result is a struct of two integers.
func (f *frame) extendedInteger(in module.Instruction) {
	x, t, n := f.operand(in.At(2), integer, 0)
	y, u, _ := f.operand(in.At(3), integer, n)
	v := f.result(in)
	if u.width != t.width || v.t.kind != structure || len(v.t.members) != 2 || v.t.members[0].words != x.t.words || v.t.members[1].words != x.t.words {
		must.Fail("a result of type %v", v.t)
	}
	width, words := t.width, t.words
	f.emit(in, v, func(t *thread) {
		for i := range n {
			low, high := extend(in.Op, read(t.r, x.at+i*words, words), read(t.r, y.at+i*words, words), width)
			write(t.r, v.at+i*words, words, low&mask(width))
			write(t.r, v.at+(n+i)*words, words, high&mask(width))
		}
	}, x, y)
}

func extend(op module.Op, x, y uint64, width uint) (low, high uint64) {
	switch op {
	case module.OpIAddCarry:
		low, carry := bits.Add64(x, y, 0)
		return low, carry | low>>(width-1)>>1&1
	case module.OpISubBorrow:
		return x - y, truth(x < y)
	case module.OpUMulExtended:
		high, low := bits.Mul64(x, y)
		if width < 64 {
			high = low >> width
		}
		return low, high
	}
	a, b := signed(x, width), signed(y, width)
	if width < 64 {
		product := a * b
		return uint64(product), uint64(product >> width)
	}
	high, low = bits.Mul64(uint64(a), uint64(b))
	if a < 0 {
		high -= uint64(b)
	}
	if b < 0 {
		high -= uint64(a)
	}
	return low, high
}

// reduce compiles OpAny and OpAll.
func (f *frame) reduce(in module.Instruction) {
	x, _, n := f.operand(in.At(2), boolean, 0)
	v := f.results(in, boolean, 32, 1)
	all := in.Op == module.OpAll
	f.emit(in, v, func(t *thread) {
		is := all
		for _, b := range t.r[x.at : x.at+n] {
			if (b != 0) != all {
				is = !all
			}
		}
		t.r[v.at] = uint32(truth(is))
	}, x)
}
