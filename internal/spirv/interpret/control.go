package interpret

import (
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// control compiles calls and instructions that begin or end blocks; it returns false for other
// instructions.
func (f *frame) control(in module.Instruction) bool {
	switch in.Op {
	case module.OpNop, module.OpLine, module.OpNoLine, module.OpLoopMerge, module.OpSelectionMerge:
	case module.OpPhi:
		f.phi(in)
	case module.OpFunctionCall:
		f.call(in)
	case module.OpBranch:
		f.leave(jumps, in.At(0))
	case module.OpBranchConditional:
		f.leave(branches, in.At(1), in.At(2)).on = f.condition(in.At(0))
	case module.OpSwitch:
		f.switchTo(in)
	case module.OpReturn, module.OpUnreachable:
		f.leave(returns)
	case module.OpReturnValue:
		v := f.value(in.At(0))
		if v.t.words != f.f.result.t.words {
			must.Fail("returns %v, not %v", v.t, f.f.result.t)
		}
		f.add(move(f.f.result.at, v.at, v.t.words), v.t.words)
		f.leave(returns)
	default:
		return false
	}
	return true
}

func (f *frame) leave(end ending, labels ...uint32) *block {
	if f.block == nil {
		must.Fail("is not allowed here")
	}
	b := f.block
	b.end = end
	for _, label := range labels {
		to, ok := f.labels[label]
		if !ok {
			must.Fail("id %d is no block of the function", label)
		}
		b.edges = append(b.edges, edge{to: to})
	}
	f.block = nil
	return b
}

// condition returns a boolean operand.
func (f *frame) condition(id uint32) value {
	v := f.value(id)
	if v.t.kind != boolean {
		must.Fail("a condition of type %v", v.t)
	}
	return v
}

func (f *frame) switchTo(in module.Instruction) {
	on := f.value(in.At(0))
	if on.t.kind != integer {
		must.Fail("a selector of type %v", on.t)
	}
	var labels []uint32
	cases := map[uint64]int{}
	size := on.t.words + 1
	for rest := in.Operands[2:]; len(rest) >= size; rest = rest[size:] {
		literal := uint64(rest[0])
		if on.t.words == 2 {
			literal |= uint64(rest[1]) << 32
		}
		if _, again := cases[literal&mask(on.t.width)]; !again {
			cases[literal&mask(on.t.width)] = len(labels)
		}
		labels = append(labels, rest[size-1])
	}
	b := f.leave(switches, append(labels, in.At(1))...)
	b.on, b.cases = on, cases
}

func (f *frame) phi(in module.Instruction) {
	if f.block == nil {
		must.Fail("is not allowed here")
	}
	v := f.result(in)
	f.values[in.Result()] = v
	f.block.cost += 1 + v.t.words/8 // of the edges that lead here
	from := map[uint32]uint32{}
	for k := 2; k+1 < len(in.Operands); k += 2 {
		from[in.Operands[k+1]] = in.Operands[k]
	}
	n := f.labels[f.label]
	f.phis[n] = append(f.phis[n], phi{v, from})
}

func (f *frame) call(in module.Instruction) {
	var passed []*pointer
	var arguments []value
	for _, id := range in.Operands[3:] {
		if image, _ := f.v.Image(id); image != 0 {
			passed, arguments = append(passed, nil), append(arguments, value{})
			continue
		}
		if p, ok := f.pointer(id); ok {
			passed, arguments = append(passed, p), append(arguments, value{})
			continue
		}
		passed, arguments = append(passed, nil), append(arguments, f.value(id))
	}
	callee := f.function(in.At(2), passed)
	f.now = in.Op
	clear(f.known)
	for i, a := range arguments {
		to := callee.parameters[i]
		if passed[i] != nil || a.t == nil {
			continue
		}
		if a.t.words != to.t.words {
			must.Fail("passes %v for %v", a.t, to.t)
		}
		f.add(move(to.at, a.at, a.t.words), a.t.words)
	}
	f.add(callee.run, 0)
	t := f.of(in.At(0))
	if t.words != callee.result.t.words {
		must.Fail("a result of type %v of a function that returns %v", t, callee.result.t)
	}
	if t.words > 0 { // copied, since the next call overwrites the function's own
		v := f.result(in)
		f.values[in.Result()] = v
		f.add(move(v.at, callee.result.at, t.words), t.words)
	}
}

// instruction compiles an instruction that does not structure the function.
func (f *frame) instruction(in module.Instruction) {
	f.now = in.Op
	for _, compile := range []func(module.Instruction) bool{f.images, f.control, f.memory, f.composite, f.arithmetic, f.conversion, f.matrices, f.extended} {
		if compile(in) {
			return
		}
	}
	must.Fail("is not supported")
}
