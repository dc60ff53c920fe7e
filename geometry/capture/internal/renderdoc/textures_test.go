package renderdoc

import (
	"context"
	"fmt"
	"image"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
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

// texelBytes returns n bytes that count up from a value.
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

// newGLTextures returns newGLGame's capture with testdata/gl.frag, whose skin is on unit 1 and has 4 x 2 texels.
func newGLTextures() *made {
	m := newGLGame()
	whole := m.chunks
	m.chunks = ""
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
	m.chunks += strings.Replace(whole, bound, bound+enum("GL_ACTIVE_TEXTURE", "GL_TEXTURE1")+array("GL_TEXTURE_BINDING_2D", resource("", glLight), resource("", glSkin)), 1)
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
	for i, image := range []int{glSkin, glSkin, glLight, glLight} { // textures of a base colour's uniform are preferred, light maps come last
		require.Contains(t, f.Draws[i].Name, fmt.Sprintf(" glDrawElements (program 60, image %d)", image))
	}
	want := texelBytes(0, 32)
	for i := 0; i < 32; i += 4 {
		want[i], want[i+2] = want[i+2], want[i]
	}
	require.Equal(t, image.Rect(0, 0, 4, 2), f.Pixels(0).Rect)
	require.Equal(t, want, f.Pixels(0).Pix)
	copy(want[20:], []byte{100, 101, 102, 255, 103, 104, 105, 255}) // stored as BGR, and returned through the swizzle
	require.Equal(t, want, f.Pixels(1).Pix)
	require.Equal(t, texelBytes(0, 4), f.Pixels(2).Pix)
}

// TestTexturesThatAreNotKnown: each unusable texture is left out for its own reason.
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
			m.chunks = strings.ReplaceAll(m.chunks, change[0], change[1])
			require.Equal(t, why, m.textured(t).Textures[0].Why)
		})
	}
}

// TestBlockFormats decodes blocks of two colours and their mixtures.
func TestBlockFormats(t *testing.T) {
	colors := func(first, second uint16) []byte { return append(bytesOf(first, second), 0xe4, 0, 0, 0) }
	const red, blue = 0xf800, 0x001f
	for _, c := range []struct {
		format string
		block  []byte
		want   []uint8 // expected texels of the first row
	}{
		{"GL_COMPRESSED_RGBA_S3TC_DXT1_EXT", colors(red, blue), []uint8{255, 0, 0, 255, 0, 0, 255, 255, 170, 0, 85, 255, 85, 0, 170, 255}},
		{"GL_COMPRESSED_SRGB_ALPHA_S3TC_DXT1_EXT", colors(blue, red), []uint8{0, 0, 255, 255, 255, 0, 0, 255, 127, 0, 127, 255, 0, 0, 0, 0}},
		{"GL_COMPRESSED_RGB_S3TC_DXT1_EXT", colors(blue, red), []uint8{0, 0, 255, 255, 255, 0, 0, 255, 127, 0, 127, 255, 0, 0, 0, 255}},
		{"GL_COMPRESSED_RGBA_S3TC_DXT3_EXT", append([]byte{0x10, 0xf8, 0, 0, 0, 0, 0, 0}, colors(blue, red)...), []uint8{0, 0, 255, 0, 255, 0, 0, 17, 85, 0, 170, 136, 170, 0, 85, 255}},
		{"GL_COMPRESSED_RGBA_S3TC_DXT5_EXT", append([]byte{200, 60, 0x88, 0xee, 0, 0, 0, 0}, colors(red, 0x07ff)...), []uint8{255, 0, 0, 200, 0, 255, 255, 60, 170, 85, 85, 180, 85, 170, 170, 80}},
		{"GL_COMPRESSED_RGBA_S3TC_DXT5_EXT", append([]byte{60, 200, 0xb2, 0x0f, 0, 0, 0, 0}, colors(0x07ff, red)...), []uint8{0, 255, 255, 88, 255, 0, 0, 0, 85, 170, 170, 0, 170, 85, 85, 255}},
	} {
		m := newGLTextures()
		m.insert(func() { initialTexture(m, glSkin, c.format, 5, 3, append(c.block, c.block...)) })
		m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 3)
		f := m.textured(t)
		require.Empty(t, f.Textures[0].Why)
		p := f.Pixels(f.Textures[0].Image)
		require.Equal(t, image.Rect(0, 0, 5, 3), p.Rect)
		swizzled := append(c.want, c.want[:4]...)
		for i := 0; i < len(swizzled); i += 4 { // apply the swizzle that the game has set
			swizzled[i], swizzled[i+2] = swizzled[i+2], swizzled[i]
		}
		require.Equal(t, swizzled, p.Pix[:20], c.format)
	}
}

func compileTexels(context.Context, string, string) ([]uint32, error) {
	code, err := os.ReadFile("testdata/texels.spv")
	if err != nil {
		return nil, err
	}
	return module.Words(code)
}

