package interpret

import (
	"math"

	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// fastOps are the operations on 32-bit components of which vertex shaders mostly consist, each as
// its own loop. They do the same as binaryOps.
var fastOps = map[module.Op]struct {
	of kind
	do func(v, x, y []uint32)
}{
	module.OpIAdd: {integer, func(v, x, y []uint32) {
		for i := range v {
			v[i] = x[i] + y[i]
		}
	}},
	module.OpFAdd: {floating, func(v, x, y []uint32) {
		for i := range v {
			v[i] = math.Float32bits(float(x[i]) + float(y[i]))
		}
	}},
	module.OpISub: {integer, func(v, x, y []uint32) {
		for i := range v {
			v[i] = x[i] - y[i]
		}
	}},
	module.OpFSub: {floating, func(v, x, y []uint32) {
		for i := range v {
			v[i] = math.Float32bits(float(x[i]) - float(y[i]))
		}
	}},
	module.OpIMul: {integer, func(v, x, y []uint32) {
		for i := range v {
			v[i] = x[i] * y[i]
		}
	}},
	module.OpFMul: {floating, func(v, x, y []uint32) {
		for i := range v {
			v[i] = math.Float32bits(float(x[i]) * float(y[i]))
		}
	}},
	module.OpFDiv: {floating, func(v, x, y []uint32) {
		for i := range v {
			v[i] = math.Float32bits(float(x[i]) / float(y[i]))
		}
	}},
}

// fast compiles the instructions in fastOps and the products of vectors and matrices below; it
// returns false for other instructions and other widths.
func (f *frame) fast(in module.Instruction) bool {
	rule, ok := fastOps[in.Op]
	if !ok {
		return false
	}
	x, t, n := f.operand(in.At(2), rule.of, 0)
	y, u, _ := f.operand(in.At(3), rule.of, n)
	if t.width != 32 || u.width != 32 {
		return false
	}
	v, do := f.results(in, rule.of, 32, n), rule.do
	f.emit(in, v, func(t *thread) {
		r := t.r
		do(r[v.at:v.at+n], r[x.at:x.at+n:x.at+n], r[y.at:y.at+n:y.at+n])
	}, x, y)
	return true
}
