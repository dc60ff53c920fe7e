package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"

	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/renderer/picture"
	"github.com/shadeonce/shadeonce/internal/viewer/layout"
	"github.com/shadeonce/shadeonce/internal/viewer/model"
)

// memory is what the viewer keeps between runs: settings, as a stamp holds them, and the places
// of the window and the panels.
type memory struct {
	picture.Stamp
	Kept   map[string]string       `json:"kept,omitempty"` // flags of settings that the user keeps
	Seen   bool                    `json:"seen,omitempty"` // the first start's comparison was shown
	Window *Place                  `json:"window,omitempty"`
	Panels map[string]layout.Place `json:"panels,omitempty"` // places of panels that were moved
	Recent []string                `json:"recent,omitempty"` // files, the latest first
}

// Place is where a window is, in screen units.
type Place struct{ X, Y int }

// memoryPath returns the file of the memory, following the XDG base directory specification.
func memoryPath() string { return filepath.Join(xdg.StateHome, "shadeonce", "viewer.json") }

// recall reads the memory; it is empty if there is no file.
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
	rest := memory{}
	if json.Unmarshal(text, &rest) == nil {
		rest.Stamp, rest.Recent = m.Stamp, rest.Recent[:min(len(rest.Recent), keptRecent)]
		m = rest
	}
	return m, nil
}

// keep writes the memory completely or not at all.
func (m *memory) keep(path string) error {
	text, err := json.MarshalIndent(m, "", "\t")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.File(path, 0o600, func(file *os.File) error {
		_, err := file.Write(append(text, '\n'))
		return err
	})
}

// memory returns what to keep of the current state.
func (a *App) memory() memory {
	frame := a.Bounds()
	flags := a.Flags(model.Always)
	flags["size"] = fmt.Sprintf("%dx%d", frame.Dx(), frame.Dy())
	return memory{
		Stamp: picture.Stamp{Version: picture.StampVersion, Flags: flags}, Kept: a.kept, Seen: a.seen,
		Window: &Place{frame.Min.X, frame.Min.Y}, Panels: a.ui.Moved(), Recent: a.Recent,
	}
}

// KeepSettings saves the current settings for the next start, except those that belong to a
// scene.
func (a *App) KeepSettings() {
	s := a.State
	s.Want = s.Want.Ours()
	a.kept = s.Flags(model.OnKeep)
	a.done("the next start begins with these settings")
}

// ForgetSettings returns to the command line's settings, also for the next start.
func (a *App) ForgetSettings() {
	a.kept = nil
	a.ResetSettings(&a.Plain)
}
