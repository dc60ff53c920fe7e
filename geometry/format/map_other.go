//go:build !linux

package format

import (
	"errors"
	"os"
)

// mapFile always fails: files are mapped on Linux only, and read elsewhere.
func mapFile(*os.File, int64) ([]byte, *os.File, error) { return nil, nil, errors.ErrUnsupported }
func unmapFile([]byte)                                  {}
