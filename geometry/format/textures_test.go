package format

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// pngOf returns a PNG of one colour, but with full red in the upper left pixel and the given alpha in the right half.
func pngOf(width, height int, alpha uint8) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.NRGBA{0, 128, 255, 255}
			if 2*x >= width {
				c.A = alpha
			}
			if x+y == 0 {
				c.R = 255
			}
			m.SetNRGBA(x, y, c)
		}
	}
	var b bytes.Buffer
	must.OK(png.Encode(&b, m))
	return b.Bytes()
}

func dataURI(data []byte) string {
	return `"uri":"data:image/png;base64,` + base64.StdEncoding.EncodeToString(data) + `"`
}

// openTextured opens a file of a folder with the given files.
func openTextured(t *testing.T, name string, files map[string][]byte) (*geometry.Scene, error) {
	folder := t.TempDir()
	for file, data := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, file), data, 0o600))
	}
	return Readers(nil).Textures().Open(t.Context(), filepath.Join(folder, name))
}

// texturedSquare returns a document of a square with two sets of texture coordinates, one of them
// normalized bytes, and with the given images, material and other members.
func texturedSquare(images, material, rest string) []byte {
	m := &gltfMaker{}
	m.floats(gltfSquare...)
	m.shorts(0, 1, 2, 2, 1, 3)
	m.accessor(m.view([]float32{0, 0, 1, 0, 0, 1, 1, 1}, ""), gltfFloat, "VEC2", 4, "")
	m.accessor(m.view([]byte{0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 51, 255, 0, 0}, `,"byteStride":4`), gltfUnsignedByte, "VEC2", 4, `,"normalized":true`)
	return []byte(m.text(`"images":[` + images + `],"textures":[{"source":0},{"source":1,"sampler":0}],"materials":[` + material + `],` + rest +
		`"meshes":[{"primitives":[{"attributes":{"POSITION":0,"TEXCOORD_0":2,"TEXCOORD_1":3},"indices":1,"material":0}]}],"nodes":[{"mesh":0}]`))
}

const plainTexture = `{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}`

