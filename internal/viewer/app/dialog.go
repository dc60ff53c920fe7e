package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/ncruces/zenity"

	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/internal/cli"
	"github.com/shadeonce/shadeonce/internal/viewer/load"
)

// openHint says how to open files if nothing is shown.
const openHint = "Drop files on this window, or open some with Ctrl+O."

// dialogAnswer is what the desktop's dialog gave.
type dialogAnswer struct {
	files []string
	err   error
}

// errNoDialog says that the desktop has no dialog: the window asks for a path itself.
var errNoDialog = errors.New("needs zenity (Debian, Ubuntu, Fedora, Arch: zenity)")

// ChooseFiles shows the desktop's own dialog.
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

// folder returns the folder of the file that is shown.
func (a *App) folder() string {
	if a.At < len(a.Files) && !strings.HasPrefix(a.Files[a.At], cli.AssetPrefix) {
		return filepath.Dir(absolute(a.Files[a.At]))
	}
	return absolute(".")
}

// absolute returns a path that is valid in every folder, as the names of built-in scenes are.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil && !strings.HasPrefix(path, cli.AssetPrefix) {
		return full
	}
	return path
}

// ShowError shows an error with the desktop if there is no terminal to print it on.
func ShowError(err error) {
	_ = zenity.Error(err.Error(), zenity.Title("shadeonce viewer")) // there is no other way to tell the user
}
