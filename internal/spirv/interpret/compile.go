package interpret

import (
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// op executes an instruction.
type op func(t *thread)

// value says where the result of an instruction, or a constant, is stored.
type value struct {
	at     int // first register
	t      *typ
	steady bool // whether it is the same for all vertices
}

// compiler makes a Runner.
type compiler struct {
	v         *module.Vertex
	p         *Runner
	types     map[uint32]*typ // by id
	constants map[uint32]value
	variables map[uint32]*variable
	bodies    map[uint32]module.Function
	blockAt   map[[2]uint32]int    // index into Vertex.Blocks, by variable and array element
	functions map[string]*function // by id and the pointers that are passed: see function
	depth     int                  // nesting of calls
	size      int                  // number of instructions of all functions compiled so far
	now       module.Op
	others    map[module.Op]func(*frame, module.Instruction)
}

// Bounds of the compiled program. A function is compiled once for each combination of pointers passed to it.
const (
	mostDepth        = 200
	mostInstructions = 1 << 20
)

// New compiles a vertex shader to a Runner. If the shader cannot be run, the error names the reason.
func New(v *module.Vertex) (p *Runner, err error) {
	c := &compiler{
		v: v, types: map[uint32]*typ{}, p: &Runner{vertex: v, blocks: len(v.Blocks), counter: -1},
		others: instructions(), blockAt: map[[2]uint32]int{}, constants: map[uint32]value{}, variables: map[uint32]*variable{}, bodies: map[uint32]module.Function{}, functions: map[string]*function{},
	}
	defer func() {
		if err != nil && c.now != 0 {
			err = fmt.Errorf("%s: %w", c.now, err)
		}
	}()
	defer must.Catch(&err)
	for i, b := range v.Blocks {
		c.blockAt[[2]uint32{b.ID, b.Element}] = i
	}
	for _, f := range v.Functions {
		c.bodies[f.ID] = f
	}
	c.placeVariables()
	c.p.variables = len(c.p.registers)
	c.initialize()
	if l := v.Module.Loops; l != nil && v.Used[l.Counter] {
		c.p.counter = c.variables[l.Counter].at
	}
	c.p.entry = c.function(v.Entry.Function, nil)
	c.now = 0
	c.interfaces()
	return c.p, nil
}

func (c *compiler) registers(n int) int {
	at := len(c.p.registers)
	if n < 0 || at+n > mostRegisters {
		must.Fail("values take more than %d words", mostRegisters)
	}
	c.p.registers = append(c.p.registers, make([]uint32, n)...)
	return at
}

// constant returns the value that a global instruction defines, which is the same for all vertices.
func (c *compiler) constant(id uint32) value {
	if v, ok := c.constants[id]; ok {
		return v
	}
	in := c.v.Module.Definition(id)
	if in.Op.Class() != "Constant" && in.Op != module.OpUndef {
		must.Fail("id %d is no value here", id)
	}
	t := c.of(in.At(0))
	if t.words <= 0 {
		must.Fail("a constant of type %v", t)
	}
	v := value{c.registers(t.words), t, true}
	switch in.Op {
	case module.OpConstantNull, module.OpUndef:
	case module.OpConstantTrue, module.OpConstantFalse, module.OpSpecConstantTrue, module.OpSpecConstantFalse, module.OpConstant, module.OpSpecConstant:
		c.scalarConstant(v, in)
	case module.OpConstantComposite, module.OpSpecConstantComposite:
		at := v.at
		for _, id := range in.Operands[2:] {
			part := c.constant(id)
			if at+part.t.words > v.at+t.words {
				must.Fail("%s of too many parts", in.Op)
			}
			if part.steady { // copy is for parts that are constants, move for parts that steady operations compute later
				copy(c.p.registers[at:], c.p.registers[part.at:][:part.t.words])
				c.p.steady = append(c.p.steady, move(at, part.at, part.t.words))
			}
			at += part.t.words
		}
		if at != v.at+t.words {
			must.Fail("%s of too few parts", in.Op)
		}
	case module.OpSpecConstantOp:
		f := &frame{compiler: c, values: map[uint32]value{}}
		f.instruction(module.Instruction{Op: module.Op(in.At(2)), Operands: slices.Concat(in.Operands[:2], in.Operands[3:])})
		v = f.value(id)
		if !v.steady || v.t != t {
			must.Fail("%s cannot make a constant", module.Op(in.At(2)))
		}
	default:
		must.Fail("%s is not supported", in.Op)
	}
	c.constants[id] = v
	return v
}

func (c *compiler) scalarConstant(v value, in module.Instruction) {
	if !v.t.scalar() {
		must.Fail("%s of type %v", in.Op, v.t)
	}
	if frozen, ok := c.v.Constant(in.Result()); ok && v.t.width <= 32 {
		c.p.registers[v.at] = uint32(uint64(frozen) & mask(v.t.width))
		return
	}
	if len(in.Operands) != 2+v.t.words {
		must.Fail("%s of %d words", in.Op, len(in.Operands)-2)
	}
	copy(c.p.registers[v.at:], in.Operands[2:])
}

func move(to, from, n int) op {
	switch n {
	case 1:
		return func(t *thread) { t.r[to] = t.r[from] }
	case 2:
		return func(t *thread) { t.r[to], t.r[to+1] = t.r[from], t.r[from+1] }
	case 3:
		return func(t *thread) { *(*[3]uint32)(t.r[to:]) = [3]uint32(t.r[from:]) }
	case 4:
		return func(t *thread) { *(*[4]uint32)(t.r[to:]) = [4]uint32(t.r[from:]) }
	}
	return func(t *thread) { copy(t.r[to:to+n], t.r[from:from+n]) }
}

// function is a compiled function.
type function struct {
	blocks     []block
	result     value
	parameters []value
}

// block is the code from a label to a branch.
type block struct {
	ops   []op
	cost  int
	end   ending
	on    value  // condition of a branch, or selector of a switch
	edges []edge // of a branch: the true one, the false one; of a switch: the default last
	cases map[uint64]int
}

// edge leads to a block.
type edge struct {
	to   int
	move op // sets the values of the block's phis; may be nil
}

type ending uint8

const (
	open ending = iota
	returns
	jumps
	branches
	switches
)

// run executes the function. It returns early if the thread has no steps left.
func (f *function) run(t *thread) {
	for at := 0; ; {
		b := &f.blocks[at]
		if t.steps -= b.cost; t.steps < 0 {
			return
		}
		for _, op := range b.ops {
			op(t)
		}
		if b.end == returns {
			return
		}
		e := &b.edges[0]
		switch b.end {
		case branches:
			if t.r[b.on.at] == 0 {
				e = &b.edges[1]
			}
		case switches:
			n, ok := b.cases[read(t.r, b.on.at, b.on.t.words)]
			if !ok {
				n = len(b.edges) - 1
			}
			e = &b.edges[n]
		}
		if e.move != nil {
			e.move(t)
		}
		at = e.to
	}
}

type kind uint8

const (
	void kind = iota
	boolean
	integer
	floating
	vector
	matrix
	array
	openArray // a runtime array, at the end of a block
	structure
	pointerTo
)

// typ is a type of the module. Values are stored in 32-bit registers, component after component.
// Narrower integers and floats use the lower bits of one register, with zeros above; 64-bit ones
// use two.
type typ struct {
	id      uint32
	kind    kind
	width   uint // of numbers, in bits; 32 for booleans
	signed  bool
	elem    *typ // type of components, columns, elements, or the pointer's target
	count   int  // number of components, columns, elements
	members []*typ
	places  []int // positions of members, in registers
	words   int   // number of registers; -1 if not known
	class   module.StorageClass
}

// Bounds in 32-bit words: on all registers of a shader, and on the size of a type. Larger types count as that size.
const (
	mostRegisters = 1 << 21
	mostWords     = 1 << 30
)

// of returns the type that has an id.
func (c *compiler) of(id uint32) *typ {
	if t, ok := c.types[id]; ok {
		return t
	}
	t := &typ{id: id}
	c.types[id] = t // recorded now, since pointers may point to structs that contain them
	switch in := c.v.Module.Definition(id); in.Op {
	case module.OpTypeVoid:
	case module.OpTypePointer:
		t.kind, t.class, t.elem = pointerTo, module.StorageClass(in.At(1)), c.of(in.At(2))
	default:
		c.place(t, c.v.Type(id))
	}
	return t
}

var kinds = map[module.Kind]kind{
	module.Bool: boolean, module.Int: integer, module.Uint: integer, module.Float: floating, module.Vector: vector,
	module.Matrix: matrix, module.Array: array, module.RuntimeArray: openArray, module.Struct: structure,
}

// place fills t from the module's description of the type, and lays its parts out in registers.
func (c *compiler) place(t *typ, from *module.Type) {
	t.kind, t.width, t.signed, t.count = kinds[from.Kind], uint(from.Width), from.Kind == module.Int, from.Count
	part := func(of *module.Type) *typ {
		t := c.of(of.ID)
		if t.words == 0 {
			must.Fail("a %v as part of another type", t)
		}
		return t
	}
	if from.Elem != nil {
		t.elem = part(from.Elem)
	}
	switch {
	case t.scalar():
		t.words = (from.Width + 31) / 32
	case t.kind == openArray, t.elem != nil && t.elem.words < 0: // or an array of blocks that end in a runtime array
		t.words = -1
	case t.elem != nil:
		t.words = min(t.count*t.elem.words, mostWords)
	}
	for _, m := range from.Members {
		member := part(m.Type)
		t.members, t.places = append(t.members, member), append(t.places, t.words)
		if t.words = min(t.words+member.words, mostWords); member.words < 0 {
			t.words = -1
		}
	}
}

func (t *typ) scalar() bool { return t.kind == boolean || t.kind == integer || t.kind == floating }

// component returns the type of a scalar's or vector's components, and how many there are; nil for
// other types.
func (t *typ) component() (*typ, int) {
	switch {
	case t.scalar():
		return t, 1
	case t.kind == vector:
		return t.elem, t.count
	}
	return nil, 0
}

func (t *typ) String() string {
	name := [...]string{"void", "bool", "int", "float", "vector", "matrix", "array", "runtime array", "struct", "pointer"}[t.kind]
	switch t.kind {
	case integer, floating:
		return fmt.Sprintf("%s%d", name, t.width)
	case vector, matrix, array:
		return fmt.Sprintf("%s of %d %v", name, t.count, t.elem)
	}
	return name
}
