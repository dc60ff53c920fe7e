package module

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Vertex is a vertex shader of a module: what its entry point reads and writes, and the parts of
// the module that it reaches. Its specialization constants are frozen.
type Vertex struct {
	Module    *Module
	Entry     EntryPoint
	Functions []Function      // the entry point's own first, then those that it reaches
	Body      []Instruction   // of all Functions, one after another
	Globals   []Instruction   // types, constants and variables that Functions need, in the module's order
	Used      map[uint32]bool // all ids that occur in Body and Globals

	Inputs          []Variable // by location; without built-ins
	Outputs         []Variable // by location; without built-ins
	BuiltIns        []Variable // inputs, by number
	Position        Variable   // output
	ClipDistance    Variable   // output; Type is nil if nothing writes it
	CullDistance    Variable   // output; Type is nil if nothing writes it
	Blocks          []Block
	Specializations []SpecConstant    // by ID
	Given           map[uint32]uint32 // bits of the specialization constants that the caller set, by number

	images    map[uint32]uint32 // variables of images, by their ids and the ids of values loaded from them
	sampled   map[uint32]bool   // variables of images that are filtered
	constants map[uint32]uint32
	plain     *typeReader // reads types outside of blocks, such as those of inputs and outputs
	laidOut   *typeReader // reads types of blocks
}

// Variable is an input or an output.
type Variable struct {
	Name                string
	ID                  uint32 // of the variable
	Member              int    // of its struct; -1 if it is not a member
	Location, Component uint32
	BuiltIn             BuiltIn
	Flat                bool // of an output: not interpolated
	Type                *Type
}

// BlockKind is how a shader declares a block of values.
type BlockKind uint8

// The kinds of blocks.
const (
	UniformBlock  BlockKind = iota + 1
	StorageBlock            // read only
	PushConstants           // Set and Binding are 0
	FetchedImage            // an image, or a texel buffer: see blocks.go
)

// String returns the kind as used in messages.
func (k BlockKind) String() string {
	return [...]string{"", "uniform block", "storage block", "push constants", "image"}[k]
}

// Block is a block of values that the shader reads. Each element of an array of blocks is a
// block.
type Block struct {
	Name         string // of the variable, or of its type
	Kind         BlockKind
	ID           uint32 // of the variable
	Set, Binding uint32
	Legacy       bool   // whether it is a storage block with storage class Uniform, as before SPIR-V 1.3
	Array        bool   // whether it is in an array of blocks
	Element      uint32 // its index in the array
	Gathered     bool   // whether it replaces an array of blocks whose index is not constant: see gathered
	Type         *Type  // a Struct
	Size         int    // bytes, up to a runtime array at the end
	Align        int    // bytes: copies of the block begin at multiples of this
	Open         bool   // whether it ends in a runtime array
}

// Filtered reports whether an image is filtered, not only fetched from.
func (b Block) Filtered() bool {
	return b.Kind == FetchedImage && slices.ContainsFunc(b.Type.Members, func(m Member) bool { return m.Offset == 8 })
}

// Stride returns the distance in bytes between contiguous copies of the block.
func (b Block) Stride() int { return (max(b.Size, 1) + b.Align - 1) / b.Align * b.Align }

// Elements returns how many elements of an open block's array fit the given number of bytes.
func (b Block) Elements(bytes int) int {
	last := b.Type.Members[len(b.Type.Members)-1]
	return max(0, bytes-last.Offset) / last.Type.Stride
}

// Least returns the block's smallest size in bytes: an open block's array then has one element.
func (b Block) Least() int {
	if !b.Open {
		return b.Size
	}
	last := b.Type.Members[len(b.Type.Members)-1]
	return last.Offset + last.Type.Stride
}

const (
	maxVariables  = 1 << 8 // more than a device supports
	maxBlockArray = 1 << 10
	maxLocations  = 64
	minAlign      = 16 // bytes
)

// ReadVertex decodes a module and describes its vertex entry point, as Vertex does.
func ReadVertex(code []uint32, entry string, specialization map[uint32]uint32) (*Vertex, error) {
	m, err := Decode(code)
	if err != nil {
		return nil, err
	}
	return m.Vertex(entry, specialization)
}

// Vertex describes the vertex entry point with the given name; an empty name means the only one.
// specialization holds the bits of specialization constants by number; others keep their
// defaults. It is an error if the shader does what we do not support where a compute shader runs
// it, such as stores to buffers and subgroup operations.
func (m *Module) Vertex(entry string, specialization map[uint32]uint32) (_ *Vertex, err error) {
	defer must.Catch(&err)
	m = must.Get(m.gathered(m.constants(specialization)))
	v := &Vertex{Module: m, Used: map[uint32]bool{}, Given: specialization, constants: m.constants(specialization)}
	v.plain = &typeReader{m: m, values: v.constants, known: map[uint32]*Type{}}
	v.laidOut = &typeReader{m: m, values: v.constants, known: map[uint32]*Type{}, laidOut: true}
	v.findEntry(entry)
	v.reach()
	v.findImages()
	v.refuse()
	v.checkParts()
	v.boundMemory()
	v.readVariables()
	v.readSpecializations()
	return v, nil
}

