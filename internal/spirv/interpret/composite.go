package interpret

import (
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// composite compiles instructions that take values apart and put them together; it returns false
// for other instructions.
func (f *frame) composite(in module.Instruction) bool {
	switch in.Op {
	case module.OpUndef:
		t := f.of(in.At(0))
		if t.kind == pointerTo {
			must.Fail("a pointer to nowhere")
		}
		f.values[in.Result()] = value{f.result(in).at, t, true}
	case module.OpCopyObject, module.OpCopyLogical:
		v, t := f.value(in.At(2)), f.of(in.At(0))
		if v.t.words != t.words {
			must.Fail("a result of type %v from an operand of type %v", t, v.t)
		}
		f.values[in.Result()] = value{v.at, t, v.steady}
	case module.OpCompositeExtract:
		v := f.value(in.At(2))
		at, t := part(v.t, in.Operands[3:])
		if f.of(in.At(0)) != t {
			must.Fail("a result of type %v from an operand of type %v", f.of(in.At(0)), v.t)
		}
		f.values[in.Result()] = value{v.at + at, t, v.steady}
	case module.OpCompositeInsert:
		object, whole, v := f.value(in.At(2)), f.value(in.At(3)), f.result(in)
		at, t := part(whole.t, in.Operands[4:])
		if v.t != whole.t || t.words != object.t.words {
			must.Fail("a %v into a %v", object.t, whole.t)
		}
		copyWhole, copyPart := move(v.at, whole.at, v.t.words), move(v.at+at, object.at, t.words)
		f.emit(in, v, func(t *thread) { copyWhole(t); copyPart(t) }, object, whole)
	case module.OpCompositeConstruct:
		f.construct(in)
	case module.OpVectorShuffle:
		f.shuffle(in)
	case module.OpVectorExtractDynamic, module.OpVectorInsertDynamic:
		f.dynamic(in)
	default:
		return false
	}
	return true
}

// part finds a part of a value by the indices of its members.
func part(t *typ, indices []uint32) (at int, of *typ) {
	for _, i := range indices {
		n := int64(t.count)
		if t.kind == structure {
			n = int64(len(t.members))
		}
		switch {
		case t.words <= 0 || int64(i) >= n:
			must.Fail("part %d of a %v", i, t)
		case t.kind == structure:
			at, t = at+t.places[i], t.members[i]
		default:
			at, t = at+int(i)*t.elem.words, t.elem
		}
	}
	return at, t
}

// construct compiles OpCompositeConstruct; a vector may be made from vectors.
func (f *frame) construct(in module.Instruction) {
	v := f.result(in)
	var parts []value
	var moves []op
	at := v.at
	for _, id := range in.Operands[2:] {
		p := f.value(id)
		if at+p.t.words > v.at+v.t.words {
			must.Fail("a %v of too many parts", v.t)
		}
		parts, moves = append(parts, p), append(moves, move(at, p.at, p.t.words))
		at += p.t.words
	}
	if at != v.at+v.t.words {
		must.Fail("a %v of too few parts", v.t)
	}
	if v.t.words != len(parts) { // not single registers
		f.emit(in, v, func(t *thread) {
			for _, do := range moves {
				do(t)
			}
		}, parts...)
		return
	}
	from := make([]int, len(parts))
	for i, p := range parts {
		from[i] = p.at
	}
	f.emit(in, v, gather(v.at, from), parts...)
}

// gather copies single registers.
func gather(to int, from []int) op {
	switch len(from) {
	case 2:
		a, b := from[0], from[1]
		return func(t *thread) { t.r[to], t.r[to+1] = t.r[a], t.r[b] }
	case 3:
		a, b, c := from[0], from[1], from[2]
		return func(t *thread) { t.r[to], t.r[to+1], t.r[to+2] = t.r[a], t.r[b], t.r[c] }
	case 4:
		a, b, c, d := from[0], from[1], from[2], from[3]
		return func(t *thread) { t.r[to], t.r[to+1], t.r[to+2], t.r[to+3] = t.r[a], t.r[b], t.r[c], t.r[d] }
	}
	return func(t *thread) {
		for i, at := range from {
			t.r[to+i] = t.r[at]
		}
	}
}

func (f *frame) shuffle(in module.Instruction) {
	x, y, v := f.value(in.At(2)), f.value(in.At(3)), f.result(in)
	a, n := x.t.component()
	b, m := y.t.component()
	c, count := v.t.component()
	if a == nil || a != b || a != c || count != len(in.Operands)-4 {
		must.Fail("a result of type %v from operands of type %v and %v", v.t, x.t, y.t)
	}
	var from []int
	for _, i := range in.Operands[4:] {
		at := x.at // undefined values too
		switch {
		case i < uint32(n):
			at = x.at + int(i)*a.words
		case i-uint32(n) < uint32(m):
			at = y.at + int(i-uint32(n))*a.words
		case i != 0xffffffff:
			must.Fail("component %d of %v and %v", i, x.t, y.t)
		}
		for k := range a.words {
			from = append(from, at+k)
		}
	}
	f.emit(in, v, gather(v.at, from), x, y)
}

// dynamic compiles reading or replacing a component whose number is a value.
func (f *frame) dynamic(in module.Instruction) {
	x := f.value(in.At(2))
	component, n := x.t.component()
	object, at := value{t: component, steady: true}, in.At(3)
	if in.Op == module.OpVectorInsertDynamic {
		object, at = f.value(in.At(3)), in.At(4)
	}
	number, _, _ := f.operand(at, integer, 1)
	v := f.result(in)
	if component == nil || object.t != component {
		must.Fail("a component of a %v", x.t)
	}
	words := component.words
	if in.Op == module.OpVectorInsertDynamic {
		if v.t != x.t {
			must.Fail("a result of type %v from an operand of type %v", v.t, x.t)
		}
		f.emit(in, v, func(t *thread) {
			copy(t.r[v.at:v.at+n*words], t.r[x.at:])
			k := int(min(t.r[number.at], uint32(n-1)))
			copy(t.r[v.at+k*words:v.at+(k+1)*words], t.r[object.at:])
		}, x, object, number)
		return
	}
	if v.t != component {
		must.Fail("a result of type %v from an operand of type %v", v.t, x.t)
	}
	f.emit(in, v, func(t *thread) {
		k := int(min(t.r[number.at], uint32(n-1)))
		copy(t.r[v.at:v.at+words], t.r[x.at+k*words:])
	}, x, number)
}
