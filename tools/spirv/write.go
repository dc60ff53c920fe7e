package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// change is a file to write, or to remove if Data is nil.
type change struct {
	Path string
	Data []byte
}

// applyChanges writes all files or none: everything is on disk under temporary names before the
// first one is renamed, and a failure restores the old contents. Files that are already right are
// not written. It returns how many changed.
func applyChanges(changes []change) (int, error) {
	var todo []change
	var before [][]byte // old contents of the files of todo; nil if there were none
	for _, c := range changes {
		old, err := os.ReadFile(c.Path)
		if missing := errors.Is(err, os.ErrNotExist); err != nil && !missing {
			return 0, err
		} else if missing != (c.Data == nil) || !bytes.Equal(old, c.Data) {
			todo, before = append(todo, c), append(before, old)
		}
	}
	staged := make([]string, len(todo))
	defer func() {
		for _, name := range staged {
			if name != "" {
				os.Remove(name)
			}
		}
	}()
	for i, c := range todo {
		if c.Data == nil {
			continue
		}
		var err error
		if staged[i], err = stage(c); err != nil {
			return 0, err
		}
	}
	for i, c := range todo {
		var err error
		if c.Data == nil {
			err = os.Remove(c.Path)
		} else {
			err = os.Rename(staged[i], c.Path)
		}
		if err != nil {
			return 0, errors.Join(err, restore(todo[:i]))
		}
		staged[i], todo[i].Data = "", before[i] // what restore restores
	}
	return len(todo), nil
}

func stage(c change) (string, error) {
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o755); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(c.Path), ".spirv-*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(c.Data)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		os.Remove(f.Name())
		return "", fmt.Errorf("%s: %w", c.Path, err)
	}
	return f.Name(), nil
}

// restore restores old contents.
func restore(done []change) error {
	var errs []error
	for _, c := range done {
		if c.Data == nil {
			errs = append(errs, os.Remove(c.Path))
		} else {
			errs = append(errs, os.WriteFile(c.Path, c.Data, 0o644))
		}
	}
	return errors.Join(errs...)
}
