package renderdoc

import (
	"strings"

	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

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

// glSampler is how a texture or a sampler object samples.
type glSampler struct {
	sampler
	channels
}

func (g *openGL) samplerOf(id uint64) *glSampler {
	if g.samplers[id] == nil {
		g.samplers[id] = &glSampler{channels: identity}
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

// writeImage writes what a call gives for the largest level of a texture. RenderDoc stores rows
// without gaps.
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
