package soft

import (
	"math"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// This file mirrors shaders/include/shade.glsl. A product inside a sum is written float32(a*b),
// since Go may fuse a product and a sum into one rounding unless the product is converted.

// draw is the shaders' Draw, with its colour packed.
type draw struct {
	transform    mgl32.Mat4
	clip         mgl32.Mat4 // model to clip space, set by camera:clips
	normalRows   [3]mgl32.Vec3
	color        uint32 // RGB8
	vertexOffset uint32
	countOffset  uint32
	number       uint32
	flags        uint32
	material     uint32 // 1 + its index; 0: no texture
	firstIndex   uint32
	indexCount   uint32
}

// camera is the shaders' Camera.
type camera struct {
	viewProj       mgl32.Mat4
	lightDirection mgl32.Vec3
}

func newDraws(f *renderer.Frame, s *geometry.Scene, marks []renderer.Mark) []draw {
	data := plan.DrawData(f, s, marks)
	draws := make([]draw, len(data))
	for i := range data {
		from := &data[i]
		d := draw{transform: from.Transform, vertexOffset: from.VertexOffset, countOffset: from.CountOffset, number: uint32(i), flags: from.Flags,
			material: from.Material, firstIndex: from.FirstIndex, indexCount: from.IndexCount}
		for r := range d.normalRows {
			copy(d.normalRows[r][:], from.NormalRows[r][:3])
		}
		for k, c := range from.Color[:3] {
			d.color |= packUnorm8(c) << (8 * k)
		}
		draws[i] = d
	}
	return draws
}

func newCamera(c renderer.Camera, width, height int) camera {
	data := plan.CameraData(c, width, height)
	out := camera{viewProj: data.ViewProj}
	copy(out.lightDirection[:], data.LightDirection[:3])
	return out
}

// joinCamera mirrors shaders/camera/clips.comp.
func (f *frame) joinCamera() {
	for i := range f.draws {
		d := &f.draws[i]
		d.clip = plan.HiddenClip
		if d.flags&renderer.DrawHidden == 0 {
			d.clip = plan.JoinCamera(&f.camera.viewProj, &d.transform)
		}
	}
}

func dot(a, b *mgl32.Vec3) float32 {
	sum := float32(a[0]*b[0]) + float32(a[1]*b[1])
	return sum + float32(a[2]*b[2])
}

func normalWorld(d *draw, normalObject *mgl32.Vec3) mgl32.Vec3 {
	return mgl32.Vec3{
		dot(&d.normalRows[0], normalObject),
		dot(&d.normalRows[1], normalObject),
		dot(&d.normalRows[2], normalObject),
	}
}

// light is a two-sided headlight, 0.25 to 1.
func light(c *camera, normalWorld *mgl32.Vec3) float32 {
	lengthSquared := max(dot(normalWorld, normalWorld), 1e-30)
	facing := float32(math.Abs(float64(dot(normalWorld, &c.lightDirection)))) / float32(math.Sqrt(float64(lengthSquared)))
	return 0.25 + float32(0.75*min(facing, 1))
}

// packUnorm8 gives 0 for NaN, which GLSL leaves undefined.
func packUnorm8(x float32) uint32 {
	if !(x > 0) {
		return 0
	}
	return uint32(float32(min(x, 1)*255) + 0.5)
}

// shader shades the vertices of one pass.
type shader struct {
	scene  *geometry.Scene
	camera *camera
	view   renderer.View
	vertex renderer.VertexShader
	skin   *skin    // if the vertex shader skins
	noise  displace // if it displaces
	shaded *shaded  // results of foreign vertex shaders; may be nil
	cull   bool     // only position vertices, without attributes
}

// shade shades vertex id of a draw for a batch. The caller counts.
func (s *shader) shade(d *draw, id, batch uint32) (posClip [4]float32, attributes [2]uint32) {
	posObject, normalObject := s.object(d.vertexOffset + id)
	var shown [4]float32
	if s.shaded != nil && d.flags&renderer.DrawUnshaded == 0 {
		posClip, shown = s.shaded.vertex(d.number, id)
	} else {
		posClip = plan.ExactTransform(&d.clip, &[4]float32{posObject[0], posObject[1], posObject[2], 1})
	}
	if s.cull {
		from := d.number
		if s.view == renderer.Batches {
			from = batch
		}
		return posClip, [2]uint32{id, from}
	}
	if s.shaded != nil && (s.view == renderer.NoView || s.view == renderer.Varying) {
		return posClip, s.shownAttributes(d, id, &shown)
	}
	if s.view == renderer.NoView && s.vertex == renderer.Transform {
		return posClip, attributes
	}
	normalWorld := normalWorld(d, &normalObject)
	if s.view == renderer.NoView {
		return posClip, packNormal(&normalWorld)
	}
	if s.view == renderer.Normals {
		return posClip, storeShown(unit(&normalWorld), d.flags&renderer.DrawDimmed != 0)
	}
	attributes[0] = d.countOffset + id
	if s.view == renderer.Batches {
		attributes[0] = batch
	}
	attributes[1] = d.color | d.storedLight(light(s.camera, &normalWorld))
	return posClip, attributes
}

// storedLight returns light in the form that attributes store.
func (d *draw) storedLight(light float32) uint32 {
	if d.flags&renderer.DrawDimmed != 0 {
		light *= 0.2 // look.pixel recognizes a dimmed draw by this
	}
	return packUnorm8(light) << 24
}