func TestGLTFTextures(t *testing.T) {
	read := func(document []byte) *geometry.Scene {
		s, err := openTextured(t, "x.gltf", map[string][]byte{"x.gltf": document, "a b.png": pngOf(4, 2, 0)})
		require.NoError(t, err)
		require.Empty(t, s.Skipped)
		return s
	}
	s := read(texturedSquare("{"+dataURI(pngOf(8, 4, 255))+"}", plainTexture, ""))
	require.Equal(t, []geometry.Material{{
		Width: 8, Height: 4, Levels: 4, Transform: [2]mgl32.Vec3{{1, 0, 0}, {0, 1, 0}}, Tint: mgl32.Vec3{1, 1, 1},
	}}, s.Textures.Materials)
	require.Len(t, s.Textures.Texels, 32+8+2+1)
	require.Equal(t, []uint32{0xffff80ff, 0xffff8000}, s.Textures.Texels[:2])
	require.Equal(t, uint32(1), s.Draws[0].Material)
	require.Equal(t, "TEXCOORD_0", s.Attributes[s.Textures.Sets[0]].Name)
	require.Len(t, s.Attributes, 1, "only what the texture needs")
	bare := must.Get(Open(t.Context(), writeFile(t, "x.gltf", texturedSquare("{"+dataURI(pngOf(8, 4, 255))+"}", plainTexture, ""))))
	require.Nil(t, bare.Textures, "nobody asked")
	require.Equal(t, bare.Indices, s.Indices)
	require.Equal(t, bare.Positions, s.Positions)

	for alpha, cutoff := range map[string]float64{
		`"OPAQUE"`: 0, `"MASK"`: 1, `"MASK","alphaCutoff":0.25`: .5, `"MASK","alphaCutoff":0`: 0, `"BLEND"`: .5,
	} {
		s := read(texturedSquare(`{"uri":"a%20b.png"}`, `{"alphaMode":`+alpha+`,"pbrMetallicRoughness":{"baseColorFactor":[1,0.2140411,0,0.5],"baseColorTexture":{"index":0}}}`, ""))
		require.InDelta(t, cutoff, s.Textures.Materials[0].Cutoff, 1e-9, alpha)
		require.InDeltaSlice(t, []float64{1, .5, 0}, []float64{float64(s.Textures.Materials[0].Tint[0]), float64(s.Textures.Materials[0].Tint[1]), float64(s.Textures.Materials[0].Tint[2])}, 1e-5)
		require.Equal(t, cutoff > 0, s.Masked(), alpha)
	}
	for name, data := range map[string][]byte{"opaque": pngOf(4, 4, 255), "glass": pngOf(1, 1, 100)} {
		s := read(texturedSquare("{"+dataURI(data)+"}", `{"alphaMode":"BLEND","pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}`, ""))
		require.False(t, s.Masked(), name)
	}

	both := `{` + dataURI(pngOf(1, 1, 255)) + `},{` + dataURI(pngOf(16, 2, 255)) + `}`
	s = read(texturedSquare(both, `{"pbrMetallicRoughness":{"baseColorTexture":{"index":1,"texCoord":0,"extensions":{"KHR_texture_transform":`+
		`{"offset":[0.5,-0.25],"rotation":1.5707963,"scale":[2,3],"texCoord":1}}}}}`, `"samplers":[{"wrapS":33071,"wrapT":33648,"magFilter":9728}],`))
	m := s.Textures.Materials[0]
	require.Equal(t, [2]geometry.Wrap{geometry.Clamp, geometry.Mirror}, m.Wrap)
	require.True(t, m.Nearest)
	require.InDeltaSlice(t, []float64{0, 3, .5, -2, 0, -.25}, []float64{
		float64(m.Transform[0][0]), float64(m.Transform[0][1]), float64(m.Transform[0][2]), float64(m.Transform[1][0]), float64(m.Transform[1][1]), float64(m.Transform[1][2]),
	}, 1e-6)
	a := s.Attributes[s.Textures.Sets[0]]
	require.Equal(t, "TEXCOORD_1", a.Name)
	require.Equal(t, []byte{0xcd, 0xcc, 0x4c, 0x3e, 0, 0, 0x80, 0x3f}, a.Element(3), ".2 and 1 as float32")
}

// hugePNG is a PNG whose header claims the given number of pixels.
func hugePNG(width, height uint32) []byte {
	data := pngOf(1, 1, 255)
	head := data[12:29] // IHDR
	for i, n := range []uint32{width, height} {
		copy(head[4+4*i:], []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
	}
	sum := crc32.ChecksumIEEE(head)
	copy(data[29:], []byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)})
	return data
}

