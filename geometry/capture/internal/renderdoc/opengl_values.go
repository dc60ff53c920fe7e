package renderdoc

import (
	"cmp"
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// bindingPoint is a point of a target to which a buffer can be bound. blockName is a block of a
// program; the block reads the buffer at one point of its target.
type (
	bindingPoint struct {
		target string
		index  int64
	}
	blockName struct{ target, name string }
)

const (
	uniformTarget = "GL_UNIFORM_BUFFER"
	storageTarget = "GL_SHADER_STORAGE_BUFFER"
	texelTarget   = "GL_TEXTURE_BUFFER"
)

// texelBuffer is the part of a buffer that a texture reads.
type texelBuffer struct {
	extent
	format string // OpenGL's name of the texels' format
}

// addValueCalls adds the calls that set values for vertex shaders.
func (g *openGL) addValueCalls() {
	g.on(map[string]func(elem){
		"glUniformBlockBinding":       func(r elem) { g.bindBlock(r, uniformTarget, "uniformBlockBinding") },
		"glShaderStorageBlockBinding": func(r elem) { g.bindBlock(r, storageTarget, "storageBlockBinding") },
		"glTexBuffer, glTexBufferRange, glTextureBuffer, glTextureBufferRange": func(r elem) {
			g.texels.set(g.f, r.get("texture").id(), texelBuffer{part(r.get("buffer"), r.get("offset"), r.get("size")), r.get("internalformat").enum()})
		},
		"glVertexAttrib1f, glVertexAttrib2f, glVertexAttrib3f, glVertexAttrib4f, glVertexAttrib1fv, glVertexAttrib2fv, glVertexAttrib3fv, glVertexAttrib4fv": g.currentValue,
	})
	g.inFrame(map[string]func(elem){
		"glBindBufferBase, glBindBufferRange": func(r elem) {
			g.bindPoint(r, r.get("index").number(), r.get("buffer"), r.get("offset"), r.get("size"))
		},
		"glBindBuffersBase, glBindBuffersRange": func(r elem) {
			offset, size := r.get("offsets").first(), r.get("sizes").first()
			for i, e := range r.each("buffers") {
				g.bindPoint(r, r.get("first").number()+i, e, offset, size)
				offset, size = offset.next(), size.next()
			}
		},
		"glActiveTexture":    func(r elem) { g.unit = textureUnit(r.get("texture")) },
		"glBindTexture":      func(r elem) { g.bindTexels(r, g.unit) },
		"glBindMultiTexture": func(r elem) { g.bindTexels(r, textureUnit(r.get("texunit"))) },
		"glBindTextureUnit":  func(r elem) { g.bindAny(r.get("unit").number(), r.get("texture").id()) },
		"glBindTextures": func(r elem) {
			for i, e := range r.each("textures") {
				g.bindAny(r.get("first").number()+i, e.id())
			}
		},
	})
	for _, shape := range []string{"1", "2", "3", "4", "Matrix2", "Matrix3", "Matrix4", "Matrix2x3", "Matrix3x2", "Matrix2x4", "Matrix4x2", "Matrix3x4", "Matrix4x3"} {
		for _, of := range []string{"f", "i", "ui", "fv", "iv", "uiv"} {
			g.calls["glUniform"+shape+of], g.calls["glProgramUniform"+shape+of] = g.uniform, g.uniform
		}
	}
}

// initialValues restores what was bound when the frame began.
func (g *openGL) initialValues(s elem) {
	for target, list := range map[string]string{uniformTarget: "GL_UNIFORM_BUFFER_BINDING", storageTarget: "GL_SHADER_STORAGE_BUFFER_BINDING"} {
		for i, e := range s.each(list) {
			if e.get("res").id() != 0 {
				g.points.set(g.f, bindingPoint{target, i}, part(e.get("res"), e.get("start"), e.get("size")))
			}
		}
	}
	g.unit = textureUnit(s.get("GL_ACTIVE_TEXTURE"))
	for list, to := range map[string]timelines[int64, uint64]{
		"GL_TEXTURE_BINDING_BUFFER": g.bound, "GL_TEXTURE_BINDING_2D": g.boundImages, "GL_SAMPLER_BINDING": g.boundSamplers,
	} {
		for unit, e := range s.each(list) {
			if e.id() != 0 {
				to.set(g.f, unit, e.id())
			}
		}
	}
	for i, e := range s.each("GL_CURRENT_VERTEX_ATTRIB") {
		g.currents[uint64(i)] = [4]float32{float32(e.get("x").float()), float32(e.get("y").float()), float32(e.get("z").float()), float32(e.get("w").float())}
	}
}

// part returns the extent of a buffer, or of a range of it if `size` is there and positive.
func part(buffer, offset, size elem) extent {
	whole := wholeOf(buffer.id())
	if n, ok := size.int(); ok && n > 0 {
		return whole.from(offset.number()).first(n)
	}
	return whole
}

func (g *openGL) bindPoint(r elem, index int64, buffer, offset, size elem) {
	g.points.set(g.f, bindingPoint{r.get("target").enum(), index}, part(buffer, offset, size))
}

// bindBlock gives a block of a program another binding point.
func (g *openGL) bindBlock(r elem, target, binding string) {
	name := string(r.get("blockName", "BlockName").text())
	g.programOf(r.get("program")).blocks.set(g.f, blockName{target, name}, r.get(binding).number())
}

// textureUnit returns the number in a name such as GL_TEXTURE7; -1 for other names.
func textureUnit(e elem) int64 {
	n, err := strconv.ParseUint(strings.TrimPrefix(e.enum(), "GL_TEXTURE"), 10, 16)
	if err != nil {
		return -1
	}
	return int64(n)
}

func (g *openGL) bindTexels(r elem, unit int64) {
	switch r.get("target").enum() {
	case texelTarget:
		g.bound.set(g.f, unit, r.get("texture").id())
	case imageTarget:
		g.boundImages.set(g.f, unit, r.get("texture").id())
	}
}

// bindAny binds a texture to its own target; texture 0 unbinds all targets.
func (g *openGL) bindAny(unit int64, texture uint64) {
	if texture == 0 || g.texels[texture] != nil {
		g.bound.set(g.f, unit, texture)
	}
	if texture == 0 || g.f.images[texture] != nil {
		g.boundImages.set(g.f, unit, texture)
	}
}

// words returns the bits of a list of 32-bit numbers.
func words(e elem, list string) (bits []byte) {
	for _, n := range e.each(list) {
		bits = binary.LittleEndian.AppendUint32(bits, n.word())
	}
	return bits
}

func (g *openGL) setUniform(p *glProgram, location int64, bits []byte) {
	at := location * uniformBytes
	if p.units[location] != nil && len(bits) == 4 {
		p.units.set(g.f, location, int64(binary.LittleEndian.Uint32(bits)))
	}
	must.OK(g.f.budget.Memory(opBytes + int64(len(bits))))
	g.f.add(put{extent{p.space, at, at + min(int64(len(bits)), uniformBytes)}, bits})
}

// uniform sets one or several elements of a uniform.
func (g *openGL) uniform(r elem) {
	p, bits := g.programNumbered(cmp.Or(r.get("Program", "program").id(), g.program)), words(r, "values")
	location, ok := r.get("location").int()
	count, counted := r.get("count").int()
	if !ok || !counted || count <= 0 || location < 0 || location >= maxLocation || count > maxLocation-location {
		return // location -1 means no uniform
	}
	size := len(bits) / int(count)
	if size == 0 || size > uniformBytes {
		return
	}
	for i := range count {
		element := bits[int(i)*size:][:size]
		if r.get("transpose").bool() {
			element = transposed(r.call(), element)
		}
		g.setUniform(p, location+i, element)
	}
}

// transposed converts a row-major matrix, as glUniformMatrixCxR may take it, to column-major.
func transposed(call string, bits []byte) []byte {
	_, shape, _ := strings.Cut(call, "Matrix")
	if len(shape) == 0 {
		return bits
	}
	columns := int(shape[0] - '0')
	rows := columns
	if len(shape) > 2 && shape[1] == 'x' {
		rows = int(shape[2] - '0')
	}
	if len(bits) != 4*rows*columns {
		return bits
	}
	out := make([]byte, 0, len(bits))
	for c := range columns {
		for r := range rows {
			out = append(out, bits[4*(r*columns+c):][:4]...)
		}
	}
	return out
}

// glValues are the uniforms of a program and the buffers that are bound to its blocks.
type glValues struct {
	g *openGL
	p *glProgram
}

// defaultBlock is the name of the block in which a compiler for Vulkan puts uniforms that are
// outside of blocks.
const defaultBlock = "gl_DefaultUniformBlock"

func (v glValues) block(b *module.Block, name string, at int) extent {
	if name == defaultBlock {
		return extent{v.p.space, 0, v.p.uniformAt * uniformBytes}
	}
	block := blockName{uniformTarget, name}
	if b.Kind == module.StorageBlock {
		block.target = storageTarget
	}
	if b.Element > 0 {
		leaveOut("block %s is an array", name)
	}
	if v.p.blocks[block] == nil {
		leaveOut("the capture does not tell where block %s is bound", name)
	}
	where := v.g.points.get(bindingPoint{block.target, v.p.blocks.get(block, at)}, at)
	if where.space == 0 {
		leaveOut("no buffer is bound for block %s", name)
	}
	return where
}

func (v glValues) texels(name string, at int) (extent, vertexformat.Format) {
	places := v.p.uniforms[name]
	if len(places) != 1 || !v.p.buffers[places[0]] {
		leaveOut("image %s is no texel buffer, and no other images are read from captures", name)
	}
	unit := v.p.units.get(places[0], at)
	t := v.g.texels.get(v.g.bound.get(unit, at), at)
	if t.space == 0 {
		leaveOut("no texel buffer is bound for image %s", name)
	}
	format := texelFormat(t.format)
	if !format.Known() {
		leaveOut("image %s has format %s, which is not read", name, t.format)
	}
	return t.extent, format
}

// texelFormat converts a sized format of OpenGL, such as GL_RGBA16F; 0 for other names.
func texelFormat(name string) vertexformat.Format {
	rest := strings.TrimLeft(strings.TrimPrefix(name, "GL_"), "RGBA")
	digits := strings.TrimRight(rest, "FUI")
	kind, known := map[string]string{"": "UNORM", "F": "SFLOAT", "I": "SINT", "UI": "UINT"}[rest[len(digits):]]
	bits, err := strconv.ParseUint(digits, 10, 8)
	if !known || err != nil {
		return 0
	}
	return vertexformat.Array(len(strings.TrimPrefix(name, "GL_"))-len(rest), int(bits), kind)
}

const imageTarget = "GL_TEXTURE_2D"

// addImageCalls adds the calls that make and fill 2D textures, and set how they are sampled.
func (g *openGL) addImageCalls() {
	create := func(r elem) {
		if r.get("target").enum() == imageTarget && r.get("level").number() == 0 {
			g.f.newImage(r.get("texture").id(), r.get("width"), r.get("height"), pixelName(r.get("internalformat")))
			g.writeImage(r)
		}
	}
	g.on(map[string]func(elem){
		"glTexImage2D, glTextureImage2D, glCompressedTexImage2D, glCompressedTextureImage2D": create,
		"glTexStorage2D, glTextureStorage2D": func(r elem) {
			if r.get("target").enum() == imageTarget {
				g.f.newImage(r.get("texture").id(), r.get("width"), r.get("height"), pixelName(r.get("internalformat")))
			}
		},
		"glTexSubImage2D, glTextureSubImage2D, glCompressedTexSubImage2D, glCompressedTextureSubImage2D": func(r elem) {
			if r.get("level").number() == 0 {
				g.writeImage(r)
			}
		},
		"glTexParameteri, glTexParameterf, glTextureParameteri, glTextureParameterf, glSamplerParameteri, glSamplerParameterf": func(r elem) {
			g.samplerOf(r.get("texture", "sampler").id()).set(r.get("pname").enum(), r.get("param"))
		},
	})
	g.inFrame(map[string]func(elem){
		"glBindSampler": func(r elem) { g.boundSamplers.set(g.f, r.get("unit").number(), r.get("sampler").id()) },
	})
}

// glSampler is the sampling state of a texture or of a sampler object.
type glSampler struct {
	sampler
	channels
}

func (g *openGL) samplerOf(id uint64) *glSampler {
	if g.samplers[id] == nil {
		g.samplers[id] = &glSampler{sampler{known: true}, identity}
	}
	return g.samplers[id]
}

func (s *glSampler) set(parameter string, value elem) {
	name := value.enum()
	if n := value.number(); name == "" {
		name = map[int64]string{33071: "CLAMP", 33069: "CLAMP", 10496: "CLAMP", 33648: "MIRROR", 9728: "NEAREST"}[n]
	}
	switch parameter {
	case "GL_TEXTURE_WRAP_S":
		s.wrap[0] = wrapOf(name)
	case "GL_TEXTURE_WRAP_T":
		s.wrap[1] = wrapOf(name)
	case "GL_TEXTURE_MAG_FILTER":
		s.nearest = strings.HasSuffix(name, "NEAREST")
	default:
		if channel, ok := strings.CutPrefix(parameter, "GL_TEXTURE_SWIZZLE_"); ok && len(channel) == 1 {
			s.swizzle(int64(strings.Index("RGBA", channel)), name)
		}
	}
}

// writeImage writes the texels that a call gives for the largest level of a texture. RenderDoc stores
// rows without gaps.
func (g *openGL) writeImage(r elem) {
	what, _ := r.get("pixels").blob()
	format := pixelName(r.get("format"))
	if kind := r.get("type"); kind.there() && kind.enum() != "GL_UNSIGNED_BYTE" && kind.enum() != "GL_UNSIGNED_INT_8_8_8_8_REV" {
		format += " of " + kind.enum()
	}
	if !r.get("format").there() {
		format = pixelName(r.get("internalformat"))
	}
	g.f.writeTexels(r.get("texture").id(), imagePart{
		x: r.get("xoffset").number(), y: r.get("yoffset").number(), width: r.get("width").number(), height: r.get("height").number(),
		format: format, what: what,
	})
}

// initialTexture restores a texture as it was when the frame began.
func (g *openGL) initialTexture(r elem) {
	s, id := r.get("TextureState"), r.get("id").id()
	if s.get("type").enum() != imageTarget {
		return
	}
	format := pixelName(s.get("internalformat"))
	g.f.newImage(id, s.get("width"), s.get("height"), format)
	what, _ := r.get("SubresourceContents").blob()
	g.f.writeTexels(id, imagePart{width: s.get("width").number(), height: s.get("height").number(), format: format, what: what})
	g.initialSampler(id, s)
}

func (g *openGL) initialSampler(id uint64, s elem) {
	to := g.samplerOf(id)
	for i, e := range s.each("wrap") {
		if i < 2 {
			to.wrap[i] = wrapOf(e.enum())
		}
	}
	to.nearest = s.get("magFilter").enum() == "GL_NEAREST"
	for i, e := range s.each("swizzle") {
		to.swizzle(i, e.enum())
	}
}

func (v glValues) sampled(s *module.Sample, at int) sampled {
	places := v.p.uniforms[s.Image.Name]
	if len(places) != 1 || v.p.units[places[0]] == nil {
		leaveOut("the capture does not tell the texture unit of %s", s.Image.Name)
	}
	unit := v.p.units.get(places[0], at)
	id := v.g.boundImages.get(unit, at)
	if id == 0 {
		leaveOut("no 2D texture is bound for %s", s.Image.Name)
	}
	state := *v.g.samplerOf(id)
	if own := v.g.boundSamplers.get(unit, at); own != 0 {
		state.sampler = v.g.samplerOf(own).sampler
	}
	if i := v.g.f.images[id]; i != nil && i.opaque && state.channels[3] == 'a' {
		state.channels[3] = '1'
	}
	return sampled{id, at, state.sampler, state.channels}
}
