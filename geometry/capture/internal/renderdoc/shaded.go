package renderdoc

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/vertexformat"
	"github.com/shadeonce/shadeonce/internal/must"
	"github.com/shadeonce/shadeonce/shaders/module"
)

// shadings collects what the draws of a scene are shaded with.
type shadings struct {
	out        geometry.Shading
	attributes map[attributeKey]int
	programs   map[string]int // by what they are made of
	values     map[valueKey]int
	contents   map[[sha256.Size]byte]int
	targets    []target // by draw of the scene
	numbers    map[*program]int
}

type attributeKey struct {
	location uint32
	format   vertexformat.Format
	perDraw  bool
}

type valueKey struct {
	program int // of blocks that are made of uniforms, else -1
	where   resolvedBlock
	version int
}

// use is how the shader of one draw reads its vertices; nil where it has none.
type use struct {
	program  int
	vertices []vertexUse
	values   []int
	key      string // of what vertices holds
}

type vertexUse struct {
	attribute int
	size      int64
	stride    int64
	bytes     []byte // the first vertex's element first
}

// use finds what the shader of a draw reads, or why that is not known. base is added to
// its indices. The bytes are as they are until the next operation.
func (r *runner) use(d *draw, a arguments, t triangles, base int64) (u *use, why string) {
	s, lo, hi := d.shading.resolved, t.lo+base, t.hi+base
	if s.why != "" {
		return nil, s.why
	}
	if s.program.readsIDs && isSparse(lo, hi, t.count) {
		return nil, "its shader reads VertexIndex, and only some vertices of a large range are kept"
	}
	if s.program.readsBase && t.lo != 0 {
		return nil, "its shader reads BaseVertex"
	}
	u = &use{values: make([]int, 0, len(s.blocks))}
	inputs := make([]geometry.ShaderInput, 0, len(s.reads))
	var key []byte
	for _, read := range s.reads {
		perDraw := read.constant != nil || read.divisor > 0
		number := r.attribute(attributeKey{read.bound(), read.format, perDraw})
		inputs = append(inputs, geometry.ShaderInput{Location: read.location, Attribute: number})
		size := int64(read.format.Size())
		if read.divisor > 0 {
			first := int64(a.instance)
			last := first + int64(a.instances-1)/read.divisor
			if r.bytes(read.from.from(first*read.stride).first((last-first)*read.stride+size)) == nil {
				return nil, fmt.Sprintf("the attribute at location %d is not in the capture", read.bound())
			}
		}
		if perDraw {
			continue
		}
		e := read.from.from(lo * read.stride).first((hi-lo)*read.stride + size)
		bytes := r.bytes(e)
		if lo < 0 || int64(len(bytes)) < (hi-lo)*read.stride+size {
			return nil, fmt.Sprintf("the attribute at location %d is not in the capture", read.bound())
		}
		u.vertices = append(u.vertices, vertexUse{number, size, read.stride, bytes})
		for _, n := range []int64{int64(number), int64(e.space), int64(r.spaces[e.space].version), read.from.at, read.stride} {
			key = binary.LittleEndian.AppendUint64(key, uint64(n))
		}
	}
	u.key = string(key)
	for i := range s.blocks {
		number, why := r.value(s, i)
		if why != "" {
			return nil, why
		}
		u.values = append(u.values, number)
	}
	u.program = r.programNumber(d.shading.stage, s.program, inputs)
	return u, ""
}

func (r resolvedRead) bound() uint32 { return r.vertexRead.location }

// attribute is the number of an attribute of the scene.
func (r *runner) attribute(k attributeKey) int {
	number, known := r.shading.attributes[k]
	if !known {
		name := fmt.Sprintf("location %d", k.location)
		if k.location == noLocation {
			name = "no location"
		}
		number = len(r.scene.Attributes)
		r.shading.attributes[k] = number
		must.OK(r.budget.Memory(inputBytes))
		r.scene.Attributes = append(r.scene.Attributes, geometry.Attribute{
			Name: name, Format: k.format, PerDraw: k.perDraw,
		})
	}
	return number
}

