package module

import (
	"fmt"
	"slices"
)

// LoopLimit is how many iterations all loops together may take for one vertex, unless a user
// says otherwise. Mesa's CPU driver leaves any loop after 65535 iterations.
const LoopLimit = 1 << 15

// clearIterations bounds the product of the iterations of all loops that need no counting because they provably
// end. It is the product, since loops may be nested.
const clearIterations = 1 << 10

// LoopError says that a vertex was stopped because its loops took too many iterations.
type LoopError struct{ Limit uint32 }

func (e LoopError) Error() string {
	return fmt.Sprintf("its loops take more than %d iterations for a vertex; --loop-limit N allows more, and 0 any number", e.Limit)
}

// Limited returns the module with loops that end: those that do not provably end soon (clearIterations) count their iterations down in
// a variable, which allows `limit` iterations for each vertex. A loop that finds the count used up sets it to 0 and returns from its
// function, as do all later ones. If limit is 0, loops do not count.
func (m *Module) Limited(limit uint32) (*Module, error) {
	l := limiter{m: m, bodies: map[uint32]uint32{}, bound: m.Bound}
	left := uint32(clearIterations)
	for _, f := range m.Functions {
		loops := newLoops(m, f)
		for i, b := range loops.blocks {
			if n, clear := loops.iterations(i); merge(b).Op == OpLoopMerge && (!clear || n > left) {
				l.bodies[b[0].At(0)] = l.id()
			} else if clear {
				left /= max(n, 1)
			}
		}
	}
	out := *m
	if limit > 0 && len(l.bodies) > 0 {
		decoded, err := Decode(l.rewritten(limit))
		if err != nil {
			return nil, err
		}
		out = *decoded
		out.File = m.File
	}
	out.Loops = &Loops{limit, l.counter}
	return &out, nil
}

// limiter rewrites a module so that its loops count iterations and stop at a limit.
type limiter struct {
	m      *Module
	bodies map[uint32]uint32 // for each loop that counts, by the label of its header: label of the new block that follows the count
	words  []uint32
	bound  uint32

	counter, number, boolean, zero, one uint32
}

func (l *limiter) id() uint32 {
	l.bound++
	return l.bound - 1
}

func (l *limiter) emit(op Op, operands ...uint32) {
	l.words = append(append(l.words, uint32(len(operands)+1)<<16|uint32(op)), operands...)
}

// rewritten returns the words of the module with loops that count. In the header of each loop in bodies it inserts the
// count before OpLoopMerge, and moves the instructions after OpLoopMerge to a block of their own.
func (l *limiter) rewritten(limit uint32) []uint32 {
	code := l.m.Code
	l.words = slices.Clone(code[:HeaderWords])
	l.counter = l.id()
	var function Instruction
	label := uint32(0)
	for at := HeaderWords; at < len(code); at += int(code[at] >> 16) {
		in := Instruction{Op(code[at]), slices.Clone(code[at+1 : at+int(code[at]>>16)])}
		switch in.Op {
		case OpEntryPoint:
			if l.m.Version >= 0x10400 {
				in.Operands = append(in.Operands, l.counter)
			}
		case OpFunction:
			if function.Op == 0 {
				l.declare(limit)
			}
			function = in
		case OpLabel:
			label = in.At(0)
		case OpPhi:
			for k := 3; k < len(in.Operands); k += 2 {
				if body, ok := l.bodies[in.Operands[k]]; ok {
					in.Operands[k] = body
				}
			}
		case OpLoopMerge:
			if body, ok := l.bodies[label]; ok {
				l.count(function, label, body, in)
				continue
			}
		}
		l.emit(in.Op, in.Operands...)
	}
	l.words[3] = l.bound
	return l.words
}

