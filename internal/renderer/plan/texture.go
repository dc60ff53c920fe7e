package plan

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/shaders"
	"github.com/shadeonce/shadeonce/renderer"
)

// Textures, and the clip and cull distances that vertex shaders write, affect two kinds of passes. One kind writes the visibility buffer:
// it needs them if an alpha test or distances may drop pixels. The other kind colours pixels: it needs them if the view shows textures. Geometry
// passes only store distances. In frames without textures, constants that are false or 0 remove the code for them from the pipelines.

// textureBlocks are the blocks from which a pass reads a triangle's texture and its vertices' distances.
var textureBlocks = []Block{Indices, Draws, Batches, TexCoords, Materials, Texels, Distances}

// textureBuffers adds the buffers of textures, or dummies for scenes without textures.
func (p *planner) textureBuffers() {
	t, from, filled, pool, vertices := p.Frame.Scene.Textures, "scene", ByScene, ByScene, len(p.Frame.Scene.Positions)
	switch {
	case t == nil:
		t, from, filled, pool, vertices = &geometry.Textures{}, "none", ByNobody, ByNobody, 0
	case p.Gathered:
		filled, pool, vertices = ByPlan, ByPlan, p.windowMost.vertices
	}
	p.add(TexCoords, pool, from, "float2", vertices*len(t.Sets), texCoordBytes)
	p.add(Materials, filled, from, "Material", len(t.Materials), shaders.MaterialSize)
	p.add(Texels, filled, from, "RGBA8", len(t.Texels), 4)
}

// distanceBuffer adds the buffer of the vertices' clip and cull distances, or a dummy if the frame has none.
func (p *planner) distanceBuffer() {
	if d := p.Frame.Distances().Total(); d > 0 {
		p.add(Distances, ByPlan, "geometry", fmt.Sprintf("float[%d] distances", d), p.Frame.Scene.DrawVertices(), 4*d)
	} else {
		p.add(Distances, ByNobody, "none", "float", 0, 4)
	}
}

const texCoordBytes = 8

// Suffixes in the names of graphics shaders: -textured ones pass texture coordinates and materials on, -distanced ones also distances.
const (
	texturedSuffix  = "-textured"
	distancedSuffix = "-distanced"
)

// textureSpec returns a copy of spec with the constants for textures and distances; it returns spec itself if the frame has neither.
func (p *planner) textureSpec(spec map[string]uint32) map[string]uint32 {
	f, d := &p.Frame, p.Frame.Distances()
	if !f.Textured() && d.Total() == 0 {
		return spec
	}
	spec = maps.Clone(spec)
	if d.Total() > 0 {
		spec["DISTANCED"], spec["CLIP_DISTANCES"], spec["CULL_DISTANCES"] = 1, uint32(d.Clip), uint32(d.CullPlanes)
	}
	if !f.Textured() {
		return spec
	}
	spec["TEXTURED"], spec["MASKED"], spec["TEX_SETS"] = 1, flag(f.Scene.Masked()), uint32(len(f.Scene.Textures.Sets))
	return spec
}

// withTextures returns `reads`, the blocks that a pass reads, with textureBlocks at the end if they are needed.
func withTextures(needed bool, reads []Block) []Block {
	if !needed {
		return reads
	}
	return append(except(reads, textureBlocks...), textureBlocks...)
}

// drops reports whether an alpha test or distances may drop pixels.
func (p *planner) drops() bool { return p.Frame.Scene.Masked() || p.Frame.Distances().Total() > 0 }

func (p *planner) showsTextures() bool { return p.Frame.Textured() && p.Frame.View == renderer.Shaded }

// TexCoordData returns the texture coordinates of a scene's or window's vertices: all sets of vertex 0, then those of vertex 1 ...
func TexCoordData(s *geometry.Scene) []byte {
	t := s.Textures
	if len(t.Sets) == 1 {
		return s.Attributes[t.Sets[0]].Data
	}
	data := make([]byte, 0, texCoordBytes*len(s.Positions)*len(t.Sets))
	for v := range s.Positions {
		for _, a := range t.Sets {
			data = append(data, s.Attributes[a].Element(v)...)
		}
	}
	return data
}

// The forms in which shaders read a material, a draw and a camera.
type (
	Material     = shaders.Material
	ShaderDraw   = shaders.Draw
	ShaderCamera = shaders.Camera
)

// MaterialData returns a scene's materials in the form that shaders read.
func MaterialData(s *geometry.Scene) []Material {
	data := make([]Material, len(s.Textures.Materials))
	for i := range data {
		m := &s.Textures.Materials[i]
		data[i] = Material{
			ToU: m.Transform[0].Vec4(0), ToV: m.Transform[1].Vec4(0), Tint: m.Tint.Mul(1. / 255).Vec4(float32(flag(m.Nearest))),
			FirstTexel: uint32(m.Texel), Width: uint32(m.Width), Height: uint32(m.Height), Levels: uint32(m.Levels),
			WrapU: uint32(m.Wrap[0]), WrapV: uint32(m.Wrap[1]), Set: uint32(m.Set), Cutoff: leastAlpha(m.Cutoff),
		}
	}
	return data
}

// leastAlpha returns the least alpha that an alpha test keeps, in units of 1/shaders.TextureOne.
func leastAlpha(cutoff float64) uint32 {
	return uint32(math.Ceil(min(max(cutoff, 0), 2) * shaders.TextureOne))
}

// gatherTexCoords appends the texture coordinates of one vertex of the scene `from` to those of the window `to`.
func gatherTexCoords(to, from *geometry.Scene, vertex uint32) {
	if from.Textures == nil {
		return
	}
	for _, a := range from.Textures.Sets {
		to.Attributes[a].Data = append(to.Attributes[a].Data, from.Attributes[a].Element(int(vertex))...)
	}
}

// beginTexCoords gives the window `to` the textures of the scene `from`, and empties its texture coordinates.
func beginTexCoords(to, from *geometry.Scene) {
	to.Textures = from.Textures
	if len(to.Attributes) == 0 {
		to.Attributes = slices.Clone(from.Attributes)
		for i := range to.Attributes {
			to.Attributes[i].Data = nil
		}
	}
	for i := range to.Attributes {
		to.Attributes[i].Data = to.Attributes[i].Data[:0]
	}
}
