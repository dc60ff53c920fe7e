package shade

import (
	"testing"

	"github.com/go-gl/mathgl/mgl32"
	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/shaders/vertexformat"
)

// mesh returns a mesh with attributes of the given names.
func mesh(attributes ...string) *geometry.Scene {
	s := &geometry.Scene{Name: "mesh.glb", Positions: make([]mgl32.Vec3, 3), Normals: make([]mgl32.Vec3, 3), Draws: make([]geometry.Draw, 2)}
	for _, name := range attributes {
		format := vertexformat.R32G32_SFLOAT
		if name == "JOINTS_0" {
			format = vertexformat.Array(4, 8, "UINT")
		}
		s.Attributes = append(s.Attributes, geometry.Attribute{Name: name, Format: format, Data: make([]byte, 3*format.Size())})
	}
	return s
}

func TestNamesOfInputsMeanAttributes(t *testing.T) {
	for name, want := range map[string]string{
		"inPosition": "position", "a_position": "position", "position": "position", "POSITION": "position", "POSITION0": "position", "aPos": "position",
		"vertexPosition": "position", "vertex_position": "position", "vPosition": "position", "in_var_POSITION": "position", "inPos": "position", "position2": "",
		"a_normal": "normal", "Normal": "normal", "nrm": "normal", "inNormal": "normal", "NORMAL0": "normal", "vertexNormal": "normal",
		"aTexCoord0": "TEXCOORD_0", "uv": "TEXCOORD_0", "inUV": "TEXCOORD_0", "uv1": "TEXCOORD_1", "TEXCOORD_1": "TEXCOORD_1", "a_texcoord_2": "TEXCOORD_2", "texCoords": "TEXCOORD_0",
		"inTangent": "TANGENT", "in_Color": "COLOR_0", "COLOR1": "COLOR_1", "aColour": "COLOR_0",
		"joints": "JOINTS_0", "boneIDs": "JOINTS_0", "BLENDINDICES": "JOINTS_0", "a_joints_1": "JOINTS_1",
		"weights": "WEIGHTS_0", "boneWeights": "WEIGHTS_0", "BLENDWEIGHT0": "WEIGHTS_0", "inWeights1": "WEIGHTS_1",
		"wind": "", "instanceOffset": "", "": "",
	} {
		require.Equal(t, want, meant(name), name)
	}
}

func TestInputsFindTheMeshsData(t *testing.T) {
	scene := mesh("TEXCOORD_0", "JOINTS_0", "_WIND", "confidence")
	float := func(name string, location uint32) input { return input{name, location, "vec2", vertexformat.Float} }
	for _, c := range []struct {
		name   string
		inputs []input
		file   string
		want   []int
		refuse string
	}{
		{"by name", []input{float("inPosition", 4), float("uv", 5), float("in_wind", 6), float("Confidence", 7), float("aNormal", 8)}, "", []int{-1, 0, 2, 3, -2}, ""},
		{"by location", []input{float("", 0), float("", 1), float("", 2)}, "", []int{-1, -2, 0}, ""},
		{"as the file says", []input{float("inPosition", 0), float("force", 1), float("", 9)}, "attributes: {force: _WIND, 9: confidence, inPosition: normal}", []int{-2, 2, 3}, ""},
		{"integers", []input{{"boneIDs", 0, "uvec4", vertexformat.Uint}}, "", []int{1}, ""},
		{"integers as floats", []input{{"boneIDs", 0, "vec4", vertexformat.Float}}, "", []int{1}, ""},
		{"positions as integers", []input{{"position", 0, "ivec3", vertexformat.Sint}}, "", nil, "position (ivec3, location 0) cannot read position, which is R32G32B32_SFLOAT"},
		{"floats as integers", []input{{"wind", 2, "ivec2", vertexformat.Sint}}, "", nil, "wind (ivec2, location 2) cannot read _WIND, which is R32G32_SFLOAT"},
		{"not there", []input{float("aTangent", 3), float("foo", 5), float("", 9)}, "", nil,
			"nothing in the mesh for aTangent (vec2, location 3), foo (vec2, location 5), an input (vec2, location 9); it has position, normal, TEXCOORD_0 (R32G32_SFLOAT), JOINTS_0 (R8G8B8A8_UINT), _WIND (R32G32_SFLOAT), confidence (R32G32_SFLOAT)"},
		{"no such input", []input{float("uv", 0)}, "attributes:\n  vu: uv", nil, `a.yaml:2: unknown input "vu": did you mean uv? have uv`},
		{"no such attribute", []input{float("uv", 0)}, "attributes:\n  uv: _WINT", nil, `a.yaml:2: mesh.glb: unknown attribute "_WINT": did you mean _WIND? have position, normal, TEXCOORD_0, JOINTS_0, _WIND, confidence`},
		{"no name", []input{float("uv", 0)}, "attributes: {uv: {}}", nil, "a.yaml:1: uv: want a name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := &uniforms{file: "a.yaml", strict: true}
			u.parse([]byte(c.file))
			found, err := newMatcher(u, scene).match(c.inputs)
			if c.refuse != "" {
				require.EqualError(t, err, c.refuse)
				return
			}
			require.NoError(t, err)
			for i, in := range c.inputs {
				want := link.Input{Location: in.location, Attribute: c.want[i]}
				if in.typeName == "vec4" {
					want.Format = vertexformat.Array(4, 8, "USCALED")
				}
				require.Equal(t, want, found[i])
			}
		})
	}
}

