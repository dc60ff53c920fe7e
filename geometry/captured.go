package geometry

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// Capture holds a captured frame's data besides the geometry of its scene.
type Capture struct {
	View     *View     // where the game's camera was; nil if the frame does not say
	Placings []Placing // by draw; empty if the frame does not say where the draws are

	Passes []Pass // the frame's passes, in order; empty if Placings is empty

	// Clip maps world space to the clip space of the scene's Shading.
	Clip mgl32.Mat4
}

// Pass is a pass of a captured frame: the draws between two changes of the target.
type Pass struct {
	Name      string `json:"pass"` // name of the pass; the names of its draws begin with it
	Draws     int    `json:"draws"`
	Triangles int    `json:"triangles"`
	Shown     int    `json:"shown"`  // number of the pass's draws that the scene shows
	Camera    bool   `json:"camera"` // whether the scene's camera is this pass's camera
}

// View returns the game's camera, or nil if it is not known.
func (s *Scene) View() *View {
	if s.Capture == nil {
		return nil
	}
	return s.Capture.View
}

// Placing says how draw i of a replayed frame was placed. It is zero for other scenes.
func (s *Scene) Placing(i int) Placing {
	if s.Capture == nil || len(s.Capture.Placings) == 0 {
		return Placing{}
	}
	return s.Capture.Placings[i]
}

// drawsText returns the number of draws as text. If some are instances of one draw of the file, it gives both numbers.
func (s *Scene) drawsText() string {
	draws := 0
	for i := range s.Draws {
		if i == 0 || s.Number(i) != s.Number(i-1) {
			draws++
		}
	}
	if draws == len(s.Draws) {
		return fmt.Sprintf("%d draws", draws)
	}
	return fmt.Sprintf("%d instances of %d draws", len(s.Draws), draws)
}

// PlaceNote says how many draws of a captured frame are shown, and of which pass if all are of one. `hides` says which
// draws the frame's user hides. It returns "" if all draws are shown, or if the scene has fewer than two draws or is not
// a captured frame.
func (s *Scene) PlaceNote(hides func(draw int) bool) string {
	switch {
	case s.Capture == nil || len(s.Draws) < 2:
		return ""
	case s.Capture.View == nil:
		return s.drawsText() + ", not placed: the capture does not say where they stand"
	}
	placed, shown := 0, 0
	for i := range s.Draws {
		if s.Placing(i).How == Hidden {
			continue
		}
		placed++
		if !hides(i) {
			shown++
		}
	}
	if shown == len(s.Draws) {
		return ""
	}
	pass := ""
	for _, p := range s.Capture.Passes {
		if p.Camera && p.Shown == placed {
			pass = p.Name + ": "
		}
	}
	return fmt.Sprintf("%s%d of %s shown; reuse counts all", pass, shown, s.drawsText())
}

// View is the camera of a game. The camera is held level; angles are in degrees, lengths in scene
// units.
type View struct {
	Eye          mgl32.Vec3
	Azimuth      float32 // about +Y; 0 looks along -Z
	Elevation    float32 // how far the camera looks down
	Distance     float32 // from the eye to the point it looks at
	FovY         float32 // vertical field of view
	Near, Far    float32 // distances of the clip planes
	Aspect       float32 // width divided by height
	Orthographic bool    // parallel projection that shows at every distance what FovY shows at Distance
}

// Placing says how a draw of a replayed frame was placed.
type Placing struct {
	How Placed

	// Residual is the largest distance between a clip position that the draw's vertex shader
	// outputs and the one that the fitted linear map gives, relative to the output's length.
	Residual float32

	// Steps is the mean number of instructions that the draw's vertex shader executes per vertex,
	// or 0 if that is not known.
	Steps float32
}

// Placed is a way to place a draw.
type Placed uint8

// The ways to place a draw.
const (
	AsFile   Placed = iota // as the file says; the scene is not a replayed frame
	Fitted                 // by the linear transform that the vertex shader computes
	Captured               // at the shader's outputs, since they are not a linear transform of its inputs
	Hidden                 // shrunk to a point, so that it is counted but not seen: for example, it writes no depth, is seen by another camera, or lies flat on the screen
)

func (p Placed) String() string { return [...]string{"", "fitted", "captured", "hidden"}[p&3] }

// Match maps vertices of one scene to vertices of another: the same file in two orders, which may
// renumber vertices.
type Match struct {
	Left, Right *Scene
	to          []uint32 // by vertex of Left's pool: its number in Right's; nil if the numbers are the same
}

// MatchVertices matches the vertices of two orders of one scene.
func MatchVertices(left, right *Scene) Match {
	m := Match{Left: left, Right: right}
	if left == right || left == nil || right == nil || left.Origin == nil && right.Origin == nil {
		return m
	}
	origin := func(s *Scene, v int) uint32 {
		if s.Origin == nil {
			return uint32(v)
		}
		return s.Origin[v]
	}
	place := make([]uint32, len(right.Positions)) // by number in the file: the vertex's place in Right's pool
	for v := range place {
		place[origin(right, v)] = uint32(v)
	}
	m.to = make([]uint32, len(left.Positions))
	for v := range m.to {
		m.to[v] = place[origin(left, v)]
	}
	return m
}

