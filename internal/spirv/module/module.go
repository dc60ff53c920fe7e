// Package module reads SPIR-V modules: it decodes and checks them and describes what
// a vertex shader reads and writes. Modules may come from anywhere: whatever the words
// are, the functions return, and the memory that they use is bounded by the number of words.
//
// The checks are those that readers of a module rely on: whole instructions with as
// many operands as the specification asks for, ids that are defined once and before
// types and constants use them. They do not replace spirv-val, which also checks types
// and control flow.
package module

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

const (
	// Magic is the first word of a module.
	Magic = 0x07230203
	// HeaderWords is the number of words before the first instruction.
	HeaderWords = 5
	// MaxBound exceeds all ids, by the specification's universal limits.
	MaxBound = 0x3fffff

	maxWords     = 2 << 20
	maxTypeDepth = 255 // one of the specification's universal limits
	maxVersion   = 0x10600
	versionMask  = 0xff0000ff // bits that are zero in a version
)

// Module is a decoded module. It must not be changed.
type Module struct {
	Version uint32 // 0x10300 is 1.3
	Bound   uint32 // all ids are less than this

	Head      []Instruction // capabilities, entry points, names, decorations
	Globals   []Instruction // types, constants and variables, each before its use
	Functions []Function
	Code      []uint32 // the words from which all of this was decoded
	File      []uint32 // the words of the file; Code differs if Limited or gathered has rewritten the module

	Loops *Loops // how its loops end; nil for a module that Limited has not made

	definitions map[uint32]Instruction
	names       map[member]string
	decorations map[member][]Decorated
	owners      map[uint32]int  // by id defined in a function's body: number of the function, from 1
	forward     map[uint32]bool // pointers declared before the types that they point to
	depths      map[uint32]int  // how deep a type nests, by the type's id
	grouped     int             // number of decorations that groups have added

	gatheredArrays map[uint32]blockArray // arrays of blocks that gathered has rewritten, by variable
}

// Loops says how a module's loops end.
type Loops struct {
	Limit   uint32 // most iterations of a vertex, all loops together; 0 if unlimited
	Counter uint32 // id of the variable that counts down, whose value is 0 once a loop was stopped; id 0 if no loop counts
}

// Function is a function of a module.
type Function struct {
	ID   uint32
	Body []Instruction // from OpFunction to OpFunctionEnd
}

// Decorated is a decoration of an id or of a struct's member.
type Decorated struct {
	Decoration Decoration
	Operands   []uint32
}

// member names an id if n is 0, or member n - 1 of the struct id.
type member struct{ id, n uint32 }

// Words returns the words of a file, which are in little-endian order.
func Words(data []byte) ([]uint32, error) {
	if len(data)%4 != 0 {
		return nil, fmt.Errorf("%d bytes are not whole words", len(data))
	}
	if len(data)/4 > maxWords {
		return nil, tooLong(len(data) / 4)
	}
	words := make([]uint32, len(data)/4)
	_, err := binary.Decode(data, binary.LittleEndian, words)
	return words, err
}

// Bytes returns the words as the bytes of a file.
func Bytes(words []uint32) []byte {
	data, _ := binary.Append(nil, binary.LittleEndian, words) // words have a size, so this cannot fail
	return data
}

func tooLong(words int) error { return fmt.Errorf("%d words, more than %d", words, maxWords) }

// Decode reads a module. The module keeps the words, which must not change.
func Decode(words []uint32) (*Module, error) {
	if err := checkHeader(words); err != nil {
		return nil, err
	}
	m := &Module{
		Version: words[1], Bound: words[3], Code: words, File: words,
		definitions: map[uint32]Instruction{}, names: map[member]string{}, decorations: map[member][]Decorated{},
		owners: map[uint32]int{}, forward: map[uint32]bool{}, depths: map[uint32]int{},
	}
	for at := HeaderWords; at < len(words); {
		length := int(words[at] >> 16)
		if length == 0 || length > len(words)-at {
			return nil, fmt.Errorf("word %d: the module ends within an instruction", at)
		}
		if err := m.add(Instruction{Op(words[at]), words[at+1 : at+length]}); err != nil {
			return nil, fmt.Errorf("word %d: %w", at, err)
		}
		at += length
	}
	if n := len(m.Functions); n > 0 && !m.Functions[n-1].ended() {
		return nil, errors.New("the module ends within a function")
	}
	return m, m.checkReferences()
}

