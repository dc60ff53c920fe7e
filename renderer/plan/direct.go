package plan

import (
	"errors"
	"fmt"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
	"github.com/shadeonce/shadeonce/shaders"
)

// NewDirectPlan is a plan without compute geometry: the graphics pipeline draws
// the scene's index stream, one indexed draw a draw, so that the vertex reuse is
// the device's own. Its counts are laid out as reuse.Analyze returns them.
//
// Where the device's vertex shaders cannot count, the plan keeps none
// (Frame.NoCounts) and Output.VertexInvocations alone tells of the reuse.
func NewDirect(s *geometry.Scene, l renderer.Limits) (*Plan, error) {
	switch {
	case s == nil:
		return nil, errors.New("renderer: direct plan without a scene")
	case len(s.Normals) != len(s.Positions): // the pools on the device may serve other plans later
		return nil, fmt.Errorf("renderer: scene with %d normals for %d vertices", len(s.Normals), len(s.Positions))
	case !l.VertexCounters && !l.PipelineStatistics:
		return nil, errors.New("renderer: the vertex reuse of a graphics pipeline cannot be counted here: " +
			"there is neither a query of pipeline statistics nor a vertex shader that may write")
	}
	// What is drawn is thrown away: one pixel will do.
	p := &Plan{Frame: renderer.Frame{Scene: s, View: renderer.NoView, Width: 1, Height: 1, NoCounts: !l.VertexCounters}}
	p.sceneBuffers()
	p.addBuffer("Cameras", "frame", "Camera", 1, shaders.CameraSize)
	pass := Pass{
		Name: "raster:direct", Kind: Direct, Shaders: []string{"raster/direct"}, First: true,
		Reads: []string{"Positions", "Indices", "Draws", "Cameras"},
	}
	if !p.Frame.NoCounts {
		p.addBuffer("Counts", pass.Name, "uint", s.DrawVertices(), 4)
		p.Passes = append(p.Passes, Pass{Name: "clear", Kind: Clear, Writes: []string{"Counts"}})
		pass.Shaders, pass.Writes = []string{"raster/direct-count"}, []string{"Counts"}
	}
	p.Passes = append(p.Passes, pass)
	if err := p.checkSizes(l); err != nil {
		return nil, err
	}
	return p, nil
}