// Constant returns the value of a scalar constant of at most 32 bits, by its id; false if it is not known.
func (v *Vertex) Constant(id uint32) (uint32, bool) {
	value, ok := v.constants[id]
	return value, ok
}

func (v *Vertex) findEntry(name string) {
	var names []string
	for _, e := range v.Module.EntryPoints() {
		if name != "" && e.Name == name && e.Stage != VertexStage {
			must.Fail("entry point %q is a %s shader, not a vertex shader", name, e.Stage)
		}
		if e.Stage == VertexStage && (name == "" || e.Name == name) {
			names = append(names, fmt.Sprintf("%q", e.Name))
			v.Entry = e
		}
	}
	switch {
	case len(names) == 0 && name != "":
		must.Fail("no entry point %q", name)
	case len(names) == 0:
		must.Fail("no entry point of the vertex stage")
	case len(names) > 1:
		must.Fail("%d entry points of the vertex stage, %s: name one", len(names), names)
	}
}

// reach finds the functions that the entry point calls, and the ids and globals that they use.
func (v *Vertex) reach() {
	byID := map[uint32]Function{}
	for _, f := range v.Module.Functions {
		byID[f.ID] = f
	}
	reached, callers := map[uint32]bool{v.Entry.Function: true}, map[uint32]int{}
	for queue := []uint32{v.Entry.Function}; len(queue) > 0; queue = queue[1:] {
		f, ok := byID[queue[0]]
		if !ok {
			must.Fail("id %d is called but is not a function", queue[0])
		}
		v.Functions, v.Body = append(v.Functions, f), append(v.Body, f.Body...)
		for _, in := range f.Body {
			v.use(in)
			if callee := in.At(2); in.Op == OpFunctionCall {
				if callers[callee]++; !reached[callee] {
					reached[callee] = true
					queue = append(queue, callee)
				}
			}
		}
	}
	for _, in := range slices.Backward(v.Module.Globals) {
		if v.Used[in.Result()] {
			v.use(in)
			v.Globals = append(v.Globals, in)
		}
	}
	slices.Reverse(v.Globals)
	v.checkRecursion(byID, callers)
}

func (v *Vertex) use(in Instruction) {
	for _, at := range v.Module.References(in) {
		v.Used[in.Operands[at]] = true
	}
}

// checkRecursion fails if a function is recursive. It repeatedly removes a function that no remaining
// function calls; if some cannot be removed, a function calls itself. callers counts the calls to each function.
func (v *Vertex) checkRecursion(byID map[uint32]Function, callers map[uint32]int) {
	if callers[v.Entry.Function] > 0 {
		must.Fail("a function calls the entry point")
	}
	entry := v.Functions[0].Body
	if v.Module.Definition(entry[0].Type()).Op != OpTypeVoid || entry[1].Op == OpFunctionParameter {
		must.Fail("the entry point has a result or parameters")
	}
	var order []Function // callers first
	for queue := []uint32{v.Entry.Function}; len(queue) > 0; queue = queue[1:] {
		order = append(order, byID[queue[0]])
		for _, in := range byID[queue[0]].Body {
			if callee := in.At(2); in.Op == OpFunctionCall {
				if callers[callee]--; callers[callee] == 0 {
					queue = append(queue, callee)
				}
			}
		}
	}
	if len(order) < len(v.Functions) {
		must.Fail("a function calls itself")
	}
	boundCalls(order)
}

// readVariables describes the variables that the functions use.
func (v *Vertex) readVariables() {
	shared := 0
	for _, in := range v.Globals {
		if in.Op != OpVariable {
			continue
		}
		if StorageClass(in.At(2)) != Private {
			shared++
		}
		if shared > maxVariables {
			must.Fail("more than %d inputs, outputs and blocks", maxVariables)
		}
		pointer := v.Module.Definition(in.At(0))
		class := StorageClass(in.At(2))
		if pointer.Op != OpTypePointer || StorageClass(pointer.At(1)) != class {
			must.Fail("variable %d: its type has another storage class", in.Result())
		}
		v.readVariable(in.Result(), pointer.At(2), class)
	}
	if v.Position.Type == nil {
		must.Fail("writes no Position")
	}
	byPlace := func(a, b Variable) int {
		return cmp.Or(cmp.Compare(a.Location, b.Location), cmp.Compare(a.Component, b.Component))
	}
	slices.SortStableFunc(v.Inputs, byPlace)
	slices.SortStableFunc(v.Outputs, byPlace)
	slices.SortStableFunc(v.BuiltIns, func(a, b Variable) int { return cmp.Compare(a.BuiltIn, b.BuiltIn) })
	slices.SortStableFunc(v.Blocks, func(a, b Block) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Set, b.Set), cmp.Compare(a.Binding, b.Binding), cmp.Compare(a.Element, b.Element))
	})
}

