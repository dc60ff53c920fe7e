package measure

import (
	"fmt"

	"github.com/shadeonce/shadeonce/renderer"
)

// Culled is what rows say of culling; zero without. The JSON names are a
// contract.
type Culled struct {
	Cull             bool   `json:"cull"`
	CullFaces        string `json:"cull_faces"`
	CulledFrustum    int    `json:"culled_frustum"` // triangles, by the first test that drops one
	CulledBackFace   int    `json:"culled_back_face"`
	CulledZeroArea   int    `json:"culled_zero_area"`
	CulledNoSample   int    `json:"culled_no_sample"`
	TrianglesLeft    int    `json:"triangles_left"`
	VerticesPlaced   int    `json:"vertices_placed"`
	AttributesShaded int    `json:"attributes_shaded"`
}

func culledOf(f *renderer.Frame, c renderer.Culling) Culled {
	if !f.Cull {
		return Culled{}
	}
	return Culled{
		Cull: true, CullFaces: f.CullFaces.String(), CulledFrustum: c.Frustum, CulledBackFace: c.BackFace, CulledZeroArea: c.ZeroArea,
		CulledNoSample: c.NoSample, TrianglesLeft: c.Survived, VerticesPlaced: c.Positioned, AttributesShaded: c.Shaded,
	}
}

func (r Culled) String() string {
	return fmt.Sprintf("culled: %s", renderer.Culling{
		Frustum: r.CulledFrustum, BackFace: r.CulledBackFace, ZeroArea: r.CulledZeroArea, NoSample: r.CulledNoSample,
		Survived: r.TrianglesLeft, Positioned: r.VerticesPlaced, Shaded: r.AttributesShaded,
	})
}
