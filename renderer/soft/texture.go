package soft

import (
	"encoding/binary"
	"math"
	"sort"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
)

// This file mirrors shaders/include/texture.glsl and textured.glsl: with the same float32 products
// and sums it drops the same pixels, and shows the same texels.

// textures finds the textures of a scene's or a window's triangles, and their clip and cull distances.
type textures struct {
	scene     *geometry.Scene
	shaded    *shaded // nil without distances
	draws     []draw
	starts    []int // by draw: stream position of its first triangle
	materials []plan.Material
}

// newTextures returns nil if the frame needs neither textures nor distances. `first` is the stream position of the window's first triangle.
func newTextures(f *frame, first int) *textures {
	t := &textures{scene: f.scene, draws: f.draws}
	if f.shaded != nil && len(f.shaded.distances) > 0 {
		t.shaded = f.shaded
	}
	switch {
	case f.plan.Frame.Textured():
		t.materials = plan.MaterialData(f.scene)
	case t.shaded == nil:
		return nil
	}
	for i := range f.draws {
		t.starts = append(t.starts, first)
		first += int(f.draws[i].IndexCount) / 3
	}
	return t
}

// textured is a triangle with a texture, or with distances.
type textured struct {
	material  *plan.Material // nil without a texture
	distances [3][]float32   // of each corner
	clips     int            // number of clip distances; cull distances follow them
	texels    []uint32
	at        [3][2]float32 // texture coordinates
	masked    masked        // if pixels may be dropped by an alpha test
}

// masked has what an alpha test needs at each pixel, like the planes of Textured in textured.glsl.
type masked struct {
	x, y               int
	first, right, down mgl32.Vec3 // u, v and 1 there, times the sum of the corners' weights; their growth per pixel
}

// textured returns the texture and the distances of a triangle of the queue; nil if it has none.
func (s *setup) textured(number int) *textured {
	t := s.textures
	if t == nil {
		return nil
	}
	triangle := int(s.firstTriangle) + number
	i := sort.Search(len(t.starts), func(i int) bool { return t.starts[i] > triangle }) - 1
	d := &t.draws[i]
	material := d.Material > 0 && t.materials != nil
	if !material && t.shaded == nil {
		return nil
	}
	out := &textured{}
	first := int(d.FirstIndex) + 3*(triangle-t.starts[i])
	if t.shaded != nil {
		for c := range 3 {
			out.distances[c], out.clips = t.shaded.distancesOf(d.FirstInstance, t.scene.Indices[first+c])
		}
	}
	if !material {
		return out
	}
	out.material, out.texels = &t.materials[d.Material-1], t.scene.Textures.Texels
	coords := &t.scene.Attributes[t.scene.Textures.Sets[out.material.Set]]
	for c := range 3 {
		at := coords.Element(int(d.VertexOffset + t.scene.Indices[first+c]))
		u, v := math.Float32frombits(binary.LittleEndian.Uint32(at)), math.Float32frombits(binary.LittleEndian.Uint32(at[4:]))
		out.at[c] = [2]float32{bounded(affine(&out.material.ToU, u, v)), bounded(affine(&out.material.ToV, u, v))}
	}
	return out
}

func affine(m *[4]float32, u, v float32) float32 {
	return dot(&mgl32.Vec3{m[0], m[1], m[2]}, &mgl32.Vec3{u, v, 1})
}

// bounded replaces values that are not finite, or too large to choose a texel, by 0.
func bounded(x float32) float32 {
	if math.Float32bits(x)&0x7fffffff < 0x4b800000 {
		return x
	}
	return 0
}

// culled reports whether a cull distance is negative at all corners, like distances_cull.
func (t *textured) culled() bool {
	for n := t.clips; n < len(t.distances[0]); n++ {
		if t.distances[0][n] < 0 && t.distances[1][n] < 0 && t.distances[2][n] < 0 {
			return true
		}
	}
	return false
}

// mask prepares the alpha test of a triangle, if it has one, like textured_dropping.
func (t *textured) mask(corners *[3][4]float32, width, height int) {
	if t.material == nil || t.material.Cutoff == 0 {
		return
	}
	m := &t.masked
	m.x, m.y = origin(&corners[0], width, height)
	p := weightsAt(corners, width, height, m.x, m.y)
	m.first, m.right, m.down = t.values(&p.corners), t.values(&p.perX), t.values(&p.perY)
}

// origin returns the pixel from which a triangle's planes are measured, like textured_origin.
func origin(corner *[4]float32, width, height int) (x, y int) {
	x, y = width/2, height/2
	if corner[3] >= smallestW {
		s := setup{width: width, height: height}
		px, py := s.pixel(corner[0], corner[1], reciprocal(corner[3]))
		x, y = int(min(max(px, 0), float32(width-1))), int(min(max(py, 0), float32(height-1)))
	}
	return x, y
}

