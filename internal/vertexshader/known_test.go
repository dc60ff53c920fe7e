package vertexshader

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/renderer"
)

func TestNamesOfMembersAreWellKnown(t *testing.T) {
	for name, want := range map[string]renderer.WellKnown{
		"u_mvp": renderer.ModelViewProjectionMatrix, "uMVP": renderer.ModelViewProjectionMatrix, "modelViewProjectionMatrix": renderer.ModelViewProjectionMatrix,
		"model_view_projection": renderer.ModelViewProjectionMatrix, "worldViewProj": renderer.ModelViewProjectionMatrix, "g_WorldViewProjection": renderer.ModelViewProjectionMatrix,
		"model": renderer.ModelMatrix, "uModelMatrix": renderer.ModelMatrix, "matWorld": renderer.ModelMatrix, "unity_ObjectToWorld": renderer.ModelMatrix,
		"view": renderer.ViewMatrix, "viewMat": renderer.ViewMatrix, "uView": renderer.ViewMatrix, "V": renderer.ViewMatrix, "u_view_matrix": renderer.ViewMatrix,
		"proj": renderer.ProjectionMatrix, "projectionMatrix": renderer.ProjectionMatrix, "P": renderer.ProjectionMatrix,
		"viewProj": renderer.ViewProjectionMatrix, "uVP": renderer.ViewProjectionMatrix, "unity_MatrixVP": renderer.ViewProjectionMatrix, "world_to_clip": renderer.ViewProjectionMatrix,
		"modelViewMatrix": renderer.ModelViewMatrix, "normalMatrix": renderer.NormalMatrix, "invView": renderer.InverseViewMatrix, "viewInverse": renderer.InverseViewMatrix,
		"inverse_projection": renderer.InverseProjectionMatrix, "cliptoworld": renderer.InverseViewProjectionMatrix,
		"cameraPosition": renderer.CameraPosition, "camPos": renderer.CameraPosition, "u_eye": renderer.CameraPosition, "viewPos": renderer.CameraPosition,
		"time": renderer.Time, "uTime": renderer.Time, "iTime": renderer.Time, "u_resolution": renderer.Viewport, "viewport": renderer.Viewport,
	} {
		what, ok := wellKnown("Block", name)
		require.True(t, ok, name)
		require.Equal(t, want, what, name)
	}
	for _, name := range []string{"light", "prevViewProj", "shadowMatrix", "matrix", "transform", "bones", "position", "color", "uvScale", "animation"} {
		_, ok := wellKnown("Block", name)
		require.False(t, ok, name)
	}
	what, ok := wellKnown("camera", "position")
	require.True(t, ok)
	require.Equal(t, renderer.CameraPosition, what, "by what holds it")
	for what := range renderer.WellKnown(len(renderer.WellKnownNames)) {
		found, ok := wellKnown("Block", what.String())
		require.True(t, ok, what)
		require.Equal(t, what, found)
	}
}
