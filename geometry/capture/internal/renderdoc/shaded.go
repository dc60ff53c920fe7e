package renderdoc

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// attributeKey and valueKey identify attributes and block contents of the scene.
type (
	attributeKey struct {
		location uint32
		format   vertexformat.Format
		perDraw  bool
	}
	valueKey struct {
		program *program // the block's program if the block is defaultBlock; nil for other blocks
		where   resolvedBlock
		version int
	}
)

// use says how the shader of one draw reads its vertices, or why this is not known.
type use struct {
	why      string
	program  int
	vertices []vertexUse
	values   []int
	key      string // equal for draws whose `vertices` have the same contents
}

type vertexUse struct {
	attribute int
	size      int64
	stride    int64
	bytes     []byte // elements of the draw's vertices, from the lowest index on, stride bytes apart
}

// use finds what the shader of a draw reads. `base` is added to the draw's indices. The result's bytes
// are valid until the next operation.
func (r *runner) use(d *draw, a arguments, t triangles, base int64) *use {
	u := &use{}
	if why := attempt(func() { r.findUse(u, d, a, t, base) }); why != "" {
		return &use{why: why, program: -1}
	}
	return u
}

func (r *runner) findUse(u *use, d *draw, a arguments, t triangles, base int64) {
	s, p, lo, hi := d.shading, d.shading.stage.program, t.lo+base, t.hi+base
	switch {
	case s.why != "":
		leaveOut("%s", s.why)
	case p.readsIDs && isSparse(lo, hi, t.count):
		leaveOut("its shader reads VertexIndex, and only some vertices of a large range are kept")
	case p.readsBase && t.lo != 0:
		leaveOut("its shader reads BaseVertex")
	}
	inputs := make([]link.Input, 0, len(s.reads))
	var key []byte
	for _, read := range s.reads {
		number := r.attribute(read)
		inputs = append(inputs, link.Input{Location: read.input, Attribute: number})
		size := int64(read.format.Size())
		// elements returns the bytes of elements first to last, and where they are.
		elements := func(first, last int64) (bytes []byte, from extent) {
			from = read.from.from(first * read.stride).first((last-first)*read.stride + size)
			if bytes = r.bytes(from); bytes == nil {
				leaveOut("the attribute at location %d is not in the capture", read.location)
			}
			return bytes, from
		}
		if read.divisor > 0 {
			elements(int64(a.instance), int64(a.instance)+int64(a.instances-1)/read.divisor)
		}
		if read.perDraw() {
			continue
		}
		bytes, from := elements(lo, hi)
		if lo < 0 || int64(len(bytes)) < (hi-lo)*read.stride+size {
			leaveOut("the attribute at location %d is not in the capture", read.location)
		}
		u.vertices = append(u.vertices, vertexUse{number, size, read.stride, bytes})
		for _, n := range []int64{int64(number), int64(from.space), int64(r.spaces[from.space].version), read.from.at, read.stride} {
			key = binary.LittleEndian.AppendUint64(key, uint64(n))
		}
	}
	u.key = string(key)
	for i := range s.blocks {
		u.values = append(u.values, r.value(&p.blocks[i], p, s.blocks[i]))
	}
	u.program = r.programNumber(s.stage, inputs)
}

// perDraw reports whether an element is read once per draw of the scene, not per vertex.
func (r *resolvedRead) perDraw() bool { return r.constant != nil || r.divisor > 0 }

// attribute returns the index in Scene.Attributes of the attribute that is read, and adds it if it is new.
func (r *runner) attribute(read resolvedRead) int {
	k := attributeKey{read.location, read.format, read.perDraw()}
	number, known := r.attributes[k]
	if !known {
		name := fmt.Sprintf("location %d", k.location)
		if k.location == noLocation {
			name = "no location"
		}
		number = len(r.scene.Attributes)
		r.attributes[k] = number
		must.OK(r.budget.Memory(inputBytes))
		r.scene.Attributes = append(r.scene.Attributes, geometry.Attribute{Name: name, Format: k.format, PerDraw: k.perDraw})
	}
	return number
}