func (v *Vertex) readVariable(id, typeID uint32, class StorageClass) {
	defer must.Place("%s", v.variableName(id, typeID))
	switch class {
	case Input, Output:
		v.interfaceVariable(id, typeID, class)
	case Uniform, StorageBuffer, PushConstant:
		v.readBlocks(id, typeID, class)
	case UniformConstant:
		v.readImage(id)
	}
}

func (v *Vertex) variableName(id, typeID uint32) string {
	return cmp.Or(v.Module.Name(id), v.Module.Name(typeID), fmt.Sprintf("variable %d", id))
}

// interfaceVariable adds an input or output; it adds a struct's members one by one.
func (v *Vertex) interfaceVariable(id, typeID uint32, class StorageClass) {
	t := v.plain.read(typeID)
	m := v.Module
	whole := Variable{Name: v.variableName(id, typeID), ID: id, Member: -1, Type: t}
	location, located := m.Decoration(id, Location)
	_, whole.Flat = m.Decoration(id, Flat)
	if t.Kind != Struct {
		whole.Location, whole.Component = location, first(m.Decoration(id, Component))
		builtIn, isBuiltIn := m.Decoration(id, BuiltInVariable)
		v.place(whole, class, BuiltIn(builtIn), isBuiltIn, located)
		return
	}
	for n, field := range t.Members {
		one := Variable{Name: whole.Name + "." + field.Name, ID: id, Member: n, Type: field.Type}
		_, flat := m.MemberDecoration(t.ID, n, Flat)
		one.Flat = flat || whole.Flat
		own, hasOwn := m.MemberDecoration(t.ID, n, Location)
		if hasOwn {
			location = own
		}
		one.Location, one.Component = location, first(m.MemberDecoration(t.ID, n, Component))
		location += uint32(field.Type.Locations())
		builtIn, isBuiltIn := m.MemberDecoration(t.ID, n, BuiltInVariable)
		v.place(one, class, BuiltIn(builtIn), isBuiltIn, located || hasOwn)
	}
}

func first(value uint32, _ bool) uint32 { return value }

// place adds an input or output to v.Inputs, v.Outputs or v.BuiltIns; the position and distances have their own fields.
func (v *Vertex) place(one Variable, class StorageClass, builtIn BuiltIn, isBuiltIn, located bool) {
	switch {
	case isBuiltIn && class == Input:
		one.BuiltIn = builtIn
		if !slices.Contains([]BuiltIn{VertexID, InstanceID, VertexIndex, InstanceIndex, BaseVertex, BaseInstance, DrawIndex, DeviceIndex, ViewIndex}, builtIn) {
			must.Fail("built-in %s is not supported", builtIn)
		}
		if (one.Type.Kind != Int && one.Type.Kind != Uint) || one.Type.Width != 32 || one.Member >= 0 {
			must.Fail("%s is %s, not int", builtIn, one.Type)
		}
		v.BuiltIns = append(v.BuiltIns, one)
	case isBuiltIn:
		switch one.BuiltIn = builtIn; {
		case builtIn == ClipDistance || builtIn == CullDistance:
			v.placeDistance(one)
		case builtIn == Position && one.Type.String() != "vec4":
			must.Fail("built-in Position is %s, not vec4", one.Type)
		case builtIn == Position:
			v.Position = one
		}
	case !located:
		must.Fail("neither a location nor a built-in variable")
	case class == Output:
		v.Outputs = append(v.Outputs, one)
	default:
		v.placeInput(one)
	}
}

func (v *Vertex) placeInput(one Variable) {
	scalar := one.Type.Scalar()
	switch {
	case scalar == nil || one.Member >= 0:
		must.Fail("an input that is a struct")
	case scalar.Kind == Bool:
		must.Fail("an input of %s", one.Type)
	case scalar.Width > 32:
		must.Fail("an input of %s: inputs of 64 bits are not supported", one.Type)
	case one.Location >= maxLocations || one.Type.Locations() > maxLocations-int(one.Location):
		must.Fail("%s at location %d takes more than the %d locations available", one.Type, one.Location, maxLocations)
	}
	v.Inputs = append(v.Inputs, one)
}

// readSpecializations lists the specialization constants that the functions use.
func (v *Vertex) readSpecializations() {
	for _, in := range v.Globals {
		number, ok := v.Module.Decoration(in.Result(), SpecID)
		if !ok || in.Op.Class() != "Constant" {
			continue
		}
		t := v.plain.read(in.Type())
		if _, named := v.Given[number]; named && t.Width > 32 {
			must.Fail("specialization constant %d has %d bits", number, t.Width)
		}
		s := SpecConstant{ID: number, Name: v.Module.Name(in.Result()), Kind: t.Kind}
		if in.Op == OpSpecConstantTrue || in.Op == OpSpecConstant {
			s.Default = max(in.At(2), truth(in.Op == OpSpecConstantTrue))
		}
		v.Specializations = append(v.Specializations, s)
	}
	slices.SortStableFunc(v.Specializations, func(a, b SpecConstant) int { return cmp.Compare(a.ID, b.ID) })
}
