package soft

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
)

// This file mirrors shaders/vertex/skin.vert.

// skin is what skinning reads besides positions.
type skin struct {
	vertices [][2]uint32  // four bones and their weights, 8 bits each
	bones    [][4]float32 // bones * 3 rows of a 3x4 matrix
}

func newSkin(s *geometry.Scene) skin {
	return skin{vertices: plan.SkinData(s), bones: plan.BoneData(s)}
}

func skinBytes(packed uint32) [4]uint32 {
	return [4]uint32{packed & 255, packed >> 8 & 255, packed >> 16 & 255, packed >> 24}
}

// row returns row 0..2 of the blended matrix; bone holds where the matrices begin.
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
