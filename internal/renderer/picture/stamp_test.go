package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/base/must"
)

func TestPicturesNeverOverwrite(t *testing.T) {
	folder := t.TempDir()
	for _, want := range []string{"a.png", "a-2.png", "a-3.png"} {
		path := must.Get(SaveNew(folder, "a.png", []byte(want)))
		require.Equal(t, filepath.Join(folder, want), path)
	}
	for _, want := range []string{"a.png", "a-2.png", "a-3.png"} {
		data := must.Get(os.ReadFile(filepath.Join(folder, want)))
		require.Equal(t, want, string(data))
	}
	_, err := SaveNew(filepath.Join(folder, "absent"), "a.png", nil)
	require.ErrorContains(t, err, "absent")
}

func TestPicturesSayHowTheyWereMade(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 3, 2))
	img.SetRGBA(2, 1, color.RGBA{1, 2, 3, 255})
	stamp := Stamp{Version: StampVersion, Files: []string{"a"}, Flags: map[string]string{"view": "counts"}}
	data := must.Get(Encode(img, "viewer", "häse\xff: strategy warp", stamp))
	back := must.Get(png.Decode(bytes.NewReader(data)))
	require.Equal(t, img.Bounds(), back.Bounds())
	require.Equal(t, color.RGBA{1, 2, 3, 255}, color.RGBAModel.Convert(back.At(2, 1)))
	require.Contains(t, string(data), "iTXtDescription\x00\x00\x00\x00\x00häse?: strategy warp", "the chunk holds UTF-8, whatever a file is called")
	read := must.Get(DecodeStamp(bytes.NewReader(data)))
	require.Equal(t, stamp, read)
}
