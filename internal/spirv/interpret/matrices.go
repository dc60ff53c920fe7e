package interpret

import (
	"math"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// table is a scalar, vector or matrix of floats: component c*rows+r is in column c.
type table struct {
	value
	columns, rows int
	width         uint
}

// table is an operand.
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

// product is a component of a product: the sum of x[i] * y[i], added from the last term to the
// first. Vulkan leaves the order open; this is Mesa's, so that bits can be compared.
type product struct {
	to    int
	terms [4][2]int // registers of x and y
	n     int
}

// matrices compiles instructions of linear algebra; it returns false for other instructions.
func (f *frame) matrices(in module.Instruction) bool {
	switch in.Op {
	case module.OpTranspose:
		f.transpose(in)
	case module.OpVectorTimesScalar, module.OpMatrixTimesScalar:
		x, y, v := f.table(in.At(2)), f.table(in.At(3)), tableOf(f.result(in))
		if y.rows*y.columns != 1 || v.t != x.t || x.width != y.width {
			must.Fail("a result of type %v from operands of type %v and %v", v.t, x.t, y.t)
		}
		if x.width == 32 {
			f.scale(in, v, x, y)
		} else {
			f.products(in, v, x, y, 1, func(c, r, _ int) (int, int) { return c*x.rows + r, 0 })
		}
	case module.OpVectorTimesMatrix: // row vector x times the columns of y
		f.product(in, func(x, y table) (columns, rows, first, second int) { return 1, y.columns, x.rows, y.rows },
			func(x, y table, _, r, k int) (int, int) { return k, r*y.rows + k })
	case module.OpOuterProduct:
		f.product(in, func(x, y table) (columns, rows, first, second int) { return y.rows, x.rows, 1, 1 },
			func(_, _ table, c, r, _ int) (int, int) { return r, c })
	case module.OpDot:
		f.product(in, func(x, y table) (columns, rows, first, second int) { return 1, 1, x.rows, y.rows },
			func(_, _ table, _, _, k int) (int, int) { return k, k })
	case module.OpMatrixTimesVector, module.OpMatrixTimesMatrix:
		f.product(in, func(x, y table) (columns, rows, first, second int) { return y.columns, x.rows, x.columns, y.rows },
			func(x, y table, c, r, k int) (int, int) { return k*x.rows + r, c*y.rows + k })
	default:
		return false
	}
	return true
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

// product compiles a product of two operands. shape returns the size of the result, and the
// numbers of components of each operand in the sum for one component; terms returns these
// components for column c and row r.
func (f *frame) product(in module.Instruction, shape func(x, y table) (columns, rows, first, second int), terms func(x, y table, c, r, k int) (int, int)) {
	x, y, v := f.table(in.At(2)), f.table(in.At(3)), tableOf(f.result(in))
	columns, rows, n, same := shape(x, y)
	if v.columns != columns || v.rows != rows || n != same || x.width != v.width || y.width != v.width {
		must.Fail("a result of type %v from operands of type %v and %v", v.t, x.t, y.t)
	}
	f.products(in, v, x, y, n, func(c, r, k int) (int, int) { return terms(x, y, c, r, k) })
}

// products computes every component of v as a sum of n products of components of x and y.
func (f *frame) products(in module.Instruction, v, x, y table, n int, of func(c, r, k int) (int, int)) {
	words := v.t.words / (v.columns * v.rows)
	var list []product
	for c := range v.columns {
		for r := range v.rows {
			p := product{to: v.at + (c*v.rows+r)*words, n: n}
			for k := range n {
				i, j := of(c, r, k)
				if i >= x.columns*x.rows || j >= y.columns*y.rows {
					must.Fail("a result of type %v from operands of type %v and %v", v.t, x.t, y.t)
				}
				p.terms[k] = [2]int{x.at + i*words, y.at + j*words}
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

// transform4 multiplies a 4x4 matrix by a vector, with terms in the order of products.
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

// wideProducts are products of 16-bit or 64-bit floats. 16-bit products are rounded once.
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

// scale multiplies all 32-bit components by a scalar.
func (f *frame) scale(in module.Instruction, v, x, y table) {
	n := v.t.words
	f.emit(in, v.value, func(t *thread) {
		by := float(t.r[y.at])
		to, from := t.r[v.at:v.at+n], t.r[x.at:x.at+n:x.at+n]
		for i := range to {
			to[i] = math.Float32bits(float(from[i]) * by)
		}
	}, x.value, y.value)
}
