package interpret

import (
	"encoding/binary"
	"fmt"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// variable is the target of pointers: registers, or the bytes of blocks.
type variable struct {
	t       *typ // of its contents
	class   module.StorageClass
	at      int  // first register
	inBlock bool // whether it is a block, or an array of blocks
}

// pointer is a place within a variable. The variable is known at compile time, since variable pointers are
// not supported. `at` and strides count registers if the variable is in registers, and bytes if it is in a block.
type pointer struct {
	of    *variable
	id    uint32 // of the variable
	block int    // index into Draw.Blocks; -1 for registers and for an array of blocks
	t     *typ
	at    int64
	index []index // indices whose offsets the running shader adds to `at`

	matrixStride int64 // in blocks: stride of the matrices in t or around it
	rowMajor     bool
	apart        int64 // in blocks: bytes between components of a vector; 0 if contiguous
}

// index is an index computed at run time.
type index struct {
	value
	stride int64
	most   uint32 // larger and negative indices are clamped to this
	open   bool   // whether it indexes a runtime array; the block's size then bounds it instead of `most`
	begin  int64  // byte of the block at which that array begins
	narrow uint   // width in bits if value is signed and narrower than 32 bits; else 0
}

// key returns a text that is equal for two pointers to the same place in the same layout.
func (p *pointer) key() string {
	if p == nil {
		return " -"
	}
	return fmt.Sprint(" ", p.id, p.block, p.t.id, p.at, p.index, p.matrixStride, p.rowMajor, p.apart)
}

// pointer returns the pointer in an operand; false if the operand is a value.
func (f *frame) pointer(id uint32) (*pointer, bool) {
	if p, ok := f.pointers[id]; ok {
		return p, true
	}
	v, ok := f.variables[id]
	if !ok {
		return nil, false
	}
	p := &pointer{of: v, id: id, block: -1, t: v.t}
	if v.inBlock && v.t.kind == structure {
		p.block = f.blockOf(id, 0)
	}
	return p, true
}

// blockOf returns the index in Vertex.Blocks of a block, or of an element of an array of blocks.
func (c *compiler) blockOf(id, element uint32) int {
	n, ok := c.blockAt[[2]uint32{id, element}]
	if !ok {
		must.Fail("element %d of an array of blocks that does not have it", element)
	}
	return n
}

// mustPoint returns the pointer in an operand, or fails.
func (f *frame) mustPoint(id uint32) *pointer {
	p, ok := f.pointer(id)
	if !ok {
		must.Fail("id %d is no pointer", id)
	}
	return p
}

func (f *frame) chain(in module.Instruction) {
	p := *f.mustPoint(in.At(2))
	p.index = p.index[:len(p.index):len(p.index)]
	for _, id := range in.Operands[3:] {
		f.step(&p, id)
	}
	if t := f.of(in.At(0)); t.kind != pointerTo || t.elem != p.t {
		must.Fail("leads to %v, not to %v", p.t, t.elem)
	}
	f.pointers[in.Result()] = &p
}

// step follows one index of an access chain.
func (f *frame) step(p *pointer, id uint32) {
	t := p.t
	constant, known := f.v.Constant(id)
	switch t.kind {
	case structure:
		if !known || int64(constant) >= int64(len(t.members)) {
			must.Fail("member %d of %d", constant, len(t.members))
		}
		f.member(p, int(constant))
		return
	case array, openArray, matrix, vector:
	default:
		must.Fail("an index into a %v", t)
	}
	p.t = t.elem
	if p.of.inBlock && p.block < 0 { // an array of blocks
		if !known {
			must.Fail("an array of blocks whose index is not constant")
		}
		p.block = f.blockOf(p.id, constant)
		return
	}
	most, open := uint32(t.count-1), t.kind == openArray
	stride := f.stride(p, t)
	if known && !open {
		p.at += int64(min(constant, most)) * stride
		return
	}
	v := f.value(id)
	if v.t.kind != integer {
		must.Fail("an index of type %v", v.t)
	}
	x := index{value: v, stride: stride, most: most, open: open, begin: p.at}
	if v.t.signed && v.t.width < 32 {
		x.narrow = v.t.width
	}
	p.index = append(p.index, x)
}

// member moves a pointer from a struct to one of its members.
func (c *compiler) member(p *pointer, n int) {
	t := p.t
	p.t = t.members[n]
	if p.block < 0 {
		p.at += int64(t.places[n])
		return
	}
	offset, _ := c.v.Module.MemberDecoration(t.id, n, module.Offset)
	stride, _ := c.v.Module.MemberDecoration(t.id, n, module.MatrixStride)
	_, p.rowMajor = c.v.Module.MemberDecoration(t.id, n, module.RowMajor)
	p.at, p.matrixStride = p.at+int64(offset), int64(stride)
}

// stride returns the distance between the elements of t: bytes in a block, else registers. For a row-major matrix
// it sets p.apart.
func (c *compiler) stride(p *pointer, t *typ) int64 {
	if p.block < 0 {
		return int64(t.elem.words)
	}
	switch t.kind {
	case matrix:
		if p.rowMajor {
			p.apart = p.matrixStride
			return int64(t.elem.elem.width / 8)
		}
		return p.matrixStride
	case vector:
		if p.apart > 0 {
			return p.apart
		}
		return int64(t.elem.width / 8)
	}
	stride, _ := c.v.Module.Decoration(t.id, module.ArrayStride)
	return int64(stride)
}

// where returns the place to which a pointer points for the thread's vertex: a register of its variable, or a byte of its block.
func (p *pointer) where(t *thread) int64 {
	at := p.at
	for i := range p.index {
		x := &p.index[i]
		most := x.most
		if x.open {
			most = max(openLength(t.blocks[p.block], x.begin, x.stride), 1) - 1
		}
		n := t.r[x.at]
		if x.narrow > 0 {
			n = uint32(signed(uint64(n), x.narrow))
		}
		at += int64(min(n, most)) * x.stride
	}
	return at
}

// openLength returns the number of elements of the array at the end of a block.
func openLength(block []byte, begin, stride int64) uint32 {
	return uint32(max(int64(len(block))-begin, 0) / max(stride, 1))
}

// steady reports whether a pointer points to the same place for all vertices.
func (p *pointer) steady() bool {
	for i := range p.index {
		if !p.index[i].steady {
			return false
		}
	}
	return true
}

// span is a run of numbers in a block that are loaded into contiguous registers.
type span struct {
	to    int
	from  int64
	words int  // number of registers
	width uint // bits of each, stored contiguously; 64-bit numbers count as two of 32
}

// spans appends to `list` the spans that load the value at byte p.at of a block into the registers from `to` on.
func (c *compiler) spans(p pointer, to int, list []span) []span {
	switch t := p.t; t.kind {
	case integer, floating:
		s := span{to, p.at, t.words, min(t.width, 32)}
		if n := len(list); n > 0 && s.width == 32 && list[n-1].width == 32 {
			if last := &list[n-1]; last.to+last.words == s.to && last.from+4*int64(last.words) == s.from {
				last.words += s.words
				return list
			}
		}
		return append(list, s)
	case structure:
		for i := range t.members {
			part := p
			c.member(&part, i)
			list = c.spans(part, to+t.places[i], list)
		}
		return list
	case array, matrix, vector:
		stride := c.stride(&p, t)
		for i := range t.count {
			part := p
			part.t, part.at = t.elem, p.at+int64(i)*stride
			list = c.spans(part, to+i*t.elem.words, list)
		}
		return list
	}
	must.Fail("a %v in a block", p.t)
	return nil
}

func (s *span) load(r []uint32, data []byte, base int64) {
	from := base + s.from
	step := int64(s.width / 8)
	if from >= 0 && from+step*int64(s.words) <= int64(len(data)) && s.width == 32 {
		data, to := data[from:], r[s.to:s.to+s.words]
		for k := range to {
			to[k] = binary.LittleEndian.Uint32(data[4*k:])
		}
		return
	}
	for k := range s.words {
		r[s.to+k] = 0
		if at := from + step*int64(k); at >= 0 && at+step <= int64(len(data)) {
			for b := range step {
				r[s.to+k] |= uint32(data[at+b]) << (8 * b)
			}
		}
	}
}
