package shade

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry"
)

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
