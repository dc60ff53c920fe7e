package renderer

import (
	"fmt"

	"github.com/shadeonce/shadeonce/internal/shaders"
)

// FaceCulling says which draws lose their back faces. The values equal the shaders' FACES_*.
type FaceCulling uint32

// The choices.
const (
	FacesOfFile FaceCulling = iota // draws that their file calls one-sided (geometry.Draw.OneSided)
	AllFaces                       // all
	NoFaces                        // none: culling then changes no pixel
)

// FaceCullingNames are the flag values, in value order.
var FaceCullingNames = []string{"file", "all", "none"}

func (c FaceCulling) String() string { return nameOf(FaceCullingNames, uint32(c)) }

// Culling counts the triangles that culling dropped from a frame, and those left. A triangle is
// counted by the first test that drops it.
type Culling struct {
	Frustum  int // all corners are beyond one side of the view
	ZeroArea int // no area on the subpixel grid
	BackFace int // a back face of a draw that shows none
	NoSample int // its box contains no pixel centre, or only one that it does not cover
	Survived int

	Positioned int // vertices positioned by the geometry passes
	Shaded     int // vertices whose attributes were shaded
}

// Numbers that soft and the shaders share: indices into CullCounts, and a draw's flags.
const (
	CullFrustum, CullZeroArea, CullBackFace = shaders.CullFrustum, shaders.CullZeroArea, shaders.CullBackFace
	CullNoSample, CullSurvived, CullKinds   = shaders.CullNoSample, shaders.CullSurvived, shaders.CullKinds
	CullPositioned, CullShaded, CullCounts  = shaders.CullPositioned, shaders.CullShaded, shaders.CullCounts
	DrawOneSided, DrawMirrored              = shaders.DrawOneSided, shaders.DrawMirrored
	DrawHidden, DrawDimmed, DrawUnshaded    = shaders.DrawHidden, shaders.DrawDimmed, shaders.DrawUnshaded
)

// NewCulling reads a backend's buffer CullCounts.
func NewCulling(counts []uint32) Culling {
	if len(counts) < CullCounts {
		return Culling{}
	}
	at := func(i int) int { return int(counts[i]) }
	return Culling{
		Frustum: at(CullFrustum), ZeroArea: at(CullZeroArea), BackFace: at(CullBackFace),
		NoSample: at(CullNoSample), Survived: at(CullSurvived),
		Positioned: at(CullPositioned), Shaded: at(CullShaded),
	}
}

func (c Culling) String() string {
	return fmt.Sprintf("%d triangles beyond the view, %d back faces, %d without area, %d on no pixel's centre, %d left; %d vertices placed, %d shaded",
		c.Frustum, c.BackFace, c.ZeroArea, c.NoSample, c.Survived, c.Positioned, c.Shaded)
}