// declare declares the counter and the constants that it needs.
func (l *limiter) declare(limit uint32) {
	for _, in := range l.m.Globals {
		switch {
		case in.Op == OpTypeBool:
			l.boolean = in.At(0)
		case in.Op == OpTypeInt && in.At(1) == 32 && in.At(2) == 0:
			l.number = in.At(0)
		}
	}
	if l.boolean == 0 {
		l.boolean = l.id()
		l.emit(OpTypeBool, l.boolean)
	}
	if l.number == 0 {
		l.number = l.id()
		l.emit(OpTypeInt, l.number, 32, 0)
	}
	pointer, first := l.id(), l.id()
	l.zero, l.one = l.id(), l.id()
	l.emit(OpTypePointer, pointer, uint32(Private), l.number)
	l.emit(OpConstant, l.number, l.zero, 0)
	l.emit(OpConstant, l.number, l.one, 1)
	l.emit(OpConstant, l.number, first, min(limit, 1<<32-2)+1)
	l.emit(OpVariable, pointer, l.counter, uint32(Private), first)
}

// count ends a loop's header with code that counts an iteration, and leaves the function at the limit.
func (l *limiter) count(function Instruction, label, body uint32, loop Instruction) {
	left, spent, less, end := l.id(), l.id(), l.id(), l.id()
	l.emit(OpLoad, l.number, left, l.counter)
	l.emit(OpULessThanEqual, l.boolean, spent, left, l.one)
	l.emit(OpISub, l.number, less, left, l.one)
	if loop.Operands[1] == label { // a loop of one block: its header now leaves the loop, so it cannot be the continue target
		loop.Operands[1] = body
	}
	l.emit(OpLoopMerge, loop.Operands...)
	l.emit(OpBranchConditional, spent, end, body)
	l.emit(OpLabel, end)
	l.emit(OpStore, l.counter, l.zero)
	if result := function.Type(); l.m.Definition(result).Op == OpTypeVoid {
		l.emit(OpReturn)
	} else {
		nothing := l.id()
		l.emit(OpUndef, result, nothing)
		l.emit(OpReturnValue, nothing)
	}
	l.emit(OpLabel, body)
	l.emit(OpStore, l.counter, less)
}

// loops finds out which loops of a function end after a known number of iterations.
type loops struct {
	m      *Module
	body   []Instruction
	blocks [][]Instruction // each from its OpLabel to its branch
	at     map[uint32]int  // index in blocks, by the block's label
	within map[uint32]int  // index in blocks, by the ids that the block defines
}

func newLoops(m *Module, f Function) *loops {
	l := &loops{m, f.Body, nil, map[uint32]int{}, map[uint32]int{}}
	first := 0
	for i, in := range f.Body {
		switch in.Op {
		case OpLabel:
			first = i
			l.at[in.At(0)] = len(l.blocks)
		case OpBranch, OpBranchConditional, OpSwitch, OpReturn, OpReturnValue, OpUnreachable, OpKill, OpTerminateInvocation:
			l.blocks = append(l.blocks, f.Body[first:i+1])
		}
		l.within[in.Result()] = len(l.blocks)
	}
	return l
}

// merge returns a block's OpLoopMerge; its first instruction if it has none.
func merge(block []Instruction) Instruction {
	at := slices.IndexFunc(block, func(in Instruction) bool { return in.Op == OpLoopMerge })
	return block[max(at, 0)]
}

// iterations returns how often a loop runs. It returns false unless the loop exits by a test at the beginning of each
// iteration, and simulated can count how often the test passes.
func (l *loops) iterations(header int) (uint32, bool) {
	loop := merge(l.blocks[header])
	if loop.Op != OpLoopMerge {
		return 0, false
	}
	var begins []int // blocks that every iteration runs first
	for at := header; ; {
		begins = append(begins, at)
		end := l.blocks[at][len(l.blocks[at])-1]
		next := end.At(0)
		switch end.Op {
		case OpBranch:
		case OpBranchConditional:
			leaves := l.leaves(end.At(1), loop.At(0))
			if leaves == l.leaves(end.At(2), loop.At(0)) {
				return 0, false
			}
			if n, ok := l.simulated(end.At(0), truth(!leaves), begins, loop.At(1)); ok {
				return n, true
			}
			next = end.At(1 + int(truth(leaves)))
		default:
			return 0, false
		}
		to, ok := l.at[next]
		if !ok || to >= len(l.blocks) || next == loop.At(1) || slices.Contains(begins, to) || len(begins) > 8 {
			return 0, false
		}
		at = to
	}
}

