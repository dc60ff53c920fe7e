package interpret

import (
	"math"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

func (f *frame) undefined(in module.Instruction) {
	t := f.of(in.At(0))
	if t.kind == pointerTo {
		must.Fail("a pointer to nowhere")
	}
	f.values[in.Result()] = value{f.result(in).at, t, true}
}

func (f *frame) copyObject(in module.Instruction) {
	if p, ok := f.pointer(in.At(2)); ok && in.Op == module.OpCopyObject {
		f.pointers[in.Result()] = p
		return
	}
	v, t := f.value(in.At(2)), f.of(in.At(0))
	if v.t.words != t.words {
		must.Fail("a result of type %v from an operand of type %v", t, v.t)
	}
	f.values[in.Result()] = value{v.at, t, v.steady}
}

func (f *frame) extract(in module.Instruction) {
	v := f.value(in.At(2))
	at, t := part(v.t, in.Operands[3:])
	if f.of(in.At(0)) != t {
		must.Fail("a result of type %v from an operand of type %v", f.of(in.At(0)), v.t)
	}
	f.values[in.Result()] = value{v.at + at, t, v.steady}
}

func (f *frame) insert(in module.Instruction) {
	object, whole, v := f.value(in.At(2)), f.value(in.At(3)), f.result(in)
	at, t := part(whole.t, in.Operands[4:])
	if v.t != whole.t || t.words != object.t.words {
		must.Fail("a %v into a %v", object.t, whole.t)
	}
	copyWhole, copyPart := move(v.at, whole.at, v.t.words), move(v.at+at, object.at, t.words)
	f.emit(in, v, func(t *thread) { copyWhole(t); copyPart(t) }, object, whole)
}

// part follows indices into a value of type t. It returns the part's type, and its first register counted from
// the value's first.
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
	if v.t.words != len(parts) { // some part takes several registers
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

// gather copies the registers listed in `from` to contiguous registers that start at `to`.
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
		at := x.at // an undefined component may have any value
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

// dynamic compiles instructions that read or replace a vector's component at an index computed at run time.
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

// table is a scalar, vector or matrix of floats: component c*rows+r is in column c, row r.
type table struct {
	value
	columns, rows int
	width         uint
}

func (f *frame) table(id uint32) table { return tableOf(f.value(id)) }

func tableOf(v value) table {
	t := table{value: v, columns: 1}
	column := v.t
	if v.t.kind == matrix {
		t.columns, column = v.t.count, v.t.elem
	}
	component, n := column.component()
	if component == nil || component.kind != floating {
		must.Fail("an operand of type %v", v.t)
	}
	t.rows, t.width = n, component.width
	return t
}

// product is one component of a product of vectors or matrices: the sum of x[i] * y[i], added from the
// last term to the first. Vulkan leaves the order open; this is Mesa's, so that results can be compared bit for bit.
type product struct {
	to    int
	terms [4][2]int // the registers of x[i] and y[i] of each term
	n     int
}

// scaled compiles the product of a vector or a matrix with a scalar.
func (f *frame) scaled(in module.Instruction) {
	x, y, v := f.table(in.At(2)), f.table(in.At(3)), tableOf(f.result(in))
	if y.rows*y.columns != 1 || v.t != x.t || x.width != y.width {
		must.Fail("a result of type %v from operands of type %v and %v", v.t, x.t, y.t)
	}
	if x.width != 32 {
		x.columns, x.rows, v.columns, v.rows = 1, x.columns*x.rows, 1, x.columns*x.rows
		f.products(in, v, x, y)
		return
	}
	n := v.t.words
	f.emit(in, v.value, func(t *thread) {
		by := float(t.r[y.at])
		to, from := t.r[v.at:v.at+n], t.r[x.at:x.at+n:x.at+n]
		for i := range to {
			to[i] = math.Float32bits(float(from[i]) * by)
		}
	}, x.value, y.value)
}

func (f *frame) transpose(in module.Instruction) {
	x, v := f.table(in.At(2)), tableOf(f.result(in))
	if v.columns != x.rows || v.rows != x.columns || v.width != x.width {
		must.Fail("a result of type %v from an operand of type %v", v.t, x.t)
	}
	words := v.t.words / (v.columns * v.rows)
	var from []int
	for c := range v.columns {
		for r := range v.rows {
			for k := range words {
				from = append(from, x.at+(r*x.rows+c)*words+k)
			}
		}
	}
	f.emit(in, v.value, gather(v.at, from), x.value)
}

// product compiles a product of vectors or matrices. A vector is a column unless the instruction takes it as a row.
func (f *frame) product(in module.Instruction) {
	x, y, v := f.table(in.At(2)), f.table(in.At(3)), tableOf(f.result(in))
	switch in.Op {
	case module.OpVectorTimesMatrix:
		x, v = x.row(), v.row()
	case module.OpDot:
		x = x.row()
	case module.OpOuterProduct:
		y = y.row()
	}
	if v.columns != y.columns || v.rows != x.rows || x.columns != y.rows || x.width != v.width || y.width != v.width {
		must.Fail("a result of type %v from operands of type %v and %v", v.t, x.t, y.t)
	}
	f.products(in, v, x, y)
}

// row returns a vector as a matrix of one row.
func (t table) row() table {
	if t.columns != 1 {
		must.Fail("an operand of type %v", t.t)
	}
	t.columns, t.rows = t.rows, 1
	return t
}

// products compiles code that computes every component of v as the sum of the products of a row of x and a column of y.
func (f *frame) products(in module.Instruction, v, x, y table) {
	n := x.columns
	words := v.t.words / (v.columns * v.rows)
	var list []product
	for c := range v.columns {
		for r := range v.rows {
			p := product{to: v.at + (c*v.rows+r)*words, n: n}
			for k := range n {
				p.terms[k] = [2]int{x.at + (k*x.rows+r)*words, y.at + (c*y.rows+k)*words}
			}
			list = append(list, p)
		}
	}
	switch {
	case v.width == 32 && in.Op == module.OpMatrixTimesVector && n == 4 && v.rows == 4:
		f.emit(in, v.value, transform4(v.at, x.at, y.at), x.value, y.value)
	case v.width == 32:
		f.emit(in, v.value, func(t *thread) {
			for i := range list {
				p := &list[i]
				last := p.terms[p.n-1]
				sum := float32(float(t.r[last[0]]) * float(t.r[last[1]]))
				for k := p.n - 2; k >= 0; k-- {
					at := p.terms[k]
					sum = float32(float(t.r[at[0]])*float(t.r[at[1]])) + sum
				}
				t.r[p.to] = math.Float32bits(sum)
			}
		}, x.value, y.value)
	default:
		f.emit(in, v.value, wideProducts(list, v.width, words), x.value, y.value)
	}
}

// transform4 multiplies a 4x4 matrix by a vector. Like the code that frame.products compiles, it adds the terms of
// a component from the last to the first.
func transform4(to, m, v int) op {
	return func(t *thread) {
		m, v, to := (*[16]uint32)(t.r[m:]), (*[4]uint32)(t.r[v:]), (*[4]uint32)(t.r[to:])
		x, y, z, w := float(v[0]), float(v[1]), float(v[2]), float(v[3])
		for r := range 4 {
			sum := float32(float(m[8+r])*z) + float32(float(m[12+r])*w)
			sum = float32(float(m[4+r])*y) + sum
			to[r] = math.Float32bits(float32(float(m[r])*x) + sum)
		}
	}
}

// wideProducts computes products of 16-bit or 64-bit floats. With 16 bits it rounds only the whole sum.
func wideProducts(list []product, width uint, words int) op {
	in, out := decode(width), encode(width)
	return func(t *thread) {
		for i := range list {
			p := &list[i]
			last := p.terms[p.n-1]
			sum := in(read(t.r, last[0], words)) * in(read(t.r, last[1], words))
			for k := p.n - 2; k >= 0; k-- {
				at := p.terms[k]
				sum = float64(in(read(t.r, at[0], words))*in(read(t.r, at[1], words))) + sum
			}
			write(t.r, p.to, words, out(sum))
		}
	}
}
