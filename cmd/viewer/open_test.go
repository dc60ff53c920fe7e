package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/views"
)

// Started by a menu, the viewer tells in its window what is wrong with a file, and opens
// another by the desktop's dialog. It remembers that.
func TestMenusShowErrorsAndOpenFiles(t *testing.T) {
	d := newDesktop(t)
	folder := filepath.Join(d.folder, "meshes")
	require.NoError(t, os.Mkdir(folder, 0o700))
	var saved []string
	for _, name := range []string{"cube", "knot4"} {
		scene, err := assets.Make(name)
		require.NoError(t, err)
		saved = append(saved, filepath.Join(folder, name+".obj"))
		require.NoError(t, format.Save(t.Context(), saved[len(saved)-1], scene))
	}
	garbage := filepath.Join(d.folder, "garbage.ply")
	require.NoError(t, os.WriteFile(garbage, []byte("ply\nnot a header\n"), 0o600))
	// A desktop's dialog that always answers with the folder's first file.
	require.NoError(t, os.WriteFile(filepath.Join(d.folder, "zenity"), []byte("#!/bin/sh\necho '"+saved[0]+"'\n"), 0o700))
	d.more = []string{"PATH=" + d.folder + ":" + os.Getenv("PATH")}
	d.open("--desktop", "--size", "640x480", garbage)
	d.titled("garbage.ply", "Ctrl+O")
	d.focus()
	d.key("ctrl+o")
	d.titled("cube.obj", "24 invocations")
	require.NotContains(t, d.title(), "garbage.ply", "that is not true any more")
	d.leave("garbage.ply")
	m, err := recall(filepath.Join(d.folder, "state", "shadeonce", "viewer.json"))
	require.NoError(t, err)
	require.Equal(t, saved[:1], m.Recent)

	// A folder stands for its files, and the title is short.
	d.more = append(d.more, runVariable+"=plain")
	d.open("--panels=false", "--size", "320x240", folder)
	d.titled("cube.obj (1/2): warp 32, reuse 0.3333 - shadeonce")
	d.focus()
	d.key("Right")
	d.titled("knot4.obj (2/2): warp 32")
	require.Less(t, len(d.title()), 60)
	d.leave("")
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