// leaves reports whether a branch to `label` leads to a loop's merge block `to`, directly or through an empty block.
func (l *loops) leaves(label, to uint32) bool {
	at, ok := l.at[label]
	if !ok || label == to {
		return ok
	}
	b := slices.DeleteFunc(slices.Clone(l.blocks[at]), func(in Instruction) bool { return in.Op == OpLine || in.Op == OpNoLine })
	return len(b) == 2 && b[1].Op == OpBranch && b[1].At(0) == to
}

// simulated counts how often a loop's test lets the loop go on. It returns false unless the test compares an induction
// variable (stepping) with a constant, and ends the loop within clearIterations.
func (l *loops) simulated(condition, stays uint32, begins []int, continues uint32) (uint32, bool) {
	test := l.m.Definition(condition)
	if test.Op == OpLogicalNot {
		test, stays = l.m.Definition(test.At(2)), 1-stays
	}
	if test.Op < OpIEqual || test.Op > OpSLessThanEqual {
		return 0, false
	}
	for k := range 2 { // which operand of the comparison is the induction variable
		most, constant := l.constant(test.At(3 - k))
		start, step, ok := l.stepping(test.At(2+k), begins, continues)
		if !constant || !ok {
			continue
		}
		by, _ := l.constant(step.At(3))
		for i, n := start, uint32(0); n <= clearIterations; n++ {
			sides := [3]uint32{most, most}
			sides[k] = i
			if is, _ := evaluate(test.Op, sides, true); is != stays {
				return n, true
			}
			i, _ = evaluate(step.Op, [3]uint32{i, by}, true)
		}
	}
	return 0, false
}

func (l *loops) constant(id uint32) (uint32, bool) {
	in := l.m.Definition(id)
	return in.At(2), in.Op == OpConstant && l.m.narrow(id)
}

// stepping analyses an induction variable: a phi of the loop's header, or a value loaded from a local variable. start is
// its initial value; step is the addition or subtraction by which each iteration changes it. ok says that start and the
// amount of the step are constants, and that nothing else changes the variable.
func (l *loops) stepping(id uint32, begins []int, continues uint32) (start uint32, step Instruction, ok bool) {
	in, header := l.m.Definition(id), begins[0]
	var starts, steps []uint32
	from := id // id of the value to which the step is added
	add := func(value uint32, before, within bool) {
		if _, constant := l.constant(value); constant && before {
			starts = append(starts, value)
			return
		}
		steps = append(steps, value)
		ok = ok && within
	}
	ok = true
	switch variable := in.At(2); {
	case in.Op == OpPhi && l.within[id] == header:
		for k := 2; k+1 < len(in.Operands); k += 2 {
			add(in.Operands[k], true, true)
		}
	case in.Op == OpLoad && slices.Contains(begins, l.within[id]):
		at := 0
		for _, use := range l.body {
			if use.Op == OpLabel {
				at = l.at[use.At(0)]
			}
			for _, k := range l.m.References(use) {
				end := l.blocks[at][len(l.blocks[at])-1]
				switch {
				case use.Operands[k] != variable || use.Op == OpLoad:
				case use.Op == OpVariable && k == 1 && len(use.Operands) > 3:
					add(use.At(3), true, false)
				case use.Op == OpVariable && k == 1 && StorageClass(use.At(2)) == FunctionLocal:
				case use.Op == OpStore && k == 0:
					add(use.At(1), at < header && end.Op == OpBranch && end.At(0) == l.blocks[header][0].At(0), at == l.at[continues])
				default:
					ok = false
				}
			}
		}
		if ok = ok && l.m.Definition(variable).Op == OpVariable && l.m.Definition(variable).At(2) == uint32(FunctionLocal); ok && len(steps) == 1 {
			from = l.m.Definition(steps[0]).At(2)
			loaded := l.m.Definition(from)
			ok = loaded.Op == OpLoad && loaded.At(2) == variable && l.within[from] == l.at[continues]
		}
	default:
		return 0, step, false
	}
	if !ok || len(starts) != 1 || len(steps) != 1 {
		return 0, step, false
	}
	start, _ = l.constant(starts[0])
	step = l.m.Definition(steps[0])
	_, constant := l.constant(step.At(3))
	return start, step, constant && (step.Op == OpIAdd || step.Op == OpISub) && step.At(2) == from
}
