package renderdoc

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// program says what a stage's shader reads, or why it cannot be run.
type program struct {
	why    string
	vertex *module.Vertex
	sum    [sha256.Size]byte // hash of its code, entry point and specialization
	inputs []programInput
	blocks []programBlock

	readsIDs  bool // whether the shader reads VertexIndex
	readsBase bool // whether the shader reads BaseVertex
}

type programInput struct {
	location uint32 // location in the module
	bound    uint32 // location in the API's vertex input, which differs for GLSL only
	class    vertexformat.Class
	name     string
}

type programBlock struct {
	*module.Block
	name   string             // name of the block's type, or of the image
	size   int64              // size in bytes, up to a runtime array at the end
	leaves []leaf             // the uniforms in the block if it is defaultBlock; nil for other blocks
	class  vertexformat.Class // class of an image's texels
}

// leaf is a number, vector or matrix among the uniforms that the compiler puts into defaultBlock.
type leaf struct {
	location      int64
	at            int64
	columns, rows int64
	stride        int64 // bytes from one column to the next or, if `across` is set, from one row to the next
	across        bool  // rows are contiguous, not columns
}

// Bounds of a shader and of the values that one draw reads.
const (
	maxCode   = 4 << 20
	maxValues = 64 << 20
)

// reflect determines what the shader of a stage reads, or why it cannot be run.
func (r *runner) reflect(s *stage) *program {
	if s.program != nil {
		return s.program
	}
	p := &program{why: s.why}
	s.program = p
	if p.why == "" {
		p.why = attempt(func() { r.decode(s, p) })
	}
	return p
}

func (r *runner) decode(s *stage, p *program) {
	code := r.code("vert", s.source, s.code)
	r.work(compileSteps + 64*int64(len(code)))
	must.OK(r.budget.Memory(codeFactor * int64(len(code))))
	m, err := module.Decode(code)
	if err == nil {
		m, err = m.Limited(module.LoopLimit)
	}
	if err != nil {
		leaveOut("its shader is damaged: %v", err)
	}
	special := r.specialization(s)
	v, err := m.Vertex(s.entry, special)
	if err != nil {
		leaveOut("its shader: %v", err)
	}
	if s.source != "" { // OpenGL clips by these distances only while the game enables it, and we do not track that
		v.ClipDistance, v.CullDistance = module.Variable{}, module.Variable{}
	}
	h := sha256.New()
	_ = binary.Write(h, binary.LittleEndian, code) // writing to a hash cannot fail
	fmt.Fprintf(h, "%q %v", s.entry, special)
	p.vertex = v
	copy(p.sum[:], h.Sum(nil))
	for _, in := range v.Inputs {
		p.addInput(s, in)
	}
	for _, b := range v.BuiltIns {
		p.readsIDs = p.readsIDs || b.BuiltIn == module.VertexIndex || b.BuiltIn == module.VertexID
		p.readsBase = p.readsBase || b.BuiltIn == module.BaseVertex
	}
	for _, b := range v.Blocks {
		p.blocks = append(p.blocks, newBlock(s, &b))
	}
}

// The cost of compiling and analyzing a shader.
const (
	compileSteps = 1 << 20
	glslSteps    = 16 << 20
	codeFactor   = 64 // bytes of memory per word of code
)

// code returns the shader as SPIR-V.
func (r *runner) code(stage, source string, code blob) []uint32 {
	if source != "" {
		c := r.compiled[[2]string{stage, source}]
		must.OK(context.Cause(r.ctx))
		if c.err != nil {
			leaveOut("%v", c.err)
		}
		return c.code
	}
	bytes, found := r.blob(code, maxCode)
	if !found {
		leaveOut("its shader is not in the capture")
	}
	words, err := module.Words(bytes)
	if err != nil {
		leaveOut("its shader is damaged: %v", err)
	}
	return words
}

// blob returns the bytes of a blob; found is false if they are not all in the zip file, or are more than `most`.
func (r *runner) blob(what blob, most int64) (bytes []byte, found bool) {
	if what.length > most {
		return nil, false
	}
	must.OK(r.budget.Memory(what.length))
	bytes = make([]byte, 0, what.length)
	found = r.blobs.stream(what, what.length, func(_ int64, piece []byte) { bytes = append(bytes, piece...) })
	return bytes, found && int64(len(bytes)) == what.length
}

