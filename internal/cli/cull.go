package cli

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/renderer"
)

// CullFlags are those of commands that can cull.
type CullFlags struct {
	Cull  bool
	Faces string
}

// Add adds the flags.
func (f *CullFlags) Add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.Cull, "cull", false, "drop triangles that show nothing before attributes are shaded; counts are then of attributes")
	flags.StringVar(&f.Faces, "cull-faces", renderer.FacesOfFile.String(),
		"with --cull, whose back faces are dropped: "+strings.Join(renderer.FaceCullingNames, ", ")+"; file means where the file says so, which only glTF does")
}

// Apply makes a frame cull as the flags say.
func (f *CullFlags) Apply(frame *renderer.Frame) (err error) {
	frame.Cull = f.Cull
	if frame.CullFaces, err = ParseFaces(f.Faces); err != nil {
		return err
	}
	switch {
	case f.Cull && frame.Queue == renderer.Expanded:
		return Usagef("--cull needs --queue indexed")
	case !f.Cull && frame.CullFaces != renderer.FacesOfFile:
		return Usagef("--cull-faces %s needs --cull", frame.CullFaces)
	}
	return nil
}