// programNumber is the number of a program of the scene: a shader with where its inputs
// come from. Stages of equal shaders share one.
func (r *runner) programNumber(s *stage, p *program, inputs []geometry.ShaderInput) int {
	key := slices.Clone(p.sum[:])
	for _, in := range inputs {
		key = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(key, in.Location), uint64(in.Attribute))
	}
	number, known := r.shading.programs[string(key)]
	if !known {
		number = len(r.shading.out.Programs)
		r.shading.programs[string(key)] = number
		must.OK(r.budget.Memory(int64(len(key)) + inputBytes*int64(1+len(inputs)+len(p.blocks))))
		blocks := make([]geometry.ShaderBlock, len(p.blocks))
		for i, b := range p.blocks {
			blocks[i] = b.ShaderBlock
		}
		r.shading.out.Programs = append(r.shading.out.Programs, geometry.ShaderProgram{
			Name: s.name, Code: p.code, Entry: s.entry, Specialization: p.special, Inputs: inputs, Blocks: blocks,
		})
	}
	return number
}

// value is the number of the contents of a block among the scene's.
func (r *runner) value(s *resolved, block int) (number int, why string) {
	b, where := &s.program.blocks[block], s.blocks[block]
	space := r.spaces[where.space]
	if space == nil && where.size() > 0 {
		return 0, "the values that its shader reads are not in the capture"
	}
	key := valueKey{program: -1, where: where}
	if space != nil {
		key.version = space.version
	}
	if b.leaves != nil {
		key.program = r.number(s.program)
	}
	if number, known := r.shading.values[key]; known {
		return number, ""
	}
	if where.end == wholeBuffer && space != nil {
		where.end = space.reserved
	}
	bytes := r.bytes(where.extent)
	if bytes == nil && where.size() > 0 {
		return 0, "the values that its shader reads are not in the capture"
	}
	r.work(8 * (b.size + int64(len(bytes))))
	contents := bytes
	if b.Kind == geometry.FetchedImage {
		if contents = r.texels(where.texels, bytes); contents == nil {
			return 0, fmt.Sprintf("its shader reads values: more than %d bytes", maxValues)
		}
	} else if b.leaves != nil || int64(len(bytes)) < b.size {
		must.OK(r.budget.Memory(b.size))
		contents = make([]byte, b.size)
		if b.leaves != nil {
			b.fill(contents, bytes)
		} else {
			copy(contents, bytes)
		}
	}
	sum := sha256.Sum256(contents)
	number, known := r.shading.contents[sum]
	if !known {
		number = len(r.shading.out.Values)
		must.OK(r.budget.Memory(inputBytes + int64(len(contents))))
		r.shading.out.Values = append(r.shading.out.Values, append([]byte(nil), contents...))
		r.shading.contents[sum] = number
	}
	must.OK(r.budget.Memory(inputBytes))
	r.shading.values[key] = number
	return number, ""
}

// texels are the contents of an image of one row: its head and its texels as a shader
// fetches them; nil where they are too many.
func (r *runner) texels(format vertexformat.Format, bytes []byte) []byte {
	n := len(bytes) / format.Size()
	size := module.ImageHead + module.TexelBytes*int64(n)
	if size > maxValues {
		return nil
	}
	must.OK(r.budget.Memory(size))
	r.work(8 * size)
	contents := make([]byte, module.ImageHead, size)
	module.PutImageSize(contents, uint32(n), 1)
	for i := range n {
		for _, bits := range format.Decode(bytes[i*format.Size():][:format.Size()]) {
			contents = binary.LittleEndian.AppendUint32(contents, bits)
		}
	}
	return contents
}