// Vertex returns the number in Right of vertex v of a draw of Left; both numbers count from the draw's first
// vertex. Orders keep a vertex within its draws' ranges, so both scenes have it in the same draw.
func (m *Match) Vertex(draw int, v uint32) uint32 {
	if m.to == nil {
		return v
	}
	offset := m.Left.Draws[draw].VertexOffset
	return m.to[offset+v] - offset
}

// Counts reorders the counts of Right's (draw, vertex) pairs to the order of Left's. It returns `right` itself
// if both scenes number vertices alike.
func (m *Match) Counts(right []uint32) []uint32 {
	if m.to == nil {
		return right
	}
	counts := make([]uint32, 0, len(right))
	for i := range m.Left.Draws {
		first := len(counts)
		for v := range m.Left.Draws[i].VertexCount {
			counts = append(counts, right[first+int(m.Vertex(i, v))])
		}
	}
	return counts
}

// Number returns the number by which users know draw i: its event in a captured frame (instances
// share one), otherwise its index in s.Draws.
func (s *Scene) Number(i int) int {
	if event := s.Draws[i].Event; event > 0 {
		return int(event)
	}
	return i
}

// CheckEvents removes the events unless every draw has one. Number then returns either only events or only indices.
func (s *Scene) CheckEvents() {
	if slices.ContainsFunc(s.Draws, func(d Draw) bool { return d.Event == 0 }) {
		for i := range s.Draws {
			s.Draws[i].Event = 0
		}
	}
}

// Numbered returns the draws whose Number is from first to last. It fails if there is none and, if numbers
// are indices, if the range includes one that does not exist. The error says which numbers exist.
func (s *Scene) Numbered(first, last int) (draws []int, err error) {
	below, above := -1, -1
	for i := range s.Draws {
		switch n := s.Number(i); {
		case n < first:
			below = max(below, n)
		case n <= last:
			draws = append(draws, i)
		case above < 0 || n < above:
			above = n
		}
	}
	byEvent := len(s.Draws) > 0 && s.Draws[0].Event > 0
	switch {
	case !byEvent && (first < 0 || last >= len(s.Draws)) && len(s.Draws) == 1:
		return nil, errors.New("there is only draw 0")
	case !byEvent && (first < 0 || last >= len(s.Draws)):
		return nil, fmt.Errorf("there are draws 0 to %d", len(s.Draws)-1)
	case len(draws) > 0:
		return draws, nil
	case below < 0:
		return nil, fmt.Errorf("no draw has this event: the first one with a draw is %d", above)
	case above < 0:
		return nil, fmt.Errorf("no draw has this event: the last one with a draw is %d", below)
	}
	return nil, fmt.Errorf("no draw has this event: the nearest with draws are %d and %d", below, above)
}

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

// Material says how draws use an image as their base colour.
type Material struct {
	Name          string
	Texel         int // index of the image's first texel
	Width, Height int // size of the image's largest level, in texels
	Levels        int
	Nearest       bool          // takes the nearest texel instead of filtering
	Wrap          [2]Wrap       // [0] beyond the left and right edge, [1] beyond the upper and lower
	Set           int           // index into Textures.Sets
	Transform     [2]mgl32.Vec3 // dot products of these rows with a vertex's (u, v, 1) give its texture coordinates
	Tint          mgl32.Vec3    // multiplies the texels' colours as they are stored
	Cutoff        float64       // the alpha test drops texels with a lower alpha; 0 or less drops none
}

// Look holds a file's materials besides the colours of draws, for writers. Renderers use Textures.
type Look struct {
	Surfaces  []Surface // Draw.Surface is 1 + an index
	Libraries []string  // paths of the files that describe the surfaces of an OBJ file
	Missing   []string  // textures that cannot be read, with the causes, and the materials of libraries that cannot
	UpV       bool      // whether v of TEXCOORD_0 points up, as in OBJ and PLY, and not down, as in glTF
}

// Surface is one of a file's materials.
type Surface struct {
	Name  string // "" if the file has none
	File  string // path of the base colour texture, or ""
	Image []byte // the file's contents, PNG or JPEG; nil if it cannot be read
}

// Wrap says how a texture continues beyond its edges. The values equal the shaders' WRAP_*.
type Wrap uint32

// The ways in which a texture continues.
const (
	Repeat Wrap = iota
	Mirror
	Clamp
)

// MaxTextureSide bounds the width and height of a level, so that float32 can represent 1/256 of a texel.
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
		exact.Finite(m.Transform[0][:]...) && exact.Finite(m.Transform[1][:]...) && exact.Finite(m.Tint[:]...)
}

// MipLevels returns how many levels an image has, down to one texel.
func MipLevels(width, height int) (n int) {
	for side := max(width, height); side > 0; side /= 2 {
		n++
	}
	return n
}
