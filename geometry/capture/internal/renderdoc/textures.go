package renderdoc

import (
	"slices"
	"sort"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// Texture is where a draw's fragment shader takes its base colour from.
type Texture struct {
	Why       string // why the texture is not known, or ""
	Image     int    // index into Frame.Images
	Colorless bool   // whether the draw writes no colours, as in a depth prepass

	Output     string    // output of the vertex shader with the texture coordinates
	Components [2]uint32 // components of Output that are u and v

	Wrap     [2]geometry.Wrap
	Nearest  bool    // whether the sampler takes the nearest texel
	Discards bool    // whether the shader may drop pixels
	Cutoff   float64 // alpha below which it drops pixels; 0 if that is not known
}

// Image is an image of the capture. Frame.Pixels decodes it.
type Image struct {
	Name          string
	Width, Height int

	parts []imagePart
	channels
}

// fragmentStage is the fragment shader of a pipeline or program.
type fragmentStage struct {
	source string // source as GLSL
	code   blob   // code as SPIR-V, if source is empty
	known  *texture
}

// texture is the base colour texture of a stage or of a draw. Only a draw's texture has the bound image.
type texture struct {
	Texture
	sample module.Sample
	sampled
}

// sampled is an image with the state of its sampler.
type sampled struct {
	id uint64
	at int // frame.clock when the draw is recorded
	sampler
	channels
}

// sampler holds the settings that an image is sampled with.
type sampler struct {
	wrap    [2]geometry.Wrap
	nearest bool
	known   bool
}

// imageKey is everything that the pixels of an Image depend on.
type imageKey struct {
	id       uint64
	from, to int // range of the image's parts
	channels
}

// The memory of a texture and of an image, including the lists' growth.
const textureBytes, imageBytes = 256, 512

// findTexels reports whether the texels of any image are in the capture. If the capture has images, but
// none of their texels, findTexels adds a note.
func (r *runner) findTexels() bool {
	r.images = map[imageKey]int{}
	for _, i := range r.f.images {
		if slices.ContainsFunc(i.parts, func(p imagePart) bool { return r.blobs.entries[p.what.entry] != nil }) {
			return true
		}
	}
	if len(r.f.images) > 0 {
		r.f.notes = append(r.f.notes, "textures: their texels are not in the capture")
	}
	return false
}

func (r *runner) textureOf(s *shading) *texture {
	stage := &s.stage.fragment
	if stage.known == nil {
		stage.known = &texture{}
		stage.known.Why = attempt(func() { r.reflectFragment(s.stage, stage.known) })
	}
	must.OK(r.budget.Memory(textureBytes))
	t := *stage.known
	if t.Why == "" {
		t.Why = attempt(func() { t.sampled = s.values.sampled(&t.sample, s.at) })
	}
	return &t
}

// reflectFragment finds what the fragment shader of a stage samples as base colour.
func (r *runner) reflectFragment(s *stage, t *texture) {
	if s.program.why != "" {
		leaveOut("its vertex shader cannot be run")
	}
	if s.fragment.source == "" && s.fragment.code.length == 0 {
		leaveOut("it has no fragment shader")
	}
	code := r.code("frag", s.fragment.source, s.fragment.code)
	r.work(compileSteps + 64*int64(len(code)))
	must.OK(r.budget.Memory(codeFactor * int64(len(code))))
	m, err := module.Decode(code)
	if err != nil {
		leaveOut("its fragment shader is damaged: %v", err)
	}
	f, err := m.Fragment()
	if err != nil {
		leaveOut("its fragment shader: %v", err)
	}
	for i := range f.Samples {
		if rank := baseRank(f.Samples[i].Image.Name); rank > 0 && (t.Output == "" || rank > baseRank(t.sample.Image.Name)) {
			t.sample = f.Samples[i]
			t.Output = s.outputFor(t)
		}
	}
	if t.Output == "" {
		leaveOut("its fragment shader samples no image at texture coordinates of its vertices")
	}
	t.Discards, t.Cutoff = f.Discards, f.Cutoff
}

// outputFor returns the name of the vertex shader's output that has a texture's coordinates, and sets Components;
// "" if there is none. OpenGL's outputs are matched by name, since each stage was compiled on its own.
func (s *stage) outputFor(t *texture) string {
	for _, out := range s.program.vertex.Outputs {
		byName := s.source != "" && out.Name == t.sample.Input
		if byName || s.source == "" && out.Location == t.sample.Location && out.Component <= min(t.sample.Components[0], t.sample.Components[1]) {
			t.Components = t.sample.Components
			for i := range t.Components {
				t.Components[i] -= out.Component
			}
			return out.Name
		}
	}
	return ""
}

// baseRank returns how much an image's name is like a base colour's; 0 if it names another purpose.
func baseRank(name string) int {
	name = strings.ToLower(name)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
	}
	switch {
	case has("diffuse", "albedo", "basecolor", "base_color"):
		return 3
	case has("light", "normal", "shadow", "spec", "bump", "depth", "noise", "gloss", "rough", "metal", "emiss", "occlu", "ssao", "delux", "env", "splat"):
		return 0
	case has("color", "colour"):
		return 2
	}
	return 1
}

// useTexture returns the texture of the scene's next draw.
func (r *runner) useTexture(s *shading) Texture {
	t := s.texture.Texture
	if t.Why == "" {
		t.Why = attempt(func() { t.Image = r.image(&s.texture.sampled) })
	}
	t.Wrap, t.Nearest, t.Colorless = s.texture.wrap, s.texture.nearest, s.target.colorless
	return t
}

// partsOf returns the parts that make up an image when it is sampled, with its name and key.
func (r *runner) partsOf(s *sampled) (parts []imagePart, name string, key imageKey) {
	of := r.f.images[s.id]
	if of == nil {
		leaveOut("its texture is no 2D image of the capture")
	}
	name = r.f.nameOf("image", s.id)
	key = imageKey{s.id, 0, sort.Search(len(of.parts), func(i int) bool { return of.parts[i].clock > s.at }), s.channels}
	if key.to == 0 {
		leaveOut("%s: its texels are not in the capture", name)
	}
	key.from = of.parts[key.to-1].from
	parts = of.parts[key.from:key.to]
	for _, p := range parts {
		if r.blobs.entries[p.what.entry] == nil {
			leaveOut("%s: its texels are not in the capture", name)
		}
	}
	return parts, name, key
}

// image returns the index of an image in Frame.Images. It adds the image if it is new.
func (r *runner) image(s *sampled) int {
	parts, name, key := r.partsOf(s)
	if number, known := r.images[key]; known {
		return number
	}
	for _, p := range parts {
		format, known := pixelFormats[p.format]
		switch {
		case !known:
			leaveOut("%s: texels of format %s are not read", name, p.format)
		case p.what.length < format.row(p.width)*format.blocks(p.height):
			leaveOut("%s: its texels are not in the capture", name)
		}
	}
	of := r.f.images[s.id]
	must.OK(r.budget.Memory(imageBytes))
	number := len(r.out.Images)
	r.out.Images = append(r.out.Images, Image{name, int(of.width), int(of.height), parts, s.channels})
	r.images[key] = number
	return number
}