func (r *runner) number(p *program) int {
	n, known := r.shading.numbers[p]
	if !known {
		n = len(r.shading.numbers)
		r.shading.numbers[p] = n
	}
	return n
}

// reads is what vertices depend on beside their positions.
func (u *use) reads() string {
	if u == nil {
		return ""
	}
	return u.key
}

// fill gives vertices from place on the elements of a draw's: those that ids name, or
// the first count where there are none.
func (u *use) fill(r *runner, place uint32, count int, ids []uint32) {
	if u == nil {
		return
	}
	for _, v := range u.vertices {
		a := &r.scene.Attributes[v.attribute]
		a.Data = r.extend(a.Data, int64(place)*v.size, int64(count)*v.size)
		for i := range count {
			id := i
			if ids != nil {
				id = int(ids[i])
			}
			a.Data = append(a.Data, v.bytes[int64(id)*v.stride:][:v.size]...)
		}
	}
}

// extend makes data so long, with zeros at its end, and makes room for more.
func (r *runner) extend(data []byte, length, more int64) []byte {
	if need := length + more; int64(cap(data)) < need {
		capacity := max(need, 2*int64(cap(data)))
		must.OK(r.budget.Memory(capacity))
		r.budget.Free(int64(cap(data)))
		data = append(make([]byte, 0, capacity), data...)
	}
	r.work(more + max(0, length-int64(len(data))))
	old := int64(len(data))
	data = data[:length]
	if old < length {
		clear(data[old:])
	}
	return data
}

// shade adds how the next draws of the scene, the instances of a draw, are shaded.
func (r *runner) shade(d *draw, a arguments, number int, u *use, base int64, why string) {
	if d.shading == nil {
		return
	}
	if why != "" {
		r.f.unshaded[d.call+": "+why] += int(a.instances)
	}
	must.OK(r.budget.Memory(drawShadingBytes * int64(a.instances)))
	for i := range int64(a.instances) {
		r.shading.targets = append(r.shading.targets, d.shading.target)
		s := geometry.DrawShading{Program: -1, Why: why}
		if u != nil {
			s = geometry.DrawShading{
				Program: u.program, Values: u.values, BaseVertex: int32(base), BaseInstance: int32(a.instance), Instance: int32(int64(a.instance) + i),
				DrawIndex: int32(max(number, 0)), Clip: mgl32.Ident4(),
			}
			if d.shading.stage.source != "" {
				s.Instance = int32(i) // gl_InstanceID begins at 0
			}
			r.perDraw(d, a, i)
		}
		r.shading.out.Draws = append(r.shading.out.Draws, s)
	}
}

// drawShadingBytes is what the shading of a draw takes, as the list grows.
const drawShadingBytes = 512

// perDraw adds the elements of instance-rate attributes for a draw of the scene that is
// about to be added.
func (r *runner) perDraw(d *draw, a arguments, instance int64) {
	for _, read := range d.shading.resolved.reads {
		element := read.constant
		size := int64(read.format.Size())
		if element == nil {
			if read.divisor == 0 {
				continue
			}
			at := int64(a.instance) + instance/read.divisor
			element = r.bytes(read.from.from(at * read.stride).first(size))
		}
		t := &r.scene.Attributes[r.attribute(attributeKey{read.bound(), read.format, true})]
		t.Data = r.extend(t.Data, int64(len(r.shading.out.Draws))*size, size)
		t.Data = append(t.Data, element[:size]...)
	}
}

// finish hands the shading to the scene.
func (r *runner) finish() {
	if len(r.shading.out.Programs) == 0 {
		r.scene.Attributes = nil
		return
	}
	for i := range r.scene.Attributes {
		a := &r.scene.Attributes[i]
		n := int64(len(r.scene.Positions))
		if a.PerDraw {
			n = int64(len(r.scene.Draws))
		}
		a.Data = r.extend(a.Data, n*int64(a.Format.Size()), 0)
	}
	r.scene.Shading = &r.shading.out
}
