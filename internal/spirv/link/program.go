package link

import (
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// copier copies the used parts of a program into the joined module, with new ids.
type copier struct {
	writer
	number  int
	prefix  string // begins the names of all copies, so that the names of several programs differ
	trusted bool   // Layout.Trusted
	program Program
	v       *module.Vertex

	ids     map[uint32]uint32 // from the program's ids to the joined module's
	written map[uint32]bool   // the program's variables that its functions use for more than loads
	blocks  map[uint32][]int  // indices into Vertex.Blocks, by the program's variable
	places  []place           // one for each of Vertex.Blocks
	within  map[uint32]int    // indices into Vertex.Blocks, by the program's pointers into them
	resets  []reset
	held    map[uint32]bool              // types of blocks: true if their copies are without the decoration Block, false if they end in a runtime array and keep it
	passed  map[uint32]bool              // structs of inputs and outputs, whose copies are without offsets
	uniform map[module.StorageClass]bool // storage classes whose blocks are in Uniforms
	steps   int                          // scalars and composites that expansions have rebuilt, see step
	precise bool                         // whether drivers may not fuse its arithmetic
}

// place says where the program's functions find a block.
type place struct {
	variable uint32 // struct of an array of copies; for Open blocks the block itself
	slot     uint32 // variable with the copy's number, or with the position of an image's header; 0 means the first copy
	pointer  uint32 // type of a pointer to the block
}

// reset is a variable that gets a value before each call of the program.
type reset struct{ variable, value uint32 }

func newCopier(j *joined, number int, p Program) *copier {
	c := &copier{
		writer: writer{joined: j}, number: number, prefix: fmt.Sprintf("p%d.", number), program: p, v: p.Vertex, ids: map[uint32]uint32{}, blocks: map[uint32][]int{}, within: map[uint32]int{},
		held: map[uint32]bool{}, passed: map[uint32]bool{}, uniform: map[module.StorageClass]bool{}, places: make([]place, len(p.Vertex.Blocks)),
	}
	for i, b := range c.v.Blocks {
		c.blocks[b.ID] = append(c.blocks[b.ID], i)
		if b.Kind == module.FetchedImage {
			continue
		}
		c.held[b.Type.ID] = !b.Open
		if !b.Array {
			c.within[b.ID] = i
		}
		if p.Blocks[i].Copies > 0 {
			c.uniform[classOf(b)] = true
		}
	}
	for _, in := range c.v.Module.Globals {
		if class := module.StorageClass(in.At(2)); in.Op == module.OpVariable && (class == module.Input || class == module.Output) {
			c.passed[c.v.Module.Definition(in.At(0)).At(2)] = true
		}
	}
	c.findWritten()
	return c
}

// copy copies the program: its types, constants and variables, then its functions.
func (c *copier) copy() {
	for _, in := range c.v.Module.Head {
		if in.Op == module.OpExtInstImport && c.v.Used[in.Result()] {
			if name := in.ImportName(); !module.DebugSet(name) {
				c.ids[in.Result()] = c.imported(name)
			}
		}
	}
	for _, in := range c.v.Globals {
		if in.Op.Class() != "Debug" && in.Op != module.OpExtInst {
			c.copyGlobal(in)
		}
	}
	for _, in := range c.v.Body {
		if id := in.Result(); id != 0 && !c.isImage(id) {
			c.ids[id] = c.id()
			c.copyDecorations(id, c.ids[id])
		}
	}
	for _, f := range c.v.Functions {
		c.name(c.ids[f.ID], c.prefix+c.v.Module.Name(f.ID))
		for _, in := range f.Body {
			c.copyInstruction(in)
		}
	}
	c.functions = append(c.functions, c.out...)
}

// mapped returns the joined module's id for one of the program's.
func (c *copier) mapped(id uint32) uint32 {
	to, ok := c.ids[id]
	if !ok {
		must.Fail("id %d is used where it is not defined", id)
	}
	return to
}

// mappedOperands returns the instruction's operands with the joined module's ids.
func (c *copier) mappedOperands(in module.Instruction) []uint32 {
	operands := slices.Clone(in.Operands)
	for _, at := range c.v.Module.References(in) {
		operands[at] = c.mapped(operands[at])
	}
	return operands
}

func (c *copier) copyGlobal(in module.Instruction) {
	id := in.Result()
	switch {
	case in.Op == module.OpTypeImage || in.Op == module.OpTypeSampledImage || in.Op == module.OpTypeSampler,
		in.Op == module.OpTypePointer && module.StorageClass(in.At(1)) == module.UniformConstant:
		return // images are blocks here
	case in.Op == module.OpVariable:
		c.copyVariable(in)
		return
	case in.Op == module.OpTypePointer:
		c.ids[id] = c.pointerType(c.privateClass(module.StorageClass(in.At(1))), c.mapped(in.At(2)))
		return
	case c.trusted && in.Op.Class() == "Constant":
		if number, ok := c.v.Module.Decoration(id, module.SpecID); ok {
			c.ids[id] = c.specialization(number, c.v.Module.Name(id), in.Op, c.mapped(in.Type()), in.Operands[2:]...)
			return
		}
	case in.Op.Class() == "Constant" && in.Op != module.OpConstantNull:
		in = c.frozen(in)
	}
	if in.Op == module.OpTypeFunction { // images are not passed
		in.Operands = slices.DeleteFunc(slices.Clone(in.Operands), func(of uint32) bool { _, copied := c.ids[of]; return of != id && !copied })
	}
	c.requireWidth(in)
	c.ids[id] = 0 // mappedOperands maps the result too; its operand is not used
	operands := c.mappedOperands(in)
	if in.Type() != 0 {
		c.ids[id] = c.global(in.Op, operands[0], operands[2:]...)
	} else {
		c.ids[id] = c.global(in.Op, 0, operands[1:]...)
	}
	if !isShared(in.Op) {
		c.copyDecorations(id, c.ids[id])
		if in.Op == module.OpTypeStruct {
			c.name(c.ids[id], c.prefix+c.v.Module.Name(id))
		}
	}
}

// privateClass returns the storage class that replaces one of the program's in the joined module.
func (c *copier) privateClass(class module.StorageClass) module.StorageClass {
	switch class {
	case module.Input, module.Output:
		return module.Private
	case module.Uniform, module.PushConstant:
		if c.uniform[class] {
			return module.Uniform
		}
		return module.StorageBuffer
	}
	return class
}

// frozen returns the declaration of a constant with its specialization applied, so that it cannot change any more.
func (c *copier) frozen(in module.Instruction) module.Instruction {
	value, known := c.v.Constant(in.Result())
	switch in.Op {
	case module.OpSpecConstantTrue, module.OpSpecConstantFalse, module.OpSpecConstant, module.OpSpecConstantOp:
		if !known {
			break
		}
		if c.v.Module.Definition(in.Type()).Op == module.OpTypeBool {
			return module.Instruction{Op: module.OpConstantFalse - module.Op(value), Operands: in.Operands[:2]}
		}
		return module.Instruction{Op: module.OpConstant, Operands: []uint32{in.At(0), in.At(1), value}}
	}
	if in.Op == module.OpSpecConstant {
		in.Op = module.OpConstant
	}
	return in
}

// requireWidth adds the capabilities for numbers that are not 32 bits wide.
func (c *copier) requireWidth(in module.Instruction) {
	if in.Op != module.OpTypeInt && in.Op != module.OpTypeFloat {
		return
	}
	float := in.Op == module.OpTypeFloat
	switch in.At(1) {
	case 64:
		c.require(map[bool]module.Capability{true: module.Float64, false: module.Int64}[float])
	case 16:
		arithmetic := map[bool]module.Capability{true: module.Float16, false: module.Int16}[float]
		c.requireNarrow(arithmetic, module.StorageBuffer16Bit, module.UniformAndStorageBuffer16Bit, module.StoragePushConstant16)
	case 8:
		c.requireNarrow(module.Int8, module.StorageBuffer8Bit, module.UniformAndStorageBuffer8Bit, module.StoragePushConstant8)
	}
}

// requireNarrow adds the capabilities that the program declares for storage of narrow numbers and for arithmetic on
// them. A program that declares no storage capability must have the arithmetic one.
func (c *copier) requireNarrow(arithmetic, storage module.Capability, alike ...module.Capability) {
	declared := c.v.Module.Capabilities()
	stored := slices.ContainsFunc(append(alike, storage), func(a module.Capability) bool { return slices.Contains(declared, a) })
	if stored {
		c.require(storage)
	}
	if !stored || slices.Contains(declared, arithmetic) {
		c.require(arithmetic)
	}
}

func (c *copier) copyVariable(in module.Instruction) {
	id, class := in.Result(), module.StorageClass(in.At(2))
	name := c.prefix + c.v.Module.Name(id)
	to := c.v.Module.Definition(in.At(0)).At(2)
	switch class {
	case module.Uniform, module.PushConstant, module.StorageBuffer:
		c.declareBlocks(id, name)
		return
	case module.UniformConstant:
		if len(c.blocks[id]) > 0 { // not a sampler
			c.declareImage(id, name)
		}
		return
	}
	initialized := len(in.Operands) > 3
	if initialized && !c.written[id] { // a table: drivers treat variables that nothing writes as constants
		c.ids[id] = c.global(in.Op, c.mapped(in.At(0)), uint32(module.Private), c.mapped(in.At(3)))
		c.name(c.ids[id], name)
		return
	}
	variable := c.private(c.mapped(to), name)
	c.ids[id] = variable
	if initialized {
		c.resets = append(c.resets, reset{variable, c.mapped(in.At(3))})
	} else if class == module.Output {
		c.resets = append(c.resets, reset{variable, c.null(c.mapped(to))})
	}
}

// kept are the decorations that are copied, since they mean the same in a compute shader.
var kept = []module.Decoration{
	module.RelaxedPrecision, module.RowMajor, module.ColMajor, module.ArrayStride, module.MatrixStride, module.NonWritable,
	module.Offset, module.NoContraction,
}

func (c *copier) copyDecorations(from, to uint32) {
	for _, d := range c.v.Module.Decorations(from) {
		isBlock := d.Decoration == module.BlockDecoration || d.Decoration == module.BufferBlock
		if open, of := c.held[from]; isBlock && of && !open {
			c.decorate(to, module.BlockDecoration)
		} else if slices.Contains(kept, d.Decoration) {
			c.decorate(to, d.Decoration, d.Operands...)
		}
	}
	struc := c.v.Module.Definition(from)
	if struc.Op != module.OpTypeStruct {
		return
	}
	_, held := c.held[from]
	for n := range struc.Operands[1:] {
		for _, d := range c.v.Module.MemberDecorations(from, n) {
			if slices.Contains(kept, d.Decoration) && (held || !c.passed[from] || d.Decoration != module.Offset) {
				c.decorateMember(to, n, d.Decoration, d.Operands...)
			}
		}
	}
}
