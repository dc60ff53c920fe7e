package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
	"github.com/go-gl/glfw/v3.3/glfw"

	"github.com/shadeonce/shadeonce/internal/layout"
	"github.com/shadeonce/shadeonce/internal/replace"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// memory is what the viewer keeps between runs: settings, as a stamp has them, and the
// places of the window and the panels.
type memory struct {
	picture.Stamp
	Window *place                  `json:"window,omitempty"`
	Panels map[string]layout.Place `json:"panels,omitempty"` // those that were moved
	Recent []string                `json:"recent,omitempty"` // files, the last one first
}

// place is where a window is, in screen units.
type place struct{ X, Y int }

// memoryPath is the file of the memory, by the XDG base directory specification.
func memoryPath() string { return filepath.Join(xdg.StateHome, "shadeonce", "viewer.json") }

// recall reads the memory; an empty one where there is no file.
func recall(path string) (m memory, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return m, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, picture.MaxStampBytes+1))
	if err != nil {
		return m, err
	}
	if m.Stamp, err = picture.ParseStamp(text); err != nil {
		return memory{}, fmt.Errorf("%s: %w", path, err)
	}
	var rest struct {
		Window *place
		Panels map[string]layout.Place
		Recent []string
	}
	if json.Unmarshal(text, &rest) == nil {
		m.Window, m.Panels, m.Recent = rest.Window, rest.Panels, rest.Recent[:min(len(rest.Recent), keptRecent)]
	}
	return m, nil
}

// keep writes the memory, whole or not at all.
func (m *memory) keep(path string) error {
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return replace.File(path, 0o600, func(file *os.File) error {
		_, err := file.Write(append(text, '\n'))
		return err
	})
}

// memory returns what to keep of the current state.
func (a *app) memory() memory {
	frame := a.frame()
	s := a.state
	s.Want = s.Want.Ours()
	flags := s.flagValues()
	for _, name := range []string{"subdivide", "app", "step", "before", "hide", "isolate", "highlight"} { // it begins with the scene as it is
		delete(flags, name)
	}
	flags["size"] = fmt.Sprintf("%dx%d", frame.Dx(), frame.Dy())
	return memory{picture.Stamp{Version: picture.StampVersion, Flags: flags}, &place{frame.Min.X, frame.Min.Y}, a.places.wishes, a.recent}
}

// put moves a window to the place, unless no monitor shows it any more.
func (p *place) put(w *glfw.Window) {
	if p == nil {
		return
	}
	for _, m := range glfw.GetMonitors() {
		x, y, width, height := m.GetWorkarea()
		const seen = 64 // units of the window that must be on the monitor
		if p.X >= x-seen && p.Y >= y-seen && p.X < x+width-seen && p.Y < y+height-seen {
			w.SetPos(p.X, p.Y)
			return
		}
	}
}
