package plan

import (
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
)

// source says where vertices and indices come from.
type source interface {
	String() string
	buffers(p *planner)
	// variant returns a shader, and the blocks that it reads, for this source and shade.
	variant(p *planner, shader string, reads []Block) (string, []Block)
	arguments() [4]uint32 // push constants
	// reads returns the least number of bytes that a geometry pass reads: of vertices (the given
	// number if pools store them), and of the index stream.
	reads(p *Plan, vertices int64) (ofVertices, ofIndices int64)
}

// stored reads the scene's pools.
type stored struct{}

func (stored) String() string   { return "stored" }
func (stored) buffers(*planner) {}

func (stored) variant(p *planner, shader string, reads []Block) (string, []Block) {
	return shader, p.shadeReads(shader, reads)
}

func (stored) arguments() (none [4]uint32) { return none }

func (stored) reads(p *Plan, vertices int64) (ofVertices, ofIndices int64) {
	return vertices, 3 * int64(p.Frame.Scene.Triangles()) * indexBytes
}

// subdivided reads a mesh that is subdivided while it is drawn. No buffer holds its index
// stream and vertices: shaders compute both from the coarse mesh's pools and its tables.
// Shaders that read the stream or vertices have a variant for that. All later stages, and
// every strategy, work as for a stored mesh.
type subdivided struct{ mesh Subdivided }

// subdividedSuffix ends the names of the shaders' variants for subdivided meshes.
const subdividedSuffix = "-subdivided"

// Subdivided is a mesh that shaders compute: one level finer than the coarse mesh whose
// triangles and vertices the scene's pools hold.
type Subdivided interface {
	geometry.Computed
	// Tables returns the number of coarse vertices, three edges per coarse triangle, and for
	// each edge its first corner in each of its two triangles (^0 for a missing one).
	Tables() (vertices int, triangleEdges []uint32, edgeCorners [][2]uint32)
}

// Surface returns the subdivided mesh of a scene; nil if the pools hold what is drawn.
func Surface(s *geometry.Scene) Subdivided {
	if s == nil {
		return nil
	}
	surface, _ := s.Computed.(Subdivided)
	return surface
}

// surfaceBlocks are the blocks from which shaders compute a subdivided mesh.
var surfaceBlocks = []Block{Indices, TriangleEdges, EdgeCorners}

func (subdivided) String() string { return "subdivided" }

func (s subdivided) buffers(p *planner) {
	_, edges, corners := s.mesh.Tables()
	p.add(TriangleEdges, ByScene, "scene", "uint edge", len(edges), 4)
	p.add(EdgeCorners, ByScene, "scene", "uint2 corners", len(corners), 8)
}

func (subdivided) variant(_ *planner, shader string, reads []Block) (string, []Block) {
	return shader + subdividedSuffix, append(except(reads, surfaceBlocks...), surfaceBlocks...)
}

func (s subdivided) arguments() (arguments [4]uint32) {
	vertices, _, _ := s.mesh.Tables()
	arguments[0] = uint32(vertices)
	return arguments
}

// reads counts the pools and tables once, however many vertices are computed from them.
func (subdivided) reads(p *Plan, _ int64) (ofVertices, ofIndices int64) {
	for i := range p.Buffers {
		if p.Buffers[i].Filled == ByScene {
			ofVertices += p.Buffers[i].Bytes
		}
	}
	return ofVertices, 0
}

// except returns a list without some of its blocks.
func except(list []Block, blocks ...Block) []Block {
	return slices.DeleteFunc(slices.Clone(list), func(b Block) bool { return slices.Contains(blocks, b) })
}

// Plain returns a shader's name without the suffix of its variant for subdivided meshes.
func Plain(shader string) string { return strings.TrimSuffix(shader, subdividedSuffix) }
