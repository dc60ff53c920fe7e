package renderer

import (
	"image/color"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// TestFrameCheck: settings out of range are refused by name; the first and last ones in range are not.
func TestFrameCheck(t *testing.T) {
	require.NoError(t, (&Frame{Load: MaxLoad, VertexShader: Displace, CullFaces: NoFaces, Look: Look{Light: NoLight, Edges: maxEdgeWidth}}).Check())
	for want, f := range map[string]Frame{
		"load of -1 cycles: must be 0 to 1048576": {Load: -1}, "load of 1048577 cycles: must be 0 to 1048576": {Load: MaxLoad + 1},
		"vertex shader unknown(3)": {VertexShader: 3}, "palette unknown(4)": {Palette: 4}, "light unknown(3)": {Look: Look{Light: 3}},
		"back faces of unknown(3): have file, all, none": {CullFaces: 3}, "device budget of -1 bytes: must not be negative": {DeviceBudget: -1},
		"queue budget of -1 bytes: must not be negative": {QueueBudget: -1}, "slices of -1 triangles: must not be negative": {Slice: -1},
		"edge lines of -1 pixels: must be 0 to 256": {Look: Look{Edges: -1}},
	} {
		require.EqualError(t, f.Check(), want)
	}
	// The varying view needs a named output.
	shown := Frame{Scene: &geometry.Scene{}, View: Varying, Shading: &geometry.Shading{Name: "own", Shown: "color"}}
	require.NoError(t, shown.CheckScene())
	shown.Shading.Shown = ""
	require.ErrorContains(t, shown.CheckScene(), "vertex shader, and none is named")
}

// TestFrameNeedsOfPixels: what pixels show decides how the graphics pipeline draws, and whether textures are bound.
func TestFrameNeedsOfPixels(t *testing.T) {
	textured := &geometry.Scene{Textures: &geometry.Textures{}}
	clipped := &geometry.Shading{Programs: []link.Program{{Vertex: &module.Vertex{ClipDistance: module.Variable{Type: &module.Type{Count: 2}}}}}}
	for _, c := range []struct {
		f    Frame
		want [4]bool // weighs corners, draws corners apart, pulls vertices, textured
	}{
		{Frame{View: Batches, Scene: textured}, [4]bool{}},
		{Frame{View: Counts}, [4]bool{true, true, true, false}},
		{Frame{View: Batches, Look: Look{Edges: 1}}, [4]bool{true, true, true, false}},
		{Frame{View: Normals}, [4]bool{false, false, true, false}},
		{Frame{View: Shaded, Scene: textured}, [4]bool{true, true, true, true}},
		{Frame{View: Batches, Shading: clipped}, [4]bool{false, true, false, false}},
	} {
		require.Equal(t, c.want, [4]bool{c.f.Weighs(), c.f.CornersApart(), c.f.Pulled(), c.f.Textured()}, "%+v", c.f)
	}
	// Only a shader from a file has SPIR-V.
	for _, f := range []Frame{{VertexShader: Skin}, {Shading: &geometry.Shading{Name: "skin", Programs: []link.Program{{Vertex: &module.Vertex{Module: &module.Module{File: []uint32{7}}}}}}}} {
		name, programs := f.ShaderCode()
		require.Equal(t, "skin", name)
		require.Equal(t, map[bool][][]uint32{true: {{7}}}[f.Shading != nil], programs)
	}
}

// TestOutput: the three forms of a queue name the same corner, and times of one name are added up.
func TestOutput(t *testing.T) {
	records := &Queues{Triangles: [][2]uint32{{}, {3 | 5<<10 | 1023<<20, 100}}}
	for corner, want := range []int{103, 105, 1123} {
		require.Equal(t, want, records.Corner(Indexed, 1, corner))
		require.Equal(t, 3+corner, records.Corner(Expanded, 1, corner))
		require.Equal(t, 60+corner, (&Queues{Corners: []uint32{0, 0, 0, 60, 61, 62}}).Corner(Indexed, 1, corner))
	}
	var o Output
	for _, pass := range []string{"a", "b", "a"} {
		o.AddTime(pass, time.Second)
	}
	require.Equal(t, []Timing{{"a", 2 * time.Second}, {"b", time.Second}}, o.Timings)
	require.Equal(t, Culling{}, NewCulling(make([]uint32, CullCounts-1)), "too short a buffer")
}

func TestCheckHost(t *testing.T) {
	t.Parallel()
	require.NoError(t, CheckHost(1<<20, "little things"))
	require.NoError(t, checkHost(1<<50, 0, "things on a system that says nothing"))
	require.NoError(t, checkHost(1<<30, 1<<30, "things"))
	err := checkHost(3<<30, 1<<30, "things")
	require.EqualError(t, err, "things need 3 GiB of memory, the system has 1 GiB free")
	require.True(t, DoesNotFit(err))
}

// lit returns a colour as renderers store it, channel by channel, under light of step 0 to 63.
func lit(c color.RGBA, l Light, step int) (rgb [3]float64) {
	strength := float64(l.Strength())
	for i, channel := range []uint8{c.R, c.G, c.B} {
		rgb[i] = math.Floor(float64(channel)*(1-strength*(1-float64(step)/63)) + 0.5)
	}
	return rgb
}

// chroma returns each channel's share of a colour's sum, which light does not change.
func chroma(rgb [3]float64) [3]float64 {
	sum := rgb[0] + rgb[1] + rgb[2]
	return [3]float64{rgb[0] / sum, rgb[1] / sum, rgb[2] / sum}
}

func same(rgb [3]float64) [3]float64 { return rgb }

// nearestStep returns the step of a palette whose colour is nearest to rgb, after `of` is applied to both.
func nearestStep(p picture.Palette, rgb [3]float64, of func([3]float64) [3]float64) (nearest int) {
	least := math.Inf(1)
	colors := p.Colors()
	for i, c := range colors[:p.Steps()] {
		a, b := of(lit(c, NoLight, 63)), of(rgb)
		if d := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]); d < least {
			nearest, least = i, d
		}
	}
	return nearest
}

