package capture

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture/internal/renderdoc"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/base/progress"
)

// renderdocReader reads frames captured by RenderDoc, as "renderdoccmd convert -c zip.xml" writes
// them: FILE.zip.xml with FILE.zip beside it. It supports Vulkan and OpenGL. Each draw is named
// by pass and event, and each instance is a draw of its own; positions are the inputs of vertex
// shaders. What cannot be read is counted in Scene.Skipped.
//
// Source: the files themselves, and field names in RenderDoc's serialisation.
var renderdocReader = format.Reader{
	Name:       "capture",
	Extensions: []string{".xml"},
	Magic: func(b []byte) bool {
		return bytes.HasPrefix(b, []byte("<?xml")) && bytes.Contains(b, []byte("<rdc>"))
	},
	Read:  renderdocRead,
	Bytes: renderdocBytes,
}

// Shares of the time that have passed when the XML is read, and when placing begins.
const renderdocBytes, renderdocPlacing = .4, .7

func renderdocRead(ctx context.Context, in *format.Input) (*geometry.Scene, error) {
	name, ok := zipName(in)
	if !ok {
		return nil, in.Bad("", "its zip file is unknown: the name must end in .zip.xml")
	}
	if in.Partner == nil {
		return nil, in.Bad("", "%s is not there", name)
	}
	file, size, err := in.Partner(name)
	if err != nil {
		if err := renderdoc.Check(in); err != nil {
			return nil, renderdocError(in, err) // XML that is not a capture has no zip file
		}
		return nil, in.Bad("", "its zip file: %v", err)
	}
	defer file.Close()
	at, ok := file.(io.ReaderAt)
	if !ok {
		return nil, in.Bad("", "%s cannot be read at any position, as a zip file must be", name)
	}
	f, err := renderdoc.Read(progress.Part(ctx, renderdocBytes, renderdocPlacing), renderdoc.Input{
		XML: in, Zip: at, ZipSize: size, ZipName: name, Budget: in.Budget(), Compile: compileGLSL, Textures: in.Textures,
	})
	if err != nil {
		return nil, renderdocError(in, err)
	}
	if err := placeShaded(progress.Part(ctx, renderdocPlacing, 1), in, f); err != nil {
		return nil, renderdocError(in, err)
	}
	if !in.Attributes {
		f.Shading = nil
		onlyCoordinates(f.Scene)
	}
	return f.Scene, nil
}

// zipName returns the name of the zip file beside FILE.zip.xml.
func zipName(in *format.Input) (name string, ok bool) {
	name = in.Name()
	ext := filepath.Ext(name)
	if !strings.EqualFold(ext, ".xml") {
		return "", false
	}
	name = strings.TrimSuffix(name, ext)
	return name, name != ""
}

// renderdocError adds the file to an error of package renderdoc.
func renderdocError(in *format.Input, err error) error {
	var bad *format.Error
	if errors.As(err, &bad) && bad.File == "" {
		bad.File = in.Path
	}
	return in.Failed("", err)
}
