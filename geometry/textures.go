package geometry

import (
	"fmt"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// Textures are the base colour textures of a scene. They change neither the index stream nor any
// count. They must not change while plans use them.
type Textures struct {
	Materials []Material // Draw.Material is 1 + an index
	Sets      []int      // sets of texture coordinates: indices into Scene.Attributes
	// Texels are RGBA8 as files store them (colours in sRGB, alpha linear), row by row from the
	// upper left corner. An image's levels follow each other, each half as wide and high as the
	// last, rounded down, and at least one texel.
	Texels []uint32
}

// Material is how draws use an image as their base colour.
type Material struct {
	Name          string
	Texel         int // index of the image's first texel
	Width, Height int // of its largest level
	Levels        int
	Nearest       bool          // takes the nearest texel instead of filtering
	Wrap          [2]Wrap       // beyond the left and right, and the upper and lower edge
	Set           int           // index into Textures.Sets
	Transform     [2]mgl32.Vec3 // the products with (u, v, 1) of a vertex are its texture coordinates
	Tint          mgl32.Vec3    // multiplies the texels' colours as they are stored
	Cutoff        float64       // the alpha test drops texels of less alpha; 0 or less: it drops none
}

// Look is what a file says of the look of draws besides their colours, for writers. Renderers use
// Textures.
type Look struct {
	Surfaces  []Surface // Draw.Surface is 1 + an index
	Libraries []string  // paths of the files that describe the surfaces of an OBJ file
	Missing   []string  // textures that cannot be read, with the causes
	UpV       bool      // whether v of TEXCOORD_0 points up, as in OBJ and PLY, and not down, as in glTF
}

// Surface is the material of draws.
type Surface struct {
	Name  string // "" if the file has none
	File  string // path of the base colour texture, or ""
	Image []byte // the file's contents, PNG or JPEG; nil if it cannot be read
}

// Wrap says how a texture goes on beyond its edges. The values equal the shaders' WRAP_*.
type Wrap uint32

// The ways.
const (
	Repeat Wrap = iota
	Mirror
	Clamp
)

// MaxTextureSide bounds the width and height of a level, so that float32 can name 1/256 of its
// texels.
const MaxTextureSide = 1 << 14

// Masked reports whether the alpha test of a draw's texture may drop pixels.
func (s *Scene) Masked() bool {
	if s.Textures != nil {
		for i := range s.Draws {
			if m := s.Draws[i].Material; m > 0 && s.Textures.Materials[m-1].Cutoff > 0 {
				return true
			}
		}
	}
	return false
}

// validateTextures checks that everything that materials refer to exists.
func (s *Scene) validateTextures() error {
	var t Textures
	if s.Textures != nil {
		t = *s.Textures
	}
	for _, a := range t.Sets {
		if a < 0 || a >= len(s.Attributes) || s.Attributes[a].Format != vertexformat.R32G32_SFLOAT || s.Attributes[a].PerDraw {
			return fmt.Errorf("attribute %d holds no texture coordinates", a)
		}
	}
	for i := range t.Materials {
		if m := &t.Materials[i]; !m.within(&t) {
			return fmt.Errorf("material %d (%q): its texture or its texture coordinates do not exist", i, m.Name)
		}
	}
	for i := range s.Draws {
		if m := int(s.Draws[i].Material); m > len(t.Materials) {
			return fmt.Errorf("draw %d (%q): uses material %d, but the scene has %d", i, s.Draws[i].Name, m-1, len(t.Materials))
		}
	}
	for i := range s.Draws {
		if n := int(s.Draws[i].Surface); n > 0 && (s.Look == nil || n > len(s.Look.Surfaces)) {
			return fmt.Errorf("draw %d (%q): its surface does not exist", i, s.Draws[i].Name)
		}
	}
	return nil
}

func (m *Material) within(t *Textures) bool {
	if min(m.Width, m.Height, m.Levels) < 1 || max(m.Width, m.Height) > MaxTextureSide || m.Levels > MipLevels(m.Width, m.Height) {
		return false
	}
	end := m.Texel
	for level := range m.Levels {
		end += max(m.Width>>level, 1) * max(m.Height>>level, 1)
	}
	return m.Texel >= 0 && end <= len(t.Texels) && m.Set >= 0 && m.Set < len(t.Sets) && max(m.Wrap[0], m.Wrap[1]) <= Clamp &&
		finite(m.Transform[0][:]...) && finite(m.Transform[1][:]...) && finite(m.Tint[:]...)
}

// MipLevels returns how many levels an image has, down to one texel.
func MipLevels(width, height int) (n int) {
	for side := max(width, height); side > 0; side /= 2 {
		n++
	}
	return n
}
