package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Numbers of the SPIR-V specification, version 1.6, sections 3.20 to 3.52.
const (
	magic = 0x07230203

	opName                  = 5
	opMemberName            = 6
	opEntryPoint            = 15
	opExecutionMode         = 16
	opCapability            = 17
	opTypeBool              = 20
	opTypeInt               = 21
	opTypeFloat             = 22
	opTypeVector            = 23
	opTypeMatrix            = 24
	opTypeImage             = 25
	opTypeSampler           = 26
	opTypeSampledImage      = 27
	opTypeArray             = 28
	opTypeRuntimeArray      = 29
	opTypeStruct            = 30
	opTypePointer           = 32
	opConstant              = 43
	opConstantComposite     = 44
	opSpecConstantTrue      = 48
	opSpecConstantFalse     = 49
	opSpecConstant          = 50
	opSpecConstantComposite = 51
	opFunction              = 54
	opFunctionEnd           = 56
	opVariable              = 59
	opDecorate              = 71
	opMemberDecorate        = 72
	opExecutionModeID       = 331
	decSpecID               = 1
	decBlock                = 2
	decBufferBlock          = 3
	decRowMajor             = 4
	decArrayStride          = 6
	decMatrixStride         = 7
	decBuiltIn              = 11
	decNonWritable          = 24
	decNonReadable          = 25
	decBinding              = 33
	decDescriptorSet        = 34
	decOffset               = 35
	builtInWorkgroupSize    = 25
	modeLocalSize           = 17
	modeLocalSizeID         = 38
	classUniformConstant    = 0
	classUniform            = 2
	classPushConstant       = 9
	classStorageBuffer      = 12
	modelVertex             = 0
	modelFragment           = 4
	modelGLCompute          = 5
	maxModuleWords          = 4 << 20
	errTruncated            = "module ends within an instruction"
	moduleHeaderWords       = 5
	wordBytes               = 4
	instructionOpcodeBits   = 16
	instructionOpcodeMask   = 1<<instructionOpcodeBits - 1
	maxStructSize           = 1 << 30
)

// instruction is one SPIR-V instruction without its first word.
type instruction struct {
	op       uint16
	operands []uint32
}

// at is an operand, or 0 where the instruction is too short.
func (i instruction) at(n int) uint32 {
	if n >= len(i.operands) {
		return 0
	}
	return i.operands[n]
}

type memberKey struct{ id, member uint32 }

// decorations maps a decoration's number to its operands.
type decorations map[uint32][]uint32

// first is a decoration's first operand.
func (d decorations) first(number uint32) (uint32, bool) {
	operands, ok := d[number]
	if !ok || len(operands) == 0 {
		return 0, false
	}
	return operands[0], true
}

func (d decorations) has(number uint32) bool {
	_, ok := d[number]
	return ok
}

// module holds the parts of a SPIR-V module that describe its interface;
// instructions of functions are not kept.
type module struct {
	names           map[uint32]string
	memberNames     map[memberKey]string
	decorated       map[uint32]decorations
	memberDecorated map[memberKey]decorations
	types           map[uint32]instruction // by result id
	constants       map[uint32]instruction // operands: type, id, value...
	constantOrder   []uint32
	variables       []instruction // operands: pointer type, id, storage class
	entryPoints     []instruction
	modes           []instruction
	capabilities    []uint32
	structStrides   map[uint32][]uint32 // struct id -> strides of the arrays of it
}

