// Package assets makes the built-in scenes, so that every command works without a file:
//
//	scene, err := assets.Make("sphere6")
//
// Scenes are made by code alone: they need no files, and no licences of third parties.
//
// A scene is the same, bit for bit, on every platform: random numbers come from PCG with a fixed
// seed, and no compiler may fuse the operations of package exact. The package knows
// geometry.Scene and nothing of files, strategies or devices.
package assets

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/exact"
	"github.com/shadeonce/shadeonce/internal/base/names"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// Asset is one scene that Make can make, by Name or by Name followed by a number. If Hi is 0 the
// scene takes no number.
type Asset struct {
	Name      string
	Alias     string // another name for the same scene, or ""
	Parameter string // what the number counts, or ""
	Lo, Hi    int    // range of the number, inclusive
	Default   int    // the number if none is given
	Make      func(n int) *geometry.Scene
}

// All lists the assets in the order of the help.
var All = []Asset{
	{"sphere", "icosphere", "level", 0, 10, 6, sphere},
	{"knot", "", "sides", 3, 500, 32, knot},
	{"terrain", "", "quads a side", 1, 8192, 256, terrain},
	{"grid", "", "quads a side", 1, 4096, 64, grid},
	{"tree", "", "levels of branches", 2, 10, 6, tree},
	{"soup", "", "", 0, 0, 0, soup},
	{"city", "", "lots a side", 1, 32, 16, city},
	{"patches", "", "draws", 1, 40000, 100, patches},
	{"patches-joined", "", "patches", 1, 40000, 100, patchesJoined},
	{"patches-instanced", "", "draws", 1, 100000, 100, patchesInstanced},
	{"cube", "", "", 0, 0, 0, cube},
	{"triangle", "", "", 0, 0, 0, triangle},
}

// Form shows the asset's name, with the range of its number if it takes one: "cube",
// "sphere[0..10]".
func (a Asset) Form() string {
	if a.Hi == 0 {
		return a.Name
	}
	return fmt.Sprintf("%s[%d..%d]", a.Name, a.Lo, a.Hi)
}

// Make makes the named asset: a name in All, with or without a number after it ("sphere",
// "sphere6"). The number is checked before anything is allocated. The scene passes Validate and
// has unit normals, faces that are counter-clockwise seen from outside, and Y up. `name` becomes the
// scene's Name.
func Make(name string) (*geometry.Scene, error) {
	a, n, err := lookup(name)
	if err != nil {
		return nil, err
	}
	s := a.Make(n)
	s.Name = name
	return s, nil
}

// Check returns the error that Make would return for a name, or nil. It makes nothing.
func Check(name string) error {
	_, _, err := lookup(name)
	return err
}

// lookup finds the asset and the number that a name stands for.
func lookup(name string) (Asset, int, error) {
	base := strings.TrimRight(name, "0123456789")
	for _, a := range All {
		if base != a.Name && (base != a.Alias || base == "") {
			continue
		}
		n, err := a.number(name[len(base):])
		if err != nil {
			return a, 0, fmt.Errorf("asset %.40q: %w", name, err)
		}
		return a, n, nil
	}
	return Asset{}, 0, unknown(name)
}

