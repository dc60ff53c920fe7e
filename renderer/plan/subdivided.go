package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/apps/subdivide"
)

// A mesh that is subdivided while it is drawn (subdivide.NewScene) has an index stream
// and vertices that no buffer holds: shaders compute both from the coarse mesh's pools
// and its tables. Everything behind the vertex shader, and every strategy, is as for a
// stored mesh. Shaders that read the stream or vertices have a variant for it.

// subdividedSuffix ends the names of those variants.
const subdividedSuffix = "-subdivided"

// Surface is the subdivided mesh that a scene's pools determine; nil where they hold
// what is drawn.
func Surface(s *geometry.Scene) *subdivide.Surface {
	surface, _ := s.Computed.(*subdivide.Surface)
	return surface
}

// surfaceBlocks are what shaders read of a subdivided mesh to compute it.
var surfaceBlocks = []Block{Indices, TriangleEdges, EdgeCorners}

// surfaceBuffers adds the tables, where the mesh is subdivided.
func (p *planner) surfaceBuffers() {
	if x := Surface(p.Frame.Scene); x != nil {
		p.add(TriangleEdges, ByScene, "scene", "uint edge", len(x.TriangleEdges), 4)
		p.add(EdgeCorners, ByScene, "scene", "uint2 corners", len(x.EdgeCorners), 8)
	}
}

// variantOf is a shader, and the blocks that it reads, for the mesh that is drawn and the
// vertex shaders that shade it.
func (p *planner) variantOf(shader string, reads []Block) (string, []Block) {
	if Surface(p.Frame.Scene) == nil {
		return p.customOf(shader, reads)
	}
	return shader + subdividedSuffix, append(except(reads, surfaceBlocks...), surfaceBlocks...)
}

// except is a list without some of its blocks.
func except(list []Block, blocks ...Block) []Block {
	return slices.DeleteFunc(slices.Clone(list), func(b Block) bool { return slices.Contains(blocks, b) })
}

// surfaceArguments are the push constants of shaders of a subdivided mesh.
func (p *planner) surfaceArguments() (arguments [4]uint32) {
	if x := Surface(p.Frame.Scene); x != nil {
		arguments[0] = uint32(x.Coarse)
	}
	return arguments
}

// sceneBytes are those of the scene's pools and tables.
func (p *Plan) sceneBytes() (n int64) {
	for i := range p.Buffers {
		if p.Buffers[i].Filled == ByScene {
			n += p.Buffers[i].Bytes
		}
	}
	return n
}

// needsStored refuses a computed mesh for what draws only stored ones.
func needsStored(s *geometry.Scene, what string) error {
	if s.Computed == nil {
		return nil
	}
	return fmt.Errorf("%s draws stored meshes, not one that is subdivided while it is drawn", what)
}

// checkSurface refuses meshes whose computation no shader knows.
func checkSurface(s *geometry.Scene) error {
	if s.Computed != nil && Surface(s) == nil {
		return errors.New("no shader computes this mesh")
	}
	return nil
}

// Plain is a shader's name without what names its variant for subdivided meshes, or for
// vertex shaders that are not ours.
func Plain(shader string) string {
	return strings.TrimSuffix(strings.TrimSuffix(shader, subdividedSuffix), customSuffix)
}
