package format

import (
	"path/filepath"
	"testing"
)

// The fuzz targets hold the readers to requireHarmless: a valid scene or one
// clear line, within the allowance, whatever the bytes are.

func FuzzPLY(f *testing.F) { fuzzReader(f, ".ply") }

func FuzzOBJ(f *testing.F) { fuzzReader(f, ".obj") }

func FuzzOFF(f *testing.F) { fuzzReader(f, ".off") }

func FuzzSTL(f *testing.F) { fuzzReader(f, ".stl") }

func fuzzReader(f *testing.F, extension string) {
	for _, s := range samples(f) {
		if filepath.Ext(s.name) == extension {
			f.Add(s.data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return // Open refuses empty files ahead of the readers
		}
		_ = requireHarmless(t, "fuzz"+extension, data)
	})
}
