package format

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// gltfTextures are the parts of a document that base colour textures need. They are read only on
// request, and checked one by one as materials use them: a fault costs a texture, not the scene.
type gltfTextures struct {
	Images   GLTFList[gltfImage]
	Textures GLTFList[struct {
		Source  gltfInt `json:"source"`
		Sampler gltfInt `json:"sampler"`
	}]
	Samplers GLTFList[struct {
		Mag   gltfInt `json:"magFilter"`
		WrapS gltfInt `json:"wrapS"`
		WrapT gltfInt `json:"wrapT"`
	}]
	Materials GLTFList[gltfTextured]

	fault error // why these parts cannot be read, or nil
}

type gltfImage struct {
	URI        gltfURI `json:"uri"`
	BufferView gltfInt `json:"bufferView"`
}

type gltfTextured struct {
	Name string `json:"name"`
	PBR  struct {
		BaseColorFactor  []float64         `json:"baseColorFactor"`
		BaseColorTexture *gltfUseOfTexture `json:"baseColorTexture"`
	} `json:"pbrMetallicRoughness"`
	AlphaMode   string   `json:"alphaMode"`
	AlphaCutoff *float64 `json:"alphaCutoff"`
}

type gltfUseOfTexture struct {
	Index      gltfInt `json:"index"`
	TexCoord   gltfInt `json:"texCoord"`
	Extensions struct {
		Transform *struct {
			Offset   []float64 `json:"offset"`
			Rotation float64   `json:"rotation"`
			Scale    []float64 `json:"scale"`
			TexCoord gltfInt   `json:"texCoord"`
		} `json:"KHR_texture_transform"`
	} `json:"extensions"`
}

func (d *gltfDocument) readTextures(text []byte, budget gltfBudget) (t *gltfTextures) {
	t = &gltfTextures{}
	defer func() { // after a fault no material has a texture; apply notes the fault
		if t.fault != nil {
			t.Materials = nil
		}
	}()
	defer must.Catch(&t.fault)
	gltfUnmarshal(text, budget, map[string]any{"images": &t.Images, "textures": &t.Textures, "samplers": &t.Samplers, "materials": &t.Materials})
	return t
}

// coords returns the name of the attribute that holds the texture's coordinates.
func (u *gltfUseOfTexture) coords() string {
	set := u.TexCoord.n
	if x := u.Extensions.Transform; x != nil && x.TexCoord.set {
		set = x.TexCoord.n
	}
	return fmt.Sprintf("TEXCOORD_%d", set)
}

// reads reports whether any material takes its texture coordinates from the named attribute.
func (t *gltfTextures) reads(name string) bool {
	return t != nil && slices.ContainsFunc(t.Materials, func(m gltfTextured) bool {
		return m.PBR.BaseColorTexture != nil && m.PBR.BaseColorTexture.coords() == name
	})
}

// apply reads the images that draws use, and gives the scene its textures. It adds a note to
// Scene.Skipped for each texture that cannot be read.
func (t *gltfTextures) apply(s *geometry.Scene, p *gltfPlan, source *gltfSource) {
	if t == nil {
		return
	}
	r := NewTextureReader(source.in)
	images, made := map[int64]*TextureImage{}, make([]*TextureImage, len(t.Materials))
	used := t.used(p)
	for i := range t.Materials {
		if u := t.Materials[i].PBR.BaseColorTexture; u != nil && used[i] {
			r.try(gltfPlace("of material", i), func() {
				u.Index.refer("texture", len(t.Textures), "")
				image := t.Textures[u.Index.n].Source
				image.refer("image", len(t.Images), "")
				if _, known := images[image.n]; !known {
					images[image.n] = r.add(t.Images[image.n].place(int(image.n)), func() []byte { return t.Images[image.n].read(source, r) })
					if images[image.n] != nil {
						r.images = append(r.images, images[image.n])
					}
				}
				made[i] = images[image.n]
			})
		}
	}
	all := &geometry.Textures{Texels: r.Read()}
	numbers := make([]uint32, len(t.Materials))
	for i, image := range made {
		if image == nil || image.levels == 0 {
			continue
		}
		r.try(gltfPlace("of material", i), func() {
			all.Materials = append(all.Materials, t.material(i, image, s, all))
			numbers[i] = uint32(len(all.Materials))
		})
	}
	if t.fault != nil {
		r.Notes = append(r.Notes, "textures: "+CleanName(t.fault.Error()))
	}
	s.Skipped = append(s.Skipped, r.Notes...)
	if len(all.Materials) > 0 {
		s.Textures = all
		t.setDraws(s, p, numbers)
	}
}

