package capture

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/renderdoc"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/replay"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// newLeaves is newGame with testdata/leaf.frag, a texture of 2 x 2 texels, one nearly transparent,
// and a second pipeline, which writes no colours and is bound.
func newLeaves(t *testing.T) *game {
	g := newGame(t)
	made := g.chunks
	g.chunks = ""
	code := must.Get(os.ReadFile("testdata/leaf.spv"))
	g.add("vkCreateShaderModule", `<struct name="CreateInfo"><buffer name="pCode" `+g.blob(code)+`</struct><ResourceId name="ShaderModule">13</ResourceId>`)
	g.add("vkCreateImage", `<struct name="CreateInfo"><enum name="imageType" string="VK_IMAGE_TYPE_2D">1</enum><enum name="samples" string="VK_SAMPLE_COUNT_1_BIT">1</enum>
<enum name="format" string="VK_FORMAT_B8G8R8A8_SRGB">50</enum><struct name="extent"><uint name="width">2</uint><uint name="height">2</uint></struct></struct><ResourceId name="Image">10</ResourceId>`)
	g.add("vkCreateImageView", `<struct name="CreateInfo"><ResourceId name="image">10</ResourceId><struct name="subresourceRange"><uint name="baseMipLevel">0</uint><uint name="baseArrayLayer">0</uint></struct></struct><ResourceId name="View">11</ResourceId>`)
	g.add("vkCreateSampler", `<struct name="CreateInfo"><enum name="addressModeU" string="VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT">1</enum><enum name="addressModeV" string="VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE">2</enum><enum name="magFilter" string="VK_FILTER_NEAREST">0</enum></struct><ResourceId name="Sampler">12</ResourceId>`)
	g.add("vkCreateDescriptorSetLayout", `<struct name="CreateInfo"><array name="pBindings"><struct><uint name="binding">2</uint><enum name="descriptorType" string="VK_DESCRIPTOR_TYPE_SAMPLER">0</enum><uint name="descriptorCount">1</uint></struct>
<struct><uint name="binding">1</uint><enum name="descriptorType" string="VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE">2</enum><uint name="descriptorCount">1</uint></struct></array></struct><ResourceId name="SetLayout">14</ResourceId>`)
	g.add("vkAllocateDescriptorSets", `<struct name="AllocateInfo"><array name="pSetLayouts"><ResourceId>14</ResourceId></array></struct><ResourceId name="DescriptorSet">15</ResourceId>`)
	g.add("Internal::Initial Contents", `<enum name="type" string="eResImage">8</enum><ResourceId name="id">10</ResourceId><buffer name="Contents" `+g.blob([]byte{1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 20, 0, 0, 0, 0}))
	g.add("Internal::Initial Contents", `<enum name="type" string="eResDescriptorSet">19</enum><ResourceId name="id">15</ResourceId><array name="Bindings">
<struct><enum name="type" string="VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE">2</enum><ResourceId name="resource">11</ResourceId></struct></array>`)
	g.add("vkUpdateDescriptorSets", `<array name="pDescriptorWrites"><struct><ResourceId name="dstSet">15</ResourceId><uint name="dstBinding">2</uint><uint name="dstArrayElement">0</uint>
<enum name="descriptorType" string="VK_DESCRIPTOR_TYPE_SAMPLER">0</enum><array name="pImageInfo"><struct><ResourceId name="sampler">12</ResourceId></struct></array></struct></array>`)
	stage := `<struct><enum name="stage" string="VK_SHADER_STAGE_FRAGMENT_BIT">16</enum><ResourceId name="module">13</ResourceId><string name="pName">main</string></struct></array>
<struct name="pColorBlendState"><array name="pAttachments"><struct><enum name="colorWriteMask" string="%s">0</enum></struct></array></struct>
<struct name="pVertexInputState">`
	made = strings.Replace(made, "</array>\n<struct name=\"pVertexInputState\">", stage, 1)
	before, pipeline, _ := strings.Cut(made, `<chunk id="1" name="vkCreateGraphicsPipelines">`)
	pipeline, after, _ := strings.Cut(pipeline, "</chunk>")
	g.chunks += before
	g.add("vkCreateGraphicsPipelines", fmt.Sprintf(pipeline, "VK_COLOR_COMPONENT_R_BIT"))
	g.add("vkCreateGraphicsPipelines", strings.Replace(fmt.Sprintf(pipeline, "VkColorComponentFlags(0)"), `"Pipeline">4<`, `"Pipeline">16<`, 1))
	g.chunks += after
	g.bind(16)
	g.bindSet(15)
	return g
}

func (g *game) bindSet(set int) {
	g.command("vkCmdBindDescriptorSets", fmt.Sprintf(`<enum name="pipelineBindPoint" string="VK_PIPELINE_BIND_POINT_GRAPHICS">0</enum><uint name="firstSet">0</uint><array name="pDescriptorSets"><ResourceId>%d</ResourceId></array>`, set))
}

func (g *game) bind(pipeline int) {
	g.command("vkCmdBindPipeline", fmt.Sprintf(`<enum name="pipelineBindPoint" string="VK_PIPELINE_BIND_POINT_GRAPHICS">0</enum><ResourceId name="pipeline">%d</ResourceId>`, pipeline))
}

