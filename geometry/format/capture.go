package format

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format/internal/capture"
	"github.com/shadeonce/shadeonce/internal/progress"
)

// captureReader reads frames captured by RenderDoc, as
// "renderdoccmd convert -c zip.xml" writes them: FILE.zip.xml with FILE.zip
// beside it. Vulkan and OpenGL. A draw each, named by pass and event, an
// instance a draw of its own; positions are those that vertex shaders read. What
// cannot be read is counted in Scene.Skipped.
//
// Source: the files themselves, and field names in RenderDoc's serialisation.
var captureReader = Reader{
	Name:       "capture",
	Extensions: []string{".xml"},
	Magic: func(b []byte) bool {
		return bytes.HasPrefix(b, []byte("<?xml")) && bytes.Contains(b, []byte("<rdc>"))
	},
	Read:  captureRead,
	Bytes: captureBytes,
}

// captureBytes is how much of the time goes by as the XML is read.
const captureBytes = .5

func captureRead(ctx context.Context, in *Input) (*geometry.Scene, error) {
	src := newSource(ctx, in)
	name, ok := captureZip(in.Path)
	if !ok {
		return nil, src.bad("", "its zip file cannot be told: the name must end in .zip.xml")
	}
	if in.Sibling == nil {
		return nil, src.bad("", "%s is not there", name)
	}
	file, size, err := in.Sibling(name)
	if err != nil {
		if err := capture.Check(src); err != nil {
			return nil, captureError(src, err) // other XML has no zip file
		}
		return nil, src.bad("", "its zip file: %v", err)
	}
	defer file.Close()
	at, ok := file.(io.ReaderAt)
	if !ok {
		return nil, src.bad("", "%s cannot be read at will", name)
	}
	s, err := capture.Read(progress.Part(ctx, captureBytes, 1), capture.Input{XML: src, Zip: at, ZipSize: size, ZipName: name})
	if err != nil {
		return nil, captureError(src, err)
	}
	return s, nil
}

// captureZip is the zip file beside FILE.zip.xml.
func captureZip(path string) (name string, ok bool) {
	name = filepath.Base(path)
	if ext := filepath.Ext(name); packingExtension(strings.ToLower(ext)) {
		name = strings.TrimSuffix(name, ext)
	}
	ext := filepath.Ext(name)
	if !strings.EqualFold(ext, ".xml") {
		return "", false
	}
	name = strings.TrimSuffix(name, ext)
	return name, name != ""
}

// captureError is an Error of what the package capture says.
func captureError(src *source, err error) error {
	var bad *capture.Error
	if errors.As(err, &bad) {
		return &Error{File: src.in.Path, Place: bad.Place, Cause: bad.Cause, Err: bad.Err}
	}
	return src.cut("", err)
}
