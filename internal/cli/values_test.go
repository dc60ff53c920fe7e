package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

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
	width, height, err := ParseSize("16384x1")
	require.NoError(t, err)
	require.Equal(t, []int{16384, 1}, []int{width, height})
	for _, text := range []string{"", "8", "8x", "x8", "0x8", "8x0", "-8x8", "16385x8", "8x16385", "8x8x8", "8 x8", "8X8"} {
		_, _, err := ParseSize(text)
		require.EqualError(t, err, `--size "`+text+`": want WIDTHxHEIGHT, each 1 to 16384 pixels`)
	}
}

func TestSamplesEnlargeThePicture(t *testing.T) {
	t.Parallel()
	frame := renderer.Frame{Width: 30, Height: 20, Look: renderer.Look{Edges: 1.5}}
	side, err := (&LookFlags{Samples: 9}).Sampled(&frame)
	require.NoError(t, err)
	require.Equal(t, []any{3, 90, 60, float32(4.5)}, []any{side, frame.Width, frame.Height, frame.Look.Edges})
	for _, wrong := range []int{-1, 0, 2, 8, 25} {
		_, err := (&LookFlags{Samples: wrong}).Sampled(&frame)
		require.ErrorContains(t, err, "want 1, 4, 9 or 16")
	}
	frame.Width = renderer.MaxImageSide/2 + 1
	_, err = (&LookFlags{Samples: 4}).Sampled(&frame)
	require.ErrorContains(t, err, "each side at most")
}
