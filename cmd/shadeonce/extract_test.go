package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/base/shareddata"
)

// TestExtractedDraws: the command that extract prints draws the same pixels as the draw has in the frame,
// here with the frame's own camera.
func TestExtractedDraws(t *testing.T) {
	needsGLSL(t)
	frame, folder := shareddata.Path(t, "captures", "stk_gl.geo.zip.xml.zst"), filepath.Join(t.TempDir(), "draw")
	extract := []string{"extract", frame, "--draw", "240", "-o", folder}
	r := call(extract...)
	require.Contains(t, r.errors, "shadeonce: _LOCATION_3: R16G16_SFLOAT is written as R32G32_SFLOAT, since glTF lacks it\n")
	says := r.out
	lines := strings.Split(says, "\n")
	require.Equal(t, folder+": mesh.glb, shader.spv, uniforms.yaml, shader.vert with 17408 triangles of draw 240, 17 instances", lines[0])
	command, found := strings.CutPrefix(lines[2], "shadeonce ")
	require.True(t, found, says)
	args := strings.Fields(command)
	require.Contains(t, args, "1280x720")
	plain := []string{"--light", "off", "--no-legend", "--backend", "cpu", "--size", "320x180"}
	require.NotContains(t, fine(t, append(args, plain...)...).out, "seen: nothing")
	whole := filepath.Join(t.TempDir(), "frame.png")
	r = call(append([]string{"render", frame, "--vertex-shader", "captured", "--isolate", "240", "-o", whole}, plain...)...)
	require.Contains(t, r.out, "pass 1: 17 of 504 instances of 149 draws shown; reuse counts all\n")
	require.Equal(t, must.Get(os.ReadFile(whole)), must.Get(os.ReadFile(folder+".png")))
	require.Contains(t, lines[3], "shadeonce bench ")
	requireFailure(t, 1, "--force replaces", call(extract...))
	require.Zero(t, call(append(extract, "--force")...).status)
	requireFailure(t, 1, "asset:cube: no draw can be extracted: the file brings no vertex shaders along", call("extract", "asset:cube", "--draw", "0", "-o", folder+"2"))
	require.NoDirExists(t, folder+"2")
}
