package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPictureNames(t *testing.T) {
	for model, want := range map[string]string{
		"bunny.ply":               "bunny",
		"bunny.ply.gz":            "bunny",
		"sphere6":                 "sphere6",
		"a b/../c d.obj":          "c_d",
		"..":                      "scene",
		".hidden":                 "_hidden",
		"":                        "scene",
		"ü\x00\n.off":             "scene",
		strings.Repeat("x", 5000): strings.Repeat("x", 80),
	} {
		name := pictureName(&testPlan(t, model).Frame, "original")
		require.Equal(t, want+"-warp-16lanes-indexed-shaded", name, "%q", model)
	}
	require.Equal(t, "a-warp-16lanes-indexed-shaded-hoppe32-fetch", pictureName(&testPlan(t, "a.obj").Frame, "hoppe32+fetch"))
}

func TestPicturesNeverOverwrite(t *testing.T) {
	folder := t.TempDir()
	for _, want := range []string{"a.png", "a-2.png", "a-3.png"} {
		path, err := savePicture(folder, "a", []byte(want))
		require.NoError(t, err)
		require.Equal(t, filepath.Join(folder, want), path)
	}
	for _, want := range []string{"a.png", "a-2.png", "a-3.png"} {
		data, err := os.ReadFile(filepath.Join(folder, want))
		require.NoError(t, err)
		require.Equal(t, want, string(data))
	}
	_, err := savePicture(filepath.Join(folder, "absent"), "a", nil)
	require.ErrorContains(t, err, "absent")
}

func TestPicturesSayHowTheyWereMade(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 3, 2))
	img.SetRGBA(2, 1, color.RGBA{1, 2, 3, 255})
	data, err := encodePicture(img, describe(&testPlan(t, "häse").Frame, "original", 7), `{"x":1}`)
	require.NoError(t, err)
	back, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err, "the chunks' checksums are checked")
	require.Equal(t, img.Bounds(), back.Bounds())
	require.Equal(t, color.RGBA{1, 2, 3, 255}, color.RGBAModel.Convert(back.At(2, 1)))
	require.Contains(t, string(data), "iTXtDescription\x00\x00\x00\x00\x00häse: strategy warp, 16 lanes")
	require.Contains(t, string(data), ", order original, ")
	require.Contains(t, string(data), "7 invocations")
}
