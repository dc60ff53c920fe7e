package module

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// Op is an instruction's number.
type Op uint16

// The instructions about which more is known than their operands.
const (
	OpNop                    Op = 0
	OpUndef                  Op = 1
	OpSourceContinued        Op = 2
	OpSource                 Op = 3
	OpSourceExtension        Op = 4
	OpName                   Op = 5
	OpMemberName             Op = 6
	OpString                 Op = 7
	OpLine                   Op = 8
	OpExtension              Op = 10
	OpExtInstImport          Op = 11
	OpExtInst                Op = 12
	OpMemoryModel            Op = 14
	OpEntryPoint             Op = 15
	OpExecutionMode          Op = 16
	OpCapability             Op = 17
	OpTypeVoid               Op = 19
	OpTypeBool               Op = 20
	OpTypeInt                Op = 21
	OpTypeFloat              Op = 22
	OpTypeVector             Op = 23
	OpTypeMatrix             Op = 24
	OpTypeImage              Op = 25
	OpTypeSampler            Op = 26
	OpTypeSampledImage       Op = 27
	OpTypeArray              Op = 28
	OpTypeRuntimeArray       Op = 29
	OpTypeStruct             Op = 30
	OpTypePointer            Op = 32
	OpTypeFunction           Op = 33
	OpTypeForwardPointer     Op = 39
	OpConstantTrue           Op = 41
	OpConstantFalse          Op = 42
	OpConstant               Op = 43
	OpConstantComposite      Op = 44
	OpConstantNull           Op = 46
	OpSpecConstantTrue       Op = 48
	OpSpecConstantFalse      Op = 49
	OpSpecConstant           Op = 50
	OpSpecConstantComposite  Op = 51
	OpSpecConstantOp         Op = 52
	OpFunction               Op = 54
	OpFunctionParameter      Op = 55
	OpFunctionEnd            Op = 56
	OpFunctionCall           Op = 57
	OpVariable               Op = 59
	OpLoad                   Op = 61
	OpStore                  Op = 62
	OpCopyMemory             Op = 63
	OpAccessChain            Op = 65
	OpInBoundsAccessChain    Op = 66
	OpArrayLength            Op = 68
	OpDecorate               Op = 71
	OpMemberDecorate         Op = 72
	OpDecorationGroup        Op = 73
	OpGroupDecorate          Op = 74
	OpGroupMemberDecorate    Op = 75
	OpVectorExtractDynamic   Op = 77
	OpVectorInsertDynamic    Op = 78
	OpVectorShuffle          Op = 79
	OpCompositeConstruct     Op = 80
	OpCompositeExtract       Op = 81
	OpCompositeInsert        Op = 82
	OpCopyObject             Op = 83
	OpSampledImage           Op = 86
	OpImageSampleImplicitLod Op = 87
	OpImageSampleExplicitLod Op = 88
	OpImageFetch             Op = 95
	OpImage                  Op = 100
	OpImageQuerySizeLod      Op = 103
	OpImageQuerySize         Op = 104
	OpUConvert               Op = 113
	OpSConvert               Op = 114
	OpFConvert               Op = 115
	OpConvertFToS            Op = 110
	OpBitcast                Op = 124
	OpConvertSToF            Op = 111
	OpConvertUToF            Op = 112
	OpSNegate                Op = 126
	OpIAdd                   Op = 128
	OpFAdd                   Op = 129
	OpISub                   Op = 130
	OpFSub                   Op = 131
	OpIMul                   Op = 132
	OpFMul                   Op = 133
	OpUDiv                   Op = 134
	OpSDiv                   Op = 135
	OpUMod                   Op = 137
	OpSRem                   Op = 138
	OpSMod                   Op = 139
	OpVectorTimesScalar      Op = 142
	OpDot                    Op = 148
	OpLogicalEqual           Op = 164
	OpLogicalNotEqual        Op = 165
	OpLogicalOr              Op = 166
	OpLogicalAnd             Op = 167
	OpLogicalNot             Op = 168
	OpSelect                 Op = 169
	OpIEqual                 Op = 170
	OpINotEqual              Op = 171
	OpUGreaterThan           Op = 172
	OpSGreaterThan           Op = 173
	OpUGreaterThanEqual      Op = 174
	OpSGreaterThanEqual      Op = 175
	OpULessThan              Op = 176
	OpSLessThan              Op = 177
	OpULessThanEqual         Op = 178
	OpSLessThanEqual         Op = 179
	OpShiftRightLogical      Op = 194
	OpShiftRightArithmetic   Op = 195
	OpShiftLeftLogical       Op = 196
	OpBitwiseOr              Op = 197
	OpBitwiseXor             Op = 198
	OpBitwiseAnd             Op = 199
	OpNot                    Op = 200
	OpAtomicUMax             Op = 239
	OpPhi                    Op = 245
	OpLoopMerge              Op = 246
	OpSelectionMerge         Op = 247
	OpLabel                  Op = 248
	OpBranch                 Op = 249
	OpBranchConditional      Op = 250
	OpSwitch                 Op = 251
	OpKill                   Op = 252
	OpReturn                 Op = 253
	OpReturnValue            Op = 254
	OpUnreachable            Op = 255
	OpNoLine                 Op = 317
	OpModuleProcessed        Op = 330
	OpExecutionModeID        Op = 331
	OpDecorateID             Op = 332
	OpCopyLogical            Op = 400
	OpTerminateInvocation    Op = 4416
	OpDemote                 Op = 5380
	OpDecorateString         Op = 5632
	OpMemberDecorateString   Op = 5633
)

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