// TestBadTextures: a texture that cannot be read leaves the rest of the file intact, and one line says why.
func TestBadTextures(t *testing.T) {
	good := pngOf(4, 4, 255)
	for _, c := range []struct{ images, material, rest, want string }{
		{`{"uri":"gone.png"}`, plainTexture, "", `texture gone.png: no such file or directory`},
		{`{"uri":"../x.png"}`, plainTexture, "", `leaves the folder`},
		{`{"uri":"http://x/y.png"}`, plainTexture, "", `scheme "http:"`},
		{`{` + dataURI([]byte("RIFF....WEBP")) + `}`, plainTexture, "", "texture image 0: is neither a PNG nor a JPEG image"},
		{`{` + dataURI(good[:len(good)/2]) + `}`, plainTexture, "", "unexpected EOF"},
		{`{` + dataURI(hugePNG(60000, 60000)) + `}`, plainTexture, "", "60000 x 60000 pixels: needs more than"},
		{`{` + dataURI(hugePNG(1<<31-1, 1<<31-1)) + `}`, plainTexture, "", "texture image 0: "},
		{`{` + dataURI(hugePNG(2000, 2000)) + `}`, plainTexture, "", "texture image 0: "},
		{`{"bufferView":9}`, plainTexture, "", "bufferView is 9, but the document has"},
		{`{}`, plainTexture, "", "bufferView is undefined"},
		{``, plainTexture, "", "texture of material 0: image is 0, but the document has 0"},
		{``, `{"pbrMetallicRoughness":{"baseColorTexture":{"index":-1}}}`, "", "texture is -1, but the document has 2"},
		{`[]`, plainTexture, "", "textures: "},
	} {
		s, err := openTextured(t, "x.gltf", map[string][]byte{"x.gltf": texturedSquare(c.images, c.material, c.rest)})
		require.NoError(t, err, c.want)
		require.Len(t, s.Skipped, 1, c.want)
		require.Contains(t, s.Skipped[0], c.want)
		require.NotContains(t, s.LeftOut(), "\n")
		require.Nil(t, s.Textures, c.want)
		require.Zero(t, s.Draws[0].Material, c.want)
		require.Equal(t, geometry.DefaultColor, s.Draws[0].Color)
	}
	s, err := openTextured(t, "x.gltf", map[string][]byte{"x.gltf": texturedSquare(`{`+dataURI(good)+`}`, strings.Replace(plainTexture, `"index":0`, `"index":0,"texCoord":5`, 1), "")})
	require.NoError(t, err)
	require.Zero(t, s.Draws[0].Material)
	require.Equal(t, []string{"texture of material 0: no draw has TEXCOORD_5"}, s.Skipped)
}

func TestOBJTextures(t *testing.T) {
	var photo bytes.Buffer
	require.NoError(t, jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 3, 5)), nil))
	mask := image.NewGray(image.Rect(0, 0, 2, 2))
	mask.Pix[1], mask.Pix[2] = 255, 255
	var masks bytes.Buffer
	require.NoError(t, png.Encode(&masks, mask))
	s, err := openTextured(t, "x.obj", map[string][]byte{
		"leaf color.png": pngOf(4, 2, 7), "photo.jpg": photo.Bytes(), "mask.png": masks.Bytes(),
		"x.mtl": []byte("newmtl leaf\nKd 0 0 0\nmap_Kd -s 2 4 -o 0.5 .25 -clamp on leaf color.png\nmap_d mask.png\n" +
			"newmtl bark\nKd .5 .25 1\nmap_Kd -mm 0 1 .\\photo.jpg\nnewmtl bare\nKd 1 0 0\nnewmtl lost\nKd 0 1 0\nmap_Kd lost.png\nnewmtl fog\nmap_d mask.png\n"),
		"x.obj": []byte("mtllib x.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\n" +
			"usemtl leaf\nf 1/1 2/2 3/3\nusemtl bark\nf 1/1 2/2 3/3\nusemtl bare\nf 1/1 2/2 3/3\nusemtl lost\nf 1/1 2/2 3/3\nusemtl fog\nf 1 2 3\n"),
	})
	require.NoError(t, err)
	require.Equal(t, []string{`texture lost.png: no such file or directory`}, s.Skipped)
	require.Equal(t, []uint32{1, 2, 0, 0, 3}, []uint32{s.Draws[0].Material, s.Draws[1].Material, s.Draws[2].Material, s.Draws[3].Material, s.Draws[4].Material})
	require.Equal(t, mgl32.Vec4{0, 1, 0, 1}, s.Draws[3].Color)
	leaf, bark, fog := s.Textures.Materials[0], s.Textures.Materials[1], s.Textures.Materials[2]
	require.Equal(t, geometry.Material{
		Name: "leaf", Width: 4, Height: 2, Levels: 3, Wrap: [2]geometry.Wrap{geometry.Clamp, geometry.Clamp}, Cutoff: .5,
		Tint: mgl32.Vec3{1, 1, 1}, Transform: [2]mgl32.Vec3{{2, 0, .5}, {0, -4, .75}},
	}, leaf)
	require.Equal(t, []uint32{0x00ff80ff, 0x00ff8000, 0xffff8000, 0xffff8000, 0xffff8000, 0xffff8000, 0x00ff8000, 0x00ff8000}, s.Textures.Texels[:8], "alpha of the mask")
	require.Equal(t, mgl32.Vec3{.5, .25, 1}, bark.Tint)
	require.Equal(t, [4]int{3, 5, 3, 11}, [4]int{bark.Width, bark.Height, bark.Levels, bark.Texel})
	require.Zero(t, bark.Cutoff)
	require.Equal(t, []uint32{0x00ffffff, 0xffffffff}, s.Textures.Texels[fog.Texel:][:2], "white")
}