// specialization returns the bits of the stage's specialization constants.
func (r *runner) specialization(s *stage) map[uint32]uint32 {
	if len(s.special) == 0 {
		return nil
	}
	data, found := r.blob(s.data, 1<<20)
	if !found {
		leaveOut("its specialization is not in the capture")
	}
	must.OK(r.budget.Memory(64 * int64(len(s.special))))
	constants := make(map[uint32]uint32, len(s.special))
	for _, c := range s.special {
		if c.offset < 0 || c.size < 1 || c.offset > int64(len(data)) || c.size > int64(len(data))-c.offset {
			leaveOut("its specialization lies outside its data")
		}
		if c.size > 4 {
			leaveOut("a specialization constant of 64 bits")
		}
		var bits [4]byte
		copy(bits[:], data[c.offset:][:c.size])
		constants[c.id] = binary.LittleEndian.Uint32(bits[:])
	}
	return constants
}

// addInput adds an input, which takes a location for each column of a matrix and each element of
// an array.
func (p *program) addInput(s *stage, in module.Variable) {
	bound := in.Location
	if s.rename != nil {
		var ok bool
		if bound, ok = s.rename(in.Name); !ok {
			leaveOut("the location of attribute %s is not in the capture", in.Name)
		}
	}
	class := classOf(in.Type.Scalar())
	for k := range uint32(in.Type.Locations()) {
		p.inputs = append(p.inputs, programInput{in.Location + k, max(bound, bound+k), class, in.Name})
	}
}

// classOf returns the class of the formats that a shader input of the given type can read.
func classOf(t *module.Type) vertexformat.Class {
	switch t.Kind {
	case module.Int:
		return vertexformat.Sint
	case module.Uint:
		return vertexformat.Uint
	}
	return vertexformat.Float
}

func newBlock(s *stage, b *module.Block) programBlock {
	out := programBlock{Block: b, name: b.Type.Name, size: int64(b.Size)}
	if b.Kind == module.FetchedImage {
		texels := b.Type.Members[len(b.Type.Members)-1].Type
		out.name, out.class = b.Name, classOf(texels.Scalar())
	}
	if s.uniforms != nil && out.name == defaultBlock {
		for _, m := range b.Type.Members {
			out.addLeaves(s, m.Name, int64(m.Offset), m, m.Type)
		}
	}
	return out
}

// addLeaves finds the uniforms that make up a member of a block.
func (b *programBlock) addLeaves(s *stage, name string, at int64, m module.Member, t *module.Type) {
	switch {
	case t.Kind == module.Struct:
		for _, inner := range t.Members {
			b.addLeaves(s, name+"."+inner.Name, at+int64(inner.Offset), inner, inner.Type)
		}
	case t.Kind == module.Array && (t.Elem.Kind == module.Struct || t.Elem.Kind == module.Array):
		for k := range int64(t.Count) {
			b.addLeaves(s, fmt.Sprintf("%s[%d]", name, k), at+k*int64(t.Stride), m, t.Elem)
		}
	case t.Kind == module.Array:
		for k, location := range s.uniforms(name) {
			if k < t.Count {
				b.addLeaf(location, at+int64(k*t.Stride), m, t.Elem)
			}
		}
	default:
		if places := s.uniforms(name); len(places) > 0 {
			b.addLeaf(places[0], at, m, t)
		}
	}
}

func (b *programBlock) addLeaf(location, at int64, m module.Member, t *module.Type) {
	l := leaf{location: location, at: at, columns: 1, rows: 1, stride: int64(m.MatrixStride), across: m.RowMajor}
	switch t.Kind {
	case module.Vector:
		l.rows = int64(t.Count)
	case module.Matrix:
		l.columns, l.rows = int64(t.Count), int64(t.Elem.Count)
	}
	b.leaves = append(b.leaves, l)
}

// fill copies the uniforms, which are stored by location, into the block.
func (b *programBlock) fill(block, uniforms []byte) {
	for _, l := range b.leaves {
		for c := range l.columns {
			for r := range l.rows {
				from, to := l.location*uniformBytes+4*(c*l.rows+r), l.at+c*l.stride+4*r
				if l.across {
					to = l.at + r*l.stride + 4*c
				}
				if from+4 <= int64(len(uniforms)) && to+4 <= int64(len(block)) {
					copy(block[to:to+4], uniforms[from:from+4])
				}
			}
		}
	}
}
