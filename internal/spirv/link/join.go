// Package link turns vertex shaders, as compilers write them for Vulkan, into functions
// and joins them with the module of a pass, which is the host. The host calls
//
//	vec4 custom_vertex(uint draw, uint vertex, uint id, mat4 clip, out vec4 shown)
//
// whose body Join replaces: the new one looks up which program shades the draw, fetches
// the program's inputs, calls its entry point and returns the position that it wrote.
// docs/design/vertex-shaders.md says how.
//
// What the host has to declare, by name:
//
//   - uvec4 custom_fetch(uint format, uint firstByte, uint element): the bits of the four
//     components of an attribute's element, in buffer AttributeWords { uint attributeWords[]; }
//   - buffer Positions { float positions[]; } and Normals: three floats per vertex of the
//     pool
//   - buffer Shadings { uint shadings[]; }: a record per draw
//   - buffer Values: contents of blocks, which Join declares again at the same binding
//   - uniform Uniforms, if a program's block lies in it: Join declares it again likewise
//   - buffer Skin { uvec2 skin[]; }, if an input reads it: an element per vertex of the pool
//
// Functions that the entry point does not reach any more are left out.
//
// The package is pure Go and knows no Vulkan device.
package link

import (
	"slices"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// Join replaces the body of custom_vertex in the host with one that runs programs. The host's
// draws refer to them by their index in programs. The joined module has the host's version, and the
// host's interface plus what l and the programs need; the second result lists its capabilities.
func Join(host []uint32, programs []Program, l Layout) (_ []uint32, _ []module.Capability, err error) {
	defer must.Catch(&err)
	m, parts := readHost(host)
	if len(programs) == 0 {
		must.Fail("no vertex shader to join")
	}
	if !l.Trusted && l.Words < RecordSlots {
		must.Fail("records of %d words, fewer than %d", l.Words, RecordSlots)
	}
	j := newJoined(m)
	j.valuesSet, j.valuesBinding, j.uniforms = parts.values.set, parts.values.binding, parts.uniforms
	j.removeStub(parts.stub)
	var copied []*copier
	for n, p := range programs {
		check(p, l)
		checkUniforms(p, parts.uniforms)
		c := newCopier(j, n, p)
		c.trusted = l.Trusted
		c.precise = l.Precise || slices.ContainsFunc(p.Vertex.Module.Head, invariant)
		c.copy()
		copied = append(copied, c)
	}
	call := &caller{writer: writer{joined: j}, host: parts, layout: l}
	if l.LoopEnds != 0 {
		call.loopEnds = j.declareBuffer(module.StorageBuffer, l.LoopEnds, 0, j.uintType())
		j.name(call.loopEnds, "loopEnds")
	}
	call.declareDistances()
	call.write(copied)
	j.functions = append(j.functions, call.out...)
	j.prune()
	return j.words(), j.capabilities, nil
}

// invariant reports whether an instruction requires that an output has the same bits in all
// pipelines.
func invariant(in module.Instruction) bool {
	return in.Op == module.OpDecorate && module.Decoration(in.At(1)) == module.Invariant ||
		in.Op == module.OpMemberDecorate && module.Decoration(in.At(2)) == module.Invariant
}

// removeStub copies all functions of the host except the stub, whose ids it records as removed.
func (j *joined) removeStub(stub module.Function) {
	for _, f := range j.host.Functions {
		if f.ID != stub.ID {
			j.functions = append(j.functions, f.Body...)
			continue
		}
		for _, in := range f.Body {
			if in.Op != module.OpFunction && in.Op != module.OpFunctionParameter && in.Result() != 0 {
				j.removed[in.Result()] = true
			}
		}
	}
}

// check fails if a program cannot be joined.
func check(p Program, l Layout) {
	for _, in := range p.Vertex.Inputs {
		checkInput(p, in)
	}
	if len(p.Blocks) != len(p.Vertex.Blocks) {
		must.Fail("places for %d blocks, not %d", len(p.Blocks), len(p.Vertex.Blocks))
	}
	for i, b := range p.Vertex.Blocks {
		at := p.Blocks[i]
		if at.Slot != 0 && (at.Slot < RecordSlots || at.Slot >= l.Words) {
			must.Fail("block %s has its slot at word %d of records of %d", b.Name, at.Slot, l.Words)
		}
		if b.Open && b.Kind != module.FetchedImage && at.Elements < 1 && !l.Trusted {
			must.Fail("block %s has no element of the array that it ends in", b.Name)
		}
		if at.Base%uint32(b.Align) != 0 {
			must.Fail("block %s begins at byte %d, not a multiple of %d", b.Name, at.Base, b.Align)
		}
	}
	if o, ok := p.Vertex.Part(l.Shown); ok && !o.Shows() {
		must.Fail("output %s is %s, which is not a single value that can be shown", l.Shown, o.Of)
	}
}

const version13 = 0x10300 // SPIR-V 1.3, the first version with storage buffers

// hostParts are the parts of the host that programs use.
type hostParts struct {
	stage        module.Stage
	stub         module.Function
	parameters   []uint32 // of custom_vertex: draw, vertex, id, clip, shown
	stubPointers bool     // whether draw, vertex, id and clip are pointers

	fetch         uint32 // id of the function
	fetchPointers bool   // whether its parameters are pointers

	positions, normals, attributes, shadings, values buffer
	uniforms, skin                                   *buffer // nil if there is none
}

// buffer is a storage or uniform buffer of the host.
type buffer struct {
	variable     uint32
	class        module.StorageClass
	set, binding uint32
}

func readHost(words []uint32) (m *module.Module, p hostParts) {
	defer must.Place("host")
	m = must.Get(module.Decode(words))
	if m.Version < version13 {
		must.Fail("the version is before 1.3")
	}
	for _, e := range m.EntryPoints() {
		p.stage = e.Stage
	}
	fetch := hostNamed(m, "custom_fetch")
	p.stub, p.fetch = hostNamed(m, "custom_vertex"), fetch.ID
	p.parameters, p.stubPointers = parameters(m, p.stub, 5)
	_, p.fetchPointers = parameters(m, fetch, 3)
	for name, b := range map[string]*buffer{"Positions": &p.positions, "Normals": &p.normals, "AttributeWords": &p.attributes, "Shadings": &p.shadings, "Values": &p.values} {
		found := findBuffer(m, name)
		if found == nil {
			must.Fail("no buffer %s", name)
		}
		*b = *found
	}
	p.uniforms, p.skin = findBuffer(m, "Uniforms"), findBuffer(m, "Skin")
	return m, p
}

// parameters returns the ids of a function's n parameters. The first three must be all uints or, with
// pointers true, all pointers to uints.
func parameters(m *module.Module, f module.Function, n int) (ids []uint32, pointers bool) {
	for _, in := range f.Body {
		if in.Op == module.OpFunctionParameter {
			ids = append(ids, in.Result())
		}
	}
	if len(ids) != n {
		must.Fail("%s has %d parameters, not %d", m.Name(f.ID), len(ids), n)
	}
	for i, id := range ids[:3] {
		t := m.Definition(m.Definition(id).Type())
		pointer := t.Op == module.OpTypePointer
		if pointer {
			t = m.Definition(t.At(2))
		}
		if t.Op != module.OpTypeInt || t.At(1) != 32 || i > 0 && pointer != pointers {
			must.Fail("%s: parameter %d is not a uint like the others", m.Name(f.ID), i)
		}
		pointers = pointer
	}
	return ids, pointers
}

// findBuffer finds a buffer by the name of its block; nil if there is none.
func findBuffer(m *module.Module, name string) *buffer {
	for _, in := range m.Globals {
		if in.Op != module.OpVariable {
			continue
		}
		pointer := m.Definition(in.At(0))
		set, _ := m.Decoration(in.Result(), module.DescriptorSet)
		binding, bound := m.Decoration(in.Result(), module.Binding)
		if bound && m.Name(pointer.At(2)) == name {
			return &buffer{in.Result(), module.StorageClass(in.At(2)), set, binding}
		}
	}
	return nil
}

// Execution modes of mesh shaders.
const (
	modeVertices   = 26
	modePrimitives = 5270
)

// SizeOutputs changes how many vertices and primitives a mesh shader declares, which no
// specialization constant can. Devices give each workgroup memory for the declared numbers: if they
// are larger than needed, fewer workgroups run at a time.
func SizeOutputs(words []uint32, vertices, primitives uint32) (_ []uint32, err error) {
	defer must.Catch(&err)
	m := must.Get(module.Decode(words))
	wanted := map[uint32]uint32{} // the new numbers, by the number that the module declares
	for _, in := range m.Head {
		switch {
		case in.Op == module.OpExecutionMode && in.At(1) == modeVertices:
			wanted[in.At(2)] = vertices
		case in.Op == module.OpExecutionMode && in.At(1) == modePrimitives:
			wanted[in.At(2)] = primitives
		}
	}
	if len(wanted) != 2 {
		must.Fail("no mesh shader that declares two numbers of outputs")
	}
	arrays := map[uint32]bool{}
	for _, in := range m.Globals {
		if in.Op == module.OpVariable && module.StorageClass(in.At(2)) == module.Output {
			arrays[m.Definition(in.At(0)).At(2)] = true
		}
	}
	out, bound := append([]uint32(nil), words[:module.HeaderWords]...), m.Bound
	put := func(op module.Op, operands ...uint32) {
		out = append(append(out, uint32(len(operands)+1)<<16|uint32(op)), operands...)
	}
	for at := module.HeaderWords; at < len(words); at += int(words[at] >> 16) {
		in := module.Instruction{Op: module.Op(words[at]), Operands: words[at+1 : at+int(words[at]>>16)]}
		length := m.Definition(in.At(2)) // of an array type
		number, sized := wanted[length.At(2)]
		switch {
		case in.Op == module.OpExecutionMode && (in.At(1) == modeVertices || in.At(1) == modePrimitives):
			put(in.Op, in.At(0), in.At(1), wanted[in.At(2)])
		case in.Op == module.OpTypeArray && arrays[in.At(0)] && sized:
			put(module.OpConstant, length.At(0), bound, number)
			put(in.Op, in.At(0), in.At(1), bound)
			bound++
		default:
			put(in.Op, in.Operands...)
		}
	}
	out[3] = bound
	return out, nil
}

// Positions of the words of a draw's record in Shadings.
const (
	RecordProgram      = 0 // index into the programs of Join
	RecordBaseVertex   = 1
	RecordBaseInstance = 2
	RecordInstance     = 3 // includes BaseInstance
	RecordDrawIndex    = 4
	RecordDistances    = 5  // index in the buffer at Layout.Stored of the first distance of the draw's vertex 0
	RecordClip         = 8  // 16 floats, column by column: the matrix by which positions are multiplied
	RecordSlots        = 24 // one word per block that has several copies
)

// HostBuffers are the buffers of the host that trusted programs do not read.
var HostBuffers = []string{"AttributeWords", "Shadings", "Values", "Uniforms"}

// Layout describes the host's buffers.
type Layout struct {
	Words int  // size of a draw's record in words: RecordSlots, plus one per slot
	Clip  bool // whether positions are multiplied by the record's matrix; otherwise it is not read
	// Precise forbids drivers to fuse a program's multiplications with its additions. Otherwise they may fuse
	// different ones in each pipeline, so that results differ. If a program has an invariant output, this is
	// always forbidden.
	Precise bool
	// Trusted is for a program whose data come from the host's own author. There are no records,
	// indices are not clamped, and specialization constants stay.
	Trusted bool
	// Shown names the output that the parameter shown receives; programs without such an output give it 0.
	// If Shown is empty, the parameter receives the sum of all outputs, so that drivers do not optimize
	// any of them away.
	Shown string
	// LoopEnds is the binding of a buffer of one uint in the set of Values; 0 means that there is none.
	// If a program's loops had to be stopped at their limit, the buffer receives 1 + the program's index.
	LoopEnds uint32
	// Distances are the largest numbers of distances that any program writes. If the host is a vertex shader,
	// distances are its outputs; otherwise they go to the buffer at binding Stored, in the set of Values:
	// Distances.Total floats for each vertex of a draw, clip distances first.
	Distances module.Distances
	Stored    uint32
	// If Scale is not 0, the shown value is multiplied by Scale, and Offset is added.
	Scale, Offset float32
}

// Program is a decoded vertex shader and what its inputs read. The reader of the file makes it;
// scenes and plans pass it on to Join. Several programs may share one Vertex.
type Program struct {
	Name   string // for messages: a file, or a pipeline of the game
	Vertex *module.Vertex
	Source string        // its GLSL if a captured frame has it, or empty
	Inputs []Input       // a matrix or an array reads several locations
	Blocks []BlockLayout // one for each of Vertex.Blocks; the host's planner sets it
}

// Input is the source of the data that a location reads.
type Input struct {
	Location  uint32
	Attribute int                 // number of the attribute, or one of the negative values below
	Format    vertexformat.Format // format of an element, as large as the attribute's; in a scene 0 means the attribute's own

	Value [4]uint32 // bits of the components, of FromConstant

	// The host's planner sets these, for attributes.
	FirstByte uint32 // of element 0
	PerDraw   bool   // one element per draw; otherwise per vertex of the pool
}

// Values of Input.Attribute for data other than attributes.
const (
	FromPositions = -1 - iota // the pool's positions: three floats per vertex
	FromNormals               // the pool's normals: three floats per vertex
	FromSkin                  // the host's buffer Skin: two numbers
	FromClip                  // parameter clip of custom_vertex: the matrix from model to clip space
	FromConstant              // Input.Value, for all vertices
)

// input returns the last of Inputs for a location; false if there is none.
func (p *Program) input(location uint32) (Input, bool) {
	for _, in := range slices.Backward(p.Inputs) {
		if in.Location == location {
			return in, true
		}
	}
	return Input{}, false
}

// BlockLayout says where a block's contents are.
type BlockLayout struct {
	// Copies are contiguous in Values, module.Block.Stride bytes apart, from byte Base on, which
	// is a multiple of module.Block.Align. Word Slot of the draw's record selects the copy; Slot 0
	// means that all draws read the first.
	Base uint32
	Slot int
	// Copies is the number of copies if they are in Uniforms instead, where devices read faster.
	// It is 0 if they are in Values. All uniform blocks of a program must be in the same place, and
	// so must all push constants. InUniforms reports which blocks may be in Uniforms.
	Copies int
	// Blocks that end in a runtime array (module.Block.Open) are read from their own
	// binding, in the set of Values. The buffer there holds Elements elements of the array.
	Binding  uint32
	Elements int
	// Images (module.FetchedImage) are in Values too, each as long as necessary. Word Slot of the
	// draw's record is the position of the image's header, in units of 16 bytes; if Slot is 0, the
	// header is at byte Base for all draws.
}
