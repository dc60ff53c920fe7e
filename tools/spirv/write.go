package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"github.com/shadeonce/shadeonce/internal/base/atomicfile"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// change is a file to write, or to remove if Data is nil.
type change struct {
	Path string
	Data []byte
}

// applyChanges writes files, each whole or not at all, and returns how many have changed. The last
// ones have the hashes of the others, so -check notices if an error ends it early.
func applyChanges(changes []change) (changed int) {
	for _, c := range changes {
		if old := readIfThere(c.Path); (old == nil) == (c.Data == nil) && bytes.Equal(old, c.Data) {
			continue
		}
		changed++
		if c.Data == nil {
			must.OK(os.Remove(c.Path))
			continue
		}
		must.OK(errors.Join(os.MkdirAll(filepath.Dir(c.Path), 0o755), atomicfile.File(c.Path, 0o644, func(f *os.File) error {
			_, err := f.Write(c.Data)
			return err
		})))
	}
	return changed
}
