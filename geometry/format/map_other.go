//go:build !linux

package format

import (
	"errors"
	"os"
)

// mapFile maps no file here: files are read as small ones are.
func mapFile(*os.File, int64) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapFile([]byte) {}
