package model

import (
	"strings"

	"github.com/go-gl/mathgl/mgl32"

	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/renderer"
)

// betweenBookmarks separates bookmarks in the flag: no camera has it.
const betweenBookmarks = ";"

// LookFromBookmark moves the camera to a bookmark, if one is kept there.
func (s *State) LookFromBookmark(i int) {
	if s.Bookmarks[i] == "" || s.Aspect == 0 {
		return
	}
	to, err := cli.ParseCamera(s.Bookmarks[i], s.Box, s.Aspect)
	if err != nil {
		return // a distance that another scene does not allow
	}
	s.Up = to.Up
	s.Move(func(c *renderer.Camera) {
		to.Time, to.Center = c.Time, c.Center // the clock's, and the panels'
		*c = to
	})
}

// keepBookmark makes the camera a bookmark.
func (s *State) keepBookmark(i int) {
	c := s.Camera
	c.Center = mgl32.Vec2{}
	s.Bookmarks[i] = cli.CameraText(c)
}

// bookmarkText is the value of the flag.
func (s *State) bookmarkText() string {
	return strings.TrimRight(strings.Join(s.Bookmarks[:], betweenBookmarks), betweenBookmarks)
}

func (s *State) readBookmarks(text string) error {
	list := strings.Split(text, betweenBookmarks)
	if len(list) > len(s.Bookmarks) {
		return cli.Usagef("--bookmarks: %d cameras, %d at most", len(list), len(s.Bookmarks))
	}
	s.Bookmarks = [len(s.Bookmarks)]string{}
	for i, camera := range list {
		if err := cli.CheckCamera(camera, 1); err != nil {
			return err
		}
		s.Bookmarks[i] = camera
	}
	return nil
}

// keptBookmarks is the help's value: the keys that have a bookmark.
func (s *State) keptBookmarks() string {
	var keys []string
	for i, key := range []string{"F5", "F6", "F7", "F8"} {
		if s.Bookmarks[i] != "" {
			keys = append(keys, key)
		}
	}
	return strings.Join(keys, " ")
}
