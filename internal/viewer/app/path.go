package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ncruces/zenity"

	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
)

// TypedPath is the panel that asks for a path.
type TypedPath struct {
	Text    string
	Err     string   // why Text cannot be opened
	Open    bool     // shown in the last frame
	Matches []string // what Text can be completed to, at most shownMatches

	listed string // the text that Matches complete
}

const shownMatches = 8 // bounds the completions that are listed

// OpenTyped opens the file or folder that was typed.
func (a *App) OpenTyped() error {
	path := strings.TrimSpace(a.Typed.Text)
	if !strings.HasPrefix(path, cli.AssetPrefix) {
		path = inHome(path)
		if _, err := os.Stat(path); err != nil {
			return errors.Unwrap(err)
		}
	}
	err := a.askAll([]string{path})
	if err == nil {
		a.Dismiss()
	}
	return err
}

// inHome replaces a leading ~ by the user's folder.
func inHome(path string) string {
	if home, err := os.UserHomeDir(); err == nil && (path == "~" || strings.HasPrefix(path, "~/")) {
		return home + path[1:]
	}
	return path
}

// Complete lists the completions of a text in t.Matches. It returns their longest common beginning, or the text if there are none.
func (t *TypedPath) Complete(text string) (longest string) {
	t.listed, t.Matches, longest = text, nil, text
	folder, begin := filepath.Split(text)
	entries, err := os.ReadDir(inHome(filepath.Clean(folder)))
	if err != nil || text == "" {
		return longest
	}
	n := 0
	for _, e := range entries {
		name := e.Name()
		isFolder := e.IsDir()
		if info, err := os.Stat(filepath.Join(inHome(folder), name)); e.Type()&fs.ModeSymlink != 0 && err == nil {
			isFolder = info.IsDir()
		}
		if !strings.HasPrefix(name, begin) || strings.HasPrefix(name, ".") && begin == "" || !isFolder && !cli.Openable(name) {
			continue
		}
		if isFolder {
			name += string(filepath.Separator)
		}
		if n++; n == 1 {
			longest = folder + name
		}
		for !strings.HasPrefix(folder+name, longest) {
			longest = longest[:len(longest)-1]
		}
		if len(t.Matches) < shownMatches {
			t.Matches = append(t.Matches, folder+name)
		}
	}
	return longest
}

// Follow lists the completions again after the text has changed.
func (t *TypedPath) Follow() {
	if t.Text != t.listed {
		t.Complete(t.Text)
		t.Err = ""
	}
}

// typePath asks for a path, starting from the folder of the shown file.
func (a *App) typePath() {
	a.TypePath, a.Panels = true, true
	if a.Typed.Text == "" {
		a.Typed.Text = a.folder() + string(filepath.Separator)
		a.Typed.Complete(a.Typed.Text)
	}
	a.focus()
}

const openHint = "Drop files on this window, or open some with Ctrl+O." // tells how to open files if nothing is shown

// dialogAnswer is the result of the desktop's dialog.
type dialogAnswer struct {
	files []string
	err   error
}

// errNoDialog means that the desktop has no dialog program; the window then asks for a path itself.
var errNoDialog = errors.New("needs zenity (Debian, Ubuntu, Fedora, Arch: zenity)")

// ChooseFiles shows the desktop's own dialog and returns the chosen files; errNoDialog if there is none.
func ChooseFiles(ctx context.Context, folder string) ([]string, error) {
	if !zenity.IsAvailable() {
		return nil, errNoDialog
	}
	patterns := []string{}
	for _, ext := range capture.Readers().Extensions() {
		patterns = append(patterns, "*"+ext, "*"+ext+".gz", "*"+ext+".zst")
	}
	return zenity.SelectFileMultiple(
		zenity.Context(ctx), zenity.Title("Open meshes and captured frames"), zenity.Filename(folder+string(filepath.Separator)),
		zenity.FileFilters{{Name: "meshes and captured frames", Patterns: patterns, CaseFold: true}, {Name: "all files", Patterns: []string{"*"}}})
}

// followDialog opens the dialog if a key asked for it, and opens the files that were chosen.
func (a *App) followDialog() {
	if a.OpenFiles && !a.dialog.Busy {
		folder := a.folder()
		a.dialog.Start(context.Background(), load.ShowRest, func(ctx context.Context) dialogAnswer {
			files, err := a.ChooseFiles(ctx, folder)
			return dialogAnswer{files, err}
		})
	}
	a.OpenFiles = false
	switch answer, some := a.dialog.Take(); {
	case !some:
	case answer.err == nil:
		a.Drop(answer.files)
	case errors.Is(answer.err, errNoDialog):
		a.typePath()
		a.Typed.Err = "A dialog " + errNoDialog.Error() + "."
	case !errors.Is(answer.err, zenity.ErrCanceled):
		a.say(fmt.Errorf("Ctrl+O: %w", answer.err))
	}
}

// folder returns the folder of the file that is shown; the current folder for a built-in scene.
func (a *App) folder() string {
	if a.At < len(a.Files) && !strings.HasPrefix(a.Files[a.At], cli.AssetPrefix) {
		return filepath.Dir(absolute(a.Files[a.At]))
	}
	return absolute(".")
}

// absolute returns a path that is valid from every folder. Names of built-in scenes stay as they are.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil && !strings.HasPrefix(path, cli.AssetPrefix) {
		return full
	}
	return path
}

// ShowError shows an error in a dialog of the desktop.
func ShowError(err error) {
	_ = zenity.Error(err.Error(), zenity.Title("shadeonce viewer")) // there is no other way to tell the user
}
