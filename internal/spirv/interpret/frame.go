package interpret

import (
	"fmt"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// frame is a function that is being compiled.
type frame struct {
	*compiler
	f        *function
	values   map[uint32]value
	pointers map[uint32]*pointer
	labels   map[uint32]int          // indices of blocks, by label
	label    uint32                  // of the current block
	block    *block                  // current block; nil between blocks
	phis     map[int][]phi           // by block
	known    map[*variable][]content // values that the current block has stored or loaded
}

// phi is a value that depends on which block ran before.
type phi struct {
	value
	from map[uint32]uint32 // operands by the label of that block
}

// content is a value that a part of a variable is known to hold.
type content struct {
	at int // first register of the part
	value
}

// function compiles a function for the pointers that a call passes to it. passed has one entry per
// parameter, nil for parameters that are not pointers.
func (c *compiler) function(id uint32, passed []*pointer) *function {
	key := fmt.Sprint(id)
	for _, p := range passed {
		key += p.key()
	}
	if f, ok := c.functions[key]; ok {
		return f
	}
	if c.depth++; c.depth > mostDepth {
		must.Fail("calls are more than %d functions deep", mostDepth)
	}
	body := c.bodies[id].Body
	if c.size += len(body); c.size > mostInstructions {
		must.Fail("more than %d instructions, counted for each way in which pointers are passed", mostInstructions)
	}
	f := &frame{
		compiler: c, f: &function{}, values: map[uint32]value{}, pointers: map[uint32]*pointer{}, labels: map[uint32]int{},
		phis: map[int][]phi{},
	}
	c.functions[key] = f.f
	f.begin(body, passed)
	for _, in := range body {
		switch in.Op {
		case module.OpFunction, module.OpFunctionParameter, module.OpFunctionEnd:
		case module.OpLabel:
			f.enter(in.Result())
		default:
			if f.block == nil {
				if in.Op == module.OpLine || in.Op == module.OpNoLine || in.Op == module.OpNop || f.debug(in) {
					continue
				}
				must.Fail("is outside of all blocks")
			}
			f.instruction(in)
		}
	}
	if f.block != nil || len(f.f.blocks) == 0 {
		must.Fail("a function without an end")
	}
	f.movePhis()
	c.depth--
	return f.f
}

// begin allocates the function's result and parameters, and numbers its blocks.
func (f *frame) begin(body []module.Instruction, passed []*pointer) {
	if len(body) == 0 {
		must.Fail("a function without a body")
	}
	t := f.of(body[0].At(0))
	if t.words < 0 || t.kind == pointerTo {
		must.Fail("a function that returns a %v", t)
	}
	f.f.result = value{f.registers(t.words), t, false}
	for _, in := range body {
		switch in.Op {
		case module.OpFunctionParameter:
			f.parameter(in, passed)
		case module.OpLabel:
			f.labels[in.Result()] = len(f.labels)
		}
	}
	if want := len(f.f.parameters); want != len(passed) && (passed != nil || want > 0) {
		must.Fail("%d arguments for %d parameters", len(passed), want)
	}
	f.f.blocks = make([]block, len(f.labels))
}

func (f *frame) parameter(in module.Instruction, passed []*pointer) {
	f.now = in.Op
	if image, _ := f.v.Image(in.Result()); image != 0 {
		f.f.parameters = append(f.f.parameters, value{})
		return
	}
	n, t := len(f.f.parameters), f.of(in.At(0))
	v := value{t: t}
	switch {
	case n >= len(passed):
		must.Fail("a parameter that is not passed")
	case t.kind == pointerTo:
		if passed[n] == nil || passed[n].t != t.elem {
			must.Fail("a pointer to %v is passed something else", t.elem)
		}
		f.pointers[in.Result()] = passed[n]
	case t.words <= 0 || passed[n] != nil:
		must.Fail("a parameter of type %v", t)
	default:
		v.at = f.registers(t.words)
		f.values[in.Result()] = v
	}
	f.f.parameters = append(f.f.parameters, v)
}

func (f *frame) enter(label uint32) {
	if f.block != nil {
		must.Fail("a block without an end")
	}
	f.label = label
	f.block = &f.f.blocks[f.labels[label]]
	f.block.cost = 1
	f.known = map[*variable][]content{}
}

func (f *frame) value(id uint32) value {
	if v, ok := f.values[id]; ok {
		return v
	}
	if _, ok := f.pointers[id]; ok || f.variables[id] != nil {
		must.Fail("id %d is a pointer", id)
	}
	return f.constant(id)
}

// result allocates registers for an instruction's result.
func (f *frame) result(in module.Instruction) value {
	t := f.of(in.At(0))
	if t.words <= 0 {
		must.Fail("a result of type %v", t)
	}
	return value{f.registers(t.words), t, false}
}

// emit adds code that computes v from other values. If no operand depends on the vertex, the code
// runs once for all vertices.
func (f *frame) emit(in module.Instruction, v value, do op, from ...value) {
	v.steady = true
	for _, of := range from {
		v.steady = v.steady && of.steady
	}
	f.values[in.Result()] = v
	if v.steady {
		f.p.steady = append(f.p.steady, do)
		return
	}
	f.add(do, v.t.words)
}

// add adds an operation that writes the given number of registers to the current block.
func (f *frame) add(do op, words int) {
	if f.block == nil {
		must.Fail("is not allowed here")
	}
	f.block.ops = append(f.block.ops, do)
	f.block.cost += 1 + words/8
}

// movePhis gives each edge an operation that sets the phis of the block to which it leads. It runs last, when all values are known.
func (f *frame) movePhis() {
	f.now = module.OpPhi
	for label, n := range f.labels {
		b := &f.f.blocks[n]
		moves := map[int]op{} // by target block, since a switch may have many edges to one
		for i := range b.edges {
			e := &b.edges[i]
			do, known := moves[e.to]
			if !known {
				do = f.phiMoves(f.phis[e.to], label)
				moves[e.to] = do
			}
			e.move = do
		}
	}
}

func (f *frame) phiMoves(phis []phi, from uint32) op {
	type pair struct{ to, source, n int }
	var list []pair
	room := 0
	for _, v := range phis {
		id, ok := v.from[from]
		if !ok {
			must.Fail("no value from block %d", from)
		}
		source := f.value(id)
		if source.t.words != v.t.words {
			must.Fail("a %v from a %v", v.t, source.t)
		}
		list = append(list, pair{v.at, source.at, v.t.words})
		room += v.t.words
	}
	switch len(list) {
	case 0:
		return nil
	case 1:
		return move(list[0].to, list[0].source, list[0].n)
	}
	// Move all values at once, since one may be the former value of another.
	aside := f.registers(room)
	return func(t *thread) {
		at := aside
		for _, p := range list {
			copy(t.r[at:at+p.n], t.r[p.source:p.source+p.n])
			at += p.n
		}
		at = aside
		for _, p := range list {
			copy(t.r[p.to:p.to+p.n], t.r[at:at+p.n])
			at += p.n
		}
	}
}

func (f *frame) returnValue(in module.Instruction) {
	v := f.value(in.At(0))
	if v.t.words != f.f.result.t.words {
		must.Fail("returns %v, not %v", v.t, f.f.result.t)
	}
	f.add(move(f.f.result.at, v.at, v.t.words), v.t.words)
	f.leave(returns)
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
	f.block.cost += 1 + v.t.words/8 // cost of the moves on the edges that lead here
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
		var argument value
		p, isPointer := f.pointer(id)
		if image, _ := f.v.Image(id); image == 0 && !isPointer {
			argument = f.value(id)
		}
		passed, arguments = append(passed, p), append(arguments, argument)
	}
	callee := f.function(in.At(2), passed)
	f.now = in.Op
	clear(f.known)
	for i, a := range arguments {
		to := callee.parameters[i]
		if a.t == nil { // a pointer or an image
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
	if t.words > 0 { // copied, since the next call overwrites the function's result
		v := f.result(in)
		f.values[in.Result()] = v
		f.add(move(v.at, callee.result.at, t.words), t.words)
	}
}
