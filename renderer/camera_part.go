package renderer

import (
	"image"

	"github.com/go-gl/mathgl/mgl32"
)

// Part is a rectangle of a picture into which a scene is fitted, from -1 to 1 in both directions,
// y down. The zero value is the whole picture.
type Part struct{ Center, Half mgl32.Vec2 }

// PartOf converts a rectangle of a picture of that size.
func PartOf(r image.Rectangle, size image.Point) Part {
	if r.Empty() || r == (image.Rectangle{Max: size}) {
		return Part{}
	}
	return Part{
		Center: mgl32.Vec2{float32(r.Min.X+r.Max.X)/float32(size.X) - 1, float32(r.Min.Y+r.Max.Y)/float32(size.Y) - 1},
		Half:   mgl32.Vec2{float32(r.Dx()) / float32(size.X), float32(r.Dy()) / float32(size.Y)},
	}
}

// half returns half the size of the part.
func (p Part) half() mgl32.Vec2 {
	if p.Half == (mgl32.Vec2{}) {
		return mgl32.Vec2{1, 1}
	}
	return p.Half
}

// UpAxis is the axis of the scene that points up in pictures.
type UpAxis uint32

// The axes.
const (
	UpY UpAxis = iota
	UpZ
	UpX
	DownY
	DownZ
	DownX
)

// UpAxisNames are the flag values, in value order.
var UpAxisNames = []string{"y", "z", "x", "-y", "-z", "-x"}

func (u UpAxis) String() string { return UpAxisNames[u] }

// turn converts a direction of a scene with Y up to this scene's axes.
func (u UpAxis) turn(v mgl32.Vec3) mgl32.Vec3 {
	x, y, z := v[0], v[1], v[2]
	switch u {
	case UpZ:
		return mgl32.Vec3{x, -z, y}
	case UpX:
		return mgl32.Vec3{y, -x, z}
	case DownY:
		return mgl32.Vec3{x, -y, -z}
	case DownZ:
		return mgl32.Vec3{x, z, -y}
	case DownX:
		return mgl32.Vec3{-y, x, z}
	}
	return v
}

// back converts a direction of this scene to one of a scene with Y up.
func (u UpAxis) back(v mgl32.Vec3) mgl32.Vec3 {
	return mgl32.Vec3{u.turn(mgl32.Vec3{1, 0, 0}).Dot(v), u.turn(mgl32.Vec3{0, 1, 0}).Dot(v), u.turn(mgl32.Vec3{0, 0, 1}).Dot(v)}
}