// TestTheSectionOfACapturedDraw: instance numbers count up from draw to draw; all draws have the section's other values.
func TestTheSectionOfACapturedDraw(t *testing.T) {
	p := compiled(t, "a.vert", everything)
	s := must.Get(with(t, p, everyValue+"captured: {baseVertex: 3, baseInstance: -4, instance: 5, drawIndex: 6, clip: [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, .5, .5], [0, 0, 0, 1]]}\n"))
	scene := mesh("TEXCOORD_0", "JOINTS_0")
	scene.Draws = append(scene.Draws, scene.Draws[0])
	shading := must.Get(s.Shading(scene, ""))
	for i, d := range shading.Draws {
		require.Equal(t, []int32{3, -4, int32(5 + i), 6}, []int32{d.BaseVertex, d.BaseInstance, d.Instance, d.DrawIndex})
		require.Equal(t, mgl32.Mat4FromRows(mgl32.Vec4{1}, mgl32.Vec4{0, -1}, mgl32.Vec4{0, 0, .5, .5}, mgl32.Vec4{0, 0, 0, 1}), d.Clip)
	}
	for text, want := range map[string]string{
		"instance: x":          `instance: "x": want a whole number of 32 bits`,
		"clip: [[1, 0, 0, 0]]": "clip: want a list of 4 rows with 4 numbers each",
		"instanc: 1":           `unknown number of a captured draw "instanc": did you mean instance?`,
	} {
		s := must.Get(with(t, p, everyValue+"captured: {"+text+"}\n"))
		_, err := s.Shading(scene, "")
		require.ErrorContains(t, err, want)
	}
}

// TestCapturedValuesAreReadBack: the uniforms file of a draw gives each block the bytes that the draw has.
func TestCapturedValuesAreReadBack(t *testing.T) {
	p := compiled(t, "a.vert", everything)
	s := must.Get(with(t, p, everyValue))
	scene := mesh("TEXCOORD_0", "JOINTS_0")
	want := must.Get(s.Shading(scene, ""))
	text := must.Get(CapturedValues(want, want.Draws[0], "event 7", func(in link.Input) string { return []string{"position", "TEXCOORD_0", "JOINTS_0"}[in.Attribute+1] }))
	require.Contains(t, text, "# what the vertex shader read in event 7\n")
	again := must.Get(with(t, p, text))
	got := must.Get(again.Shading(scene, ""))
	require.Equal(t, want.Values, got.Values)
}

func TestAShadersShadingOfAScene(t *testing.T) {
	p := compiled(t, "a.vert", everything)
	p.Strict = true
	s := must.Get(with(t, p, everyValue+"specialization: {COUNT: 7, UP: false}\nwellKnown: {u_mvp: transpose(viewProjection)}\n"))
	scene := mesh("TEXCOORD_0", "JOINTS_0")
	shading := must.Get(s.Shading(scene, "v_color"))
	program := shading.Programs[0]
	require.Equal(t, "a.vert", shading.Name)
	require.Equal(t, "v_color", shading.Shown)
	require.Equal(t, "main", program.Vertex.Entry.Name)
	require.Equal(t, map[uint32]uint32{3: 7, 4: 0}, program.Vertex.Given)
	require.Equal(t, []link.Input{{Location: 0, Attribute: link.FromPositions}, {Location: 1, Attribute: 0}, {Location: 3, Attribute: 1}}, program.Inputs)
	require.Len(t, shading.Values, 3)
	require.True(t, shading.Filled[0].RowMajor)
	require.Len(t, shading.Draws, 2)
	require.Equal(t, geometry.DrawShading{Values: []int{0, 1, 2}, Instance: 1, DrawIndex: 1, Clip: mgl32.Ident4()}, shading.Draws[1])

	_, err := s.Shading(scene, "v_colour")
	require.EqualError(t, err, `a.vert: unknown output "v_colour": did you mean v_color? have v_color`)
	_, err = s.Shading(mesh(), "")
	require.EqualError(t, err, "a.vert: nothing in the mesh for aTexCoord0 (vec2, location 1), in_joints (uvec4, location 3); it has position, normal")
	scene.Computed = struct{ geometry.Computed }{}
	_, err = s.Shading(scene, "")
	require.ErrorContains(t, err, "and not those that are computed")
}

