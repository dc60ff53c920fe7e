package plan

import (
	"errors"
	"fmt"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

// NewDirect is a plan without compute geometry: the graphics pipeline draws
// the scene's index stream, one indexed draw a draw, so that the vertex reuse is
// the device's own. Its counts are laid out as reuse.Analyze returns them.
//
// Where the device's vertex shaders cannot count, the plan keeps none
// (Frame.NoCounts) and only Output.VertexInvocations tells of the reuse.
func NewDirect(s *geometry.Scene, l renderer.Limits) (*Plan, error) {
	switch {
	case s == nil:
		return nil, errors.New("direct plan without a scene")
	case len(s.Normals) != len(s.Positions): // the pools on the device may serve other plans later
		return nil, fmt.Errorf("scene with %d normals for %d vertices", len(s.Normals), len(s.Positions))
	case s.Computed != nil:
		return nil, needsStored(s, "the graphics pipeline alone")
	case !l.VertexCounters && !l.PipelineStatistics:
		return nil, errors.New("the vertex reuse of a graphics pipeline cannot be counted here: " +
			"there is neither a query of pipeline statistics nor a vertex shader that may write")
	}
	// What is drawn is thrown away: one pixel will do.
	p := newPlanner(renderer.Frame{Scene: s, View: renderer.NoView, Width: 1, Height: 1, NoCounts: !l.VertexCounters}, l)
	p.sceneBuffers()
	p.cameraBuffer()
	shader, x := "raster/direct", touched{reads: []Block{Positions, Indices, Draws, Cameras}}
	if !p.Frame.NoCounts {
		p.add(Counts, ByPasses, directName, "uint", s.DrawVertices(), 4)
		p.then(p.clear(target{}, Counts))
		shader, x.writes = "raster/direct-count", []Block{Counts}
	}
	p.then(p.direct(directName, Program{Shaders: []string{shader}}, x))
	if err := p.checkSizes(l); err != nil {
		return nil, err
	}
	return p.finish()
}

const directName = "raster:direct"

// direct draws the scene itself.
func (p *planner) direct(name string, program Program, x touched) step {
	return step{{Name: name, Uses: p.uses(target{}, program.Shaders, x), Op: &Direct{program}}}
}
