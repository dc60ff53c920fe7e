package shade

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/spirv/link"
	"github.com/shadeonce/shadeonce/internal/spirv/module"
)

// TestMatricesAreRowsInEveryLanguage: the same rows in a uniforms file give the same matrix in
// GLSL, HLSL and WGSL, and well-known matrices are laid out accordingly.
func TestMatricesAreRowsInEveryLanguage(t *testing.T) {
	for _, c := range []struct {
		file, text string
		layout     geometry.Filled
	}{
		{"a.vert", "#version 450\nlayout(binding = 0) uniform Block { mat4 viewProj; mat4x3 bone; } b;\nlayout(location = 0) in vec3 position;\n" +
			"void main() { gl_Position = b.viewProj * vec4(b.bone * vec4(position, 1), 1); }\n",
			geometry.Filled{What: geometry.ViewProjectionMatrix, Columns: 4, Rows: 4, MatrixStride: 16}},
		{"a.hlsl", "cbuffer Block : register(b0) { float4x4 viewProj; float3x4 bone; };\n" +
			"float4 main(float3 position : POSITION) : SV_Position { return mul(viewProj, float4(mul(bone, float4(position, 1)), 1)); }\n",
			geometry.Filled{What: geometry.ViewProjectionMatrix, Columns: 4, Rows: 4, MatrixStride: 16}},
		{"a.wgsl", "struct Block { viewProj: mat4x4<f32>, bone: mat4x3<f32> }\n@group(0) @binding(0) var<uniform> b: Block;\n" +
			"@vertex fn main(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {\n return b.viewProj * vec4<f32>(b.bone * vec4<f32>(position, 1.0), 1.0);\n}\n",
			geometry.Filled{What: geometry.ViewProjectionMatrix, Columns: 4, Rows: 4, MatrixStride: 16}},
	} {
		t.Run(c.file, func(t *testing.T) {
			s := must.Get(with(t, compiled(t, c.file, c.text), "bone: [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]"))
			require.Equal(t, []geometry.Filled{c.layout}, filledOf(s))
			require.Equal(t, [][]float64{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, value(t, s, "bone").Rows)
			var columns [4][3]uint32
			for i := range columns {
				for k := range columns[i] {
					columns[i][k] = binary.LittleEndian.Uint32(s.bytes[0][64+16*i+4*k:])
				}
			}
			one, five, two := uint32(0x3f800000), uint32(0x40a00000), uint32(0x40000000)
			require.Equal(t, one, columns[0][0])
			require.Equal(t, five, columns[0][1], "column after column")
			require.Equal(t, two, columns[1][0])
		})
	}
}

// TestBlocksMayBeNumbers: uniforms of WGSL need no struct, and their own names count.
func TestBlocksMayBeNumbers(t *testing.T) {
	p := compiled(t, "a.wgsl", "@group(0) @binding(0) var<uniform> mvp: mat4x4<f32>;\n@group(0) @binding(1) var<storage, read> k: f32;\n"+
		"@vertex fn main(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {\n return mvp * vec4<f32>(position * k, 1.0);\n}\n")
	s := must.Get(with(t, p, "k: 2"))
	require.Nil(t, s.Missing)
	require.Equal(t, []geometry.Filled{{What: geometry.ModelViewProjectionMatrix, Columns: 4, Rows: 4, MatrixStride: 16}}, filledOf(s))
	require.Equal(t, [][]float64{{2}}, value(t, s, "k").Rows)
	require.ErrorContains(t, must.Get(p.With("")).Missing, ": k (float, offset 0): ")
	text := must.Get(p.Template(nil))
	require.Contains(t, text, "#mvp: filled in: modelViewProjection  # mat4, offset 0\n")
	require.Contains(t, text, "\nk: 0  # float, offset 0\n")
}

// withoutNames returns a module without the names of variables, types and members.
func withoutNames(words []uint32) (bytes []byte) {
	put := func(words []uint32) { bytes = append(bytes, module.Bytes(words)...) }
	put(words[:module.HeaderWords])
	for at := module.HeaderWords; at < len(words); at += int(words[at] >> 16) {
		if op := module.Op(words[at]); op != module.OpName && op != module.OpMemberName {
			put(words[at : at+int(words[at]>>16)])
		}
	}
	return bytes
}

func TestNamesMayBeStripped(t *testing.T) {
	named := compiled(t, "a.vert", everything)
	require.NoError(t, os.WriteFile("a.spv", withoutNames(named.Vertex.Module.Code), 0o600))
	p := must.Get(Compile(t.Context(), Source{File: "a.spv"}))
	p.Strict = true
	const values = `
set0binding0: {member0: identity, member1: {member0: 1}, member2: {member0: 1, member1: 0}, member3: [[1, 2, 3], [4, 5, 6]], member4: 0, member6: 2}
set1binding2.member0: 1
set1binding2.member1: [[1, 2]]
pushConstants.member0: 3
specialization: {3: 8}
attributes: {3: JOINTS_0, 1: TEXCOORD_0}
`
	_, err := with(t, p, strings.Replace(values, "member1: {member0: 1}", "member1.member0: 1", 1))
	require.ErrorContains(t, err, "a.yaml:2: unknown member \"member1.member0\"", "names within values are whole")
	shading := must.Get(must.Get(with(t, p, values)).Shading(mesh("TEXCOORD_0", "JOINTS_0"), ""))
	require.Equal(t, []link.Input{{Location: 0, Attribute: link.FromPositions}, {Location: 1, Attribute: 0}, {Location: 3, Attribute: 1}}, shading.Programs[0].Inputs)
	_, err = p.With("")
	require.ErrorContains(t, err, "uniform block set0binding0 of set 0, binding 0: set0binding0.member0 (mat4, offset 0), member1.member0 (vec3, offset 64)")
}

func TestEntryPointsAreChosen(t *testing.T) {
	const two = "@vertex fn one() -> @builtin(position) vec4<f32> { return vec4<f32>(1.0); }\n@vertex fn two() -> @builtin(position) vec4<f32> { return vec4<f32>(2.0); }\n"
	needsCompiler(t, ".wgsl")
	write(t, map[string]string{"a.wgsl": two, "a.vert": "#version 450\nvoid main() { gl_Position = vec4(0); }\n", "a.hlsl": "float4 other() : SV_Position { return 0; }\n"})
	_, err := Compile(t.Context(), Source{File: "a.wgsl"})
	require.EqualError(t, err, `a.wgsl: 2 entry points of the vertex stage, ["one" "two"]: name one by --entry`)
	_, err = Compile(t.Context(), Source{File: "a.wgsl", Entry: "three"})
	require.EqualError(t, err, `a.wgsl: no entry point "three"`)
	p := must.Get(Compile(t.Context(), Source{File: "a.wgsl", Entry: "two"}))
	require.Equal(t, "two", p.Vertex.Entry.Name)
	_, err = Compile(t.Context(), Source{File: "a.hlsl"})
	require.ErrorContains(t, err, "a.hlsl")
	require.ErrorContains(t, err, "ntry point")
	_, err = Compile(t.Context(), Source{File: "a.hlsl", Entry: "three"})
	require.ErrorContains(t, err, "a.hlsl")
	require.NotContains(t, err.Error(), "--entry", "which was given")
	must.Get(Compile(t.Context(), Source{File: "a.hlsl", Entry: "other"}))
}

// TestLanguagesWhoseRowsAreColumns tests which languages transpose. It needs none of their compilers.
func TestLanguagesWhoseRowsAreColumns(t *testing.T) {
	for language, want := range map[uint32]bool{2: false, sourceHLSL: true, sourceSlang: true} {
		require.Equal(t, want, transposes(&module.Module{Head: []module.Instruction{{Op: module.OpSource, Operands: []uint32{language, 0}}}}), language)
	}
}

// TestTemplatesAreYAML: glslangValidator calls the contents of a StructuredBuffer @data, a name that
// YAML does not allow unquoted.
func TestTemplatesAreYAML(t *testing.T) {
	s := compiled(t, "a.hlsl", "StructuredBuffer<float4> list : register(t0);\nfloat4 main(float3 p : POSITION) : SV_Position { return float4(p, 1) + list[0]; }\n")
	text := must.Get(s.Template(nil))
	require.Contains(t, text, "\"@data\": []  # vec4[], offset 0\n")
	must.Get(with(t, s, text))
}

// TestNamesOfEngines recognizes what shaders of 31 engines, libraries and tools call their matrices and cameras, as their sources and
// documentation spell them.
func TestNamesOfEngines(t *testing.T) {
	const (
		m, v, p, vp = geometry.ModelMatrix, geometry.ViewMatrix, geometry.ProjectionMatrix, geometry.ViewProjectionMatrix
		mv, mvp, n  = geometry.ModelViewMatrix, geometry.ModelViewProjectionMatrix, geometry.NormalMatrix
		eye         = geometry.CameraPosition
	)
	for engine, known := range map[string]map[string]geometry.WellKnown{
		"Unity":          {"unity_ObjectToWorld": m, "unity_MatrixV": v, "unity_MatrixVP": vp, "glstate_matrix_projection": p, "_WorldSpaceCameraPos": eye},
		"Unreal":         {"View.WorldToClip": vp, "LocalToWorld": m, "View.ViewToClip": p, "View.WorldCameraOrigin": eye},
		"Godot":          {"MODEL_MATRIX": m, "VIEW_MATRIX": v, "PROJECTION_MATRIX": p, "MODELVIEW_MATRIX": mv, "MODEL_NORMAL_MATRIX": geometry.ModelNormalMatrix, "CAMERA_POSITION_WORLD": eye},
		"three.js":       {"modelMatrix": m, "viewMatrix": v, "projectionMatrix": p, "modelViewMatrix": mv, "normalMatrix": n, "cameraPosition": eye},
		"Babylon":        {"world": m, "view": v, "projection": p, "viewProjection": vp, "worldViewProjection": mvp, "finalWorld": m, "vEyePosition": eye},
		"PlayCanvas":     {"matrix_model": m, "matrix_view": v, "matrix_projection": p, "matrix_viewProjection": vp, "view_position": eye},
		"Filament":       {"objectUniforms.worldFromModelMatrix": m, "frameUniforms.viewFromWorldMatrix": v, "frameUniforms.clipFromViewMatrix": p, "frameUniforms.clipFromWorldMatrix": vp},
		"Bevy":           {"view.clip_from_world": vp, "world_from_local": m, "view.view_from_world": v, "view.clip_from_view": p, "view.world_position": eye},
		"bgfx":           {"u_model": m, "u_view": v, "u_proj": p, "u_viewProj": vp, "u_modelView": mv, "u_modelViewProj": mvp},
		"OGRE":           {"worldMatrix": m, "viewMatrix": v, "viewProjMatrix": vp, "worldViewProj": mvp, "world_matrix": m, "viewproj_matrix": vp, "worldviewproj_matrix": mvp, "camera_position": eye},
		"Panda3D":        {"p3d_ModelMatrix": m, "p3d_ViewMatrix": v, "p3d_ProjectionMatrix": p, "p3d_ModelViewMatrix": mv, "p3d_ModelViewProjectionMatrix": mvp, "p3d_NormalMatrix": n},
		"OpenSceneGraph": {"osg_ModelViewMatrix": mv, "osg_ProjectionMatrix": p, "osg_ModelViewProjectionMatrix": mvp, "osg_NormalMatrix": n, "osg_ViewMatrix": v},
		"Cocos":          {"cc_matWorld": m, "cc_matView": v, "cc_matProj": p, "cc_matViewProj": vp, "cc_cameraPos": eye},
		"raylib":         {"mvp": mvp, "matModel": m, "matView": v, "matProjection": p, "viewPos": eye},
		"Blender":        {"ModelMatrix": m, "ViewProjectionMatrix": vp, "ModelViewProjectionMatrix": mvp, "NormalMatrix": n},
		"Defold":         {"view_proj": vp, "mtx_world": m, "mtx_worldview": mv, "mtx_proj": p, "mtx_view": v, "mtx_normal": n},
		"O3DE":           {"m_viewProjectionMatrix": vp, "m_viewMatrix": v, "m_projectionMatrix": p},
		"Source 2":       {"g_matWorldToProjection": vp, "g_matWorldToView": v, "g_matViewToProjection": p, "g_vCameraPositionWs": eye},
		"Magnum":         {"transformationMatrix": mv, "projectionMatrix": p, "transformationProjectionMatrix": mvp, "normalMatrix": n},
		"glTF viewer":    {"u_ViewProjectionMatrix": vp, "u_ModelMatrix": m, "u_ViewMatrix": v, "u_ProjectionMatrix": p, "u_Camera": eye},
		"Diligent":       {"g_CameraAttribs.mView": v, "g_CameraAttribs.mProj": p, "g_CameraAttribs.mViewProj": vp, "g_WorldViewProj": mvp},
		"Wicked":         {"view_projection": vp, "camera.view": v, "camera.projection": p, "camera.position": eye},
		"The Forge":      {"projView": vp, "world": m, "mProjectView": vp, "camPos": eye},
		"DirectX SDK":    {"g_mWorld": m, "g_mView": v, "g_mProjection": p, "g_mWorldView": mv, "g_mWorldViewProjection": mvp, "g_vEyePt": eye},
		"Stride":         {"World": m, "View": v, "Projection": p, "ViewProjection": vp, "WorldView": mv, "WorldViewProjection": mvp, "Eye": eye},
		"Irrlicht":       {"mWorldViewProj": mvp, "u_view_matrix": v, "u_projection_matrix": p, "u_projection_view_matrix": vp},
		"Cesium":         {"czm_model": m, "czm_view": v, "czm_projection": p, "czm_viewProjection": vp, "czm_modelView": mv, "czm_modelViewProjection": mvp, "czm_normal": n},
		"CryEngine":      {"CV_ViewProjMatr": vp, "CV_ViewMatr": v, "CV_ProjMatr": p, "CV_WorldViewPos": eye},
		"regl, pex":      {"uModelMatrix": m, "uViewMatrix": v, "uProjectionMatrix": p, "uNormalMatrix": n, "uCameraPosition": eye},
		"Falcor":         {"gCamera.data.viewMat": v, "gCamera.data.projMat": p, "gCamera.data.viewProjMat": vp, "worldMat": m},
		"NVIDIA nvpro":   {"viewProj": vp, "viewInverse": geometry.InverseViewMatrix, "projInverse": geometry.InverseProjectionMatrix, "objectToWorld": m},
	} {
		for name, want := range known {
			holder, member := "Block", name
			if at := strings.LastIndexByte(name, '.'); at >= 0 {
				holder, member = name[:at], name[at+1:]
			}
			what, ok := wellKnown(holder, member)
			require.True(t, ok, "%s: %s", engine, name)
			require.Equal(t, want, what, "%s: %s", engine, name)
		}
	}
}
