// Package format reads and writes mesh files.
//
//	scene, err := format.Open(ctx, "bunny.ply.zst")
//	err = format.Save(ctx, "bunny.glb", scene)
//
// Each format has a family of files: ply*.go, obj*.go, off.go, stl*.go, drc.go, gltf*.go and glb*.go.
// Readers lists the formats; a program that supports more formats opens files with its own list,
// as package capture does for captured frames.
//
// Files are untrusted: a reader returns an error that names file, place and cause, never panics,
// and allocates in proportion to the bytes that it has actually read.
package format

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
)

// Reader reads one format.
type Reader struct {
	Name       string            // "ply": name = file = registry key
	Extensions []string          // lower case with the dot: ".ply"
	Magic      func([]byte) bool // reports whether the first 512 bytes identify this format; nil if only the extension does
	// Read makes a scene. It may report progress to the context (package progress). When the
	// context ends, it returns within a moment, with any error.
	Read  func(ctx context.Context, in *Input) (*geometry.Scene, error)
	Bytes float64 // estimated share of the time that is spent reading bytes

	attributes bool // Formats.Attributes
}

// Formats are the formats that files can be opened in, in the order in which their magic bytes
// are tested.
type Formats []Reader

// Readers lists every mesh format that can be opened. extend may be nil: see
// GLTFExtension.
func Readers(extend GLTFExtension) Formats {
	glb, gltf := gltfReaders(extend)
	return Formats{glb, plyReader, offReader, stlReader, drcReader, gltf, objReader}
}

// Shapes returns the formats with readers that skip everything but the shape, if that makes a
// difference: of an OBJ file they read only positions and faces, as one draw, so that vertices keep
// the file's numbers.
func (f Formats) Shapes() Formats { return f.asking(func(in *Input) { in.shape = true }) }

// Attributes returns the formats with readers that keep further vertex attributes as
// Scene.Attributes. Other readers skip them, since they cost memory.
func (f Formats) Attributes() Formats {
	f = f.asking(func(in *Input) { in.Attributes = true })
	for i := range f {
		f[i].attributes = true
	}
	return f
}

// HaveAttributes reports whether the formats come from Attributes.
func (f Formats) HaveAttributes() bool { return len(f) > 0 && f[0].attributes }

// Textures returns the formats with readers that keep base colour textures as Scene.Textures.
// Other readers skip them, since they cost time and memory.
func (f Formats) Textures() Formats { return f.asking(func(in *Input) { in.Textures = true }) }

// Pass returns the formats with readers that place the draws of a pass of captured frames as the
// pass's camera sees them, and hide those of others. The pass is given by its name or number; an
// empty name leaves the choice to the reader.
func (f Formats) Pass(name string) Formats {
	f = f.asking(func(in *Input) { in.Pass = name })
	for i := range f {
		read := f[i].Read
		f[i].Read = func(ctx context.Context, in *Input) (*geometry.Scene, error) {
			s, err := read(ctx, in)
			if err == nil && name != "" && (s.Capture == nil || len(s.Capture.Passes) == 0) {
				return nil, in.Bad("", "no captured frame that tells where the draws of its passes stand: it has no pass %q", name)
			}
			return s, err
		}
	}
	return f
}

// Looks returns the formats with readers that keep what writers can write: of OBJ and PLY files the
// further attributes, and materials as Scene.Look; of STL what is left out; of glTF the further
// attributes if asked, which a GLTFCopy that saves the document does not need.
func (f Formats) Looks(glTF bool) Formats {
	return f.asking(func(in *Input) { in.looks, in.looksGLTF = true, glTF })
}

// asking returns the formats with readers that change their input before they read it.
func (f Formats) asking(change func(*Input)) Formats {
	f = slices.Clone(f)
	for i := range f {
		read := f[i].Read
		f[i].Read = func(ctx context.Context, in *Input) (*geometry.Scene, error) {
			change(in)
			return read(ctx, in)
		}
	}
	return f
}

// Open opens a mesh file: see Formats.Open.
func Open(ctx context.Context, path string) (*geometry.Scene, error) {
	return Readers(nil).Open(ctx, path)
}

// Extensions lists the extensions of all formats.
func (f Formats) Extensions() (all []string) {
	for i := range f {
		all = append(all, f[i].Extensions...)
	}
	return all
}

// pick returns the format that matches head's magic bytes, or else the file's extension.
func (f Formats) pick(in *Input, head []byte) (*Reader, error) {
	for i := range f {
		if f[i].Magic != nil && f[i].Magic(head) {
			return &f[i], nil
		}
	}
	name := strings.ToLower(in.Name())
	for i := range f {
		if slices.ContainsFunc(f[i].Extensions, func(ext string) bool { return strings.HasSuffix(name, ext) }) {
			return &f[i], nil
		}
	}
	return nil, in.Bad("", "is not of a format that can be read: %s (also as .gz or .zst)", strings.Join(f.Extensions(), " "))
}

// Writer is one format that scenes can be saved in.
type Writer struct {
	Name       string
	Extensions []string
	Write      func(w io.Writer, s *geometry.Scene) error
	lacks      func(s *geometry.Scene) []string // what the format cannot hold
	refers     func(l *geometry.Look) []string  // the files that it refers to
}

// Writers lists every format that can be saved.
func Writers() []Writer { return []Writer{plyWriter, objWriter, stlWriter, glbWriter, gltfWriter} }
