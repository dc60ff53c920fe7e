package renderdoc

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

func compileTexels(context.Context, string, string) ([]uint32, error) {
	code, err := os.ReadFile("testdata/texels.spv")
	if err != nil {
		return nil, err
	}
	return module.Words(code)
}

// Further resources.
const (
	glTexels = 70 + iota
	glTexelBuffer
)

// newTexels is newGLGame with testdata/texels.vert: bones are in a buffer of half floats, whose
// texture is bound to unit 1.
func newTexels() *made {
	m := newGLGame()
	chunks := m.chunks.String()
	m.chunks.Reset()
	m.chunk("glBufferData", resource("buffer", glTexelBuffer), number("bytesize", 16), m.blob("data", bytesOf[uint16](0x3c00, 0x4000, 0x4200, 0x4400, 0x3800, 0, 0xbc00, 0x7c00)))
	m.chunk("glTexBuffer", resource("texture", glTexels), enum("target", "GL_TEXTURE_BUFFER"), enum("internalformat", "GL_RG16F"), resource("buffer", glTexelBuffer))
	sampler := group("", text("Basename", "bones"), array("Values", group("", enum("Type", "GL_SAMPLER_BUFFER"), number("Location", 12), array("data", number("", 1)))))
	chunks = strings.Replace(chunks, uniformOf("turn", 0, floats("1", "2", "3", "4", "5", "6")), sampler, 1)
	bound := resource("GL_CURRENT_PROGRAM", glProgramOfGame)
	chunks = strings.Replace(chunks, bound, bound+enum("GL_ACTIVE_TEXTURE", "GL_TEXTURE0")+array("GL_TEXTURE_BINDING_BUFFER", resource("", 0), resource("", glTexels)), 1)
	m.chunks.WriteString(chunks)
	return m
}

// TestTexelBuffers draws with bones that change between draws.
func TestTexelBuffers(t *testing.T) {
	m := newTexels()
	draw := func() { m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 3) }
	draw()
	draw()
	m.chunk("glBufferSubData", resource("buffer", glTexelBuffer), number("offset", 4), m.blob("data", bytesOf[uint16](0, 0x3c00)))
	draw()
	m.chunk("glTexBufferRange", resource("texture", glTexels), enum("target", "GL_TEXTURE_BUFFER"), enum("internalformat", "GL_R32UI"), resource("buffer", glTexelBuffer), number("offset", 8), number("size", 4))
	draw()
	m.chunk("glTexBufferRange", resource("texture", glTexels), enum("target", "GL_TEXTURE_BUFFER"), enum("internalformat", "GL_R8"), resource("buffer", glTexelBuffer), number("offset", 3), number("size", 2))
	draw()
	m.chunk("glUniform1i", resource("Program", glProgramOfGame), number("location", 12), number("count", 1), array("values", element("int", "", "", "0")))
	draw()
	m.chunk("glBindTexture", enum("target", "GL_TEXTURE_BUFFER"), resource("texture", glTexels))
	draw()
	f := m.shaded(t, compileTexels)
	require.Equal(t, []string{
		"counted, but not run by their shaders: 1 x glDrawElements: its shader reads values: no texel buffer is bound for image bones",
		"counted, but not run by their shaders: 1 x glDrawElements: its shader reads values: the texels of bones are of format R32_UINT, which it reads as other numbers",
	}, f.Skipped)
	s := f.Shading
	image := func(draw int) []byte {
		for i, b := range s.Programs[s.Draws[draw].Program].Vertex.Blocks {
			if b.Kind == module.FetchedImage {
				return s.Values[s.Draws[draw].Values[i]]
			}
		}
		return nil
	}
	infinite := float32(math.Inf(1))
	head := bytesOf[uint32](4, 1, 0, 0)
	first := bytesOf[float32](1, 2, 0, 1, 3, 4, 0, 1, .5, 0, 0, 1, -1, infinite, 0, 1)
	require.Equal(t, append(head, first...), image(0))
	require.Equal(t, image(0), image(1))
	require.Equal(t, append(head, bytesOf[float32](1, 2, 0, 1, 0, 1, 0, 1, .5, 0, 0, 1, -1, infinite, 0, 1)...), image(2))
	narrow := append(bytesOf[uint32](2, 1, 0, 0), bytesOf[float32](64./255, 0, 0, 1, 0, 0, 0, 1)...)
	require.Equal(t, narrow, image(4))
	require.Equal(t, narrow, image(6), "unit 0")
}

// TestImagesOfVulkan are left out by name, since their contents are not tracked.
func TestImagesOfVulkan(t *testing.T) {
	why := attempt(func() { (&vulkanValues{}).texels("bones", 0) })
	require.Equal(t, "image bones: texels are read from captures of OpenGL only, of texel buffers", why)
}
