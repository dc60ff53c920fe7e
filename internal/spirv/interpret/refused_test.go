package interpret

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// TestWrongOperandsAreRefused gives the first instruction of every kind in operations.vert wrong types of results and
// operands, one at a time, and compares the errors with testdata/refused.txt.
func TestWrongOperandsAreRefused(t *testing.T) {
	whole := must.Get(module.Words(must.Get(os.ReadFile("testdata/operations.spv"))))
	first := map[module.Op]uint32{} // largest id of each kind of type and constant
	said := map[string][]string{}
	inFunction := false
	for at := module.HeaderWords; at < len(whole); at += int(whole[at] >> 16) {
		op, operands := module.Op(whole[at]&0xffff), whole[at+1:][:whole[at]>>16-1]
		inFunction = inFunction || op == module.OpFunction
		if !inFunction && len(operands) > 1 {
			id := operands[0]
			if op == module.OpConstant || op == module.OpConstantComposite {
				id = operands[1]
			}
			first[op] = max(first[op], id)
			continue
		}
		what := op.String()
		if op == module.OpExtInst {
			what += fmt.Sprint(" ", operands[3])
		}
		if said[what] != nil || len(operands) < 3 {
			continue
		}
		for k := range min(len(operands), 8) {
			for _, kind := range [][]module.Op{{module.OpTypeVector, module.OpTypeFloat}, {}, {module.OpConstant, module.OpConstantComposite}}[min(k, 2)] {
				words := slices.Clone(whole)
				words[at+1+k] = first[kind]
				v, err := module.ReadVertex(words, "", nil)
				if err == nil {
					_, err = New(v)
				}
				said[what] = append(said[what], fmt.Sprintf("%s, operand %d from %v: %v", what, k, kind, err))
			}
		}
	}
	lines := slices.Concat(slices.Collect(maps.Values(said))...)
	slices.Sort(lines)
	isKept(t, "testdata/refused.txt", strings.Join(lines, "\n")+"\n")
}
