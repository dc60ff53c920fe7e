package inspect

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
)

func TestWhatIsLeftOutIsGrouped(t *testing.T) {
	require.Empty(t, LeftOut(&geometry.Scene{}))
	s := &geometry.Scene{Draws: make([]geometry.Draw, 503), Skipped: []string{
		"1 x vkCmdDraw: 2D positions", "19 x vkCmdDrawIndexed: 2D positions", "2 x vkCmdDraw: no positions, no vertex attributes at all",
		"the chunks have version 26", `texture b.png: "b.png": no such file or directory`, "texture 3: too large", `texture a.png: "a.png": no such file or directory`,
		geometry.FromShaders + "503 x vkCmdDrawIndexed: its shader is not in the capture",
		geometry.FromPicture + "40 x draw: flat on the screen", geometry.FromPicture + "157 x draw: shadows and reflections",
	}}
	require.Equal(t, "197 of 503 draws not shown: shadows and reflections (157), flat on the screen (40); "+
		"503 of 503 draws drawn without their shaders: its shader is not in the capture; "+
		"22 calls left out: 2D positions (20), no positions, no vertex attributes at all (2); "+
		"3 textures not shown: no such file or directory (2), too large (1); the chunks have version 26", LeftOut(s))
}
