package app

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
	"github.com/shadeonce/shadeonce/internal/viewer/viewtest"
)

// Started from a menu, the viewer shows a file's error in its window, opens another file by the
// desktop's dialog, and remembers it.
func TestMenusShowErrorsAndOpenFiles(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		folder := filepath.Join(s.folder, "meshes")
		require.NoError(t, os.Mkdir(folder, 0o700))
		cube := saveAsset(t, folder, "cube.obj", "cube")
		saveAsset(t, folder, "knot4.obj", "knot4")
		garbage := s.write("garbage.ply", "ply\nnot a header\n")
		require.NoError(t, s.open("--desktop", "--size", "320x240", garbage))
		s.settle()
		s.titled("garbage.ply", "Ctrl+O")
		require.NotEqual(t, image.NewRGBA(s.window().Rect).Pix, s.window().Pix, "the window tells it")
		s.keyed("ctrl+o", "Ctrl+O: no dialog")
		s.chooses = func(asked string) ([]string, error) { return []string{cube}, nil }
		s.keyed("ctrl+o", "cube.obj", "24 invocations")
		require.NotContains(t, s.named, "garbage.ply", "that is not true any more")
		s.leave("garbage.ply")
		require.Equal(t, []string{cube}, must.Get(recall(filepath.Join(s.folder, "state", "shadeonce", "viewer.json"))).Recent)

		// A folder opens the files in it, and the title is short.
		s.title = Title
		s.start("--panels=false", "--size", "320x240", folder)
		require.Equal(t, "cube.obj (1/2): warp 32, reuse 0.3333 - shadeonce", s.named)
		s.keyed("Right", "knot4.obj (2/2): warp 32")
		require.Less(t, len(s.named), 60)
	})
}

// What the command line asks of the first file that this lacks is said once, as shadeonce render says it.
func TestViewerSaysWhatTheFirstFileLacks(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		for _, c := range [][]string{
			{"asset:cube: --time 3: no animation that moves anything", "--time", "3"},
			{"asset:cube: --animation walk: no animation that moves anything", "--animation", "walk"},
			{"--pass 1: asset:cube has no passes, a captured frame has", "--pass", "1"},
			{`asset:cube: camera "captured": only a replayed frame has a view of its own`, "--camera", "captured"},
		} {
			s.start(append(c[1:], "--remember=false", "--size", "320x240", "asset:cube")...)
			require.Equal(t, c[0], s.Notices.String())
			require.Equal(t, ProgramName+": "+c[0]+"\n", s.stderr.String())
			s.stderr.Reset()
			require.Empty(t, s.Pass+s.Clip+s.View)
			require.EqualValues(t, -1, s.Pose)
			s.leave("")
		}
	})
}

// ChooseFiles runs zenity, which a script replaces here.
func TestDialogsAskZenity(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "zenity"), []byte("#!/bin/sh\necho \"$*\" >"+folder+"/asked\necho /a/b.obj\n"), 0o700))
	require.Equal(t, []string{"/a/b.obj"}, must.Get(ChooseFiles(t.Context(), "/a")))
	asked := must.Get(os.ReadFile(filepath.Join(folder, "asked")))
	for _, part := range []string{"--multiple", "/a/", "*.[pP][lL][yY]", ".[gG][zZ]"} {
		require.Contains(t, string(asked), part)
	}
}

