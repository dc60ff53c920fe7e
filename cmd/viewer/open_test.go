package main

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/internal/inspect"
	"github.com/shadeonce/shadeonce/internal/views"
)

// Started by a menu, the viewer tells in its window what is wrong with a file, and opens
// another by the desktop's dialog. It remembers that.
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
		require.NotEqual(t, image.NewRGBA(s.shown.Rect).Pix, s.shown.Pix, "the window tells it")
		s.key("ctrl+o")
		s.titled("Ctrl+O: no dialog")
		s.chooses = func(asked string) ([]string, error) { return []string{cube}, nil }
		s.key("ctrl+o")
		s.titled("cube.obj", "24 invocations")
		require.NotContains(t, s.named, "garbage.ply", "that is not true any more")
		s.leave("garbage.ply")
		m, err := recall(filepath.Join(s.folder, "state", "shadeonce", "viewer.json"))
		require.NoError(t, err)
		require.Equal(t, []string{cube}, m.Recent)

		// A folder stands for its files, and the title is short.
		windowTitle = inspect.Title
		defer func() { windowTitle = status }()
		s.start("--panels=false", "--size", "320x240", folder)
		require.Equal(t, "cube.obj (1/2): warp 32, reuse 0.3333 - shadeonce", s.named)
		s.key("Right")
		s.titled("knot4.obj (2/2): warp 32")
		require.Less(t, len(s.named), 60)
	})
}

// The desktop's own dialog is zenity's.
func TestDialogsAskZenity(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "zenity"), []byte("#!/bin/sh\necho \"$*\" >"+folder+"/asked\necho /a/b.obj\n"), 0o700))
	files, err := chooseFiles(t.Context(), "/a")
	require.NoError(t, err)
	require.Equal(t, []string{"/a/b.obj"}, files)
	asked, err := os.ReadFile(filepath.Join(folder, "asked"))
	require.NoError(t, err)
	for _, part := range []string{"--multiple", "/a/", "*.[pP][lL][yY]", ".[gG][zZ]"} {
		require.Contains(t, string(asked), part)
	}
}

func TestNoticesGoWhenTheyDoNotHold(t *testing.T) {
	var n notices
	now := time.Unix(1, 0)
	asked := views.Wishes{IndexOrder: "original"}
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