// drops reports whether a clip distance or the alpha test drops a pixel.
func (t *textured) drops(p *weights, x, y int) bool {
	for n := range t.clips {
		if dot(&p.corners, &mgl32.Vec3{t.distances[0][n], t.distances[1][n], t.distances[2][n]}) < 0 {
			return true
		}
	}
	if t.material == nil || t.material.Cutoff == 0 {
		return false
	}
	m := &t.masked
	awayX, awayY := float32(x-m.x), float32(y-m.y)
	var values mgl32.Vec3
	for k := range values {
		values[k] = m.first[k] + float32(awayX*m.right[k]) + float32(awayY*m.down[k])
	}
	return absolute(values[2]) >= leastWeights && t.filtered(&values, &m.right, &m.down)[3] < t.material.Cutoff
}

// color returns the texture's colour at a pixel, times the material's tint.
func (t *textured) color(p *weights) (base [3]float32) {
	texel := t.sample(p)
	for k := range base {
		base[k] = float32((texel[k]+0x8000)>>16) * t.material.Tint[k]
	}
	return base
}

// values returns u, v and 1 at weights of the corners, times their sum.
func (t *textured) values(weights *mgl32.Vec3) mgl32.Vec3 {
	us, vs := mgl32.Vec3{t.at[0][0], t.at[1][0], t.at[2][0]}, mgl32.Vec3{t.at[0][1], t.at[1][1], t.at[2][1]}
	return mgl32.Vec3{dot(weights, &us), dot(weights, &vs), dot(weights, &mgl32.Vec3{1, 1, 1})}
}

// sample returns the texture's value at a pixel, like textured_color; shaders.TextureOne stands for 1.
func (t *textured) sample(p *weights) [4]uint32 {
	values := t.values(&p.corners)
	if values[2] < leastWeights {
		return t.filter(t.at[0], 0)
	}
	right, down := t.values(&p.perX), t.values(&p.perY)
	return t.filtered(&values, &right, &down)
}

// filtered returns the texture's value where u, v and 1, times the sum of weights, are `values` and grow per pixel by
// right and down, like textured_filtered.
func (t *textured) filtered(values, right, down *mgl32.Vec3) [4]uint32 {
	inverse := reciprocal(absolute(values[2]))
	signed := inverse
	if values[2] < 0 {
		signed = -inverse
	}
	u, v := bounded(values[0]*signed), bounded(values[1]*signed)
	dx := [2]float32{(right[0] - float32(u*right[2])) * inverse, (right[1] - float32(v*right[2])) * inverse}
	dy := [2]float32{(down[0] - float32(u*down[2])) * inverse, (down[1] - float32(v*down[2])) * inverse}
	return t.filter([2]float32{u, v}, t.level(dx, dy))
}

// level returns the mipmap level for the change of texture coordinates per pixel, like texture_level.
func (t *textured) level(dx, dy [2]float32) int {
	squared := func(d [2]float32) uint32 {
		u, v := d[0]*float32(t.material.Width), d[1]*float32(t.material.Height)
		return math.Float32bits(float32(u*u)+float32(v*v)) & 0x7fffffff
	}
	word := max(squared(dx), squared(dy))
	return min(max((int(word>>23)-126)>>1, 0), int(t.material.Levels)-1)
}

// filter returns the weighted sum of a level's four nearest texels, like texture_sample; shaders.TextureOne stands for 1.
func (t *textured) filter(uv [2]float32, level int) (sum [4]uint32) {
	m := t.material
	first, width, height := m.FirstTexel, m.Width, m.Height
	for range level {
		first += width * height
		width, height = max(width>>1, 1), max(height>>1, 1)
	}
	atX, atY := fix(m.WrapU, uv[0], width), fix(m.WrapV, uv[1], height)
	if m.Tint[3] > 0 {
		atX, atY = (atX+128)&^255, (atY+128)&^255
	}
	for i := range int32(4) {
		dx, dy := i&1, i>>1
		at := first + width*wrapped(m.WrapV, atY>>8+dy, height) + wrapped(m.WrapU, atX>>8+dx, width)
		weight := uint32(256-256*dx+(2*dx-1)*(atX&255)) * uint32(256-256*dy+(2*dy-1)*(atY&255))
		for k := range sum {
			sum[k] += t.texels[at] >> (8 * k) & 255 * weight
		}
	}
	return sum
}

// fix repeats, mirrors or clamps a texture coordinate, and converts it to 1/256 texel, counted from the centre of texel 0.
func fix(wrap uint32, u float32, size uint32) int32 {
	inside := min(max(u, 0), 1)
	switch wrap {
	case uint32(geometry.Repeat):
		inside = u - floor(u)
	case uint32(geometry.Mirror):
		if inside = u - 2*floor(0.5*u); inside > 1 {
			inside = 2 - inside
		}
	}
	return int32(floor(inside*float32(256*size))) - 128
}

func floor(x float32) float32 { return float32(math.Floor(float64(x))) }

// wrapped repeats or clamps a texel's position along one axis, so that it is within 0 to size-1, like texture_wrapped.
// fix has already mirrored.
func wrapped(wrap uint32, i int32, size uint32) uint32 {
	if wrap == uint32(geometry.Repeat) {
		return uint32(i+int32(size)) % size
	}
	return uint32(min(max(i, 0), int32(size)-1))
}