// Further resources of captures with texel buffers.
const (
	glTexels = 70 + iota
	glTexelBuffer
)

// newTexels returns newGLGame's capture with testdata/texels.vert: bones are in a buffer of half
// floats, whose texture is bound to unit 1.
func newTexels() *made {
	m := newGLGame()
	chunks := m.chunks
	m.chunks = ""
	m.chunk("glBufferData", resource("buffer", glTexelBuffer), number("bytesize", 16), m.blob("data", bytesOf[uint16](0x3c00, 0x4000, 0x4200, 0x4400, 0x3800, 0, 0xbc00, 0x7c00)))
	m.chunk("glTexBuffer", resource("texture", glTexels), enum("target", "GL_TEXTURE_BUFFER"), enum("internalformat", "GL_RG16F"), resource("buffer", glTexelBuffer))
	sampler := group("", text("Basename", "bones"), array("Values", group("", enum("Type", "GL_SAMPLER_BUFFER"), number("Location", 12), array("data", number("", 1)))))
	chunks = strings.Replace(chunks, uniformOf("turn", 0, floats("1", "2", "3", "4", "5", "6")), sampler, 1)
	bound := resource("GL_CURRENT_PROGRAM", glProgramOfGame)
	m.chunks += strings.Replace(chunks, bound, bound+enum("GL_ACTIVE_TEXTURE", "GL_TEXTURE0")+array("GL_TEXTURE_BINDING_BUFFER", resource("", 0), resource("", glTexels)), 1)
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
	image := func(draw int) []byte { return f.image(draw, 0) }
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

// image returns the contents of the n-th image that a draw's shader reads.
func (f *Frame) image(draw, n int) []byte {
	s := f.Shading
	for i, b := range s.Programs[s.Draws[draw].Program].Vertex.Blocks {
		if b.Kind == module.FetchedImage {
			if n--; n < 0 {
				return s.Values[s.Draws[draw].Values[i]]
			}
		}
	}
	return nil
}

// TestImagesOfVulkan draws with images that change between draws: a filtered one, and one from which texels are
// fetched. Images that are not read are reported with a reason each.
func TestImagesOfVulkan(t *testing.T) {
	m := newGameOf(must.Get(os.ReadFile("testdata/images.spv")))
	const small, flat, colours, whole, mirrored, clamped, repeated = 301, 302, 303, 304, 321, 322, 323
	m.insert(func() {
		for i, data := range [][]byte{bytesOf[uint8](0, 51, 102, 255, 255, 0, 0, 0), bytesOf[float32](-1.5, 7, 0.25), bytesOf[uint8](1, 2, 3, 4), bytesOf[uint32](9), make([]byte, 16)} {
			width, format := []int{2, 3, 1, 1, 1}[i], []string{"B8G8R8A8_UNORM", "R32_SFLOAT", "R8G8B8A8_SRGB", "R32_UINT", "BC7_UNORM_BLOCK"}[i]
			m.chunk("vkCreateImage", group("CreateInfo", enum("imageType", "VK_IMAGE_TYPE_2D"), enum("samples", "VK_SAMPLE_COUNT_1_BIT"), enum("format", "VK_FORMAT_"+format),
				group("extent", number("width", width), number("height", 1))), resource("Image", small+i))
			m.chunk("vkCreateImageView", group("CreateInfo", resource("image", small+i), group("subresourceRange", number("baseMipLevel", 0), number("baseArrayLayer", 0)),
				group("components", enum("r", "VK_COMPONENT_SWIZZLE_IDENTITY"), enum("g", "VK_COMPONENT_SWIZZLE_ONE"))), resource("View", small+i))
			m.chunk("Internal::Initial Contents", enum("type", "eResImage"), resource("id", small+i), m.blob("Contents", data))
		}
		for id, mode := range map[int]string{mirrored: "MIRRORED_REPEAT", clamped: "CLAMP_TO_EDGE", repeated: "REPEAT"} {
			m.chunk("vkCreateSampler", group("CreateInfo", enum("addressModeU", "VK_SAMPLER_ADDRESS_MODE_"+mode), enum("addressModeV", "VK_SAMPLER_ADDRESS_MODE_"+mode),
				enum("magFilter", map[bool]string{true: "VK_FILTER_NEAREST", false: "VK_FILTER_LINEAR"}[id == clamped])), resource("Sampler", id))
		}
	})
	draw := func(view, sampler, fetched int) {
		write := func(set, view, sampler int) string {
			return group("", resource("dstSet", set), number("dstBinding", 9), number("dstArrayElement", 0), enum("descriptorType", "VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER"),
				array("pImageInfo", group("", resource("sampler", sampler), resource("imageView", view))))
		}
		m.chunk("vkUpdateDescriptorSets", array("pDescriptorWrites", write(vkBones, view, sampler), write(vkCamera, fetched, clamped)))
		m.drawFrom(0, 1, 0, 0)
	}
	m.chunk("vkSetDebugUtilsObjectNameEXT", resource("Object", small), text("ObjectName", "ripple normals"))
	draw(small, clamped, flat)
	draw(small, repeated, small)
	draw(small, 0, flat)
	draw(small, mirrored, flat)
	draw(colours, clamped, flat)
	draw(small, clamped, whole)
	draw(999, clamped, flat)
	draw(whole+1, clamped, flat)
	m.submit(vkCommands)
	f := m.shaded(t, nil)
	const left = "counted, but not run by their shaders: 1 x vkCmdDrawIndexed: its shader reads values: "
	require.ElementsMatch(t, []string{
		left + "image waves: its sampler is not known",
		left + "image waves: it is mirrored, or wrapped differently in width and height",
		left + "image waves has format R8G8B8A8_SRGB, which is not read",
		left + "image waves has format BC7_UNORM_BLOCK, which is not read",
		left + "the texels of heights are of format R32_UINT, which it reads as other numbers",
		left + "the image that its shader samples is not known",
	}, f.Skipped)
	for i, image := range []string{"image 302", "ripple normals", "image 302", "image 302", "image 303", "image 304", "image 302"} {
		require.Contains(t, f.Draws[i].Name, ", "+image+")", "no normals if there are others, and the first of these")
	}
	wave := bytesOf[float32](.4, 1, 0, 1, 0, 1, 1, 0)
	heights := append(bytesOf[uint32](3, 1, 0, 0), bytesOf[float32](-1.5, 1, 0, 1, 7, 1, 0, 1, .25, 1, 0, 1)...)
	require.Equal(t, append(bytesOf[uint32](2, 1, 1, 1), wave...), f.image(0, 0))
	require.Equal(t, heights, f.image(0, 1))
	require.Equal(t, append(bytesOf[uint32](2, 1, 0, 0), wave...), f.image(1, 0))
	require.Equal(t, append(bytesOf[uint32](2, 1, 0, 0), wave...), f.image(1, 1), "fetched: its sampler does not matter")
	require.Equal(t, "image bones: texel buffers are read from captures of OpenGL only", attempt(func() { (&vulkanValues{}).texels("bones", 0) }))
}

// TestImagesOfOpenGL draws with a filtered image that is partly rewritten between draws.
func TestImagesOfOpenGL(t *testing.T) {
	m := newGLTextures()
	draw := func() { m.elements("GL_TRIANGLES", "GL_UNSIGNED_BYTE", 3, 3) }
	draw()
	m.chunk("glTextureParameteri", resource("texture", glSkin), enum("pname", "GL_TEXTURE_WRAP_T"), enum("param", "GL_CLAMP_TO_EDGE"))
	draw()
	m.chunk("glTexSubImage2D", resource("texture", glSkin), number("level", 0), number("xoffset", 1), number("yoffset", 1), number("width", 2), number("height", 1),
		enum("format", "GL_BGR"), enum("type", "GL_UNSIGNED_BYTE"), m.blob("pixels", bytesOf[uint8](0, 0, 255, 255, 0, 51)))
	draw()
	m.chunk("glTexSubImage2D", resource("texture", glSkin), number("level", 0), number("xoffset", 3), number("yoffset", 0), number("width", 1), number("height", 1),
		enum("format", "GL_BGR"), enum("type", "GL_UNSIGNED_BYTE"), m.blob("pixels", bytesOf[uint8](255, 0, 51)))
	draw()
	m.chunk("glTextureParameteri", resource("texture", glSkin), enum("pname", "GL_TEXTURE_SWIZZLE_A"), enum("param", "GL_RED"))
	f := m.shaded(t, func(context.Context, string, string) ([]uint32, error) {
		return module.Words(must.Get(os.ReadFile("testdata/glimage.spv")))
	})
	require.Empty(t, f.Skipped)
	var texels []float32
	for i := range 8 {
		for _, c := range []int{2, 1, 0, 0} { // swizzled as the texture is at last
			texels = append(texels, float32(4*i+c)/255)
		}
	}
	whole := append(bytesOf[uint32](4, 2, 0, 1), bytesOf(texels...)...)
	require.Equal(t, whole, f.image(0, 0))
	require.Equal(t, whole, f.image(1, 0))
	copy(texels[20:], []float32{0, 0, 1, 1, 1, 0, .2, .2})
	require.Equal(t, append(bytesOf[uint32](4, 2, 0, 1), bytesOf(texels...)...), f.image(2, 0))
	copy(texels[12:], []float32{1, 0, .2, .2})
	require.Equal(t, append(bytesOf[uint32](4, 2, 0, 1), bytesOf(texels...)...), f.image(3, 0), "the whole, and both parts")
}

func TestEntitiesOfXML(t *testing.T) {
	require.Equal(t, `&lt; < > " ' & &#65;`, entities.Replace("&amp;lt; &lt; &gt; &quot; &apos; &amp; &#65;"), "each once")
}
