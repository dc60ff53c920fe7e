package renderdoc

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/geometry/vertexformat"
	"github.com/shadeonce/shadeonce/internal/must"
)

// glTextures are the texel buffers of OpenGL. Other textures are not followed: of captures
// that are to be drawn without RenderDoc they are often left out.
type glTextures struct {
	active  int64                            // unit
	bound   map[int64]*history[uint64]       // textures by unit
	buffers map[uint64]*history[texelBuffer] // by texture
}

// texelBuffer is the part of a buffer that a texture is.
type texelBuffer struct {
	extent
	format string // as OpenGL names it
}

const texelTarget = "GL_TEXTURE_BUFFER"

func (g *openGL) addTextureHandlers() {
	t := &g.textures
	t.bound, t.buffers = map[int64]*history[uint64]{}, map[uint64]*history[texelBuffer]{}
	for _, name := range []string{"glTexBuffer", "glTexBufferRange", "glTextureBuffer", "glTextureBufferRange"} {
		g.handlers[name] = g.makeTexelBuffer
	}
	g.handlers["glActiveTexture"] = func(_ *chunk, r elem) {
		if g.f.begun {
			t.active = textureUnit(r.get("texture"))
		}
	}
	g.handlers["glBindTexture"] = func(_ *chunk, r elem) {
		if g.f.begun && r.get("target").enum() == texelTarget {
			g.bindTexture(t.active, r.get("texture").id())
		}
	}
	g.handlers["glBindMultiTexture"] = func(_ *chunk, r elem) {
		if g.f.begun && r.get("target").enum() == texelTarget {
			g.bindTexture(textureUnit(r.get("texunit")), r.get("texture").id())
		}
	}
	g.handlers["glBindTextureUnit"] = func(_ *chunk, r elem) { g.bindAny(r.get("unit").number(), r.get("texture").id()) }
	g.handlers["glBindTextures"] = func(_ *chunk, r elem) {
		unit := r.get("first").number()
		for e := r.get("textures").first(); e.there(); e = e.next() {
			g.bindAny(unit, e.id())
			unit++
		}
	}
}

// textureUnit is the number in GL_TEXTURE7.
func textureUnit(e elem) int64 {
	n, err := strconv.ParseUint(strings.TrimPrefix(e.enum(), "GL_TEXTURE"), 10, 16)
	if err != nil {
		return -1
	}
	return int64(n)
}

// initialTextures takes over what was bound when the frame began.
func (g *openGL) initialTextures(s elem) {
	g.textures.active = textureUnit(s.get("GL_ACTIVE_TEXTURE"))
	unit := int64(0)
	for e := s.get("GL_TEXTURE_BINDING_BUFFER").first(); e.there(); e = e.next() {
		if e.id() != 0 {
			g.bindTexture(unit, e.id())
		}
		unit++
	}
}

func (g *openGL) bindTexture(unit int64, texture uint64) {
	must.OK(g.f.budget.Memory(slotBytes))
	if g.textures.bound[unit] == nil {
		g.textures.bound[unit] = &history[uint64]{}
	}
	g.textures.bound[unit].set(g.f.clock, texture)
}

// bindAny binds a texture to the target that it has: none unbinds all.
func (g *openGL) bindAny(unit int64, texture uint64) {
	if g.f.begun && (texture == 0 || g.textures.buffers[texture] != nil) {
		g.bindTexture(unit, texture)
	}
}

func (g *openGL) makeTexelBuffer(_ *chunk, r elem) {
	must.OK(g.f.budget.Memory(slotBytes))
	t := texelBuffer{extent{space: r.get("buffer").id(), end: wholeBuffer}, r.get("internalformat").enum()}
	if n, ok := r.get("size").int(); ok && n > 0 {
		t.extent = t.from(r.get("offset").number()).first(n)
	}
	texture := r.get("texture").id()
	if g.textures.buffers[texture] == nil {
		g.textures.buffers[texture] = &history[texelBuffer]{}
	}
	g.textures.buffers[texture].set(g.f.clock, t)
}

// texelFormat is a sized format of OpenGL: GL_RGBA16F.
func texelFormat(name string) vertexformat.Format {
	rest := strings.TrimLeft(strings.TrimPrefix(name, "GL_"), "RGBA")
	digits := strings.TrimRight(rest, "FUI")
	kind, known := map[string]string{"": "UNORM", "F": "SFLOAT", "I": "SINT", "UI": "UINT"}[rest[len(digits):]]
	bits, err := strconv.ParseUint(digits, 10, 8)
	channels := len(strings.TrimPrefix(name, "GL_")) - len(rest)
	if !known || err != nil || channels < 1 || channels > 4 {
		return 0
	}
	return vertexformat.Array(channels, int(bits), kind)
}

func (v glValues) texels(name string, at int) (where extent, format vertexformat.Format, why string) {
	places := v.p.uniforms[name]
	if len(places) != 1 || v.p.units[places[0]] == nil {
		return where, 0, fmt.Sprintf("image %s is no texel buffer, and no other images are read from captures", name)
	}
	t := v.g.textures.buffers[v.g.textures.bound[v.p.units[places[0]].get(at)].get(at)].get(at)
	if t.space == 0 {
		return where, 0, fmt.Sprintf("no texel buffer is bound for image %s", name)
	}
	if format = texelFormat(t.format); !format.Known() {
		return where, 0, fmt.Sprintf("image %s has format %s, which is not read", name, t.format)
	}
	return t.extent, format, ""
}
