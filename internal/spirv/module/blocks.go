package module

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// readBlocks adds a variable's block to v.Blocks. If the variable is an array of blocks, it adds
// each element that the functions read.
func (v *Vertex) readBlocks(id, typeID uint32, class StorageClass) {
	m := v.Module
	b := Block{Name: v.variableName(id, typeID), ID: id, Kind: StorageBlock}
	_, b.Gathered = m.gatheredArrays[id]
	array := m.Definition(typeID)
	if array.Op == OpTypeRuntimeArray {
		must.Fail("an array of blocks without a length")
	}
	if b.Array = array.Op == OpTypeArray; b.Array {
		typeID = array.At(1)
	}
	if m.Definition(typeID).Op != OpTypeStruct {
		must.Fail("a block whose type is not a struct")
	}
	_, storage := m.Decoration(typeID, BufferBlock)
	switch {
	case class == PushConstant:
		b.Kind = PushConstants
	case class == Uniform && !storage:
		b.Kind = UniformBlock
	}
	b.Legacy = class == Uniform && storage
	b.Set, b.Binding = first(m.Decoration(id, DescriptorSet)), first(m.Decoration(id, Binding))
	t := v.laidOut.read(typeID)
	b.Type, b.Size, b.Open = t, int(t.size(0, false)), t.endsOpen()
	b.Align = max(minAlign, t.Alignment())
	if b.Open && b.Kind != StorageBlock {
		must.Fail("%s that end in a runtime array", b.Kind)
	}
	elements := []uint32{0}
	if b.Array {
		elements = v.elements(id)
	}
	for _, b.Element = range elements {
		v.Blocks = append(v.Blocks, b)
	}
}