// TestTexturesOfFrames: a depth prepass draws a cube with image 20, which is then drawn with colours and image 10; other draws
// of the cube have other texture coordinates, until there are too many sets.
func TestTexturesOfFrames(t *testing.T) {
	g := newLeaves(t)
	leaf, _, _ := strings.Cut(g.chunks, `<chunk id="1" name="vkCreateBuffer">`)
	g.chunks = strings.NewReplacer(">10<", ">20<", ">11<", ">21<", ">15<", ">25<").Replace(leaf) + g.chunks
	camera := gameCamera()
	g.bindSet(25)
	g.draw(camera, 0, 0, 1)
	g.bindSet(15)
	g.bind(4)
	g.draw(camera, 0, 0, 1)
	for i := range mostSets {
		g.draw(camera.Mul4(mgl32.Translate3D(float32(3*i), 0, -3)), 1e-9*float32(i+1), 0, 1) // too small a bend to be seen
	}
	path := g.write(t)
	s := must.Get(Readers().Textures().Open(t.Context(), path))
	require.Equal(t, []string{"textures: 1 x draw: draws that share its vertices have other texture coordinates"}, s.Skipped)
	require.Nil(t, s.Shading)
	require.Equal(t, []uint32{0xff010203, 0xff040506, 0xff070809, 0x140a0b0c}, s.Textures.Texels[:4])
	require.Len(t, s.Attributes, mostSets)
	m := s.Textures.Materials[0]
	require.Equal(t, geometry.Material{
		Name: "image 10", Width: 2, Height: 2, Levels: 2, Nearest: true, Wrap: [2]geometry.Wrap{geometry.Mirror, geometry.Clamp}, Cutoff: .75,
		Tint: mgl32.Vec3{1, 1, 1}, Transform: [2]mgl32.Vec3{{1, 0, 0}, {0, 1, 0}},
	}, m)
	var materials []uint32
	for i, d := range s.Draws {
		materials = append(materials, d.Material)
		if d.Material > 0 {
			set := &s.Attributes[s.Textures.Sets[s.Textures.Materials[d.Material-1].Set]]
			for v := range d.VertexCount {
				p := s.Positions[d.VertexOffset+v]
				at := set.Format.Decode(set.Element(int(d.VertexOffset + v)))
				require.Equal(t, [2]float32{p[0], p[2] + 1e-9*float32(max(i-1, 0))}, [2]float32{math.Float32frombits(at[0]), math.Float32frombits(at[1])}, "draw %d, vertex %d", i, v)
			}
		}
	}
	require.Equal(t, []uint32{1, 1, 2, 3, 4, 0}, materials)
	both := must.Get(readConverted(t.Context(), &format.Input{Attributes: true, Textures: true}, path))
	require.Len(t, both.Attributes, 1+mostSets)
	require.Equal(t, s.Attributes, both.Attributes[1:])
	require.Nil(t, must.Get(Open(t.Context(), path)).Textures, "nobody has asked for them")
	_, err := readConverted(t.Context(), &format.Input{Path: "frame.rdc", Pass: "9"}, path)
	require.ErrorContains(t, err, `frame.rdc: no pass "9"`)
}

// TestSetsOfLaterVertices: draws after the pool's first vertices share sets of coordinates as well.
func TestSetsOfLaterVertices(t *testing.T) {
	s := &geometry.Scene{Positions: make([]mgl32.Vec3, 4), Draws: []geometry.Draw{{VertexCount: 2}, {VertexOffset: 2, VertexCount: 2}}}
	x := &texturer{shaderRunner: &shaderRunner{scene: s, in: &format.Input{}}}
	a, b := [][2]uint32{{1, 1}, {2, 2}}, [][2]uint32{{3, 3}, {4, 4}}
	require.Equal(t, []int{0, 0, 0, 1}, []int{x.set(0, a), x.set(1, b), x.set(1, b), x.set(1, a)})
}

// TestPrepassesShowTheirOwnPass: a draw without colours shows the texture of a draw with colours of its mesh and pass.
func TestPrepassesShowTheirOwnPass(t *testing.T) {
	s := &geometry.Scene{Positions: make([]mgl32.Vec3, 6), Indices: []uint32{0, 1, 2, 0, 1, 2}, Shading: &geometry.Shading{}}
	s.Positions[3][0] = 1 // the other mesh's vertex
	f := &renderdoc.Frame{}
	for _, x := range []struct {
		pass, mesh, program int
		colorless           bool
	}{{0, 0, 0, true}, {1, 0, 0, true}, {0, 0, -1, false}, {1, 0, 0, false}, {0, 0, 0, false}, {0, 0, 0, false}, {2, 0, 0, true}, {0, 1, 0, true}, {1, 1, 0, false}} {
		s.Draws = append(s.Draws, geometry.Draw{FirstIndex: 3 * uint32(x.mesh), IndexCount: 3, VertexOffset: 3 * uint32(x.mesh), VertexCount: 3})
		s.Shading.Draws = append(s.Shading.Draws, geometry.DrawShading{Program: x.program})
		f.Targets, f.Textures = append(f.Targets, replay.Target{Pass: x.pass}), append(f.Textures, renderdoc.Texture{Colorless: x.colorless})
	}
	x := &texturer{shaderRunner: &shaderRunner{scene: s}, frame: f, later: map[meshInPass]int{}}
	x.findColors()
	var got []int
	for i := range s.Draws {
		got = append(got, x.colors(i))
	}
	require.Equal(t, []int{4, 3, 2, 3, 4, 5, 6, 7, 8}, got)
	s.Capture = &geometry.Capture{} // of a frame whose draws are not placed
	require.True(t, x.shown(0))
}

// TestTexturesThatAreNotThere: one line says that a frame has no texels.
func TestTexturesThatAreNotThere(t *testing.T) {
	g := newLeaves(t)
	g.draw(gameCamera(), 0, 0, 1)
	g.chunks = strings.Replace(g.chunks, `byteLength="20"`, `byteLength="0"`, 1)
	s := must.Get(Readers().Textures().Open(t.Context(), g.write(t)))
	require.Equal(t, []string{"textures: their texels are not in the capture"}, s.Skipped)
	require.Nil(t, s.Textures)
}
