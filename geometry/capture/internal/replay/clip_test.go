package replay

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/stretchr/testify/require"
)

// TestClipFollowsOutputs: from every pass, the outputs of a draw's vertex shader map to where the
// frame's space has the vertices, and depth increases with distance.
func TestClipFollowsOutputs(t *testing.T) {
	list := objects()
	main := vulkan(72, 1, .4, 800).Mul4(someView())
	reversed := mgl64.Mat4FromRows(mgl64.Vec4{1, 0, 0, 0}, mgl64.Vec4{0, 1, 0, 0}, mgl64.Vec4{0, 0, -1, 1}, mgl64.Vec4{0, 0, 0, 1}).Mul4(main)
	other := vulkan(50, 1, 1, 600).Mul4(mgl64.HomogRotate3DY(.4)).Mul4(mgl64.Translate3D(3, 2, -40)).Mul4(someView())
	sun := mgl64.Scale3D(1, -1, .5).Mul4(mgl64.Translate3D(0, 0, 1)).Mul4(mgl64.Ortho(-90, 90, -90, 90, 1, 400)).Mul4(mgl64.HomogRotate3DX(1.1)).Mul4(mgl64.Translate3D(0, 0, -30))
	half := Window{.5, -.5, -1, 0, .5, .5}
	for name, c := range map[string]struct {
		shaders [2]mgl64.Mat4 // of two passes; the first is the main pass
		windows [2]Window
	}{
		"two cameras":    {[2]mgl64.Mat4{main, other}, [2]Window{whole, half}},
		"a shadow":       {[2]mgl64.Mat4{main, sun}, [2]Window{whole, whole}},
		"reversed depth": {[2]mgl64.Mat4{reversed, other}, [2]Window{whole, whole}},
	} {
		var clips [2]mgl32.Mat4
		for main := range 2 { // also where the main pass comes second
			everything := draws(list[main:], 0, c.shaders[main], c.windows[main])
			everything = append(everything, draws(list[1-main:], 1, c.shaders[1-main], c.windows[1-main])...)
			for i := range everything[:6-main] {
				everything[i].Mesh += main
			}
			for i := range everything[6-main:] {
				everything[6-main:][i].Mesh += 1 - main
			}
			f := NewFrame(everything, []float64{1, 1}, -1)
			for i := range everything {
				require.True(t, f.Shown(i), name)
				pass, o := everything[i].Pass^main, list[everything[i].Mesh]
				clip, model := f.DrawClip(i, c.windows[pass]), f.Transform(i)
				for k, out := range shaded(o.points, c.shaders[pass].Mul4(o.world)) {
					want := f.Clip().Mul4(model).Mul4x1(o.points[k].Vec4(1))
					got := clip.Mul4x1(out)
					require.Greater(t, got[3], float32(0), name)
					for axis := range 3 {
						require.InDelta(t, want[axis]/want[3], got[axis]/got[3], 2e-3, "%s draw %d", name, i)
					}
				}
			}
			clips[main] = f.Clip()
			near, far := f.Clip().Mul4x1([4]float32{0, 0, -1, 1}), f.Clip().Mul4x1([4]float32{0, 0, -200, 1})
			require.Less(t, near[2]/near[3], far[2]/far[3], name)
		}
		require.InDeltaSlice(t, clips[0][:], clips[1][:], 1e-5, name)
	}
}