func checkHeader(words []uint32) error {
	switch {
	case len(words) < HeaderWords:
		return errors.New("shorter than a module's header")
	case len(words) > maxWords:
		return tooLong(len(words))
	case words[0] == bits.ReverseBytes32(Magic):
		return errors.New("the words are in big-endian order")
	case words[0] != Magic:
		return fmt.Errorf("magic number is %#08x, not %#08x", words[0], uint32(Magic))
	case words[1] < 0x10000 || words[1] > maxVersion || words[1]&versionMask != 0:
		return fmt.Errorf("version is %#x, not 1.0 to 1.6", words[1])
	case words[3] == 0 || words[3] > MaxBound:
		return fmt.Errorf("bound of ids is %d, not 1 to %d", words[3], MaxBound)
	case words[4] != 0:
		return fmt.Errorf("instruction schema is %d, not 0", words[4])
	}
	return nil
}

func (f Function) ended() bool { return f.Body[len(f.Body)-1].Op == OpFunctionEnd }

// add adds an instruction to its part of the module.
func (m *Module) add(in Instruction) error {
	if id := in.Result(); id != 0 {
		if _, again := m.definitions[id]; again {
			return fmt.Errorf("id %d is defined twice", id)
		}
		m.definitions[id] = in
	}
	n := len(m.Functions)
	switch {
	case in.Op == OpFunction:
		if n > 0 && !m.Functions[n-1].ended() {
			return errors.New("a function begins within a function")
		}
		m.Functions = append(m.Functions, Function{in.Result(), []Instruction{in}})
	case n > 0:
		if m.Functions[n-1].ended() && in.Op.Class() != "Debug" && in.Op != OpExtInst {
			return fmt.Errorf("%s stands between functions", in.Op)
		}
		if !m.Functions[n-1].ended() {
			m.Functions[n-1].Body = append(m.Functions[n-1].Body, in)
			m.owners[in.Result()] = n
		}
	case isHead(in.Op):
		m.Head = append(m.Head, in)
		return m.describe(in)
	default:
		m.Globals = append(m.Globals, in)
		if in.Op == OpTypeForwardPointer {
			m.forward[in.At(0)] = true
		}
	}
	return nil
}

func isHead(op Op) bool {
	return slices.Contains([]Class{"Debug", "Extension", "Mode-Setting", "Annotation"}, op.Class()) && op != OpExtInst && op != OpLine && op != OpNoLine
}

func (m *Module) describe(in Instruction) error {
	if _, err := in.References(1); err != nil {
		return err
	}
	switch o := in.Operands; in.Op {
	case OpName:
		m.names[member{o[0], 0}] = literalString(o[1:])
	case OpMemberName:
		m.names[member{o[0], o[1] + 1}] = literalString(o[2:])
	case OpDecorate, OpDecorateId, OpDecorateString:
		m.decorate(member{o[0], 0}, o[1:])
	case OpMemberDecorate, OpMemberDecorateString:
		m.decorate(member{o[0], o[1] + 1}, o[2:])
	case OpGroupDecorate:
		for _, id := range o[1:] {
			m.decorateAs(member{id, 0}, o[0])
		}
	case OpGroupMemberDecorate:
		for k := 1; k+1 < len(o); k += 2 {
			m.decorateAs(member{o[k], o[k+1] + 1}, o[0])
		}
	}
	if m.grouped > maxWords {
		return fmt.Errorf("groups come to more than %d decorations", maxWords)
	}
	return nil
}

func (m *Module) decorate(of member, operands []uint32) {
	if len(operands) > 0 {
		m.decorations[of] = append(m.decorations[of], Decorated{Decoration(operands[0]), operands[1:]})
	}
}

// decorateAs gives an id or member the decorations of a group. Once groups have added more than maxWords, it only counts them.
func (m *Module) decorateAs(of member, group uint32) {
	list := m.decorations[member{group, 0}]
	if m.grouped += len(list); m.grouped <= maxWords {
		m.decorations[of] = append(m.decorations[of], list...)
	}
}

