package module

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Op is an instruction's number; opcode_gen.go has the names of all.
type Op uint16

// Class is a group of instructions in the specification: "Arithmetic", "Image".
type Class string

// form is an instruction's line in opcodes.txt.
type form struct {
	name     string
	class    Class
	operands string // letters in opcodes.txt
}

//go:embed opcodes.txt
var opcodeTable string

var forms = sync.OnceValue(func() []form {
	all := make([]form, OpMemberDecorateString+1) // the table's last instruction
	for line := range strings.Lines(opcodeTable) {
		fields := append(strings.Fields(line), "")
		if number, err := strconv.ParseUint(fields[0], 10, 16); err == nil {
			all[Op(number)] = form{"Op" + fields[1], Class(fields[2]), fields[3]}
		}
	}
	return all
})

// form returns the instruction's line of the table; the zero form if there is none.
func (op Op) form() form {
	if all := forms(); int(op) < len(all) {
		return all[op]
	}
	return form{}
}

// String returns the instruction's name in the specification: OpFAdd.
func (op Op) String() string {
	if name := op.form().name; name != "" {
		return name
	}
	return fmt.Sprintf("instruction %d", uint16(op))
}

// Class returns the instruction's class; empty for an unknown instruction.
func (op Op) Class() Class { return op.form().class }

// Instruction is one instruction of a module.
type Instruction struct {
	Op       Op
	Operands []uint32 // all words but the first
}

// At returns operand n, or 0 if there is none.
func (in Instruction) At(n int) uint32 {
	if n >= len(in.Operands) {
		return 0
	}
	return in.Operands[n]
}

// Type returns the id of the result's type, or 0.
func (in Instruction) Type() uint32 {
	if strings.HasPrefix(in.Op.form().operands, "t") {
		return in.At(0)
	}
	return 0
}

// Result returns the id that the instruction defines, or 0.
func (in Instruction) Result() uint32 {
	if at := resultAt(in.Op); at >= 0 {
		return in.At(at)
	}
	return 0
}

// resultAt returns which operand is the result; negative if none is.
func resultAt(op Op) int { return strings.IndexByte(op.form().operands, 'r') }

// LiteralString encodes a string as operands.
func LiteralString(text string) []uint32 {
	words := make([]uint32, len(text)/4+1)
	for i := range len(text) {
		words[i/4] |= uint32(text[i]) << (8 * (i % 4))
	}
	return words
}

// literalString returns the string in operands.
func literalString(words []uint32) string {
	text, _, _ := strings.Cut(string(Bytes(words)), "\x00")
	return text
}

// stringWords returns how many words a string takes; 0 if it does not end.
func stringWords(words []uint32) int {
	for i, w := range words {
		for shift := 0; shift < 32; shift += 8 {
			if w>>shift&0xff == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// operandWalk goes through an instruction's operands.
type operandWalk struct {
	in       Instruction
	at       int
	literals int // words of each literal of an OpSwitch
	ids      []int
}

// References lists the indices of the operands that are ids, including the result and its type; none for an
// unknown instruction. literalWords is 1, or 2 for an OpSwitch over 64 bits.
func (in Instruction) References(literalWords int) ([]int, error) {
	f := in.Op.form()
	if f.name == "" {
		return nil, nil
	}
	w := operandWalk{in: in, literals: literalWords}
	if err := w.all(f.operands); err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	return w.ids, nil
}

func (w *operandWalk) all(letters string) error {
	for _, letter := range letters {
		if !w.operand(letter) {
			return fmt.Errorf("%d operands are too few", len(w.in.Operands))
		}
	}
	if w.at != len(w.in.Operands) {
		return fmt.Errorf("%d operands are too many", len(w.in.Operands))
	}
	return nil
}

// operand walks over the operands that a letter of opcodes.txt stands for; false if the letter does not fit what is left.
func (w *operandWalk) operand(letter rune) bool {
	left := w.in.Operands[w.at:]
	switch letter {
	case 't', 'r', 'i':
		return w.take("i", len(left) > 0)
	case 'l':
		return w.take("l", len(left) > 0)
	case '?':
		return len(left) == 0 || w.take("i", true)
	case 'I':
		return w.take(strings.Repeat("i", len(left)), true)
	case 'L':
		return w.take(strings.Repeat("l", len(left)), true)
	case 'n':
		return w.take(strings.Repeat("l", len(left)), len(left) == 1 || len(left) == 2)
	case 's':
		n := stringWords(left)
		return w.take(strings.Repeat("l", n), n > 0)
	case 'S':
		return len(left) == 0 || w.operand('s')
	case 'm':
		return len(left) == 0 || w.memory(left[0])
	case 'g':
		return len(left) == 0 || w.take("l"+strings.Repeat("i", len(left)-1), true)
	case 'P':
		one := w.literals + 1
		return w.take(strings.Repeat(strings.Repeat("l", w.literals)+"i", len(left)/one), len(left)%one == 0)
	case 'q':
		return w.take(strings.Repeat("il", len(left)/2), len(left)%2 == 0)
	case 'o':
		return w.constantOp(left)
	}
	return false
}

// take walks over one operand per letter; false if ok is false or too few operands are left.
func (w *operandWalk) take(letters string, ok bool) bool {
	if !ok || len(letters) > len(w.in.Operands)-w.at {
		return false
	}
	for _, letter := range letters {
		if letter == 'i' {
			w.ids = append(w.ids, w.at)
		}
		w.at++
	}
	return true
}

// Bits of memory operands.
const (
	MemoryVolatile             = 1 << 0
	MemoryAligned              = 1 << 1
	MemoryNontemporal          = 1 << 2
	memoryMakePointerAvailable = 1 << 3
	memoryMakePointerVisible   = 1 << 4
	memoryNonPrivatePointer    = 1 << 5
)

func (w *operandWalk) memory(mask uint32) bool {
	letters := "l"
	if mask&MemoryAligned != 0 {
		letters += "l"
	}
	for _, bit := range []uint32{memoryMakePointerAvailable, memoryMakePointerVisible} {
		if mask&bit != 0 {
			letters += "i"
		}
	}
	return w.take(letters, mask < 2*memoryNonPrivatePointer)
}

// constantOp walks over an instruction within OpSpecConstantOp.
func (w *operandWalk) constantOp(left []uint32) bool {
	if len(left) == 0 {
		return false
	}
	operands, ok := strings.CutPrefix(Op(min(left[0], 0xffff)).form().operands, "tr")
	if !ok || strings.ContainsAny(operands, "ogmPs") {
		return false
	}
	w.at++
	for _, letter := range operands {
		if !w.operand(letter) {
			return false
		}
	}
	return true
}
