package main

import (
	"bytes"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// waving is a vertex shader with an output of one colour and values to edit.
const waving = `#version 450
layout(set = 0, binding = 0) uniform Block { mat4 mvp; vec3 tint; float size; };
layout(location = 0) in vec3 position;
layout(location = 0) out vec3 shade;
void main() {
	gl_Position = mvp * vec4(position * size, 1);
	shade = tint;
}
`

// share is the share of pixels above the legend that have about a colour.
func share(img *image.RGBA, c color.RGBA) float64 {
	area := above(img)
	n := 0
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) < 8 }
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if p := img.RGBAAt(x, y); near(p.R, c.R) && near(p.G, c.G) && near(p.B, c.B) {
				n++
			}
		}
	}
	return float64(n) / float64(area.Dx()*area.Dy())
}

// TestVertexShadersAreReloadedAndEdited: shader and uniforms file are followed, errors leave
// the picture, and the panel edits values.
func TestVertexShadersAreReloadedAndEdited(t *testing.T) {
	d := newDesktop(t)
	shader, uniforms := filepath.Join(d.folder, "waving.vert"), filepath.Join(d.folder, "waving.yaml")
	save := func(file, text string) { require.NoError(t, os.WriteFile(file, []byte(text), 0o600)) }
	save(shader, waving)
	save(uniforms, "tint: [1, 0, 0]\nsize: 1\n")
	d.start("--size", "1000x600", "--vertex-shader", shader, "--uniforms", uniforms, "--view", "varying:shade", "asset:cube")
	d.titled("cube | warp")
	red, green := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 255, 0, 255}
	shown := func(what string, c color.RGBA) *image.RGBA {
		return d.settled(what, func(img *image.RGBA) bool { return share(img, c) > changed })
	}
	first := shown("the output is shown", red)

	save(uniforms, "tint: [0, 1, 0]\nsize: 1\n")
	shown("the changed value is shown", green)
	save(uniforms, "tint: [1, 0, 0]\nsize: 1\n")
	d.same("the first value", first)

	save(shader, strings.Replace(waving, "shade = tint", "shade = tnt", 1))
	failed := d.settled("the error is shown", func(img *image.RGBA) bool { return !bytes.Equal(first.Pix, img.Pix) })
	require.InDelta(t, share(first, red), share(failed, red), changed, "the picture stays")
	require.Contains(t, d.stderr.String(), "waving.vert:7: 'tnt' : undeclared identifier")
	included := filepath.Join(d.folder, "shade.glsl")
	save(included, "#define SHADE tint.grb\n")
	save(shader, strings.NewReplacer("#version 450\n", "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"shade.glsl\"\n", "shade = tint", "shade = SHADE").Replace(waving))
	shown("the mended shader is shown", green)
	save(included, "#define SHADE tint.gbr\n")
	shown("the changed file that it includes is shown", color.RGBA{0, 0, 255, 255})
	save(shader, waving)
	d.same("the first shader", first)

	// The third line of the panel is the size. Each event is taken before the next one comes.
	for _, event := range [][]string{{"mousemove", "--window", d.window, "900", "106"}, {"mousedown", "1"}} {
		d.do(event...)
		d.settled("the field answers", func(*image.RGBA) bool { return true })
	}
	d.do("mousemove", "--window", d.window, "800", "106")
	d.settled("a dragged value changes the picture", func(img *image.RGBA) bool {
		s := share(img, red)
		return s > changed && s < .9*share(first, red)
	})
	d.do("mouseup", "1", "mousemove", "--window", d.window, "400", "400")
	d.key("ctrl+z")
	d.settled("it is taken back", func(img *image.RGBA) bool { return share(img, red) > .99*share(first, red) })
	d.do("keydown", "q", "keyup", "q")
	select {
	case err := <-d.ended:
		require.NoError(t, err, d.stderr.String())
		require.Equal(t, 1, strings.Count(d.stderr.String(), "\n"), d.stderr.String())
	case <-time.After(patience):
		t.Fatal("the viewer does not end")
	}
}