// parseModule reads a SPIR-V binary in little-endian order. The bytes may be
// anything: what is malformed is an error.
func parseModule(data []byte) (*module, error) {
	if len(data)%wordBytes != 0 {
		return nil, fmt.Errorf("%d bytes are not whole words", len(data))
	}
	words := make([]uint32, 0, min(len(data)/wordBytes, maxModuleWords))
	if len(data)/wordBytes > maxModuleWords {
		return nil, fmt.Errorf("%d words, more than %d", len(data)/wordBytes, maxModuleWords)
	}
	for ; len(data) > 0; data = data[wordBytes:] {
		words = append(words, binary.LittleEndian.Uint32(data))
	}
	if len(words) < moduleHeaderWords {
		return nil, errors.New("shorter than a module's header")
	}
	if words[0] != magic {
		return nil, fmt.Errorf("magic number is %#08x, not %#08x", words[0], uint32(magic))
	}
	m := &module{
		names: map[uint32]string{}, memberNames: map[memberKey]string{},
		decorated: map[uint32]decorations{}, memberDecorated: map[memberKey]decorations{},
		types: map[uint32]instruction{}, constants: map[uint32]instruction{},
		structStrides: map[uint32][]uint32{},
	}
	functions, last := false, uint16(0)
	for rest := words[moduleHeaderWords:]; len(rest) > 0; {
		length := int(rest[0] >> instructionOpcodeBits)
		if length == 0 || length > len(rest) {
			return nil, errors.New(errTruncated)
		}
		in := instruction{op: uint16(rest[0] & instructionOpcodeMask), operands: rest[1:length]}
		functions = functions || in.op == opFunction
		last = in.op
		if !functions { // all that describes the interface comes before them
			if err := m.add(in); err != nil {
				return nil, err
			}
		}
		rest = rest[length:]
	}
	if last != opFunctionEnd {
		return nil, errors.New("module does not end with a function")
	}
	m.collectStrides()
	return m, nil
}

// operandsNeeded is how many operands an instruction has at least.
var operandsNeeded = map[uint16]int{
	opName: 2, opMemberName: 3, opEntryPoint: 3, opExecutionMode: 2, opExecutionModeID: 2, opCapability: 1,
	opTypeBool: 1, opTypeInt: 3, opTypeFloat: 2, opTypeVector: 3, opTypeMatrix: 3, opTypeImage: 8,
	opTypeSampler: 1, opTypeSampledImage: 2, opTypeArray: 3, opTypeRuntimeArray: 2, opTypeStruct: 1,
	opTypePointer: 3, opConstant: 3, opConstantComposite: 2, opSpecConstantTrue: 2, opSpecConstantFalse: 2,
	opSpecConstant: 3, opSpecConstantComposite: 2, opVariable: 3, opDecorate: 2, opMemberDecorate: 3,
}

func (m *module) add(in instruction) error {
	if need, known := operandsNeeded[in.op]; !known {
		return nil
	} else if len(in.operands) < need {
		return fmt.Errorf("instruction %d has %d operands, needs %d", in.op, len(in.operands), need)
	}
	switch o := in.operands; in.op {
	case opName:
		m.names[o[0]] = literalString(o[1:])
	case opMemberName:
		m.memberNames[memberKey{o[0], o[1]}] = literalString(o[2:])
	case opEntryPoint:
		m.entryPoints = append(m.entryPoints, in)
	case opExecutionMode, opExecutionModeID:
		m.modes = append(m.modes, in)
	case opCapability:
		m.capabilities = append(m.capabilities, o[0])
	case opDecorate:
		decorate(m.decorated, o[0], o[1:])
	case opMemberDecorate:
		decorate(m.memberDecorated, memberKey{o[0], o[1]}, o[2:])
	case opConstant, opConstantComposite, opSpecConstantTrue, opSpecConstantFalse, opSpecConstant, opSpecConstantComposite:
		if _, again := m.constants[o[1]]; again {
			return fmt.Errorf("id %d is defined twice", o[1])
		}
		m.constants[o[1]] = in
		m.constantOrder = append(m.constantOrder, o[1])
	case opVariable:
		m.variables = append(m.variables, in)
	default: // a type
		if _, again := m.types[o[0]]; again {
			return fmt.Errorf("id %d is defined twice", o[0])
		}
		m.types[o[0]] = in
	}
	return nil
}

func decorate[K comparable](all map[K]decorations, key K, operands []uint32) {
	d := all[key]
	if d == nil {
		d = decorations{}
		all[key] = d
	}
	d[operands[0]] = operands[1:]
}

// collectStrides notes the strides at which structs lie in arrays: the only
// place where SPIR-V states how large a struct is.
func (m *module) collectStrides() {
	for id, t := range m.types {
		if t.op != opTypeArray && t.op != opTypeRuntimeArray {
			continue
		}
		if stride, ok := m.decorated[id].first(decArrayStride); ok {
			m.structStrides[t.operands[1]] = append(m.structStrides[t.operands[1]], stride)
		}
	}
}

// literalString reads a NUL-terminated string.
func literalString(words []uint32) string {
	var text []byte
	for _, w := range words {
		text = binary.LittleEndian.AppendUint32(text, w)
	}
	text, _, _ = bytes.Cut(text, []byte{0})
	return string(text)
}
