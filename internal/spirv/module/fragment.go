package module

import (
	"math"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Fragment says where a fragment shader takes its colours from, as far as this can be seen without running it.
type Fragment struct {
	Samples  []Sample // in the order of the code
	Discards bool
	Cutoff   float64 // the shader discards where a value is below it; 0 if none is found, or there are several discards
}

// Sample is a read of a 2D image at coordinates that come from an input.
type Sample struct {
	Image, Sampler Resource  // equal for a combined image sampler
	Input          string    // name of the input
	Location       uint32    // of the input
	Components     [2]uint32 // the components of that location that hold the two coordinates
}

// Resource is a variable bound to a descriptor.
type Resource struct {
	Name                  string
	Set, Binding, Element uint32
}

// Bounds of the instructions followed for one sample, and of the samples listed.
const (
	maxTraced  = 1 << 10
	maxSamples = 1 << 6
)

// Fragment describes the module's fragment shader.
func (m *Module) Fragment() (f *Fragment, err error) {
	defer must.Catch(&err)
	if !slices.ContainsFunc(m.EntryPoints(), func(e EntryPoint) bool { return e.Stage == FragmentStage }) {
		must.Fail("no entry point of the fragment stage")
	}
	t := &tracer{m: m, stored: map[uint32][]uint32{}, passed: map[uint32]uint32{}}
	f = &Fragment{}
	t.scan()
	for i := range m.Functions {
		for _, in := range m.Functions[i].Body {
			if (in.Op == OpImageSampleImplicitLod || in.Op == OpImageSampleExplicitLod) && len(f.Samples) < maxSamples {
				if s, ok := t.sample(in); ok {
					f.Samples = append(f.Samples, s)
				}
			}
		}
		f.findDiscards(m, m.Functions[i].Body)
	}
	f.Cutoff = max(f.Cutoff, 0)
	return f, nil
}

// tracer follows values back to the inputs from which they are copied.
type tracer struct {
	m      *Module
	stored map[uint32][]uint32 // ids of the values stored through pointers, by pointer
	passed map[uint32]uint32   // arguments of the first call, by parameter
	left   int
}

// scan records stores and calls.
func (t *tracer) scan() {
	parameters := map[uint32][]uint32{}
	for _, f := range t.m.Functions {
		for _, in := range f.Body {
			if in.Op == OpFunctionParameter {
				parameters[f.ID] = append(parameters[f.ID], in.Result())
			}
		}
	}
	for _, f := range t.m.Functions {
		for _, in := range f.Body {
			switch in.Op {
			case OpStore:
				t.stored[in.At(0)] = append(t.stored[in.At(0)], in.At(1))
			case OpFunctionCall:
				for i, p := range parameters[in.At(2)] {
					if t.passed[p] == 0 {
						t.passed[p] = in.At(3 + i)
					}
				}
			}
		}
	}
}

// sample returns the Sample of a sampling instruction. ok is false unless its image and sampler are found, the image is 2D
// without layers, depth comparison or multisampling, and both coordinates come from one input.
func (t *tracer) sample(in Instruction) (s Sample, ok bool) {
	t.left = maxTraced
	image, sampler := in.At(2), in.At(2)
	if def := t.m.Definition(image); def.Op == OpSampledImage {
		image, sampler = def.At(2), def.At(3)
	}
	imageType, okImage := t.resource(image, &s.Image)
	_, okSampler := t.resource(sampler, &s.Sampler)
	if def := t.m.Definition(imageType); def.Op == OpTypeSampledImage {
		imageType = def.At(1)
	}
	const dim, depth, layered, samples = 2, 3, 4, 5
	of := t.m.Definition(imageType)
	if !okImage || !okSampler || of.Op != OpTypeImage || of.At(dim) != dim2D || of.At(depth) == 1 || of.At(layered) != 0 || of.At(samples) != 0 {
		return s, false
	}
	first, c0 := t.value(in.At(3), 0)
	second, c1 := t.value(in.At(3), 1)
	location, located := t.m.Decoration(first, Location)
	if first == 0 || first != second || !located {
		return s, false
	}
	at, _ := t.m.Decoration(first, Component)
	s.Input, s.Location, s.Components = t.m.Name(first), location, [2]uint32{at + c0, at + c1}
	return s, true
}

// resource fills r from the variable of an image or sampler, and returns the type of what the variable holds. ok is
// false if no such variable is found.
func (t *tracer) resource(id uint32, r *Resource) (typeID uint32, ok bool) {
	for ; t.left > 0; t.left-- {
		switch in := t.m.Definition(id); in.Op {
		case OpLoad, OpCopyObject, OpImage:
			id = in.At(2)
		case OpFunctionParameter:
			id = t.passed[id]
		case OpAccessChain, OpInBoundsAccessChain:
			index := t.m.Definition(in.At(3))
			if index.Op != OpConstant || len(in.Operands) != 4 {
				return 0, false
			}
			r.Element, id = index.At(2), in.At(2)
		case OpVariable:
			pointed := t.m.Definition(t.m.Definition(in.Type()).At(2))
			typeID = pointed.Result()
			if pointed.Op == OpTypeArray || pointed.Op == OpTypeRuntimeArray {
				typeID = pointed.At(1)
			}
			r.Name, r.Set, r.Binding = t.m.Name(id), first(t.m.Decoration(id, DescriptorSet)), first(t.m.Decoration(id, Binding))
			return typeID, StorageClass(in.At(2)) == UniformConstant
		default:
			return 0, false
		}
	}
	return 0, false
}

// value returns the input variable from which a component of a value is copied, and the component of that variable;
// variable 0 if there is none. In a sum, value follows the first term that comes from an input, since shaders
// add offsets such as parallax to coordinates.
func (t *tracer) value(id, component uint32) (variable, of uint32) {
	if t.left--; t.left < 0 {
		return 0, 0
	}
	in := t.m.Definition(id)
	switch in.Op {
	case OpLoad:
		return t.pointed(in.At(2), component)
	case OpCopyObject:
		return t.value(in.At(2), component)
	case OpFunctionParameter:
		return t.value(t.passed[id], component)
	case OpVectorShuffle:
		n, k := t.width(in.At(2)), in.At(4+int(component))
		if k < n {
			return t.value(in.At(2), k)
		}
		return t.value(in.At(3), k-n)
	case OpCompositeConstruct:
		for _, part := range in.Operands[2:min(len(in.Operands), 2+4)] {
			n := t.width(part)
			if component < n {
				return t.value(part, component)
			}
			component -= n
		}
	case OpCompositeExtract:
		if len(in.Operands) == 4 {
			return t.value(in.At(2), in.At(3))
		}
	case OpFAdd, OpFSub:
		if variable, of = t.value(in.At(2), component); variable == 0 {
			return t.value(in.At(3), component)
		}
	}
	return variable, of
}

// pointed does what value does, for the target of a pointer.
func (t *tracer) pointed(id, component uint32) (variable, of uint32) {
	if t.left--; t.left < 0 {
		return 0, 0
	}
	in := t.m.Definition(id)
	switch in.Op {
	case OpVariable:
		if StorageClass(in.At(2)) == Input {
			return id, component
		}
		for _, value := range t.stored[id] {
			if variable, of = t.value(value, component); variable != 0 || t.left < 0 {
				return variable, of
			}
		}
	case OpFunctionParameter:
		return t.pointed(t.passed[id], component)
	case OpAccessChain, OpInBoundsAccessChain:
		index, pointer := t.m.Definition(in.At(3)), t.m.Definition(t.m.Definition(in.At(2)).Type())
		if len(in.Operands) == 4 && index.Op == OpConstant && t.m.Definition(pointer.At(2)).Op == OpTypeVector {
			return t.pointed(in.At(2), index.At(2))
		}
	}
	return 0, 0
}

// width returns how many components a value has.
func (t *tracer) width(id uint32) uint32 {
	if of := t.m.Definition(t.m.Definition(id).Type()); of.Op == OpTypeVector {
		return of.At(2)
	}
	return 1
}

// findDiscards looks for discards in a function, and for their conditions.
func (f *Fragment) findDiscards(m *Module, body []Instruction) {
	discarding, label := map[uint32]bool{}, uint32(0)
	for _, in := range body {
		switch in.Op {
		case OpLabel:
			label = in.Result()
		case OpKill, OpTerminateInvocation, OpDemoteToHelperInvocation:
			if f.Discards {
				f.Cutoff = -1 // several
			}
			discarding[label], f.Discards = true, true
		}
	}
	for _, in := range body {
		yes, no := discarding[in.At(1)], discarding[in.At(2)]
		if in.Op == OpBranchConditional && f.Cutoff == 0 && (yes || no) {
			f.Cutoff = m.threshold(in.At(0), yes)
		}
	}
}

// threshold returns c if a condition compares a value with the constant c, and yields `want` for values below c.
// It returns 0 for other conditions, and if c is not in (0, 1].
func (m *Module) threshold(condition uint32, want bool) float64 {
	in := m.Definition(condition)
	left, right := m.Definition(in.At(2)), m.Definition(in.At(3))
	var less bool
	switch in.Op {
	case OpFOrdLessThan, OpFUnordLessThan, OpFOrdLessThanEqual, OpFUnordLessThanEqual:
		less = true
	case OpFOrdGreaterThan, OpFUnordGreaterThan, OpFOrdGreaterThanEqual, OpFUnordGreaterThanEqual:
	default:
		return 0
	}
	if left.Op == OpConstant {
		right, less = left, !less
	}
	if c := float64(math.Float32frombits(right.At(2))); right.Op == OpConstant && less == want && c > 0 && c <= 1 {
		return c
	}
	return 0
}