// TestHalved compares levels with means by hand.
func TestHalved(t *testing.T) {
	for _, c := range []struct {
		width, height int
		texels, want  []uint32
	}{
		{2, 1, []uint32{0xff000000, 0xffffffff}, []uint32{0xffbcbcbc}},                                                                                    // half of the light
		{2, 2, []uint32{0xff0000ff, 0xff0000ff, 0x0000ff00, 0x0000ff00}, []uint32{0x800000ff}},                                                            // transparent texels lend no colour
		{2, 1, []uint32{0x00000000, 0x00ffffff}, []uint32{0x00bcbcbc}},                                                                                    // if all texels are transparent, their colours count
		{3, 1, []uint32{0xff000000, 0xffffffff, 0xff000000}, []uint32{0xff9c9c9c}},                                                                        // a third of the light
		{5, 2, append(slicesOf(0xff000000, 4), 0xffffffff, 0xff000000, 0xff000000, 0xff000000, 0xff000000, 0xffffffff), []uint32{0xff000000, 0xffaaaaaa}}, // the second texel covers 2.5 columns, of which 1 is white
		{1, 1, []uint32{0x12345678}, []uint32{0x12345678}},
	} {
		got, width, height := halved(c.texels, c.width, c.height)
		require.Equal(t, c.want, got, "%dx%d", c.width, c.height)
		require.Equal(t, [2]int{max(c.width/2, 1), max(c.height/2, 1)}, [2]int{width, height})
	}
}

func slicesOf(texel uint32, n int) (list []uint32) {
	for range n {
		list = append(list, texel)
	}
	return list
}

// TestTexturesAreBounded: if the texels of all images are too many, the largest lose levels.
func TestTexturesAreBounded(t *testing.T) {
	r := &TextureReader{in: &Input{}, most: 500}
	for i, size := range [][2]int{{32, 16}, {8, 8}, {20000, 1}} {
		r.images = append(r.images, r.add(fmt.Sprint(i), func() []byte { return pngOf(size[0], size[1], 255) }))
	}
	texels := r.Read()
	require.LessOrEqual(t, len(texels), 500)
	a, b, c := r.images[0], r.images[1], r.images[2]
	require.Equal(t, [][3]int{{16, 8, 5}, {8, 8, 4}, {78, 1, 7}}, [][3]int{{a.width, a.height, a.levels}, {b.width, b.height, b.levels}, {c.width, c.height, c.levels}})
	require.Equal(t, []int{0, a.size(), a.size() + b.size()}, []int{a.texel, b.texel, c.texel})
	require.Equal(t, []string{"the largest levels of 2 of 3 textures: all would take more than 0 MiB"}, r.Notes)
	r = &TextureReader{in: &Input{}, most: 1 << 20}
	for i, size := range [][2]int{{200, 200}, {geometry.MaxTextureSide + 2, 1}} {
		r.images = append(r.images, r.add(fmt.Sprint(i), func() []byte { return pngOf(size[0], size[1], 255) }))
	}
	r.Read()
	require.Equal(t, [2]int{200, geometry.MaxTextureSide/2 + 1}, [2]int{r.images[0].width, r.images[1].width}, "a side is too long, of a texture that is not the largest")
	r = &TextureReader{in: &Input{}, most: 1 << 18} // texels of 4 bytes
	r.images = append(r.images, r.add("", func() []byte { return pngOf(600, 600, 255) }))
	r.Read()
	require.Equal(t, []string{"the largest levels of 1 of 1 textures: all would take more than 1 MiB"}, r.Notes)
}
