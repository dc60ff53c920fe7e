package module

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Op is an instruction's number; opcode_gen.go has their names.
type Op uint16

// Class is a group of instructions in the specification: "Arithmetic", "Image".
type Class string

// form is how an instruction is written.
type form struct {
	name     string
	class    Class
	operands string // letters in opcodes.txt
}

//go:embed opcodes.txt
var opcodeTable string

var forms = sync.OnceValue(func() []form {
	all := make([]form, OpMemberDecorateString+1) // the last one of the table
	for line := range strings.Lines(opcodeTable) {
		fields := append(strings.Fields(line), "")
		if number, err := strconv.ParseUint(fields[0], 10, 16); err == nil {
			all[Op(number)] = form{"Op" + fields[1], Class(fields[2]), fields[3]}
		}
	}
	return all
})

// form returns the zero form if the table does not have the instruction.
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
