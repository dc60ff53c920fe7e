package soft

import (
	"context"
	"fmt"
	"math"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/internal/spirv/interpret"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
	"github.com/shadeonce/shadeonce/renderer"
)

// shaded holds the results of foreign vertex shaders for a frame's vertices. Each vertex of each
// draw is shaded once per picture, before the passes. The passes look its result up as often as the
// strategy shades it.
type shaded struct {
	runners   []*interpret.Runner
	offsets   []uint32     // by draw: index of its first vertex
	positions [][4]float32 // in clip space
	shown     [][4]float32 // the output that is shown; empty if there is none
	distances []float32    // clip and cull distances of each vertex; empty if there are none
	each      module.Distances
	scale     float32 // with offset, maps an output to the values that are shown
	offset    float32
}

// placesElsewhere reports whether user vertex shaders move a frame's vertices away from their scene
// positions. A captured frame's scene already has the positions from its own shaders.
func placesElsewhere(f *renderer.Frame) bool { return f.Shading != nil && f.Shading.Captured == nil }

func newShaded(p *plan.Plan) (*shaded, error) {
	shading := p.Frame.Shading
	if shading == nil {
		return nil, nil
	}
	n := p.Frame.Scene.DrawVertices()
	c := &shaded{scale: 1, offsets: reuse.CountOffsets(p.Frame.Scene), positions: make([][4]float32, n)}
	c.each = p.Frame.Distances()
	c.distances = make([]float32, n*c.each.Total())
	if shading.Shown != "" {
		c.shown = make([][4]float32, n)
	}
	if p.Frame.View == renderer.Varying {
		c.scale, c.offset = p.Frame.Look.Range.Map()
	}
	for _, p := range shading.Programs {
		runner, err := interpret.New(p.Vertex)
		if err != nil {
			return nil, fmt.Errorf("soft: vertex shader %s: %w", p.Name, err)
		}
		c.runners = append(c.runners, runner)
	}
	return c, nil
}

// shadedBytes returns the bytes of the vertex shaders' results: positions, outputs and distances.
func shadedBytes(p *plan.Plan) int64 {
	if p.Frame.Shading == nil {
		return 0
	}
	return int64(32+4*p.Frame.Distances().Total()) * int64(p.Frame.Scene.DrawVertices())
}

// shade runs the vertex shaders for a camera.
func (c *shaded) shade(p *plan.Plan, camera renderer.Camera, draws []draw) error {
	host := p.Host(camera)
	scene, shading := p.Frame.Scene, p.Frame.Shading
	for i := range draws {
		if draws[i].Flags&renderer.DrawUnshaded != 0 {
			continue
		}
		program := shading.Draws[i].Program
		v := shading.Programs[program].Vertex
		d := shading.Reads(scene, i)
		d.Blocks = host.Blocks(i)
		from, n := int(c.offsets[i]), int(scene.Draws[i].VertexCount)
		positions := c.positions[from : from+n]
		var bits [][4]uint32
		var shown []interpret.Shown
		part, ok := v.Part(shading.Shown)
		if ok {
			bits = make([][4]uint32, n)
			shown = []interpret.Shown{{Name: shading.Shown, Values: bits}}
		}
		distances, places := c.wanted(v, n)
		shown = append(shown, distances...)
		if err := c.runners[program].Run(context.Background(), d, positions, shown...); err != nil {
			return fmt.Errorf("soft: vertex shader %s, draw %d: %w", shading.Programs[program].Name, i, err)
		}
		if clip, ok := host.Clip(i); ok {
			for k := range positions {
				positions[k] = plan.ExactTransform(&clip, &positions[k])
			}
		}
		for i, at := range places {
			for k, value := range distances[i].Values {
				c.distances[(from+k)*c.each.Total()+at] = math.Float32frombits(value[0])
			}
		}
		for k := range bits {
			c.shown[from+k] = c.ranged(widened(part.Of, bits[k]))
		}
	}
	return nil
}

// wanted lists the distances that a shader writes, and their indices among a vertex's distances.
func (c *shaded) wanted(v *module.Vertex, vertices int) (list []interpret.Shown, places []int) {
	for i, of := range []module.Variable{v.ClipDistance, v.CullDistance} {
		for k := 0; c.each.Total() > 0 && of.Type != nil && k < of.Type.Count; k++ {
			list = append(list, interpret.Shown{Name: fmt.Sprintf("%s[%d]", of.Name, k), Values: make([][4]uint32, vertices)})
			places = append(places, i*c.each.Clip+k)
		}
	}
	return list, places
}

// distancesOf returns a vertex's distances, and how many of them clip.
func (c *shaded) distancesOf(draw, id uint32) (list []float32, clips int) {
	n := c.each.Total()
	at := int(c.offsets[draw]+id) * n
	return c.distances[at : at+n : at+n], c.each.Clip
}

// widened returns an output as four floats; missing components are 0, 0, 0, 1.
func widened(t *module.Type, bits [4]uint32) (out [4]float32) {
	out[3] = 1
	for k := range min(max(t.Count, 1), len(out)) {
		switch t.Scalar().Kind {
		case module.Int:
			out[k] = float32(int32(bits[k]))
		case module.Uint:
			out[k] = float32(bits[k])
		default:
			out[k] = math.Float32frombits(bits[k])
		}
	}
	return out
}

// ranged maps an output to the values that the varying view shows, like caller.ranged of package link.
func (c *shaded) ranged(v [4]float32) [4]float32 {
	for k := range v {
		v[k] = float32(v[k]*c.scale) + c.offset
	}
	return v
}

// vertex returns the result of shade for a vertex.
func (c *shaded) vertex(draw, id uint32) (position, shown [4]float32) {
	at := c.offsets[draw] + id
	if len(c.shown) > 0 {
		shown = c.shown[at]
	}
	return c.positions[at], shown
}

// shownAttributes packs the output `shown` into a vertex's attributes. Without a view nothing reads
// them; the shaders write them so that compilers do not drop the output.
func (s *shader) shownAttributes(d *draw, shown *[4]float32) [2]uint32 {
	if s.view == renderer.NoView {
		return [2]uint32{packSnorm16(shown[0]) | packSnorm16(shown[1])<<16, packSnorm16(shown[2]) | packSnorm16(shown[3])<<16}
	}
	return storeShown([3]float32(shown[:3]), d.Flags&renderer.DrawDimmed != 0)
}
