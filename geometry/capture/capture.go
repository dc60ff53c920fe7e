// Package capture opens captured frames of games, and all mesh formats of package format.
//
//	scene, err := capture.Open(ctx, "frame.zip.xml.zst")
//	if scene.Capture != nil { ... } // a captured frame
//
// A frame is RenderDoc's XML (renderdoc.go), RenderDoc's own file (rdc.go), a GLB that
// tools/renderdoc/export.py wrote from a replay (replayed.go), or a bare table of draws
// (draws.go). csv.go reads single meshes that RenderDoc's mesh viewer exported.
package capture

import (
	"context"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/must"
)

// Readers lists every format that can be opened: those of package format, and those of captured
// frames.
func Readers() format.Formats { return readers(replayed) }

// ReadersCopying returns Readers in which c copies the glTF documents that it can copy. Replayed
// frames go to their own reader, which places their draws.
func ReadersCopying(c *format.GLTFCopy) format.Formats { return readers(copying(c)) }

// ReadersAlone returns the ReadersCopying of formats whose files need neither another program nor
// a zip file: those of meshes, and tables. A program that uses no others is smaller. c may be nil.
func ReadersAlone(c *format.GLTFCopy) format.Formats {
	return append(format.Readers(copying(c)), drawsReader, csvReader)
}

func copying(c *format.GLTFCopy) format.GLTFExtension {
	if c == nil {
		return replayed
	}
	return func(doc *format.GLTF) (func(context.Context, *geometry.Scene) error, error) {
		if finish, err := replayed(doc); err != nil || finish != nil {
			return finish, err
		}
		return c.Extension(doc)
	}
}

func readers(extend format.GLTFExtension) format.Formats {
	return append(format.Readers(extend), renderdocReader, drawsReader, rdcReader, csvReader)
}

// Open opens a mesh file or a captured frame: see format.Formats.Open.
func Open(ctx context.Context, path string) (*geometry.Scene, error) {
	return Readers().Open(ctx, path)
}

// grow makes room in a list for n more elements of the given size, and charges what it allocates.
func grow[T any](in *format.Input, list []T, n, bytes int) []T {
	if len(list)+n <= cap(list) {
		return list
	}
	capacity := max(len(list)+n, len(list)+len(list)/2, 1<<10)
	must.OK(in.Charge(int64(capacity * bytes)))
	return append(make([]T, 0, capacity), list...)
}
