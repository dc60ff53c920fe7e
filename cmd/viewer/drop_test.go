package main

import (
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

// Files that a file manager drops on the window are opened, whatever their names.
func TestFilesAreDroppedOnTheWindow(t *testing.T) {
	d := newDesktop(t)
	d.start("--panels=false", "--remember=false", "--size", "320x240", "asset:cube")
	path := saveAsset(t, d.folder, "grüner Knoten 100%.obj", "knot4")
	d.drop(d.newDragger(), path, path)
	d.titled("grüner Knoten 100%.obj | warp")
	d.key("q")
	d.end()
}

// saveAsset writes a built-in scene to a file.
func saveAsset(t *testing.T, folder, file, asset string) string {
	t.Helper()
	scene, err := assets.Make(asset)
	require.NoError(t, err)
	path := filepath.Join(folder, file)
	require.NoError(t, format.Save(t.Context(), path, scene))
	return path
}

// Dropped files take the place of those before; what is no mesh leaves the picture as it is.
func TestDroppedFilesAreOpenedOrRefused(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		cube, knot, other := saveAsset(t, s.folder, "first.obj", "cube"), saveAsset(t, s.folder, "grün 100%.obj", "knot4"), saveAsset(t, s.folder, "second.obj", "knot8")
		garbage := s.write("no mesh.obj", "f 1 2 3\n")
		drop := func(files ...string) {
			t.Helper()
			s.drop(files)
			s.settle()
		}
		s.start("--panels=false", "--remember=false", "--size", "320x240", cube)
		s.titled("first.obj", "24 invocations")
		first := s.look()
		drop(knot)
		s.titled("grün 100%.obj | warp")
		s.other(first)
		drop(other, cube)
		s.titled("second.obj | warp")
		second := s.other(first)
		s.key("Right")
		s.titled("first.obj", "24 invocations")
		s.same(first)
		s.key("Right")
		s.titled("second.obj | warp") // the files before are not stepped through any more
		s.same(second)
		require.Empty(t, s.stderr.String())

		drop(garbage)
		s.titled("refused", "no mesh.obj")
		s.same(second)
		require.True(t, s.covered(above(s.shown)), "by the message")
		require.Equal(t, 1, strings.Count(s.stderr.String(), "\n"))
		s.key("Escape")
		require.False(t, s.covered(above(s.shown)))
		s.same(second)
		drop(garbage, knot)
		s.titled("grün 100%.obj | warp")
		lines := strings.Split(strings.TrimSuffix(s.stderr.String(), "\n"), "\n")
		require.Len(t, lines, 2)
		for _, line := range lines {
			require.Contains(t, line, "no mesh.obj")
		}
		s.leave("refused")
	})
}
