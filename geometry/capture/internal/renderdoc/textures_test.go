package renderdoc

import (
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Further resources of captures with textures.
const (
	glFragment = 80 + iota
	glLight
	glSkin
	glSkinSampler
)

func pixelsOf(f *Frame, i int) (p *image.NRGBA, err error) {
	defer must.Catch(&err)
	return f.Pixels(i), nil
}

// texelBytes returns n bytes from a value on.
func texelBytes(from, n int) (b []byte) {
	for i := range n {
		b = append(b, byte(from+i))
	}
	return b
}

func samplerUniform(name string, location, unit int) string {
	return group("", text("Basename", name), array("Values", group("", enum("Type", "GL_SAMPLER_2D"), number("Location", location), array("data", number("", unit)))))
}

func initialTexture(m *made, id int, format string, width, height int, data []byte, more ...string) {
	m.chunk("Internal::Initial Contents", resource("id", id), enum("Type", "Texture"), group("TextureState", append(more, enum("internalformat", format), number("width", width),
		number("height", height), enum("type", "GL_TEXTURE_2D"))...), m.blob("SubresourceContents", data), m.blob("SubresourceContents", []byte{1, 2, 3}))
}

// newGLTextures is newGLGame with testdata/gl.frag, whose skin is on unit 1 and has 4 x 2 texels.
func newGLTextures() *made {
	m := newGLGame()
	whole := m.chunks.String()
	m.chunks.Reset()
	m.chunk("glCreateShader", enum("type", "GL_FRAGMENT_SHADER"), resource("Shader", glFragment))
	m.chunk("glShaderSource", resource("shader", glFragment), array("sources", text("", "fragment")))
	m.chunk("glCreateProgram", resource("Program", glProgramOfGame))
	m.chunk("glAttachShader", resource("program", glProgramOfGame), resource("shader", glFragment))
	m.chunk("glTexImage2D", resource("texture", glSkin), enum("target", "GL_TEXTURE_2D"), number("level", 0), enum("internalformat", "GL_RGB"), number("width", 9), number("height", 9), m.blob("pixels", nil))
	initialTexture(m, glLight, "GL_RGBA8", 1, 1, texelBytes(0, 4))
	initialTexture(m, glSkin, "GL_RGBA", 4, 2, texelBytes(0, 32), array("wrap", enum("", "GL_CLAMP_TO_EDGE"), enum("", "GL_MIRRORED_REPEAT"), enum("", "GL_REPEAT")),
		array("swizzle", enum("", "GL_BLUE"), enum("", "GL_GREEN"), enum("", "GL_RED"), enum("", "GL_ALPHA")))
	whole = strings.Replace(whole, uniformOf("turn", 0, floats("1", "2", "3", "4", "5", "6")), samplerUniform("lightMap", 20, 0)+samplerUniform("skin", 21, 1), 1)
	bound := resource("GL_CURRENT_PROGRAM", glProgramOfGame)
	whole = strings.Replace(whole, bound, bound+enum("GL_ACTIVE_TEXTURE", "GL_TEXTURE1")+array("GL_TEXTURE_BINDING_2D", resource("", glLight), resource("", glSkin)), 1)
	m.chunks.WriteString(whole)
	return m
}

func (m *made) textured(t *testing.T) *Frame {
	in := m.input(t)
	in.Compile, in.Textures = compileGame, true
	return must.Get(Read(t.Context(), in))
}

func TestTexturesOfOpenGL(t *testing.T) {
	m := newGLTextures()
	draw := func() { m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 3) }
	draw()
	m.chunk("glTexSubImage2D", resource("texture", glSkin), number("level", 0), number("xoffset", 1), number("yoffset", 1), number("width", 2), number("height", 1),
		enum("format", "GL_BGR"), enum("type", "GL_UNSIGNED_BYTE"), m.blob("pixels", texelBytes(100, 6)))
	m.chunk("glTexSubImage2D", resource("texture", glSkin), number("level", 1), number("xoffset", 0), number("yoffset", 0), number("width", 2), number("height", 1),
		enum("format", "GL_RGBA"), enum("type", "GL_UNSIGNED_BYTE"), m.blob("pixels", texelBytes(200, 8)))
	m.chunk("glColorMask", element("bool", "red", "", "false"), element("bool", "green", "", "false"), element("bool", "blue", "", "false"))
	draw()
	m.chunk("glSamplerParameteri", resource("sampler", glSkinSampler), enum("pname", "GL_TEXTURE_WRAP_T"), enum("param", "GL_CLAMP_TO_EDGE"))
	m.chunk("glSamplerParameterf", resource("sampler", glSkinSampler), enum("pname", "GL_TEXTURE_WRAP_S"), element("float", "param", "", "33648"))
	m.chunk("glSamplerParameteri", resource("sampler", glSkinSampler), enum("pname", "GL_TEXTURE_MAG_FILTER"), enum("param", "GL_NEAREST"))
	m.chunk("glBindSampler", number("unit", 0), resource("sampler", glSkinSampler))
	m.chunk("glUniform1i", resource("Program", glProgramOfGame), number("location", 21), number("count", 1), array("values", element("int", "", "", "0")))
	draw()
	m.chunk("glBindTexture", enum("target", "GL_TEXTURE_2D"), resource("texture", 0))
	m.chunk("glUniform1i", resource("Program", glProgramOfGame), number("location", 21), number("count", 1), array("values", element("int", "", "", "1")))
	draw()
	f := m.textured(t)
	skin := Texture{Image: 0, Output: "shade", Components: [2]uint32{3, 2}, Wrap: [2]geometry.Wrap{geometry.Clamp, geometry.Mirror}, Discards: true, Cutoff: .25}
	written, light, none := skin, skin, skin
	written.Image, written.Colorless = 1, true
	light.Image, light.Colorless, light.Nearest, light.Wrap = 2, true, true, [2]geometry.Wrap{geometry.Mirror, geometry.Clamp}
	none.Why, none.Colorless, none.Wrap = "no 2D texture is bound for skin", true, [2]geometry.Wrap{}
	require.Equal(t, []Texture{skin, written, light, none}, f.Textures)
	for i, image := range []int{glSkin, glSkin, glLight, glLight} { // a base colour's uniform first, light maps last
		require.Contains(t, f.Draws[i].Name, fmt.Sprintf(" glDrawElements (program 60, image %d)", image))
	}
	want := texelBytes(0, 32)
	for i := 0; i < 32; i += 4 {
		want[i], want[i+2] = want[i+2], want[i]
	}
	require.Equal(t, image.Rect(0, 0, 4, 2), f.Pixels(0).Rect)
	require.Equal(t, want, f.Pixels(0).Pix)
	copy(want[20:], []byte{100, 101, 102, 255, 103, 104, 105, 255}) // BGR, and the swizzle
	require.Equal(t, want, f.Pixels(1).Pix)
	require.Equal(t, texelBytes(0, 4), f.Pixels(2).Pix)
}

