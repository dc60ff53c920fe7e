package renderer

import (
	"image"
	"math"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"
)

func TestFitIntoAPartOfThePicture(t *testing.T) {
	require.Equal(t, Part{}, PartOf(image.Rectangle{}, image.Pt(800, 600)))
	require.Equal(t, Part{}, PartOf(image.Rect(0, 0, 800, 600), image.Pt(800, 600)))
	for _, r := range []image.Rectangle{image.Rect(300, 0, 800, 600), image.Rect(300, 200, 800, 600), image.Rect(0, 0, 100, 80)} {
		part := PartOf(r, image.Pt(800, 600))
		for _, c := range []Camera{{Azimuth: 30, Elevation: 20, FovY: 35}, {FovY: 60, Orthographic: true}} {
			c.FitInto(unitBox, 800./600, part)
			most := 0.
			for i := range 8 {
				q := project(c, 800./600, mgl32.Vec3{float32(i&1)*2 - 1, float32(i>>1&1)*2 - 1, float32(i>>2)*2 - 1})
				for axis := range 2 {
					most = max(most, math.Abs(float64((q[axis]-part.Center[axis])/part.Half[axis])))
				}
			}
			require.LessOrEqual(t, most, 1.001, "the box lies in %v", r)
			require.Greater(t, most, .8, "and fills %v", r)
			middle := project(c, 800./600, c.Target)
			require.InDelta(t, part.Center[0], middle[0], 1e-6)
			require.InDelta(t, part.Center[1], middle[1], 1e-6)
		}
	}
}

func TestEveryAxisCanPointUp(t *testing.T) {
	for up, axis := range map[UpAxis]mgl32.Vec3{
		UpY: {0, 1, 0}, UpZ: {0, 0, 1}, UpX: {1, 0, 0}, DownY: {0, -1, 0}, DownZ: {0, 0, -1}, DownX: {-1, 0, 0},
	} {
		c := Camera{FovY: 35, Up: up, Azimuth: 40, Elevation: 15}
		c.Fit(unitBox, 1)
		require.Less(t, project(c, 1, axis)[1], project(c, 1, mgl32.Vec3{})[1], "%v is up", up)
		right, above := c.Basis()
		require.InDelta(t, 1, right.Cross(above).Dot(c.Forward().Mul(-1)), 1e-6, "%v mirrors nothing", up)
		require.InDelta(t, 0, right.Dot(axis), 1e-6, "%v: the horizon is level", up)
		for _, from := range []mgl32.Vec3{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {1, 2, -3}} {
			c.LookFrom(from)
			require.InDelta(t, -1, c.Forward().Dot(from.Normalize()), 1e-6, "%v from %v", up, from)
		}
	}
}
