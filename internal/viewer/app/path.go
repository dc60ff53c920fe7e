package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/shadeonce/shadeonce/internal/cli"
)

// TypedPath is the panel that asks for a path.
type TypedPath struct {
	Text    string
	Err     string   // why it cannot be opened
	Open    bool     // shown in the last frame
	Matches []string // what Text can be completed to, at most shownMatches

	listed string // the text that Matches are of
}

// shownMatches bounds the completions that are listed.
const shownMatches = 8

// OpenTyped opens the file or folder that was typed.
func (a *App) OpenTyped() error {
	path := strings.TrimSpace(a.Typed.Text)
	if !strings.HasPrefix(path, cli.AssetPrefix) {
		path = inHome(path)
		if _, err := os.Stat(path); err != nil {
			return errors.Unwrap(err)
		}
	}
	files, err := cli.Files([]string{path})
	if err == nil {
		a.Dismiss()
		a.Ask(files, inOrder(len(files)))
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

// Complete lists what the text can be completed to, and returns the longest text with which all of these
// begin.
func (t *TypedPath) Complete(text string) (longest string) {
	if t.listed, t.Matches, longest = text, nil, text; text == "" {
		return longest
	}
	folder, begin := filepath.Split(text)
	entries, err := os.ReadDir(inHome(filepath.Clean(folder)))
	if err != nil {
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

// Follow lists the completions of the text, where that has changed.
func (t *TypedPath) Follow() {
	if t.Text != t.listed {
		t.Complete(t.Text)
		t.Err = ""
	}
}

// typePath asks for a path, which begins with the folder of the file that is shown.
func (a *App) typePath() {
	a.TypePath, a.Panels = true, true
	if a.Typed.Text == "" {
		a.Typed.Text = a.folder() + string(filepath.Separator)
		a.Typed.Complete(a.Typed.Text)
	}
	a.focus()
}
