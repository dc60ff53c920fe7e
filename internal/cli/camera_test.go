package cli

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/renderer"
)

var unitBox = geometry.Box{Min: mgl32.Vec3{-1, -1, -1}, Max: mgl32.Vec3{1, 1, 1}}

func TestParseCamera(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]renderer.Camera{
		"": {Azimuth: 30, Elevation: 20, FovY: 35}, "front": {FovY: 35}, "right": {Azimuth: 90, FovY: 35}, "top": {Elevation: 90, FovY: 35},
		"left,ortho": {Azimuth: -90, FovY: 35, Orthographic: true}, "az=77,el=-40,fov=60": {Azimuth: 77, Elevation: -40, FovY: 60},
	} {
		want.Fit(unitBox, 1.5)
		c, err := ParseCamera(text, unitBox, 1.5)
		require.NoError(t, err, text)
		require.Equal(t, want, c, text)
		want.Zoom(4, unitBox)
		c, err = ParseCamera(text+",zoom=4", unitBox, 1.5)
		require.NoError(t, err, text)
		require.Equal(t, want, c, text)
	}
}

func TestParseCameraRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"sideways", "az=", "az=x", "at=1:2", "at=1:2:x", "at=1:2:inf", "distance=0", "distance=nan", "zoom=0", "zoom=nan", "fov=0", "fov=170.5", "el=1e400", "up=", "up=w", "center=1", "center=1:2:3"} {
		_, err := ParseCamera(text, unitBox, 1)
		require.Error(t, err, text)
	}
}

func TestCameraTextLeadsBack(t *testing.T) {
	t.Parallel()
	c := renderer.FitCamera(unitBox, 1.5)
	for _, change := range []func(){
		func() {},
		func() { c.Azimuth, c.Elevation = -123.4567, 1.0/3 },
		func() { c.Target = mgl32.Vec3{0.1, -1e-7, 1.0 / 7} },
		func() { c.Distance /= 7 },
		func() { c.NearMost, c.Time = .25, 7 },
		func() { c.Time = -3 },
		func() { c.Orthographic = true },
		func() { c.Up, c.Center = renderer.DownZ, mgl32.Vec2{.25, -1.0 / 3} },
	} {
		change()
		c.Zoom(1, unitBox)
		back, err := ParseCamera(CameraText(c), unitBox, 0.7)
		require.NoError(t, err)
		require.Equal(t, c, back)
	}
}

func TestSceneCameraWithAView(t *testing.T) {
	t.Parallel()
	view := geometry.View{Eye: mgl32.Vec3{1, 2, 3}, Azimuth: 90, Elevation: 30, Distance: 10, FovY: 50, Near: .5, Far: 400, Aspect: 2}
	for _, text := range []string{"", Captured} {
		c, err := SceneCamera(text, unitBox, &view, 1)
		require.NoError(t, err)
		require.Equal(t, renderer.CapturedCamera(&view, 1), c)
	}
	fitted, err := SceneCamera("top", unitBox, &view, 2)
	require.NoError(t, err)
	require.Equal(t, float32(90), fitted.Elevation)
}

func TestSceneCameraWithoutAView(t *testing.T) {
	t.Parallel()
	_, err := SceneCamera(Captured, unitBox, nil, 1)
	require.ErrorContains(t, err, `camera "captured": only a replayed frame has a view`)
	c, err := SceneCamera("", unitBox, nil, 1)
	require.NoError(t, err)
	require.Equal(t, renderer.FitCamera(unitBox, 1), c)
	_, err = SceneCamera("", unitBox, &geometry.View{Distance: 1, FovY: 60}, 1)
	require.Error(t, err, "a view that cannot project")
	_, err = ParseCamera("capture", unitBox, 1)
	require.ErrorContains(t, err, "did you mean captured?")
}