// TestOverlaps: a read with a computed index overlaps every element. A read of a part of a member, or of
// a whole that contains the member, overlaps the member.
func TestOverlaps(t *testing.T) {
	t.Parallel()
	const block = 7
	for _, c := range []struct {
		read, path []int
		want       bool
	}{
		{nil, []int{1}, true}, {[]int{1}, nil, true},
		{[]int{1, 2}, []int{1}, true}, {[]int{1}, []int{1, 2}, true},
		{[]int{1, 2}, []int{1, 3}, false}, {[]int{0}, []int{1, 2}, false},
		{[]int{1, anyElement}, []int{1, 3}, true}, {[]int{1, 3}, []int{1, anyElement}, true},
		{[]int{1, anyElement, 0}, []int{1, 3, 1}, false},
	} {
		require.Equal(t, c.want, overlaps([]read{{block, c.read}}, block, c.path), "%v, %v", c.read, c.path)
	}
	require.False(t, overlaps([]read{{block, nil}}, block+1, nil))
}

func TestNamesOfMembersAreWellKnown(t *testing.T) {
	for name, want := range map[string]geometry.WellKnown{
		"u_mvp": geometry.ModelViewProjectionMatrix, "uMVP": geometry.ModelViewProjectionMatrix, "modelViewProjectionMatrix": geometry.ModelViewProjectionMatrix,
		"model_view_projection": geometry.ModelViewProjectionMatrix, "worldViewProj": geometry.ModelViewProjectionMatrix, "g_WorldViewProjection": geometry.ModelViewProjectionMatrix,
		"model": geometry.ModelMatrix, "uModelMatrix": geometry.ModelMatrix, "matWorld": geometry.ModelMatrix, "unity_ObjectToWorld": geometry.ModelMatrix,
		"view": geometry.ViewMatrix, "viewMat": geometry.ViewMatrix, "uView": geometry.ViewMatrix, "V": geometry.ViewMatrix, "u_view_matrix": geometry.ViewMatrix,
		"proj": geometry.ProjectionMatrix, "projectionMatrix": geometry.ProjectionMatrix, "P": geometry.ProjectionMatrix,
		"viewProj": geometry.ViewProjectionMatrix, "uVP": geometry.ViewProjectionMatrix, "unity_MatrixVP": geometry.ViewProjectionMatrix, "world_to_clip": geometry.ViewProjectionMatrix,
		"modelViewMatrix": geometry.ModelViewMatrix, "normalMatrix": geometry.NormalMatrix, "invView": geometry.InverseViewMatrix, "viewInverse": geometry.InverseViewMatrix,
		"inverse_projection": geometry.InverseProjectionMatrix, "cliptoworld": geometry.InverseViewProjectionMatrix,
		"cameraPosition": geometry.CameraPosition, "camPos": geometry.CameraPosition, "u_eye": geometry.CameraPosition, "viewPos": geometry.CameraPosition,
		"cam_view_projection": geometry.ViewProjectionMatrix, "cameraViewMatrix": geometry.ViewMatrix, "camInvProjection": geometry.InverseProjectionMatrix,
		"g_mWorldViewProj": geometry.ModelViewProjectionMatrix, "g_mWorld": geometry.ModelMatrix, "mWorldViewProjection": geometry.ModelViewProjectionMatrix,
		"clipFromWorldMatrix": geometry.ViewProjectionMatrix, "clip_from_world": geometry.ViewProjectionMatrix, "world_from_model": geometry.ModelMatrix,
		"world_from_local": geometry.ModelMatrix, "u_viewFromClip": geometry.InverseProjectionMatrix, "clipFromView": geometry.ProjectionMatrix, "world_from_view": geometry.InverseViewMatrix,
		"time": geometry.Time, "uTime": geometry.Time, "iTime": geometry.Time, "u_resolution": geometry.Viewport, "viewport": geometry.Viewport,
	} {
		what, ok := wellKnown("Block", name)
		require.True(t, ok, name)
		require.Equal(t, want, what, name)
	}
	for _, name := range []string{"light", "prevViewProj", "shadowMatrix", "matrix", "transform", "bones", "position", "color", "uvScale", "animation", "camera_model", "cameraTime", "camera_n", "fromWorld", "camN"} {
		_, ok := wellKnown("Block", name)
		require.False(t, ok, name)
	}
	what, ok := wellKnown("camera", "position")
	require.True(t, ok)
	require.Equal(t, geometry.CameraPosition, what, "by what holds it")
	for what := range geometry.WellKnown(len(geometry.WellKnownNames)) {
		found, ok := wellKnown("Block", what.String())
		require.True(t, ok, what)
		require.Equal(t, what, found)
	}
}
