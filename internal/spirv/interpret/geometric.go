package interpret

import (
	"math"

	"github.com/go-gl/mathgl/mgl64"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

const (
	glslDeterminant   = 33
	glslMatrixInverse = 34
)

// geometricRule describes a function of whole vectors. Where `do` adds products, each is written float64(a*b),
// so that Go rounds it, and results are the same on every processor.
type geometricRule struct {
	vectors, scalars int // numbers of operands, in this order
	scalar           bool
	count            int // components that each vector must have; 0 means any
	do               func(v []float64, x [][]float64)
}

var geometricRules = map[uint32]geometricRule{
	66: {vectors: 1, scalar: true, do: func(v []float64, x [][]float64) { v[0] = math.Sqrt(dot(x[0], x[0])) }},
	67: {vectors: 2, scalar: true, do: func(v []float64, x [][]float64) {
		sum := 0.
		for i := range x[0] {
			d := x[0][i] - x[1][i]
			sum += float64(d * d)
		}
		v[0] = math.Sqrt(sum)
	}},
	68: {vectors: 2, count: 3, do: func(v []float64, x [][]float64) {
		a, b := x[0], x[1]
		for i := range v {
			j, k := (i+1)%3, (i+2)%3
			v[i] = float64(a[j]*b[k]) - float64(a[k]*b[j])
		}
	}},
	69: {vectors: 1, do: func(v []float64, x [][]float64) {
		length := math.Sqrt(dot(x[0], x[0]))
		for i := range v {
			v[i] = x[0][i] / length
		}
	}},
	70: {vectors: 3, do: func(v []float64, x [][]float64) { // FaceForward
		turn := -1.
		if dot(x[2], x[1]) < 0 {
			turn = 1
		}
		for i := range v {
			v[i] = turn * x[0][i]
		}
	}},
	71: {vectors: 2, do: func(v []float64, x [][]float64) { // Reflect
		twice := 2 * dot(x[1], x[0])
		for i := range v {
			v[i] = x[0][i] - float64(twice*x[1][i])
		}
	}},
	72: {vectors: 2, scalars: 1, do: func(v []float64, x [][]float64) { // Refract
		eta, d := x[2][0], dot(x[1], x[0])
		k := 1 - float64(eta*eta*(1-float64(d*d)))
		for i := range v {
			v[i] = 0
			if k >= 0 {
				v[i] = float64(eta*x[0][i]) - float64((float64(eta*d)+math.Sqrt(k))*x[1][i])
			}
		}
	}},
}

func dot(x, y []float64) (sum float64) {
	for i := range x {
		sum += float64(x[i] * y[i])
	}
	return sum
}

// geometric compiles functions of vectors and matrices; it returns false for others.
func (f *frame) geometric(in module.Instruction, number uint32) bool {
	if number == glslDeterminant || number == glslMatrixInverse {
		f.inverse(in, number)
		return true
	}
	rule, ok := geometricRules[number]
	if !ok {
		return false
	}
	first, t, n := f.operand(in.At(4), floating, rule.count)
	from := []value{first}
	for i := 1; i < rule.vectors+rule.scalars; i++ {
		count := n
		if i >= rule.vectors {
			count = 1
		}
		x, u, _ := f.operand(in.At(4+i), floating, count)
		if u.width != t.width {
			must.Fail("operands of type %v and %v", first.t, x.t)
		}
		from = append(from, x)
	}
	count := n
	if rule.scalar {
		count = 1
	}
	v := f.results(in, floating, t.width, count)
	t32 := t.width == 32 // the usual case, without calls
	words, in64, out := t.words, decode(t.width), encode(t.width)
	f.emit(in, v, func(t *thread) {
		w := &t.wide
		for k, x := range from {
			operand := w.room[4*k : 4*k+x.t.words/words]
			w.operands[k] = operand
			if t32 {
				for i, bits := range t.r[x.at : x.at+len(operand)] {
					operand[i] = float64(float(bits))
				}
				continue
			}
			for i := range operand {
				operand[i] = in64(read(t.r, x.at+i*words, words))
			}
		}
		results := w.room[12 : 12+count]
		rule.do(results, w.operands[:])
		for i, x := range results {
			if t32 {
				t.r[v.at+i] = math.Float32bits(float32(x))
			} else {
				write(t.r, v.at+i*words, words, out(x))
			}
		}
	}, from...)
	return true
}

// wide holds the operands and the result of a geometricRule.
type wide struct {
	room     [16]float64
	operands [3][]float64
}

// inverse compiles Determinant and MatrixInverse. The inverse of a singular matrix is 0.
func (f *frame) inverse(in module.Instruction, number uint32) {
	x, v := f.table(in.At(4)), tableOf(f.result(in))
	n := x.rows
	if x.columns != n || v.width != x.width || number == glslMatrixInverse && v.t != x.t || number == glslDeterminant && v.rows*v.columns != 1 {
		must.Fail("a result of type %v from an operand of type %v", v.t, x.t)
	}
	in64, out, words := decode(x.width), encode(x.width), x.t.words/(n*n)
	f.emit(in, v.value, func(t *thread) {
		m := mgl64.Ident4() // extended by the identity, which changes neither result
		for c := range n {
			for r := range n {
				m[4*c+r] = in64(read(t.r, x.at+(c*n+r)*words, words))
			}
		}
		if number == glslDeterminant {
			write(t.r, v.at, words, out(m.Det()))
			return
		}
		m = inverted(m)
		for c := range n {
			for r := range n {
				write(t.r, v.at+(c*n+r)*words, words, out(m[4*c+r]))
			}
		}
	}, x.value)
}

// inverted returns the adjugate divided by the determinant; 0 for a singular matrix. mathgl's own inverse
// also treats small determinants as 0.
func inverted(m mgl64.Mat4) (out mgl64.Mat4) {
	det := m.Det()
	if det == 0 {
		return out
	}
	for c := range 4 {
		for r := range 4 {
			minor, k := mgl64.Mat3{}, 0
			for i := range 4 {
				for j := range 4 {
					if i != r && j != c {
						minor[k] = m[4*i+j]
						k++
					}
				}
			}
			cofactor := minor.Det() / det
			if (r+c)%2 == 1 {
				cofactor = -cofactor
			}
			out[4*c+r] = cofactor
		}
	}
	return out
}

// packRule packs a vector of floats into an integer, or unpacks it. The integer holds the bits of one
// element of format.
type packRule struct {
	unpack bool
	format vertexformat.Format
	scale  float64 // factor for normalized numbers before rounding; 0 for other formats
	low    float64
}

func packed(components, bits int, kind string, unpack bool, scale, low float64) packRule {
	return packRule{unpack, vertexformat.Array(components, bits, kind), scale, low}
}

var packRules = map[uint32]packRule{
	54: packed(4, 8, "SNORM", false, 127, -1), 55: packed(4, 8, "UNORM", false, 255, 0), 56: packed(2, 16, "SNORM", false, 32767, -1),
	57: packed(2, 16, "UNORM", false, 65535, 0), 58: packed(2, 16, "SFLOAT", false, 0, 0),
	60: packed(2, 16, "SNORM", true, 0, 0), 61: packed(2, 16, "UNORM", true, 0, 0), 62: packed(2, 16, "SFLOAT", true, 0, 0),
	63: packed(4, 8, "SNORM", true, 0, 0), 64: packed(4, 8, "UNORM", true, 0, 0),
}

// packing compiles functions that pack or unpack floats; it returns false for others.
func (f *frame) packing(in module.Instruction, number uint32) bool {
	const packDouble, unpackDouble = 59, 65
	if number == packDouble || number == unpackDouble {
		f.bitcast(module.Instruction{Op: in.Op, Operands: []uint32{in.At(0), in.At(1), in.At(4)}})
		return true
	}
	rule, ok := packRules[number]
	if !ok {
		return false
	}
	n := rule.format.Components()
	if rule.unpack {
		x, t, _ := f.operand(in.At(4), integer, 1)
		v := f.results(in, floating, 32, n)
		if t.width != 32 {
			must.Fail("an operand of type %v", x.t)
		}
		f.emit(in, v, func(t *thread) {
			bits := t.r[x.at]
			components := rule.format.Decode([]byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24)})
			copy(t.r[v.at:v.at+n], components[:])
		}, x)
		return true
	}
	x, t, _ := f.operand(in.At(4), floating, n)
	v := f.results(in, integer, 32, 1)
	if t.width != 32 {
		must.Fail("an operand of type %v", x.t)
	}
	width := uint(32 / n)
	f.emit(in, v, func(t *thread) {
		bits := uint64(0)
		for i := range n {
			c := float64(float(t.r[x.at+i]))
			if rule.scale == 0 {
				bits |= vertexformat.Half(c) << (width * uint(i))
				continue
			}
			steps := toInteger(math.RoundToEven(limited(c, rule.low, 1)*rule.scale), 32, true)
			bits |= steps & mask(width) << (width * uint(i))
		}
		t.r[v.at] = uint32(bits)
	}, x)
	return true
}
