package soft

import (
	"math"
	"sync/atomic"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/cores"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// movedGrain is how many vertices are moved between two checks of stop.
const movedGrain = 1 << 12

// Moved returns the positions to which the frame's VertexShader moves the scene's vertex pool, in model
// space and bit-equal to those that passes compute: one per vertex, or the scene's own if nothing moves.
// It runs on all cores. It returns nil if stop is set meanwhile, or if there is no plan.
func Moved(p *plan.Plan, stop *atomic.Bool) []mgl32.Vec3 {
	if p == nil || stop == nil || p.Frame.Scene == nil {
		return nil
	}
	scene := p.Frame.Scene
	s := shader{vertex: p.Frame.VertexShader}
	switch s.vertex {
	case renderer.Transform:
		return scene.Positions
	case renderer.Skin:
		k := newSkin(scene)
		s.skin = &k
	case renderer.Displace:
		for i := range p.Passes {
			if pipeline := p.Passes[i].Pipeline(); pipeline != nil && pipeline.Spec["DISPLACE_CELLS"] != 0 {
				s.noise = newDisplace(pipeline.Spec)
				break
			}
		}
	}
	moved := make([]mgl32.Vec3, len(scene.Positions))
	parallel((len(moved)+movedGrain-1)/movedGrain, cores.Count(), func(part int) {
		if stop.Load() {
			return
		}
		for v := part * movedGrain; v < min((part+1)*movedGrain, len(moved)); v++ {
			moved[v], _ = s.move(uint32(v), &scene.Positions[v], &scene.Normals[v])
		}
	})
	if stop.Load() {
		return nil
	}
	return moved
}

// MovedCount returns how many vertices Placed computes: 0 if they are drawn at the scene's positions.
// known is false if only a user's vertex shader determines the positions.
func MovedCount(f *renderer.Frame) (vertices int, known bool) {
	if f == nil || f.Scene == nil || placesElsewhere(f) {
		return 0, false
	}
	vertices = f.Scene.ComputedVertices()
	if f.VertexShader != renderer.Transform {
		vertices += len(f.Scene.Positions)
	}
	return vertices, true
}

// Placed returns the plan's scene as drawn: with its mesh stored, and its vertices moved by Moved.
// It returns nil if stop is set meanwhile.
func Placed(p *plan.Plan, stop *atomic.Bool) *geometry.Scene {
	positions := Moved(p, stop)
	if positions == nil {
		return nil
	}
	scene := *p.Frame.Scene.Stored()
	if p.Frame.VertexShader != renderer.Transform {
		scene.Positions = positions
	}
	return &scene
}

// object returns the position and normal, in model space, that the vertex shader gives a vertex of the scene.
func (s *shader) object(vertex uint32) (pos, normal mgl32.Vec3) {
	pos, normal = s.scene.Vertex(vertex)
	return s.move(vertex, &pos, &normal) // computed meshes do not move
}

// move returns the position and normal that the vertex shader gives a vertex of the pool, before the transform.
func (s *shader) move(vertex uint32, posObject, normalObject *mgl32.Vec3) (pos, normal mgl32.Vec3) {
	switch s.vertex {
	case renderer.Skin:
		return s.skin.pose(vertex, posObject, normalObject)
	case renderer.Displace:
		return s.noise.surface(posObject, normalObject)
	}
	return *posObject, *normalObject
}

// The following mirrors shaders/vertex/displace.vert.

// displace holds the noise's constants.
type displace struct {
	cells  float32 // lattice cells per scene unit
	height float32 // scene units by which noise of 1 moves a vertex
}

func newDisplace(spec map[string]uint32) displace {
	return displace{math.Float32frombits(spec["DISPLACE_CELLS"]), math.Float32frombits(spec["DISPLACE_HEIGHT"])}
}

const displaceOctaves = 4

// latticePrimes spread a cell's coordinates over the bits.
var latticePrimes = [3]uint32{0x8da6b343, 0xd8163841, 0xcb1ab31f}

// displaceRandom returns a number in -1..1, exact in 24 bits, for a lattice point. point combines the
// lattice point's coordinates, each multiplied by its latticePrimes entry.
func displaceRandom(point uint32) float32 {
	point ^= point >> 15
	point *= 0x2c1b3c6d
	point ^= point >> 13
	point *= 0x297a2d39
	point ^= point >> 16
	return float32(float32(point>>8)*(1.0/8388608.0)) - 1
}

// displaceNoise returns the noise at a position in lattice units: its derivative, and its value,
// in -1..1.
func displaceNoise(place *mgl32.Vec3, octave uint32) (derivative mgl32.Vec3, value float32) {
	var blend, slope [3]float32
	var low, high [3]uint32
	for k, p := range place {
		cell := float32(math.Floor(float64(p)))
		f := p - cell
		blend[k] = float32(float32(f*f)*f) * (float32(f*(float32(f*6)-15)) + 10)
		slope[k] = float32(float32(f*f)*30) * (float32(f*(f-2)) + 1)
		low[k] = uint32(int32(cell)) * latticePrimes[k]
		if k == 0 {
			low[k] += octave * 0x9e3779b1
		}
		high[k] = low[k] + latticePrimes[k]
	}
	var differenceX, alongX [4]float32
	for c, yz := range [4]uint32{low[1] ^ low[2], low[1] ^ high[2], high[1] ^ low[2], high[1] ^ high[2]} {
		left, right := displaceRandom(yz^low[0]), displaceRandom(yz^high[0])
		differenceX[c] = right - left
		alongX[c] = left + float32(blend[0]*differenceX[c])
	}
	var differenceY, alongY, slopeX [2]float32
	for c := range 2 {
		differenceY[c] = alongX[c+2] - alongX[c]
		alongY[c] = alongX[c] + float32(blend[1]*differenceY[c])
		slopeX[c] = differenceX[c] + float32(blend[1]*(differenceX[c+2]-differenceX[c]))
	}
	derivative = mgl32.Vec3{
		float32((slopeX[0] + float32(blend[2]*(slopeX[1]-slopeX[0]))) * slope[0]),
		float32((differenceY[0] + float32(blend[2]*(differenceY[1]-differenceY[0]))) * slope[1]),
		float32((alongY[1] - alongY[0]) * slope[2]),
	}
	return derivative, alongY[0] + float32(blend[2]*(alongY[1]-alongY[0]))
}

func (d *displace) surface(posObject, normalObject *mgl32.Vec3) (pos, normal mgl32.Vec3) {
	var place, gradient mgl32.Vec3
	for k := range place {
		place[k] = float32(posObject[k] * d.cells)
	}
	sum, weight := float32(0), float32(1)
	for octave := range uint32(displaceOctaves) {
		derivative, value := displaceNoise(&place, octave)
		for k := range gradient {
			gradient[k] += derivative[k]
			place[k] *= 2
		}
		sum += float32(value * weight)
		weight *= 0.5
	}
	height, steepness := d.height*sum, d.height*d.cells
	for k := range gradient {
		gradient[k] = float32(gradient[k] * steepness)
	}
	along := dot(&gradient, normalObject)
	for k := range pos {
		pos[k] = posObject[k] + float32(normalObject[k]*height)
		normal[k] = normalObject[k] - (gradient[k] - float32(normalObject[k]*along))
	}
	return pos, normal
}

// The following mirrors shaders/vertex/skin.vert.

// skin holds the data that skinning reads besides positions.
type skin struct {
	vertices [][2]uint32  // four bones and their weights, 8 bits each
	bones    [][4]float32 // three rows of a 3x4 matrix per bone
}

func newSkin(s *geometry.Scene) skin {
	return skin{vertices: plan.SkinData(s), bones: plan.BoneData(s)}
}

func skinBytes(packed uint32) [4]uint32 {
	return [4]uint32{packed & 255, packed >> 8 & 255, packed >> 16 & 255, packed >> 24}
}

// row returns row 0..2 of the blended matrix. `bone` holds the index in s.bones of each bone's first row.
func (s *skin) row(bone *[4]uint32, weight *[4]float32, row uint32) (sum [4]float32) {
	x, y, z, w := &s.bones[bone[0]+row], &s.bones[bone[1]+row], &s.bones[bone[2]+row], &s.bones[bone[3]+row]
	for k := range sum {
		blended := float32(weight[0]*x[k]) + float32(weight[1]*y[k])
		blended += float32(weight[2] * z[k])
		blended += float32(weight[3] * w[k])
		sum[k] = blended
	}
	return sum
}

func (s *skin) pose(vertex uint32, posObject, normalObject *mgl32.Vec3) (pos, normal mgl32.Vec3) {
	packed := s.vertices[vertex]
	bone := skinBytes(packed[0])
	var weight [4]float32
	for k, b := range skinBytes(packed[1]) {
		bone[k] *= 3
		weight[k] = float32(b) * float32(1.0/255.0)
	}
	for r := range uint32(3) {
		row := s.row(&bone, &weight, r)
		linear := mgl32.Vec3(row[:3])
		pos[r] = dot(&linear, posObject) + row[3]
		normal[r] = dot(&linear, normalObject)
	}
	return pos, normal
}

// The following mirrors shaders/include/exact.glsl.

// unit scales v to unit length. Vectors below a length of 1e-15 stay below unit length, and those above 1e15 stay above it.
func unit(v *mgl32.Vec3) mgl32.Vec3 {
	y := inverseLength(v, 3)
	return mgl32.Vec3{v[0] * y, v[1] * y, v[2] * y}
}

// inverseLength returns 1 / the length of v: with two steps within 5 parts in a million, with three within 3 in 10 million.
func inverseLength(v *mgl32.Vec3, steps int) float32 {
	lengthSquared := max(min(dot(v, v), 1e30), 1e-30)
	halved := 0.5 * lengthSquared
	y := math.Float32frombits(0x5f375a86 - math.Float32bits(lengthSquared)>>1)
	for range steps {
		y *= 1.5 - float32(float32(halved*y)*y)
	}
	return y
}

// packSnorm16 rounds a number in -1..1 to 16 bits; NaN gives 0.
func packSnorm16(x float32) uint32 {
	if x != x {
		return 0
	}
	scaled := float32(max(min(x, 1), -1)*32767) + 0.5
	return uint32(int32(math.Floor(float64(scaled)))) & 0xffff
}

// packNormal scales a normal to unit length, and packs it as three snorm16.
func packNormal(normalWorld *mgl32.Vec3) [2]uint32 {
	u := unit(normalWorld)
	return [2]uint32{packSnorm16(u[0]) | packSnorm16(u[1])<<16, packSnorm16(u[2])}
}
