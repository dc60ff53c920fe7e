package shade

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
)

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