// number parses the digits after the asset's name.
func (a Asset) number(digits string) (int, error) {
	if digits == "" {
		return a.Default, nil
	}
	if a.Hi == 0 {
		return 0, fmt.Errorf("%s takes no number", a.Name)
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < a.Lo || n > a.Hi {
		return 0, fmt.Errorf("%s %.20s is out of range %d..%d", a.Parameter, digits, a.Lo, a.Hi)
	}
	return n, nil
}

// unknown returns the error for a name that no asset has. It suggests the asset with the nearest name. If that
// asset takes a number, the suggestion keeps the number that the user gave.
func unknown(name string) error {
	rest := strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	var have, taking, forms []string // all names, the names that take the number, and all forms
	for _, a := range All {
		have, forms = append(have, a.Name, a.Alias), append(forms, a.Form())
		if a.Hi != 0 && rest != "" && strings.Trim(rest, "0123456789") == "" {
			taking = append(taking, a.Name, a.Alias)
		}
	}
	letters := name[:len(name)-len(rest)]
	nearest := names.Nearest(letters, have)
	if near := names.Nearest(letters, taking); near != "" && near == nearest {
		nearest += rest
	}
	return names.NotAmong("asset", name, nearest, strings.Join(forms, ", "))
}

// AddTexCoords adds texture coordinates for vertex shaders: the positions along the two axes on
// which the scene has the largest extents, scaled to the range 0 to 1.
func AddTexCoords(s *geometry.Scene) {
	if s == nil || len(s.Positions) == 0 {
		return
	}
	box := geometry.BoxOf(s.Positions...)
	lo, size := box.Min, box.Max.Sub(box.Min)
	axes := []int{0, 1, 2}
	slices.SortStableFunc(axes, func(a, b int) int { return cmp.Compare(size[b], size[a]) })
	u, v := min(axes[0], axes[1]), max(axes[0], axes[1])
	data := make([]byte, 0, 8*len(s.Positions))
	for _, p := range s.Positions {
		for _, axis := range []int{u, v} {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits((p[axis]-lo[axis])/max(size[axis], math.SmallestNonzeroFloat32)))
		}
	}
	s.Attributes = append(s.Attributes, geometry.Attribute{Name: "TEXCOORD_0", Format: vertexformat.R32G32_SFLOAT, Data: data})
}

// builder appends vertices, triangles and draws to a scene. Vertex ids are
// relative to the draw being built, as in geometry.Scene.
type builder struct {
	scene        *geometry.Scene
	firstIndex   int // where the draw being built starts
	vertexOffset int
}

// newBuilder returns a builder of an empty scene with room for the given number of vertices and indices.
func newBuilder(vertices, indices int) *builder {
	return &builder{scene: &geometry.Scene{Positions: make([]mgl32.Vec3, 0, vertices), Normals: make([]mgl32.Vec3, 0, vertices), Indices: make([]uint32, 0, indices)}}
}

// next returns the id that the next vertex will get.
func (b *builder) next() uint32 { return uint32(len(b.scene.Positions) - b.vertexOffset) }

// vertex appends a vertex and returns its id; normal has unit length.
func (b *builder) vertex(position, normal vec) uint32 {
	id := b.next()
	b.scene.Positions = append(b.scene.Positions, position.Single())
	b.scene.Normals = append(b.scene.Normals, normal.Single())
	return id
}

func (b *builder) triangle(v0, v1, v2 uint32) {
	b.scene.Indices = append(b.scene.Indices, v0, v1, v2)
}

// quad appends two triangles; the corners are in counter-clockwise order.
func (b *builder) quad(v0, v1, v2, v3 uint32) {
	b.scene.Indices = append(b.scene.Indices, v0, v1, v2, v0, v2, v3)
}

// face appends a flat convex polygon with vertices of its own; the corners are in
// counter-clockwise order.
func (b *builder) face(corners ...vec) {
	normal := corners[1].Sub(corners[0]).Cross(corners[2].Sub(corners[0])).Unit()
	first := b.next()
	for _, p := range corners {
		b.vertex(p, normal)
	}
	for k := uint32(2); k < uint32(len(corners)); k++ {
		b.triangle(first, first+k-1, first+k)
	}
}

// box appends an axis-aligned box of six flat faces.
func (b *builder) box(lo, hi vec) {
	at := func(x, y, z int) vec {
		p := lo
		for k, far := range [3]int{x, y, z} {
			if far == 1 {
				p[k] = hi[k]
			}
		}
		return p
	}
	b.face(at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1))
	b.face(at(1, 0, 0), at(0, 0, 0), at(0, 1, 0), at(1, 1, 0))
	b.face(at(1, 0, 1), at(1, 0, 0), at(1, 1, 0), at(1, 1, 1))
	b.face(at(0, 0, 0), at(0, 0, 1), at(0, 1, 1), at(0, 1, 0))
	b.face(at(0, 1, 1), at(1, 1, 1), at(1, 1, 0), at(0, 1, 0))
	b.face(at(0, 0, 0), at(1, 0, 0), at(1, 0, 1), at(0, 0, 1))
}

