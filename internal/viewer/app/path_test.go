package app

import (
	"image"
	"image/color"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/viewer/results"
	"github.com/shadeonce/shadeonce/renderer"
)

// Without a dialog program the window asks for a path, which Tab completes. The error of a path that
// cannot be opened is shown beside it.
func TestPathsAreTyped(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		for _, name := range []string{"cube.obj", "cubic.obj", "other.obj"} {
			saveAsset(t, s.folder, name, "cube")
		}
		s.write("cut.txt", "")
		require.NoError(t, os.Mkdir("folder", 0o700))
		saveAsset(t, filepath.Join(s.folder, "folder"), "deep.obj", "knot4")
		s.chooses = func(string) ([]string, error) { return nil, errNoDialog }
		s.start("--remember=false", "--size", "800x600", "asset:knot8")
		s.key("ctrl+o")
		require.True(t, s.TypePath)
		require.Contains(t, s.Typed.Err, "zenity")
		require.Len(t, s.Typed.Matches, 4)
		s.key("End", "c", "u")
		require.Equal(t, s.folder+"/cu", s.Typed.Text, "it begins with the folder")
		require.Empty(t, s.Typed.Err)
		s.key("Tab")
		require.Equal(t, s.folder+"/cub", s.Typed.Text)
		require.Equal(t, []string{s.folder + "/cube.obj", s.folder + "/cubic.obj"}, s.Typed.Matches, "meshes alone")
		s.key("x", "Return")
		require.Equal(t, "no such file or directory", s.Typed.Err)
		s.key("End", "BackSpace", "e", "Tab")
		require.Equal(t, s.folder+"/cube.obj", s.Typed.Text)
		s.keyed("Return", "cube.obj")
		require.False(t, s.TypePath)

		s.key("ctrl+l", "f", "Tab")
		require.Equal(t, "folder/", s.Typed.Text)
		s.keyed("Return", "deep.obj")
		s.key("ctrl+l", "Escape", "v")
		require.False(t, s.TypePath)
		s.titled("batches")

		t.Setenv("HOME", s.folder)
		require.Equal(t, "~/cub", s.Typed.Complete("~/cu"))
		require.NoError(t, os.Mkdir(".hidden", 0o700))
		require.Equal(t, "./.hidden/", s.Typed.Complete("./.h"))
		s.Typed.Complete("./")
		require.NotContains(t, s.Typed.Matches, "./.hidden/", "only if its dot was typed")
		require.Contains(t, s.Typed.Matches, "./folder/")
	})
}

// A bookmark restores the camera, including its up axis, wherever the panels are.
func TestBookmarksAreLookedFrom(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--size", "800x600", "asset:knot8")
		first := s.Camera
		s.key("F6")
		require.Equal(t, first, s.Camera, "none is kept")
		s.key("7", "5", "z", "shift+F6")
		kept := s.Camera
		s.key("Return", "5", "z", "3", "F6")
		require.Equal(t, kept, s.Camera)
		require.Equal(t, kept.Up, s.Up)
		flag := s.Flags(1)["bookmarks"]
		s.leave("")
		s.start("--remember=false", "--size", "800x600", "--panels=false", "--bookmarks", flag, "asset:knot8")
		s.key("F6")
		require.NotEqual(t, kept.Center, s.Camera.Center)
		kept.Center = s.Camera.Center
		require.Equal(t, kept, s.Camera)
		s.leave("")
		require.ErrorContains(t, s.open("--bookmarks", "x"), "camera")
		require.ErrorContains(t, s.open("--bookmarks", ";;;;top"), "4 at most")
	})
}

// A scene with a flat base across the z axis gives one hint; none if the user has chosen an axis.
func TestScenesThatLieAreHintedAt(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		const pyramid = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv .5 .5 2\nf 4 3 2 1\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n"
		file := s.write("pyramid.obj", pyramid)
		s.start("--remember=false", "--size", "320x240", file)
		s.titled("its up axis may be z (Z: next axis)")
		s.key("z")
		require.Equal(t, renderer.UpZ, s.Up)
		s.pass(2 * upRest)
		require.Empty(t, s.Notices)
		s.write("pyramid.obj", pyramid+"\n")
		require.Empty(t, s.Notices)
		s.leave("")
		s.start("--remember=false", "--size", "320x240", "--up", "x", file)
		require.Empty(t, s.Notices)
	})
}

// Of a file whose triangles have no area the viewer says why its picture is empty. One triangle that has one is enough.
func TestWhatCannotBeSeenIsSaid(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		const points, line = "v 0 0 0\nv .1 .2 .3\nv .2 .4 .6\nv 0 0 1\nf 1 1 1\n", "f 1 2 3\n"
		file := s.write("points.obj", points+line)
		s.start("--remember=false", "--size", "320x240", file)
		s.titled("nothing can be seen: no triangle has an area")
		s.leave(file + ": nothing can be seen: no triangle has an area")
		s.start("--remember=false", "--size", "320x240", s.write("points.obj", points+line+"f 1 2 4\n"))
		s.leave("")
	})
}

// The box and the grid are drawn over the picture, with the right occlusion.
func TestGuidesAreDrawn(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		s.start("--remember=false", "--size", "400x300", "--panels=false", "--light", "off", "asset:cube")
		plain := s.window()
		seen := map[string]*image.RGBA{}
		for _, name := range []string{"box", "grid", "both"} {
			s.key("g")
			require.Equal(t, name, s.Guides.String())
			require.NotNil(t, s.Shown.Left.Depth)
			require.False(t, agree(plain, s.window(), plain.Rect))
			for _, other := range seen {
				require.False(t, agree(other, s.window(), plain.Rect))
			}
			seen[name] = s.window()
		}
		inside := image.Rect(160, 160, 240, 230) // a part of the cube's sides that lines on its floor would cross
		require.True(t, agree(plain, seen["grid"], inside), "the cube hides its floor")
		s.key("3", "c")
		require.NotNil(t, s.Shown.Right.Depth)
		s.key("c")
		require.NotNil(t, s.Shown.Difference.Plan)
		require.NotNil(t, s.Shown.Left.Depth)
		s.key("9") // settle compares the depth with the depth for this camera
		s.key("c", "Return", "g")
		s.key("7", "Return")
		require.True(t, agree(plain, s.window(), plain.Rect))
	})
}

// The panels have a light theme, and the picture any background.
func TestPanelsHaveThemes(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		for theme, light := range map[string]bool{"dark": false, "light": true} {
			s.start("--remember=false", "--size", "800x600", "--theme", theme, "--background", "#ff0000", "asset:cube")
			s.move(790, 10)
			c := s.window().RGBAAt(Margin+panelWidth/2, 45)
			require.Equal(t, light, c.R > 128 && c.G > 128 && c.B > 128, "%s: %v", theme, c)
			require.Equal(t, uint8(255), s.window().RGBAAt(790, 10).R)
			s.untime() // the stage's clock stands still while it draws
			for _, key := range []string{"s", "c"} {
				require.Equal(t, "1.0 ms, "+s.Device.Info.Name, s.Status())
				s.key(key)
				require.Zero(t, s.frameTime, "the time before is not that of the new picture")
				s.untime()
			}
			s.key("c", "c")
			s.Doing.App, s.Want.View = results.Envelope, renderer.Shaded
			s.settle()
			require.Equal(t, color.RGBA{255, 0, 0, 255}, s.window().RGBAAt(790, 590), "also of what is drawn over the picture")
			s.leave("")
		}
	})
}