// Light never changes a colour's step: soft light leaves it nearest to its own colour in the
// legend, and full light leaves its hue nearest to its own hue.
func TestLightKeepsEveryClass(t *testing.T) {
	for p := range picture.Palette(len(picture.PaletteNames)) {
		colors := p.Colors()
		for i, c := range colors[:p.Steps()] {
			for step := 16; step <= 63; step++ { // the light of vertices is .25 to 1
				require.Equal(t, i, nearestStep(p, lit(c, SoftLight, step), same), "%s, soft, step %d", p, step)
				require.Equal(t, i, nearestStep(p, lit(c, FullLight, step), chroma), "%s, on, step %d", p, step)
			}
			require.Equal(t, lit(c, FullLight, 63), lit(c, NoLight, 16))
		}
	}
}

// contrast is the contrast of two colours by WCAG 2, 1 to 21.
func contrast(a, b color.RGBA) float64 {
	luminance := func(c color.RGBA) float64 {
		linear := func(x uint8) float64 {
			s := float64(x) / 255
			if s <= 0.04045 {
				return s / 12.92
			}
			return math.Pow((s+0.055)/1.055, 2.4)
		}
		return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	}
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// WCAG requires a contrast of 3 between graphics and adjacent colours.
func TestColorblindPaletteIsSeenOnTheBackground(t *testing.T) {
	for i, c := range picture.ColorblindPalette.Colors() {
		require.Greater(t, contrast(c, picture.Background), 3.0, "step %d", i+1)
	}
}

// TestParseRange: a text becomes the range that it says, and back. 0..1 is the zero Range.
func TestParseRange(t *testing.T) {
	for text, want := range map[string]Range{"-1..1": {Low: -1, High: 1}, "0..5": {High: 5}, "-2..0": {Low: -2}, "0..1": {}, "abs": {Abs: true}} {
		r, err := ParseRange(text)
		require.NoError(t, err, text)
		require.Equal(t, want, r)
		require.Equal(t, text, r.String())
	}
	for _, text := range []string{"", "1", "..1", "0..", "1..0", "0..0", "nan..1", "0..inf", "-3e38..3e38", "0..1..2"} {
		_, err := ParseRange(text)
		require.ErrorContains(t, err, "want LOW..HIGH", text)
	}
}
