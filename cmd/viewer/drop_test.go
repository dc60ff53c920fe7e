package main

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/format"
)

func TestURIListIsWhatFileManagersSend(t *testing.T) {
	require.Equal(t, "file:///a/b.obj\r\nfile:///gr%C3%BCn%20100%25.obj\r\n", uriList([]string{"/a/b.obj", "/grün 100%.obj"}))
}

// Files that are dropped on the window are opened, whatever their names; what is
// no mesh leaves the picture as it is.
func TestViewerOpensFilesDroppedOnIt(t *testing.T) {
	d := newDesktop(t)
	save := func(file, asset string) string {
		scene, err := assets.Make(asset)
		require.NoError(t, err)
		path := filepath.Join(d.folder, file)
		require.NoError(t, format.Save(t.Context(), path, scene))
		return path
	}
	knot, other := save("grüner Knoten 100%.obj", "knot4"), save("second.obj", "knot16")
	garbage := filepath.Join(d.folder, "no mesh.obj")
	require.NoError(t, os.WriteFile(garbage, []byte("f 1 2 3\n"), 0o600))

	d.start("--panels=false", "--remember=false", "--size", "640x480", save("first.obj", "cube"))
	d.titled("first.obj", "24 invocations")
	shown := func(img *image.RGBA) bool { return colorful(img) > changed }
	first := d.settled("the cube is shown", shown)
	g := d.newDragger()

	d.drop(g, knot)
	d.titled("grüner Knoten 100%.obj | warp")
	d.other("the dropped file", first)

	d.drop(g, other, filepath.Join(d.folder, "first.obj"))
	d.titled("second.obj | warp")
	d.key("Right")
	d.titled("first.obj", "24 invocations")
	d.same("the second of two dropped files", first)
	d.key("Right")
	d.titled("second.obj | warp") // the files before are not stepped through any more
	second := d.other("the first of them", first)
	require.Empty(t, d.stderr.String())

	d.drop(g, garbage)
	d.titled("refused", "no mesh.obj")
	d.until("there is a line about it", func() bool { return strings.HasSuffix(d.stderr.String(), "\n") })
	d.other("the message about it", second)
	d.key("Escape")
	d.same("a refused file, once its message is dismissed,", second)
	d.drop(g, garbage, knot)
	d.titled("grüner Knoten 100%.obj | warp")
	d.until("there is one more line", func() bool { return strings.Count(d.stderr.String(), "\n") == 2 })

	d.leave("refused")
	lines := strings.Split(strings.TrimSuffix(d.stderr.String(), "\n"), "\n")
	require.Len(t, lines, 2)
	for _, line := range lines {
		require.Contains(t, line, "no mesh.obj")
	}
}
