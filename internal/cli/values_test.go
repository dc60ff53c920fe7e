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
