package link

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// joined is a module under construction: the host's instructions, and those of the programs.
type joined struct {
	host  *module.Module
	bound uint32 // the next id

	capabilities []module.Capability
	extensions   []string
	imports      []module.Instruction
	names        []module.Instruction
	decorations  []module.Instruction
	globals      []module.Instruction
	functions    []module.Instruction

	shared      map[string]uint32 // ids of types and constants that a module may contain only once, by key
	definitions map[uint32]module.Instruction
	removed     map[uint32]bool   // ids of the stub's body and of pruned functions
	specialized map[uint32]uint32 // ids of specialization constants, by number

	valuesSet, valuesBinding uint32
	texels                   uint32 // Values as uvec4s, which hold images; 0 if not declared
	uniforms                 *buffer
}

func newJoined(host *module.Module) *joined {
	j := &joined{
		host: host, bound: host.Bound, capabilities: host.Capabilities(), globals: slices.Clone(host.Globals),
		shared: map[string]uint32{}, definitions: map[uint32]module.Instruction{}, removed: map[uint32]bool{}, specialized: map[uint32]uint32{},
	}
	for _, in := range host.Globals {
		j.definitions[in.Result()] = in
		if number, ok := host.Decoration(in.Result(), module.SpecID); ok && host.Name(in.Result()) != "" {
			j.specialized[number] = in.Result()
		}
		if _, again := j.shared[key(in)]; !again && isShared(in.Op) && len(host.Decorations(in.Result())) == 0 {
			j.shared[key(in)] = in.Result()
		}
	}
	return j
}

// isShared reports whether equal declarations can be merged. Variables, types of arrays and structs,
// and specialization constants cannot, since they may differ in their decorations.
func isShared(op module.Op) bool {
	switch op {
	case module.OpTypeStruct, module.OpTypeArray, module.OpTypeRuntimeArray, module.OpVariable, module.OpUndef,
		module.OpSpecConstant, module.OpSpecConstantTrue, module.OpSpecConstantFalse, module.OpSpecConstantOp, module.OpSpecConstantComposite:
		return false
	}
	return op.Class() == "Type" || op.Class() == "Constant"
}

// key returns the text of an instruction without its result id; equal declarations have equal keys.
func key(in module.Instruction) string {
	o := in.Operands
	if in.Type() != 0 {
		o = append([]uint32{o[0]}, o[2:]...)
	} else if len(o) > 0 {
		o = o[1:]
	}
	return fmt.Sprint(in.Op, o)
}

func (j *joined) id() uint32 {
	j.bound++
	return j.bound - 1
}

// global declares a type, constant or variable and returns its id. If an equal declaration can be
// shared, it returns the id of that one. resultType is 0 for types.
func (j *joined) global(op module.Op, resultType uint32, operands ...uint32) uint32 {
	words, at := []uint32{0}, 0 // `at` is the index of the result
	if resultType != 0 {
		words, at = []uint32{resultType, 0}, 1
	}
	in := module.Instruction{Op: op, Operands: append(words, operands...)}
	k := key(in)
	if id, ok := j.shared[k]; ok && isShared(op) {
		return id
	}
	id := j.id()
	in.Operands[at] = id
	if isShared(op) {
		j.shared[k] = id
	}
	j.globals = append(j.globals, in)
	j.definitions[id] = in
	return id
}

func (j *joined) uintType() uint32  { return j.global(module.OpTypeInt, 0, 32, 0) }
func (j *joined) intType() uint32   { return j.global(module.OpTypeInt, 0, 32, 1) }
func (j *joined) floatType() uint32 { return j.global(module.OpTypeFloat, 0, 32) }
func (j *joined) vectorType(component uint32, n int) uint32 {
	return j.global(module.OpTypeVector, 0, component, uint32(n))
}
func (j *joined) vec4Type() uint32 { return j.vectorType(j.floatType(), 4) }
func (j *joined) pointerType(class module.StorageClass, to uint32) uint32 {
	return j.global(module.OpTypePointer, 0, uint32(class), to)
}
func (j *joined) constant(value uint32) uint32 {
	return j.global(module.OpConstant, j.uintType(), value)
}
func (j *joined) float(value float32) uint32 {
	return j.global(module.OpConstant, j.floatType(), math.Float32bits(value))
}

func (j *joined) null(typeID uint32) uint32 { return j.global(module.OpConstantNull, typeID) }

// specialization declares a specialization constant of 32 bits, or returns the existing one with that number.
func (j *joined) specialization(number uint32, name string, op module.Op, typeID uint32, value ...uint32) uint32 {
	if id, ok := j.specialized[number]; ok {
		return id
	}
	id := j.global(op, typeID, value...)
	j.specialized[number] = id
	j.name(id, name)
	j.decorate(id, module.SpecID, number)
	return id
}

// private declares a variable in the Private storage class.
func (j *joined) private(typeID uint32, name string) uint32 {
	id := j.global(module.OpVariable, j.pointerType(module.Private, typeID), uint32(module.Private))
	j.name(id, name)
	return id
}

func (j *joined) name(id uint32, name string) {
	if name != "" {
		j.names = append(j.names, module.Instruction{Op: module.OpName, Operands: append([]uint32{id}, module.LiteralString(name)...)})
	}
}

func (j *joined) decorate(id uint32, d module.Decoration, operands ...uint32) {
	j.decorations = append(j.decorations, module.Instruction{Op: module.OpDecorate, Operands: append([]uint32{id, uint32(d)}, operands...)})
}

