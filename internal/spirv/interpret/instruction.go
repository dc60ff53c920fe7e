package interpret

import (
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// instruction compiles an instruction within a block, or of a constant expression.
func (f *frame) instruction(in module.Instruction) {
	f.now = in.Op
	if image, _ := f.v.Image(in.Result()); image != 0 || f.fast(in) {
		return
	}
	if r, ok := componentRules[in.Op]; ok {
		f.componentwise(in, r, 2, false)
	} else if r, ok := conversions[in.Op]; ok {
		f.componentwise(in, r, 2, true)
	} else if compile := f.others[in.Op]; compile != nil {
		compile(f, in)
	} else {
		must.Fail("is not supported")
	}
}

// instructions returns the functions that compile the instructions outside of componentRules and conversions.
// It is a function, since Go allows no variable whose initial value refers to the variable.
func instructions() map[module.Op]func(f *frame, in module.Instruction) {
	nothing := func(*frame, module.Instruction) {}
	leave := func(f *frame, _ module.Instruction) { f.leave(returns) }
	return map[module.Op]func(*frame, module.Instruction){
		module.OpNop: nothing, module.OpLine: nothing, module.OpNoLine: nothing, module.OpLoopMerge: nothing, module.OpSelectionMerge: nothing,
		module.OpReturn: leave, module.OpUnreachable: leave, module.OpReturnValue: (*frame).returnValue,
		module.OpBranch: func(f *frame, in module.Instruction) { f.leave(jumps, in.At(0)) },
		module.OpBranchConditional: func(f *frame, in module.Instruction) {
			f.leave(branches, in.At(1), in.At(2)).on = f.condition(in.At(0))
		},
		module.OpSwitch: (*frame).switchTo, module.OpPhi: (*frame).phi, module.OpFunctionCall: (*frame).call,

		module.OpVariable: (*frame).variable, module.OpLoad: (*frame).load, module.OpArrayLength: (*frame).arrayLength,
		module.OpAccessChain: (*frame).chain, module.OpInBoundsAccessChain: (*frame).chain,
		module.OpStore:      func(f *frame, in module.Instruction) { f.store(f.mustPoint(in.At(0)), f.value(in.At(1))) },
		module.OpCopyMemory: func(f *frame, in module.Instruction) { f.store(f.mustPoint(in.At(0)), f.loaded(f.mustPoint(in.At(1)))) },
		module.OpImageFetch: (*frame).fetch, module.OpImageSampleImplicitLod: (*frame).sample, module.OpImageSampleExplicitLod: (*frame).sample,
		module.OpImageQuerySize: (*frame).imageSize, module.OpImageQuerySizeLod: (*frame).imageSize,

		module.OpUndef: (*frame).undefined, module.OpCopyObject: (*frame).copyObject, module.OpCopyLogical: (*frame).copyObject,
		module.OpCompositeExtract: (*frame).extract, module.OpCompositeInsert: (*frame).insert, module.OpCompositeConstruct: (*frame).construct,
		module.OpVectorShuffle: (*frame).shuffle, module.OpVectorExtractDynamic: (*frame).dynamic, module.OpVectorInsertDynamic: (*frame).dynamic,

		module.OpBitFieldInsert: (*frame).bitField, module.OpBitFieldSExtract: (*frame).bitField, module.OpBitFieldUExtract: (*frame).bitField,
		module.OpIAddCarry: (*frame).extendedInteger, module.OpISubBorrow: (*frame).extendedInteger,
		module.OpUMulExtended: (*frame).extendedInteger, module.OpSMulExtended: (*frame).extendedInteger,
		module.OpAny: (*frame).reduce, module.OpAll: (*frame).reduce, module.OpSelect: (*frame).selects, module.OpBitcast: (*frame).bitcast,

		module.OpTranspose: (*frame).transpose, module.OpVectorTimesScalar: (*frame).scaled, module.OpMatrixTimesScalar: (*frame).scaled,
		module.OpVectorTimesMatrix: (*frame).product, module.OpOuterProduct: (*frame).product, module.OpDot: (*frame).product,
		module.OpMatrixTimesVector: (*frame).product, module.OpMatrixTimesMatrix: (*frame).product,
		module.OpExtInst: (*frame).extended,
	}
}
