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

	"github.com/shadeonce/shadeonce/internal/replace"
	"github.com/shadeonce/shadeonce/renderer/picture"
)

// memory is what the viewer keeps from one time to the next: settings as a stamp
// holds them, and where the window was.
type memory struct {
	picture.Stamp
	Window *place `json:"window,omitempty"`
}

// place is that of a window, in screen units.
type place struct{ X, Y int }

// memoryPath is where it is kept, by the XDG base directory specification.
func memoryPath() string { return filepath.Join(xdg.StateHome, "shadeonce", "viewer.json") }

// recall reads what was kept; nothing where nothing was.
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
	var window struct{ Window *place }
	if json.Unmarshal(text, &window) == nil {
		m.Window = window.Window
	}
	return m, nil
}

// keep writes it, whole or not at all.
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

// memory is what is to be kept of the viewer as it is now.
func (a *app) memory() memory {
	w, h := a.screen.window.GetSize()
	s := a.state
	flags := s.flagValues()
	flags["size"] = fmt.Sprintf("%dx%d", w, h)
	x, y := a.screen.window.GetPos()
	return memory{picture.Stamp{Version: picture.StampVersion, Flags: flags}, &place{x, y}}
}

// put moves a window to where it was, unless no monitor is there any more.
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
