package soft

import (
	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/plan"
	"github.com/shadeonce/shadeonce/renderer"
)

// This file mirrors shaders/include/shade.glsl. A product inside a sum is written float32(a*b),
// since Go may fuse a product and a sum into one rounding unless the product is converted.

// draw is the shaders' Draw with its colour packed. FirstInstance is the draw's number.
type draw struct {
	plan.ShaderDraw
	clip mgl32.Mat4 // model to clip space, set by camera:clips
	rgb  uint32     // Color as RGB8
}

func newDraws(f *renderer.Frame, s *geometry.Scene, marks []renderer.Mark) []draw {
	data := plan.DrawData(f, s, marks)
	draws := make([]draw, len(data))
	for i, d := range data {
		draws[i].ShaderDraw = d
		for k, c := range d.Color[:3] {
			draws[i].rgb |= packUnorm8(c) << (8 * k)
		}
	}
	return draws
}

// joinCamera mirrors shaders/camera/clips.comp.
func (f *frame) joinCamera() {
	for i := range f.draws {
		d := &f.draws[i]
		d.clip = plan.HiddenClip
		if d.Flags&renderer.DrawHidden == 0 {
			d.clip = plan.JoinCamera((*mgl32.Mat4)(&f.camera.ViewProj), (*mgl32.Mat4)(&d.Transform))
		}
	}
}

func dot(a, b *mgl32.Vec3) float32 {
	sum := float32(a[0]*b[0]) + float32(a[1]*b[1])
	return sum + float32(a[2]*b[2])
}

func normalWorld(d *draw, normalObject *mgl32.Vec3) mgl32.Vec3 {
	row := func(r int) float32 { return dot((*mgl32.Vec3)(d.NormalRows[r][:3]), normalObject) }
	return mgl32.Vec3{row(0), row(1), row(2)}
}

// light returns how much a two-sided headlight lights a vertex, 0.25 to 1.
func light(c *plan.ShaderCamera, normalWorld *mgl32.Vec3) float32 {
	facing := dot(normalWorld, (*mgl32.Vec3)(c.LightDirection[:3])) * inverseLength(normalWorld, 2)
	return 0.25 + float32(0.75*min(max(facing, -facing), 1))
}

// packUnorm8 rounds a number in 0..1 to 8 bits. NaN gives 0; GLSL leaves it undefined.
func packUnorm8(x float32) uint32 {
	if !(x > 0) {
		return 0
	}
	return uint32(float32(min(x, 1)*255) + 0.5)
}

// shader shades the vertices of one pass.
type shader struct {
	scene  *geometry.Scene
	camera *plan.ShaderCamera
	view   renderer.View
	vertex renderer.VertexShader
	skin   *skin    // if the vertex shader skins
	noise  displace // if it displaces
	shaded *shaded  // results of foreign vertex shaders; may be nil
	cull   bool     // only position vertices, without attributes
}

// shade shades vertex `id` of a draw for a batch. The caller counts the invocation.
func (s *shader) shade(d *draw, id, batch uint32) (posClip [4]float32, attributes [2]uint32) {
	posObject, normalObject := s.object(d.VertexOffset + id)
	var shown [4]float32
	if s.shaded != nil && d.Flags&renderer.DrawUnshaded == 0 {
		posClip, shown = s.shaded.vertex(d.FirstInstance, id)
	} else {
		posClip = plan.ExactTransform(&d.clip, &[4]float32{posObject[0], posObject[1], posObject[2], 1})
	}
	if s.cull {
		from := d.FirstInstance
		if s.view == renderer.Batches {
			from = batch
		}
		return posClip, [2]uint32{id, from}
	}
	if s.shaded != nil && (s.view == renderer.NoView || s.view == renderer.Varying) {
		return posClip, s.shownAttributes(d, &shown)
	}
	if s.view == renderer.NoView && s.vertex == renderer.Transform {
		return posClip, attributes
	}
	normalWorld := normalWorld(d, &normalObject)
	if s.view == renderer.NoView {
		return posClip, packNormal(&normalWorld)
	}
	if s.view == renderer.Normals {
		return posClip, storeShown(unit(&normalWorld), d.Flags&renderer.DrawDimmed != 0)
	}
	attributes[0] = d.CountOffset + id
	if s.view == renderer.Batches {
		attributes[0] = batch
	}
	attributes[1] = d.rgb | d.storedLight(light(s.camera, &normalWorld))
	return posClip, attributes
}

// storedLight returns light in the form that attributes store.
func (d *draw) storedLight(light float32) uint32 {
	if d.Flags&renderer.DrawDimmed != 0 {
		light *= 0.2 // look.pixel recognizes a dimmed draw by this
	}
	return packUnorm8(light) << 24
}
