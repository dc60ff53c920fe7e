package cli

import (
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/renderer"
)

func TestParseLoad(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		shader renderer.VertexShader
		cycles int
	}{
		"simple": {}, "0": {}, "256": {cycles: 256}, "skin": {shader: renderer.Skin}, "displace": {shader: renderer.Displace},
	} {
		shader, cycles, err := ParseLoad(text)
		require.NoError(t, err, text)
		require.Equal(t, want.shader, shader, text)
		require.Equal(t, want.cycles, cycles, text)
		if text != "0" {
			require.Equal(t, text, (&renderer.Frame{VertexShader: shader, Load: cycles}).LoadName())
		}
	}
	for text, near := range map[string]string{
		"": "", "transform": "", "Skin": " did you mean skin?", "skins": " did you mean skin?", "-1": "", "1048577": "", "1e3": "",
	} {
		_, _, err := ParseLoad(text)
		require.EqualError(t, err, `--load "`+text+`":`+near+` want simple, skin, displace, or 0 to 1048576 cycles`)
	}
}

func TestParseSize(t *testing.T) {
	t.Parallel()
	width, height := must.Get2(ParseSize("16384x1"))
	require.Equal(t, []int{16384, 1}, []int{width, height})
	for _, text := range []string{"", "8", "8x", "x8", "0x8", "8x0", "-8x8", "16385x8", "8x16385", "8x8x8", "8 x8", "8X8"} {
		_, _, err := ParseSize(text)
		require.EqualError(t, err, `--size "`+text+`": want WIDTHxHEIGHT, each 1 to 16384 pixels`)
	}
}

func TestSamplesEnlargeThePicture(t *testing.T) {
	t.Parallel()
	frame := renderer.Frame{Width: 30, Height: 20, Look: renderer.Look{Edges: 1.5}}
	side := must.Get((&LookFlags{Samples: 9}).Sampled(&frame))
	require.Equal(t, []any{3, 90, 60, float32(4.5)}, []any{side, frame.Width, frame.Height, frame.Look.Edges})
	for _, wrong := range []int{-1, 0, 2, 8, 25} {
		_, err := (&LookFlags{Samples: wrong}).Sampled(&frame)
		require.ErrorContains(t, err, "want 1, 4, 9 or 16")
	}
	frame.Width = renderer.MaxImageSide/2 + 1
	_, err := (&LookFlags{Samples: 4}).Sampled(&frame)
	require.ErrorContains(t, err, "each side at most")
}

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
	for text, want := range map[string]string{
		"front,back": `camera "back" replaces an earlier word`, "az=10,zoom=2,az=90": `camera "az=90" replaces an earlier word`,
		"el=20,left": `camera "left" replaces an earlier word`, "captured,zoom=2": `camera "captured" takes no other words`,
	} {
		require.EqualError(t, CheckCamera(text, 1), want)
	}
	for _, text := range []string{"", Captured, "left,el=20", "top,az=30,el=80"} {
		require.NoError(t, CheckCamera(text, 1), text)
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
		require.Equal(t, c, must.Get(ParseCamera(CameraText(c), unitBox, 0.7)))
	}
}

func TestSceneCameraWithAView(t *testing.T) {
	t.Parallel()
	view := geometry.View{Eye: mgl32.Vec3{1, 2, 3}, Azimuth: 90, Elevation: 30, Distance: 10, FovY: 50, Near: .5, Far: 400, Aspect: 2}
	for _, text := range []string{"", Captured} {
		require.Equal(t, renderer.CapturedCamera(&view, 1), must.Get(SceneCamera(text, unitBox, &view, 1)))
	}
	require.Equal(t, float32(90), must.Get(SceneCamera("top", unitBox, &view, 2)).Elevation)
}

func TestSceneCameraWithoutAView(t *testing.T) {
	t.Parallel()
	_, err := SceneCamera(Captured, unitBox, nil, 1)
	require.ErrorContains(t, err, `camera "captured": only a replayed frame has a view`)
	require.Equal(t, renderer.FitCamera(unitBox, 1), must.Get(SceneCamera("", unitBox, nil, 1)))
	_, err = SceneCamera("", unitBox, &geometry.View{Distance: 1, FovY: 60}, 1)
	require.Error(t, err, "a view that cannot project")
	_, err = ParseCamera("capture", unitBox, 1)
	require.ErrorContains(t, err, "did you mean captured?")
}

// TestSizesOfSeveralStrategies: a size applies to those of several strategies that have it, and Partly names them.
func TestSizesOfSeveralStrategies(t *testing.T) {
	t.Parallel()
	for args, partly := range map[string]string{
		"warp --batch 48": "", "all,auto --lanes 8": "", "auto,hash --lanes 8 --subgroups virtual": "", "naive,phash --probes 0": "--probes 0 applies to phash",
		"naive,claim --batch 3072": "--batch 3072 applies to naive", "hash,meshlet --batching static": "--batching static applies to hash",
		"hash,meshlet --unique 512": "--unique 512 applies to hash", "warp,hash --table 1": "--table 1 applies to hash",
	} {
		var f StrategyFlags
		flags := pflag.NewFlagSet("analyze", pflag.ContinueOnError)
		f.Add(flags, All)
		require.NoError(t, flags.Parse(strings.Fields("--strategy "+args)))
		configs, err := f.Configs()
		require.NoError(t, err, args)
		require.Equal(t, partly, f.Partly(configs), args)
	}
}