// programNumber returns the number of a program of the scene: a shader and the sources of its
// inputs. Stages for which both are equal share a program.
func (r *runner) programNumber(s *stage, inputs []link.Input) int {
	p := s.program
	key := slices.Clone(p.sum[:])
	for _, in := range inputs {
		key = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(key, in.Location), uint64(in.Attribute))
	}
	number, known := r.programs[string(key)]
	if !known {
		number = len(r.shading.Programs)
		r.programs[string(key)] = number
		must.OK(r.budget.Memory(int64(len(key)) + inputBytes*int64(1+len(inputs)+len(p.blocks))))
		r.shading.Programs = append(r.shading.Programs, link.Program{Name: s.name, Vertex: p.vertex, Source: s.source, Inputs: inputs})
	}
	return number
}

// value returns the number of a block's contents in Shading.Values.
func (r *runner) value(b *programBlock, p *program, where resolvedBlock) int {
	const missing = "the values that its shader reads are not in the capture"
	space := r.spaces[where.space]
	if space == nil && where.size() > 0 {
		leaveOut(missing)
	}
	key := valueKey{where: where}
	if space != nil {
		key.version = space.version
	}
	if b.leaves != nil {
		key.program = p
	}
	var parts []imagePart
	if id := where.image.id; id != 0 {
		var images imageKey
		parts, _, images = r.partsOf(&where.image)
		key.where.image.at, key.version = images.from, images.to
	}
	if number, known := r.values[key]; known {
		return number
	}
	if where.end == wholeBuffer && space != nil {
		where.end = space.reserved
	}
	bytes := r.bytes(where.extent)
	if bytes == nil && where.size() > 0 {
		leaveOut(missing)
	}
	r.work(8 * (b.size + int64(len(bytes))))
	contents := bytes
	if parts != nil {
		contents = r.sampledTexels(b, &where.image, parts)
	} else if b.Kind == module.FetchedImage {
		contents = r.texels(where.texels, bytes)
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
	number, known := r.contents[sum]
	if !known {
		number = len(r.shading.Values)
		must.OK(r.budget.Memory(inputBytes + int64(len(contents))))
		r.shading.Values = append(r.shading.Values, append([]byte(nil), contents...))
		r.contents[sum] = number
	}
	must.OK(r.budget.Memory(inputBytes))
	r.values[key] = number
	return number
}

// sampledTexels returns the contents of a 2D image: its header, which says how it is sampled, and its
// texels.
func (r *runner) sampledTexels(b *programBlock, s *sampled, parts []imagePart) []byte {
	of := r.f.images[s.id]
	size := module.ImageHead + module.TexelBytes*of.width*of.height
	if size > maxValues {
		leaveOut("its shader reads values: more than %d bytes", maxValues)
	}
	must.OK(r.budget.Memory(size))
	contents := make([]byte, size)
	module.PutImageSize(contents, uint32(of.width), uint32(of.height))
	binary.LittleEndian.PutUint32(contents[8:], map[bool]uint32{true: 1}[s.nearest])
	binary.LittleEndian.PutUint32(contents[12:], map[bool]uint32{true: 1}[s.wrap[0] == geometry.Clamp])
	for _, p := range parts {
		format, known := vertexformat.ByName(p.format)
		if !known {
			format = texelFormat(p.format)
		}
		pixels := pixelFormats[p.format]
		if pixels.order != "" {
			format = vertexformat.R8G8B8A8_UNORM
		} else {
			pixels = pixelFormat{side: 1, bytes: int64(format.Size())}
		}
		if !format.Known() || strings.Contains(p.format, "SRGB") {
			leaveOut("its shader reads values: image %s has format %s, which is not read", b.name, p.format)
		}
		if format.Class() != b.class {
			leaveOut("its shader reads values: the texels of %s are of format %s, which it reads as other numbers", b.name, p.format)
		}
		one := map[bool]uint32{true: math.Float32bits(1), false: 1}[b.class == vertexformat.Float]
		r.blobs.texels(&p, &pixels, func(x, y int64, texel []byte) {
			words := format.Decode(texel)
			all := [6]uint32{words[0], words[1], words[2], words[3], 0, one}
			for i, source := range s.channels {
				at := module.ImageHead + module.TexelBytes*(y*of.width+x) + 4*int64(i)
				binary.LittleEndian.PutUint32(contents[at:], all[strings.IndexByte("rgba01", source)])
			}
		})
	}
	return contents
}

// texels returns the contents of an image of one row: its header, and its texels as a shader
// fetches them.
func (r *runner) texels(format vertexformat.Format, bytes []byte) []byte {
	n := len(bytes) / format.Size()
	size := module.ImageHead + module.TexelBytes*int64(n)
	if size > maxValues {
		leaveOut("its shader reads values: more than %d bytes", maxValues)
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

// fill sets the attributes of `count` vertices of the scene, from vertex `place` on, to a draw's elements:
// those at `ids`, or the first ones if `ids` is nil.
func (u *use) fill(r *runner, place uint32, count int, ids []uint32) {
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

// extend pads `data` with zeros to the given length, and makes room for `more` bytes after it.
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

// shade adds the shading of the instances of a draw; these become the scene's next draws.
func (r *runner) shade(d *draw, a arguments, number int, u *use, base int64) {
	if u.why != "" {
		r.f.unshaded[d.call+": "+u.why] += int(a.instances)
	}
	must.OK(r.budget.Memory(drawShadingBytes * int64(a.instances)))
	for i := range int64(a.instances) {
		r.targets = append(r.targets, d.shading.target)
		if r.textures {
			r.out.Textures = append(r.out.Textures, r.useTexture(d.shading))
		}
		s := geometry.DrawShading{Program: -1, Why: u.why}
		if u.why == "" {
			s = geometry.DrawShading{
				Program: u.program, Values: u.values, BaseVertex: int32(base), BaseInstance: int32(a.instance), Instance: int32(int64(a.instance) + i),
				DrawIndex: int32(max(number, 0)), Clip: mgl32.Ident4(),
			}
			if d.shading.stage.source != "" {
				s.Instance = int32(i) // gl_InstanceID starts at 0
			}
			r.perDraw(d, a, i)
		}
		r.shading.Draws = append(r.shading.Draws, s)
	}
}

// drawShadingBytes is the memory of a draw's shading, including the list's growth.
const drawShadingBytes = 512

// perDraw adds the elements of attributes that are read once per draw, for the scene's next draw.
func (r *runner) perDraw(d *draw, a arguments, instance int64) {
	for _, read := range d.shading.reads {
		if !read.perDraw() {
			continue
		}
		element, size := read.constant, int64(read.format.Size())
		if element == nil {
			at := int64(a.instance) + instance/read.divisor
			element = r.bytes(read.from.from(at * read.stride).first(size))
		}
		t := &r.scene.Attributes[r.attribute(read)]
		t.Data = r.extend(t.Data, int64(len(r.shading.Draws))*size, size)
		t.Data = append(t.Data, element[:size]...)
	}
}

// finish passes the shading to the scene.
func (r *runner) finish() *Frame {
	out := &r.out
	out.Scene = r.scene
	if len(out.Images) > 0 {
		out.blobs = r.blobs
	}
	if len(r.shading.Programs) == 0 {
		r.scene.Attributes = nil
	} else {
		r.scene.Shading = &r.shading
	}
	for i := range r.scene.Attributes {
		a := &r.scene.Attributes[i]
		n := int64(len(r.scene.Positions))
		if a.PerDraw {
			n = int64(len(r.scene.Draws))
		}
		a.Data = r.extend(a.Data, n*int64(a.Format.Size()), 0)
	}
	must.OK(r.budget.Memory(drawShadingBytes * int64(len(r.targets))))
	out.setTargets(r.targets)
	return out
}