// TestTexturesThatAreNotKnown have a reason each.
func TestTexturesThatAreNotKnown(t *testing.T) {
	for change, why := range map[[2]string]string{
		{`string="GL_RGBA"`, `string="GL_RGBA16F"`}:                      "image 82: texels of format RGBA16F are not read",
		{`name="width" typename="x">4<`, `name="width" typename="x">5<`}: "image 82: its texels are not in the capture",
		{">skin<", ">hide<"}: "the capture does not tell the texture unit of skin",
		{`string="GL_FRAGMENT_SHADER"`, `string="GL_COMPUTE_SHADER"`}: "it has no fragment shader",
		{"if (1 ", "if (2 "}: "its vertex shader cannot be run",
	} {
		t.Run(change[0], func(t *testing.T) {
			m := newGLTextures()
			m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 3)
			text := m.chunks.String()
			m.chunks.Reset()
			m.chunks.WriteString(strings.ReplaceAll(text, change[0], change[1]))
			require.Equal(t, why, m.textured(t).Textures[0].Why)
		})
	}
}

// TestBlockFormats: red and blue, and what is mixed of them.
func TestBlockFormats(t *testing.T) {
	colors := func(first, second uint16) []byte { return append(bytesOf(first, second), 0xe4, 0, 0, 0) }
	const red, blue = 0xf800, 0x001f
	for _, c := range []struct {
		format string
		block  []byte
		want   []uint8 // of the first row
	}{
		{"GL_COMPRESSED_RGBA_S3TC_DXT1_EXT", colors(red, blue), []uint8{255, 0, 0, 255, 0, 0, 255, 255, 170, 0, 85, 255, 85, 0, 170, 255}},
		{"GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT", colors(blue, red), []uint8{0, 0, 255, 255, 255, 0, 0, 255, 127, 0, 127, 255, 0, 0, 0, 0}},
		{"GL_COMPRESSED_RGB_S3TC_DXT1_EXT", colors(blue, red), []uint8{0, 0, 255, 255, 255, 0, 0, 255, 127, 0, 127, 255, 0, 0, 0, 255}},
		{"GL_COMPRESSED_RGBA_S3TC_DXT3_EXT", append([]byte{0x10, 0xf8, 0, 0, 0, 0, 0, 0}, colors(blue, red)...), []uint8{0, 0, 255, 0, 255, 0, 0, 17, 85, 0, 170, 136, 170, 0, 85, 255}},
		{"GL_COMPRESSED_RGBA_S3TC_DXT5_EXT", append([]byte{200, 60, 0x88, 0xee, 0, 0, 0, 0}, colors(red, 0x07ff)...), []uint8{255, 0, 0, 200, 0, 255, 255, 60, 170, 85, 85, 180, 85, 170, 170, 80}},
		{"GL_COMPRESSED_RGBA_S3TC_DXT5_EXT", append([]byte{60, 200, 0xb2, 0x0f, 0, 0, 0, 0}, colors(red, 0x07ff)...), []uint8{255, 0, 0, 88, 0, 255, 255, 0, 170, 85, 85, 0, 85, 170, 170, 255}},
	} {
		m := newGLTextures()
		text := m.chunks.String()
		m.chunks.Reset()
		before, after, _ := strings.Cut(text, `<chunk id="1" name="Internal::Beginning of Capture"`)
		m.chunks.WriteString(before)
		initialTexture(m, glSkin, c.format, 5, 3, append(c.block, c.block...))
		m.chunks.WriteString(`<chunk id="1" name="Internal::Beginning of Capture"` + after)
		m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 3)
		f := m.textured(t)
		require.Empty(t, f.Textures[0].Why)
		p := f.Pixels(f.Textures[0].Image)
		require.Equal(t, image.Rect(0, 0, 5, 3), p.Rect)
		swizzled := append(c.want, c.want[:4]...)
		for i := 0; i < len(swizzled); i += 4 { // the game's swizzle
			swizzled[i], swizzled[i+2] = swizzled[i+2], swizzled[i]
		}
		require.Equal(t, swizzled, p.Pix[:20], c.format)
	}
}
