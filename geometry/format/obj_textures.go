package format

import (
	"bytes"
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
)

// mtlMaterial holds the parts of a library's material that we use.
type mtlMaterial struct {
	color   mgl32.Vec4
	colored bool
	base    mtlMap // map_Kd
	alpha   mtlMap // map_d
}

// mtlMap is a texture map; its name is empty if the material has none.
type mtlMap struct {
	name    string
	scale   [2]float64
	offset  [2]float64
	clamped bool
}

// mtlOptions are the options of a texture map, with the largest number of arguments that each
// takes.
var mtlOptions = map[string]int{
	"-blendu": 1, "-blendv": 1, "-boost": 1, "-cc": 1, "-clamp": 1, "-imfchan": 1, "-texres": 1, "-bm": 1, "-type": 1,
	"-mm": 2, "-o": 3, "-s": 3, "-t": 3,
}

// newMtlMap reads the options and the name of a texture map. Options that take several numbers may
// have fewer.
func newMtlMap(s []byte) mtlMap {
	m := mtlMap{scale: [2]float64{1, 1}}
	for {
		word, rest := cutToken(s)
		option := string(word)
		most, known := mtlOptions[option]
		if !known {
			if s = bytes.TrimSpace(s); len(s) > 0 { // one spelling for each file, so that it is read once
				m.name = filepath.Clean(filepath.FromSlash(strings.ReplaceAll(string(s), `\`, "/")))
			}
			return m
		}
		s = rest
		for k := range most {
			word, rest := cutToken(s)
			x, end, number := scanFloat(word, 0)
			if number = number && end == len(word); !number && most > 1 {
				break
			}
			s = rest
			switch {
			case option == "-clamp":
				m.clamped = string(word) == "on"
			case option == "-s" && k < 2:
				m.scale[k] = float64(x)
			case option == "-o" && k < 2:
				m.offset[k] = float64(x)
			}
		}
	}
}

// applyTextures reads the images that draws use, and gives the scene its textures.
func (m *objMesh) applyTextures(in *Input, s *geometry.Scene, materials map[string]*mtlMaterial) {
	coords := slices.IndexFunc(s.Attributes, func(a geometry.Attribute) bool { return a.Name == "TEXCOORD_0" })
	if coords < 0 {
		return
	}
	r := NewTextureReader(in)
	files, images := map[string]*TextureImage{}, map[[2]string]*TextureImage{}
	open := func(name string) *TextureImage {
		if x, known := files[name]; known || name == "" {
			return x
		}
		files[name] = r.add(CleanName(name), func() []byte { return r.sibling(name) })
		return files[name]
	}
	for _, owner := range m.draws.owners {
		x := materials[m.draws.names[owner.material]]
		if x == nil || x.base.name == "" && x.alpha.name == "" {
			continue
		}
		key := [2]string{x.base.name, x.alpha.name}
		if _, known := images[key]; known {
			continue
		}
		base, alpha := open(x.base.name), open(x.alpha.name)
		switch {
		case base == nil && alpha == nil:
			images[key] = nil
			continue
		case base == nil:
			base = alpha
		}
		image := *base
		image.alpha, image.white = alpha, x.base.name == ""
		images[key] = &image
		r.images = append(r.images, &image)
	}
	all := &geometry.Textures{Sets: []int{coords}, Texels: r.Read()}
	numbers := map[int]uint32{}
	for i, owner := range m.draws.owners {
		x := materials[m.draws.names[owner.material]]
		if x == nil {
			continue
		}
		image := images[[2]string{x.base.name, x.alpha.name}]
		if image == nil || image.levels == 0 {
			continue
		}
		if numbers[owner.material] == 0 {
			all.Materials = append(all.Materials, x.material(CleanName(m.draws.names[owner.material]), image))
			numbers[owner.material] = uint32(len(all.Materials))
		}
		s.Draws[i].Material = numbers[owner.material]
	}
	s.Skipped = append(s.Skipped, r.Notes...)
	if len(all.Materials) > 0 {
		s.Textures = all
	}
}

// applyLook keeps the draws' materials and the materials' colour images (map_Kd), for writers.
func (m *objMesh) applyLook(in *Input, s *geometry.Scene, materials map[string]*mtlMaterial) {
	l := newLookReader(in)
	for _, name := range m.found {
		l.Libraries = append(l.Libraries, l.beside(name))
	}
	numbers := map[string]uint32{}
	for i, owner := range m.draws.owners {
		name, d := m.draws.names[owner.material], &s.Draws[i]
		if name == "" {
			continue
		}
		x := cmp.Or(materials[name], &mtlMaterial{})
		if numbers[name] == 0 {
			numbers[name] = l.add(name, x.base.name)
		}
		d.Surface = numbers[name]
		if l.Surfaces[d.Surface-1].Image == nil || attributeNamed(s, "TEXCOORD_0") == nil {
			continue
		}
		// This factor makes glTF's product in linear light look like the product of stored colours.
		d.Color = mgl32.Vec4{1, 1, 1, 1}
		for k := 0; k < 3 && x.colored && x.color.Vec3() != (mgl32.Vec3{}); k++ {
			d.Color[k] = float32(linear(float64(x.color[k])))
		}
	}
	if len(m.absent) > 0 {
		l.Missing = append(l.Missing, m.lostMaterials())
	}
	s.Look = l.Look
}

// lostMaterials says which materials are missing, if some library is absent.
func (m *objMesh) lostMaterials() string {
	return "materials of " + strings.Join(m.absent, ", ") + ", which cannot be read"
}

// material makes a scene's material from x, whose image has been read. It flips v, which points up in
// OBJ files. It ignores a black diffuse colour, which would hide the texture: writers use it to mean "the texture alone".
func (x *mtlMaterial) material(name string, image *TextureImage) geometry.Material {
	from := x.base
	if from.name == "" {
		from = x.alpha
	}
	m := geometry.Material{Name: name, Tint: mgl32.Vec3{1, 1, 1}, Transform: boundTransform([2][3]float64{
		{from.scale[0], 0, from.offset[0]}, {0, -from.scale[1], 1 - from.offset[1]},
	})}
	image.Fill(&m)
	if c := x.color.Vec3(); x.colored && c != (mgl32.Vec3{}) {
		m.Tint = c
	}
	if from.clamped {
		m.Wrap = [2]geometry.Wrap{geometry.Clamp, geometry.Clamp}
	}
	if x.alpha.name != "" && !image.opaque {
		m.Cutoff = .5
	}
	return m
}