// band appends the quads between two closed rings of vertices. The rings are counter-clockwise
// seen from the second ring, which lies beyond the first.
func (b *builder) band(lower, upper, sides uint32) {
	for k := range sides {
		next := (k + 1) % sides
		b.quad(lower+k, lower+next, upper+next, upper+k)
	}
}

// cut ends the draw being built and returns it without a transform. The caller appends it to the
// scene's Draws, once for each time it is drawn.
func (b *builder) cut(name string, color mgl32.Vec4) geometry.Draw {
	d := geometry.Draw{
		Name: name, FirstIndex: uint32(b.firstIndex), IndexCount: uint32(len(b.scene.Indices) - b.firstIndex),
		VertexOffset: uint32(b.vertexOffset), VertexCount: b.next(), Transform: mgl32.Ident4(), Color: color,
	}
	b.firstIndex = len(b.scene.Indices)
	b.vertexOffset = len(b.scene.Positions)
	return d
}

// part is like cut, for a draw that shares its vertices with the next draw: it ends the range of
// indices, but not the range of vertices.
func (b *builder) part(name string, color mgl32.Vec4) geometry.Draw {
	offset := b.vertexOffset
	d := b.cut(name, color)
	b.vertexOffset = offset
	return d
}

// draw ends the draw being built and draws it once.
func (b *builder) draw(name string, color mgl32.Vec4) {
	b.add(b.cut(name, color))
}

func (b *builder) add(d geometry.Draw) { b.scene.Draws = append(b.scene.Draws, d) }

// place returns the transform that scales and then moves.
func place(at, scale vec) mgl32.Mat4 {
	p, s := at.Single(), scale.Single()
	return mgl32.Mat4{s[0], 0, 0, 0, 0, s[1], 0, 0, 0, 0, s[2], 0, p[0], p[1], p[2], 1}
}

// vec is a point or direction. Scenes have the same bits on every machine: products are rounded
// before they are added (package exact), sine and cosine are our own, and mathgl's arithmetic is
// not used.
type vec = exact.Vec

// tangents returns u and v such that u, v, n are right-handed and orthonormal, for a unit n.
func tangents(n vec) (u, v vec) {
	axis := vec{1, 0, 0}
	if math.Abs(n[0]) > 0.6 {
		axis = vec{0, 0, 1}
	}
	u = axis.Cross(n).Unit()
	return u, n.Cross(u)
}

// sincos returns sine and cosine of an angle given in turns (1 is the full
// circle), to about 1e-15, and exactly at the quarters.
func sincos(turns float64) (sin, cos float64) {
	quarter := math.Floor(float64(turns*4) + 0.5)
	x := float64((turns - float64(quarter*0.25)) * (2 * math.Pi)) // within pi/4 of zero
	xx := float64(x * x)
	s, c := 1.0, 1.0
	for k := 16.0; k >= 2; k -= 2 { // Taylor's series, smallest term first
		s = 1 - float64(s*xx)/float64(k*(k+1))
		c = 1 - float64(c*xx)/float64(k*(k-1))
	}
	s = float64(s * x)
	switch int(quarter) & 3 {
	case 0:
		return s, c
	case 1:
		return c, -s
	case 2:
		return -s, -c
	default:
		return -c, s
	}
}

// random is a stream of random numbers that depends only on the seed.
type random struct{ pcg *rand.PCG }

func newRandom(seed uint64) random { return random{rand.NewPCG(seed, 0x5ade0ce)} }

// between returns a number in [lo, hi).
func (r random) between(lo, hi float64) float64 {
	return lo + float64(float64(r.pcg.Uint64()>>11)*0x1p-53*(hi-lo))
}

// below returns an integer in [0, n), for n up to 65,536.
func (r random) below(n int) int { return int((r.pcg.Uint64() >> 48) * uint64(n) >> 16) }

// inBall returns a point within the unit ball, never its centre.
func (r random) inBall() vec {
	for {
		p := vec{r.between(-1, 1), r.between(-1, 1), r.between(-1, 1)}
		if d := p.Dot(p); d < 1 && d > 1e-6 {
			return p
		}
	}
}

// direction returns a uniformly distributed unit vector.
func (r random) direction() vec { return r.inBall().Unit() }