// checkReferences returns an error for ids that are undefined, or used in the wrong place.
func (m *Module) checkReferences() error {
	for id := range m.definitions {
		if id >= m.Bound {
			return fmt.Errorf("id %d is not below the bound, %d", id, m.Bound)
		}
	}
	for _, in := range m.Head {
		if err := m.checkIDs(in, nil); err != nil && in.Op != OpName && in.Op != OpMemberName {
			return err
		}
	}
	defined := map[uint32]bool{}
	for _, in := range m.Head {
		defined[in.Result()] = true
	}
	for _, in := range m.Globals {
		if err := m.checkIDs(in, defined); err != nil {
			return err
		}
		defined[in.Result()] = true
	}
	for n, f := range m.Functions {
		for _, in := range f.Body {
			if err := m.checkIDs(in, nil); err != nil {
				return err
			}
			for _, at := range m.References(in) {
				if owner := m.owners[in.Operands[at]]; owner != 0 && owner != n+1 {
					return fmt.Errorf("%s: id %d is of another function", in.Op, in.Operands[at])
				}
			}
		}
	}
	return nil
}

// checkIDs checks an instruction's operands: each id must be in `defined` already or, if `defined`
// is nil, be defined anywhere in the module.
func (m *Module) checkIDs(in Instruction, defined map[uint32]bool) error {
	references, err := in.References(m.switchWords(in))
	if err != nil {
		return err
	}
	depth := 0
	for _, at := range references {
		id := in.Operands[at]
		if at == resultAt(in.Op) {
			if id == 0 {
				return fmt.Errorf("%s defines id 0", in.Op)
			}
			continue
		}
		if _, ok := m.definitions[id]; !ok {
			return fmt.Errorf("%s: id %d is not defined", in.Op, id)
		}
		if defined != nil && !defined[id] && !m.forward[id] {
			return fmt.Errorf("%s: id %d is used before it is defined", in.Op, id)
		}
		depth = max(depth, m.depths[id])
	}
	if in.Op.Class() == "Type" && in.Op != OpTypePointer {
		if depth++; depth > maxTypeDepth {
			return fmt.Errorf("types nest deeper than %d", maxTypeDepth)
		}
		m.depths[in.Result()] = depth
	}
	return nil
}

// switchWords returns the number of words of each literal of an OpSwitch; 1 for other instructions.
func (m *Module) switchWords(in Instruction) int {
	if in.Op == OpSwitch {
		if t := m.definitions[m.definitions[in.At(0)].Type()]; t.Op == OpTypeInt && t.At(1) == 64 {
			return 2
		}
	}
	return 1
}

// References lists the indices of an instruction's operands that are ids.
func (m *Module) References(in Instruction) []int {
	references, _ := in.References(m.switchWords(in)) // checked by Decode
	return references
}

// Definition returns the instruction that defines an id; the zero Instruction if there is none.
func (m *Module) Definition(id uint32) Instruction { return m.definitions[id] }

// Name returns the name of an id, or "".
func (m *Module) Name(id uint32) string { return m.names[member{id, 0}] }

// MemberName returns the name of a struct's member, or "".
func (m *Module) MemberName(id uint32, n int) string { return m.names[member{id, uint32(n) + 1}] }

// Decorations returns the decorations of an id.
func (m *Module) Decorations(id uint32) []Decorated { return m.decorations[member{id, 0}] }

// MemberDecorations returns the decorations of a struct's member.
func (m *Module) MemberDecorations(id uint32, n int) []Decorated {
	return m.decorations[member{id, uint32(n) + 1}]
}

// Decoration returns the first operand of an id's decoration, or 0, and whether the id has the
// decoration.
func (m *Module) Decoration(id uint32, d Decoration) (uint32, bool) {
	return find(m.Decorations(id), d)
}

// MemberDecoration is Decoration for a struct's member.
func (m *Module) MemberDecoration(id uint32, n int, d Decoration) (uint32, bool) {
	return find(m.MemberDecorations(id, n), d)
}

func find(all []Decorated, d Decoration) (uint32, bool) {
	for _, has := range all {
		if has.Decoration == d {
			return Instruction{Operands: has.Operands}.At(0), true
		}
	}
	return 0, false
}

// Capabilities lists the capabilities that the module declares.
func (m *Module) Capabilities() (list []Capability) {
	for _, in := range m.Head {
		if in.Op == OpCapability {
			list = append(list, Capability(in.At(0)))
		}
	}
	return list
}

// EntryPoint is where a stage begins.
type EntryPoint struct {
	Name      string
	Stage     Stage
	Function  uint32   // id
	Interface []uint32 // ids of the variables that the module lists for it
}

// EntryPoints lists the module's entry points.
func (m *Module) EntryPoints() []EntryPoint {
	var all []EntryPoint
	for _, in := range m.Head {
		if in.Op == OpEntryPoint {
			name := in.Operands[2:]
			all = append(all, EntryPoint{literalString(name), Stage(in.At(0)), in.At(1), name[stringWords(name):]})
		}
	}
	return all
}