func TestNoticesGoWhenTheyDoNotHold(t *testing.T) {
	var n Notices
	now := time.Unix(1, 0)
	asked := model.Wishes{Choices: model.Choices{IndexOrder: "original"}}
	n.add("wrong", time.Time{})
	n.add("saved", now.Add(doneRest))
	n.add("wrong", time.Time{})
	require.Equal(t, "saved; wrong", n.String(), "once each")
	require.False(t, n.follow(asked, now))
	require.Equal(t, doneRest, n.due(now))
	asked.Camera.Azimuth = 7
	require.False(t, n.follow(asked, now), "a look from elsewhere")
	require.True(t, n.follow(asked, now.Add(doneRest)))
	require.Equal(t, "wrong", n.String())
	require.Negative(t, n.due(now))
	asked.IndexOrder = "forsyth"
	require.True(t, n.follow(asked, now), "something else is asked for")
	require.Empty(t, n)
	for text, seconds := range map[string]time.Duration{"second": 2, "first": 1, "third": 3} {
		n.add(text, now.Add(seconds*time.Second))
	}
	require.Equal(t, time.Second, n.due(now), "of the first to end")
	require.Zero(t, n.due(now.Add(time.Minute)))
}

func TestRecentFilesAreListedOnce(t *testing.T) {
	var list []string
	for i := range 2 * keptRecent {
		list = recentFiles(list, fmt.Sprintf("/a/%d", i%15))
	}
	require.Len(t, list, keptRecent)
	require.Equal(t, "/a/4", list[0])
	list = recentFiles(list, "asset:knot")
	require.Equal(t, []string{"asset:knot", "/a/4"}, list[:2])
	require.Equal(t, "/a/4", recentFiles(list, "/a/4")[0])
	require.Equal(t, list, recentFiles(list, strings.Repeat("x", 2*longestRecent)))
}

// saveAsset writes a built-in scene to a file.
func saveAsset(t *testing.T, folder, file, asset string) string {
	t.Helper()
	scene := viewtest.Scene(t, asset)
	path := filepath.Join(folder, file)
	require.NoError(t, format.Save(t.Context(), path, scene))
	return path
}

// Dropped files replace the earlier ones; a file that is no mesh leaves the picture.
func TestDroppedFilesAreOpenedOrRefused(t *testing.T) {
	onStage(t, func(t *testing.T, s *stage) {
		cube, knot, other := saveAsset(t, s.folder, "first.obj", "cube"), saveAsset(t, s.folder, "grün 100%.obj", "knot4"), saveAsset(t, s.folder, "second.obj", "knot8")
		garbage := s.write("no mesh.obj", "f 1 2 3\n")
		drop := func(files ...string) {
			t.Helper()
			s.Drop(files)
			s.settle()
		}
		s.start("--panels=false", "--remember=false", "--size", "320x240", garbage, cube)
		s.titled("first.obj", "24 invocations")
		require.Equal(t, 1, strings.Count(s.stderr.String(), "\n"))
		s.key("Escape")
		first := s.look()
		drop(knot)
		require.Equal(t, 1, strings.Count(s.stderr.String(), "\n"), "what was refused is told once")
		s.stderr.Reset()
		s.titled("grün 100%.obj | warp")
		s.other(first)
		drop(other, cube)
		s.titled("second.obj | warp")
		second := s.other(first)
		s.keyed("Right", "first.obj", "24 invocations")
		s.same(first)
		s.key("Right")
		s.titled("second.obj | warp") // keys no longer step through the earlier files
		s.same(second)
		require.Empty(t, s.stderr.String())

		drop(garbage)
		s.titled("refused", "no mesh.obj")
		s.same(second)
		require.True(t, s.covered(above(s.window())), "by the message")
		require.Equal(t, 1, strings.Count(s.stderr.String(), "\n"))
		s.key("Escape")
		require.False(t, s.covered(above(s.window())))
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

// TestErrorsAreWholeOnStandardError: standard error shows each error in one line, and does not shorten it.
func TestErrorsAreWholeOnStandardError(t *testing.T) {
	var stderr bytes.Buffer
	a := &App{Surroundings: Surroundings{Stderr: &stderr}}
	a.tell(errors.New(strings.Repeat("a reason\n", 100)+"\x1b the last"), "in short")
	require.Equal(t, ProgramName+": "+strings.Repeat("a reason ", 100)+"\\x1b the last\n", stderr.String())
	require.Equal(t, "in short", a.Notices.String())
}