func (j *joined) decorateMember(id uint32, n int, d module.Decoration, operands ...uint32) {
	words := append([]uint32{id, uint32(n), uint32(d)}, operands...)
	j.decorations = append(j.decorations, module.Instruction{Op: module.OpMemberDecorate, Operands: words})
}

func (j *joined) require(c module.Capability) {
	if !slices.Contains(j.capabilities, c) {
		j.capabilities = append(j.capabilities, c)
	}
	if c == module.StorageBuffer8Bit && j.host.Version < 0x10500 && !slices.Contains(j.extensions, "SPV_KHR_8bit_storage") {
		j.extensions = append(j.extensions, "SPV_KHR_8bit_storage")
	}
}

// imported finds or imports a set of extended instructions.
func (j *joined) imported(name string) uint32 {
	for _, in := range append(slices.Clone(j.host.Head), j.imports...) {
		if in.Op == module.OpExtInstImport && slices.Equal(in.Operands[1:], module.LiteralString(name)) {
			return in.Result()
		}
	}
	id := j.id()
	j.imports = append(j.imports, module.Instruction{Op: module.OpExtInstImport, Operands: append([]uint32{id}, module.LiteralString(name)...)})
	return id
}

// sections is the order of instructions at the head of a module.
var sections = []module.Op{
	module.OpCapability, module.OpExtension, module.OpExtInstImport, module.OpMemoryModel, module.OpEntryPoint,
	module.OpExecutionMode, module.OpString, module.OpName, module.OpModuleProcessed, module.OpDecorate,
}

func section(op module.Op) int {
	switch op {
	case module.OpExecutionModeId:
		op = module.OpExecutionMode
	case module.OpSource, module.OpSourceContinued, module.OpSourceExtension:
		op = module.OpString
	case module.OpMemberName:
		op = module.OpName
	}
	if at := slices.Index(sections, op); at >= 0 {
		return at
	}
	return len(sections) - 1 // annotations
}

// words returns the whole module as SPIR-V words.
func (j *joined) words() []uint32 {
	var head []module.Instruction
	for _, c := range j.capabilities {
		head = append(head, module.Instruction{Op: module.OpCapability, Operands: []uint32{uint32(c)}})
	}
	for _, e := range j.extensions {
		head = append(head, module.Instruction{Op: module.OpExtension, Operands: module.LiteralString(e)})
	}
	head = append(head, j.imports...)
	for _, in := range j.host.Head {
		if in.Op == module.OpCapability || len(in.Operands) > 0 && j.removed[in.At(0)] && section(in.Op) >= section(module.OpName) {
			continue
		}
		if in.Op == module.OpEntryPoint {
			in.Operands = append(slices.Clone(in.Operands), j.newVariables()...)
		}
		head = append(head, in)
	}
	for _, in := range append(j.names, j.decorations...) {
		if !j.removed[in.At(0)] {
			head = append(head, in)
		}
	}
	slices.SortStableFunc(head, func(a, b module.Instruction) int { return section(a.Op) - section(b.Op) })
	if j.bound > module.MaxBound {
		must.Fail("%d ids, more than %d", j.bound, module.MaxBound)
	}
	words := []uint32{module.Magic, j.host.Version, 0, j.bound, 0}
	for _, part := range [][]module.Instruction{head, j.globals, j.functions} {
		for _, in := range part {
			if len(in.Operands) >= 1<<16-1 {
				must.Fail("%s has too many operands", in.Op)
			}
			words = append(words, uint32(len(in.Operands)+1)<<16|uint32(in.Op))
			words = append(words, in.Operands...)
		}
	}
	return words
}

// prune removes the functions that the entry point does not reach.
func (j *joined) prune() {
	calls, from := map[uint32][]uint32{}, uint32(0)
	for _, in := range j.functions {
		switch in.Op {
		case module.OpFunction:
			from = in.Result()
		case module.OpFunctionCall:
			calls[from] = append(calls[from], in.At(2))
		}
	}
	reached := map[uint32]bool{}
	var reach func(id uint32)
	reach = func(id uint32) {
		if reached[id] {
			return
		}
		reached[id] = true
		for _, to := range calls[id] {
			reach(to)
		}
	}
	for _, e := range j.host.EntryPoints() {
		reach(e.Function)
	}
	left := j.functions[:0]
	for _, in := range j.functions {
		if in.Op == module.OpFunction {
			from = in.Result()
		}
		if reached[from] {
			left = append(left, in)
		} else if in.Result() != 0 {
			j.removed[in.Result()] = true
		}
	}
	j.functions = left
}

// newVariables returns the programs' variables that the host's entry point must list too: outputs or,
// from SPIR-V 1.4 on, all variables.
func (j *joined) newVariables() []uint32 {
	var ids []uint32
	for _, in := range j.globals[len(j.host.Globals):] {
		if in.Op == module.OpVariable && (j.host.Version >= 0x10400 || module.StorageClass(in.At(2)) == module.Output) {
			ids = append(ids, in.Result())
		}
	}
	return ids
}

// hostNamed finds the host's function with a name. glslang writes a parenthesis and the parameters' types
// after the name.
func hostNamed(host *module.Module, name string) module.Function {
	at := slices.IndexFunc(host.Functions, func(f module.Function) bool { return strings.HasPrefix(host.Name(f.ID), name+"(") })
	if at < 0 {
		must.Fail("no functions custom_vertex and custom_fetch")
	}
	return host.Functions[at]
}
