package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

func TestURIListIsWhatFileManagersSend(t *testing.T) {
	require.Equal(t, "file:///a/b.obj\r\nfile:///gr%C3%BCn%20100%25.obj\r\n", uriList([]string{"/a/b.obj", "/grün 100%.obj"}))
}

// A file dropped on the window by a file manager is opened, even if its name has letters outside ASCII, blanks and
// percent signs.
func TestFilesAreDroppedOnTheWindow(t *testing.T) {
	d := newDesktop(t)
	d.start("--panels=false", "--remember=false", "--size", "320x240", "asset:cube")
	scene := must.Get(assets.Make("knot4"))
	path := filepath.Join(d.folder, "grüner Knoten 100%.obj")
	require.NoError(t, format.Save(t.Context(), path, scene))
	d.drop(d.newDragger(), path, path)
	d.titled("grüner Knoten 100%.obj | warp")
	d.key("ctrl+q")
	d.end()
}
