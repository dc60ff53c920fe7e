// Package spirvtest assembles SPIR-V modules for tests. Only tests may use it, and it knows nothing of what they test.
package spirvtest

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// numbers are the values of named constants in the tests' modules.
var numbers = map[string]uint32{
	"Logical": 0, "Physical64": 5348, "Simple": 0, "GLSL450": 1, "OpenCL": 2, "Vulkan": 3,
	"Vertex": 0, "Fragment": 4, "GLCompute": 5,
	"UniformConstant": 0, "Input": 1, "Uniform": 2, "Output": 3, "Workgroup": 4, "Private": 6, "Function": 7, "PushConstant": 9, "StorageBuffer": 12,
	"SpecId": 1, "Block": 2, "BufferBlock": 3, "RowMajor": 4, "ColMajor": 5, "ArrayStride": 6, "MatrixStride": 7, "BuiltIn": 11, "Location": 30, "Component": 31, "Binding": 33, "Set": 34, "Offset": 35,
	"Position": 0, "VertexId": 5, "InstanceId": 6, "SubgroupSize": 36, "VertexIndex": 42, "InstanceIndex": 43, "BaseVertex": 4424, "ViewIndex": 4440, "DrawParameters": 4427,
	"Shader": 1, "Addresses": 4, "Kernel": 6, "VariablePointers": 4442, "PhysicalStorageBufferAddresses": 5347, "Int64": 11,
	"FOrdEqual": 180, "IAdd": 128, "IMul": 132, "None": 0,
}

// opcodes are the instructions by name.
var opcodes = sync.OnceValue(func() map[string]module.Op {
	all := map[string]module.Op{}
	for op := range module.OpMemberDecorateString + 1 {
		all[op.String()] = op
	}
	return all
})

// Assemble assembles lines like those of spirv-dis into a module of version 1.3. Tests of packages beside this one call it.
func Assemble(t testing.TB, text string) []uint32 {
	ids := map[string]uint32{}
	words := []uint32{0x07230203, 0x10300, 0, 0, 0}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == ";" {
			continue
		}
		result := ""
		if len(fields) > 2 && fields[1] == "=" {
			result, fields = fields[0], fields[2:]
		}
		op, known := opcodes()[fields[0]]
		if !known {
			op = module.Op(must.Get(strconv.ParseUint(strings.TrimPrefix(fields[0], "Op"), 10, 16)))
		}
		arguments := fields[1:]
		if result != "" {
			at := module.Instruction{Op: op, Operands: []uint32{0, 1}}.Result() // the result is operand 0 or 1
			arguments = slices.Insert(arguments, int(at), result)
		}
		operands := []uint32{}
		for _, a := range arguments {
			operands = append(operands, operand(t, a, ids)...)
		}
		words = append(words, uint32(len(operands)+1)<<16|uint32(op))
		words = append(words, operands...)
	}
	words[3] = uint32(len(ids)) + 1
	return words
}

// operand converts an id, a name in the table, a string or a number.
func operand(t testing.TB, text string, ids map[string]uint32) []uint32 {
	if text[0] == '%' {
		if ids[text] == 0 {
			ids[text] = uint32(len(ids)) + 1
		}
		return []uint32{ids[text]}
	}
	if text[0] == '"' {
		return module.LiteralString(strings.Trim(text, `"`))
	}
	if n, ok := numbers[text]; ok {
		return []uint32{n}
	}
	n, err := strconv.ParseUint(text, 0, 32)
	if err != nil {
		t.Fatal(text)
	}
	return []uint32{uint32(n)}
}

// ReplaceLines replaces the line that begins with old by lines; without old it appends them.
func ReplaceLines(t testing.TB, text, old, lines string) string {
	if old == "" {
		return text + lines
	}
	at := strings.Index("\n"+text, "\n"+old)
	if at < 0 {
		t.Fatal(old)
	}
	end := at + strings.IndexByte(text[at:], '\n') + 1
	return text[:at] + strings.ReplaceAll(lines, "; ", "\n") + "\n" + text[end:]
}