// elements lists which elements of an array of blocks the functions read, in ascending order.
func (v *Vertex) elements(id uint32) []uint32 {
	seen := map[uint32]bool{}
	for _, in := range v.Body {
		for _, at := range v.Module.References(in) {
			if in.Operands[at] != id {
				continue
			}
			if in.Op != OpAccessChain && in.Op != OpInBoundsAccessChain || at != 2 {
				must.Fail("an array of blocks that is used as a whole")
			}
			element, ok := v.Constant(in.At(3))
			if !ok || len(in.Operands) < 4 {
				must.Fail("an array of blocks whose index is not constant")
			}
			if element >= maxBlockArray {
				must.Fail("element %d of an array of blocks", element)
			}
			seen[element] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// An image from which a shader only fetches texels, or reads the size, is read like a block: its
// size, then its texels row by row, each four 32-bit numbers. Texel buffers are read in the same
// way. A filtered read of an image of two dimensions becomes four fetches; the image's header says
// how to filter, in place of a sampler. Shaders that store texels are refused.

// ImageHead is the number of bytes before the texels of a fetched image. They are four uints: width,
// height, whether a filtered read takes the nearest texel, and whether it clamps coordinates.
const ImageHead = 16

// TexelBytes is the size of a fetched image's texel in bytes.
const TexelBytes = 16

// ImageSize reads the head of a fetched image's contents. It returns the width, the height, and the size in
// bytes including the head; ok is false if the contents are shorter than that.
func ImageSize(contents []byte) (width, height uint32, bytes int, ok bool) {
	if len(contents) < ImageHead {
		return 0, 0, 0, false
	}
	width, height = binary.LittleEndian.Uint32(contents), binary.LittleEndian.Uint32(contents[4:])
	if most := uint64(len(contents)) / TexelBytes; uint64(width) > most || uint64(height) > most {
		return 0, 0, 0, false
	}
	n := ImageHead + int64(width)*int64(height)*TexelBytes
	if n > int64(len(contents)) {
		return 0, 0, 0, false
	}
	return width, height, int(n), true
}

// PutImageSize writes the size of a fetched image into the head of its contents.
func PutImageSize(contents []byte, width, height uint32) {
	binary.LittleEndian.PutUint32(contents, width)
	binary.LittleEndian.PutUint32(contents[4:], height)
}

// MostTexel bounds the coordinates of filtered reads: in units of texels, they are clamped to ±MostTexel.
const MostTexel = 1 << 24

// Dimensions of images, as OpTypeImage numbers them.
const (
	dim1D     = 0
	dim2D     = 1
	dimBuffer = 5
)

// Bits of the image operands of instructions.
const (
	operandLod    = 0x2
	operandExtend = 0x1000 | 0x2000 // sign or zero extension, which does not change 32-bit integers
)

const onlyFetched = "images and samplers are not supported beside fetches of texels (texelFetch, Load), sizes, and texture and textureLod of one level"

// Image returns the image variable from which an instruction's result comes, and the number of a texel's
// coordinates: 1 or 2. Both are 0 if the result comes from none.
func (v *Vertex) Image(id uint32) (variable uint32, dimensions int) {
	variable = v.images[id]
	if variable == 0 {
		return 0, 0
	}
	if v.imageType(variable).At(2) == dim2D {
		return variable, 2
	}
	return variable, 1
}

// imageType returns the OpTypeImage of a variable.
func (v *Vertex) imageType(variable uint32) Instruction {
	pointer := v.Module.Definition(v.Module.Definition(variable).Type())
	t := v.Module.Definition(pointer.At(2))
	if t.Op == OpTypeSampledImage {
		t = v.Module.Definition(t.At(1))
	}
	return t
}

// findImages finds the images that the functions read. Any use but fetches, sizes and filtered reads is
// an error.
func (v *Vertex) findImages() {
	v.images, v.sampled = map[uint32]uint32{}, map[uint32]bool{}
	for _, in := range v.Globals {
		if in.Op == OpVariable && StorageClass(in.At(2)) == UniformConstant {
			v.images[in.Result()] = in.Result()
			v.checkImage(in.Result())
		}
	}
	const mostRounds = 64
	for before, round := -1, 0; before != len(v.images); round++ { // repeat until a round finds no more ids of images
		if before = len(v.images); round == mostRounds {
			must.Fail("images are passed through more than %d functions", mostRounds)
		}
		for _, in := range v.Body {
			for _, at := range v.Module.References(in) {
				if variable := v.images[in.Operands[at]]; variable != 0 {
					v.checkImageUse(in, variable, at)
				}
			}
		}
	}
}

// passImage records the image variable that a call passes to a function's parameter. It fails if another call
// passes a different image to the same parameter; samplers may differ.
func (v *Vertex) passImage(in Instruction, variable uint32, argument int) {
	f := v.Functions[slices.IndexFunc(v.Functions, func(f Function) bool { return f.ID == in.At(2) })]
	if argument >= len(f.Body) || f.Body[argument].Op != OpFunctionParameter {
		must.Fail("it has no such parameter")
	}
	parameter := f.Body[argument].Result()
	if before := v.images[parameter]; before != 0 && before != variable && v.imageType(variable).Op != OpTypeSampler {
		must.Fail("a function that is passed several images, %s as well, is not supported", v.variableName(before, 0))
	}
	v.images[parameter] = variable
}

// checkImage fails if a variable cannot be read as texels.
func (v *Vertex) checkImage(variable uint32) {
	defer must.Place("%s", v.variableName(variable, 0))
	t := v.imageType(variable)
	switch t.Op {
	case OpTypeImage:
	case OpTypeSampler:
		return
	case OpTypeArray, OpTypeRuntimeArray:
		must.Fail("arrays of images and samplers are not supported")
	default:
		must.Fail("%s is not an image", t.Op)
	}
	if dim := t.At(2); dim != dim1D && dim != dim2D && dim != dimBuffer {
		must.Fail("only images of one or two dimensions and texel buffers are supported")
	}
	const layered, samples, sampled = 4, 5, 6
	switch {
	case t.At(layered) != 0:
		must.Fail("images with layers are not supported")
	case t.At(samples) != 0:
		must.Fail("images with several samples are not supported")
	case t.At(sampled) != 1:
		must.Fail("storage images are not supported")
	}
	number := v.plain.read(t.At(1))
	if number.Width != 32 || number.Kind < Int || number.Kind > Float {
		must.Fail("texels of %s are not supported", number)
	}
}

// checkImageUse follows an image through an instruction that has it as operand number `at`. It fails if that use is
// not supported.
func (v *Vertex) checkImageUse(in Instruction, variable uint32, at int) {
	defer must.Place("%s: %s", v.variableName(variable, 0), in.Op)
	level := len(in.Operands)
	_, dimensions := v.Image(variable)
	switch in.Op {
	case OpLoad, OpImage, OpCopyObject:
		v.images[in.Result()] = variable
		return
	case OpFunctionParameter:
		return
	case OpFunctionCall:
		v.passImage(in, variable, at-2)
		return
	case OpSampledImage:
		v.images[in.Result()] = v.images[in.At(2)]
		return
	case OpImageSampleImplicitLod, OpImageSampleExplicitLod:
		v.checkSample(in, variable)
		return
	case OpImageFetch:
		const coordinates, mask = 3, 4
		if in.At(mask)&^(operandLod|operandExtend) != 0 {
			must.Fail("offsets and samples are not supported")
		}
		if in.At(mask)&operandLod != 0 {
			level = mask + 1
		}
		if !v.isIntegers(v.Module.Definition(in.At(coordinates)).Type(), dimensions, true) {
			must.Fail("coordinates that are not %d integers of 32 bits", dimensions)
		}
		texel := v.Module.Definition(in.Type())
		if texel.Op != OpTypeVector || texel.At(2) != 4 || texel.At(1) != v.imageType(variable).At(1) {
			must.Fail("its result is not a texel of the image")
		}
	case OpImageQuerySize, OpImageQuerySizeLod:
		if in.Op == OpImageQuerySizeLod {
			level = 3
		}
		if !v.isIntegers(in.Type(), dimensions, false) {
			must.Fail("its result is not %d integers of 32 bits", dimensions)
		}
	default:
		must.Fail(onlyFetched)
	}
	if level < len(in.Operands) {
		if n, known := v.Constant(in.At(level)); !known || n != 0 {
			must.Fail("a level other than 0 is not supported")
		}
	}
}

// checkSample fails for unsupported kinds of sampling. Images have one level, so the level that the
// instruction names does not matter.
func (v *Vertex) checkSample(in Instruction, variable uint32) {
	const coordinates, mask = 3, 4
	if in.At(mask)&^operandLod != 0 {
		must.Fail("gradients, offsets and biases are not supported")
	}
	at, err := v.plain.try(v.Module.Definition(in.At(coordinates)).Type())
	result, also := v.plain.try(in.Type())
	if t := v.imageType(variable); t.At(2) != dim2D || t.Op != OpTypeImage || err != nil || also != nil ||
		result.String() != "vec4" || at.Kind != Vector || at.Elem.String() != "float" {
		must.Fail("only images of two dimensions and floats are filtered")
	}
	v.sampled[variable] = true
}

// isIntegers reports whether a type is a vector of n 32-bit integers, or one integer if n is 1; with `more`, also longer vectors.
func (v *Vertex) isIntegers(typeID uint32, n int, more bool) bool {
	t, err := v.plain.try(typeID)
	if err != nil {
		return false
	}
	count := 1
	if t.Kind == Vector {
		count, t = t.Count, t.Elem
	}
	return (t.Kind == Int || t.Kind == Uint) && t.Width == 32 && (count == n || more && count > n)
}

// readImage adds the block from which an image is read; none for a sampler. The block's members are the values that
// a user provides.
func (v *Vertex) readImage(id uint32) {
	if v.imageType(id).Op == OpTypeSampler {
		return // the image's header replaces the sampler
	}
	number := v.plain.read(v.imageType(id).At(1))
	t := &Type{Kind: Struct, Name: "image"}
	word := &Type{Kind: Uint, Width: 32}
	if _, dimensions := v.Image(id); dimensions == 2 {
		t.Members = []Member{{Name: "width", Type: word, Size: 4}, {Name: "height", Offset: 4, Type: word, Size: 4}}
	}
	if v.sampled[id] {
		t.Members = append(t.Members, Member{Name: "nearest", Offset: 8, Type: word, Size: 4}, Member{Name: "clamp", Offset: 12, Type: word, Size: 4})
	}
	texels := &Type{Kind: RuntimeArray, Elem: &Type{Kind: Vector, Elem: number, Count: 4}, Stride: TexelBytes}
	t.Members = append(t.Members, Member{Name: "texels", Offset: ImageHead, Type: texels})
	v.Blocks = append(v.Blocks, Block{
		Name: v.variableName(id, 0), Kind: FetchedImage, ID: id, Type: t, Size: ImageHead, Align: minAlign, Open: true,
		Set: first(v.Module.Decoration(id, DescriptorSet)), Binding: first(v.Module.Decoration(id, Binding)),
	})
}