// used returns, by material, whether a draw uses it.
func (t *gltfTextures) used(p *gltfPlan) []bool {
	used := make([]bool, len(t.Materials))
	for _, parts := range p.parts {
		for _, part := range parts {
			if part.material.in(len(used)) {
				used[part.material.n] = true
			}
		}
	}
	return used
}

// setDraws gives draws their materials, except draws without the material's texture coordinates.
func (t *gltfTextures) setDraws(s *geometry.Scene, p *gltfPlan, numbers []uint32) {
	draw := 0
	for _, inst := range p.instances {
		for _, part := range p.partsOf(&inst) {
			if part.material.in(len(numbers)) && numbers[part.material.n] > 0 {
				name := t.Materials[part.material.n].PBR.BaseColorTexture.coords()
				if slices.ContainsFunc(p.vertices[part.vertex].further, func(f gltfNamed) bool { return f.name == name }) {
					s.Draws[draw].Material = numbers[part.material.n]
				}
			}
			draw++
		}
	}
}

func (x *gltfImage) place(i int) string {
	if x.URI.path != "" {
		return CleanName(x.URI.path)
	}
	return gltfPlace("image", i)
}

// read returns the contents of an image file, wherever the document keeps it.
func (x *gltfImage) read(s *gltfSource, r *TextureReader) []byte {
	must.OK(x.URI.err)
	switch {
	case x.URI.path != "":
		return r.sibling(filepath.Clean(x.URI.path))
	case x.URI.set:
		return x.URI.data
	}
	x.BufferView.refer("bufferView", len(s.doc.BufferViews), "")
	return s.view(x.BufferView.n)
}

// material makes the scene's material for material i of the document, whose image has been read.
func (t *gltfTextures) material(i int, image *TextureImage, s *geometry.Scene, all *geometry.Textures) geometry.Material {
	from := &t.Materials[i]
	u := from.PBR.BaseColorTexture
	m := geometry.Material{Name: CleanName(from.Name), Transform: u.transform(), Tint: mgl32.Vec3{1, 1, 1}}
	image.Fill(&m)
	alpha := 1.
	if f := from.PBR.BaseColorFactor; len(f) == 4 {
		for k := range m.Tint { // Tint multiplies stored values; this approximates glTF's product in linear light
			m.Tint[k] = float32(stored(min(max(f[k], 0), 1)))
		}
		alpha = f[3]
	}
	m.Cutoff = from.cutoff(alpha, image)
	if k := t.Textures[u.Index.n].Sampler; k.in(len(t.Samplers)) {
		m.Wrap = [2]geometry.Wrap{gltfWraps[t.Samplers[k.n].WrapS.n], gltfWraps[t.Samplers[k.n].WrapT.n]}
		m.Nearest = t.Samplers[k.n].Mag.n == 9728
	}
	attribute := slices.IndexFunc(s.Attributes, func(a geometry.Attribute) bool { return a.Name == u.coords() })
	if attribute < 0 {
		must.Fail("no draw has %s", u.coords())
	}
	if m.Set = slices.Index(all.Sets, attribute); m.Set < 0 {
		m.Set, all.Sets = len(all.Sets), append(all.Sets, attribute)
	}
	return m
}

// cutoff returns the least alpha of a texel that is drawn; 0 draws all. The renderer does not
// blend. It masks a blended texture at one half, since foliage and hair are often exported as
// blended. A texture without texels above one half, such as glass, is drawn opaque.
func (m *gltfTextured) cutoff(alpha float64, image *TextureImage) float64 {
	switch {
	case m.AlphaMode == "MASK" && m.AlphaCutoff != nil:
		return *m.AlphaCutoff / max(alpha, 1e-6)
	case m.AlphaMode == "MASK":
		return .5 / max(alpha, 1e-6)
	case m.AlphaMode == "BLEND" && image.Masked(true):
		return .5
	}
	return 0
}

// transform returns the transform of texture coordinates that KHR_texture_transform gives; the identity without it.
func (u *gltfUseOfTexture) transform() [2]mgl32.Vec3 {
	offset, scale, rotation := []float64{0, 0}, []float64{1, 1}, 0.
	if x := u.Extensions.Transform; x != nil {
		rotation = x.Rotation
		if len(x.Offset) == 2 {
			offset = x.Offset
		}
		if len(x.Scale) == 2 {
			scale = x.Scale
		}
	}
	sin, cos := math.Sincos(rotation)
	// The rotation is counter-clockwise as seen on the image, where v points down.
	return boundTransform([2][3]float64{{cos * scale[0], sin * scale[1], offset[0]}, {-sin * scale[0], cos * scale[1], offset[1]}})
}

// gltfWraps maps OpenGL's constants of samplers to wrapping modes. All others mean repetition, the
// zero value.
var gltfWraps = map[int64]geometry.Wrap{33071: geometry.Clamp, 33648: geometry.Mirror}
