package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/apps/subdivide"
	"github.com/shadeonce/shadeonce/internal/applications"
	"github.com/shadeonce/shadeonce/renderer"
)

// SubdivideFlags are those of commands that can subdivide what they draw.
type SubdivideFlags struct{ Levels int }

// Add adds the flags.
func (f *SubdivideFlags) Add(flags *pflag.FlagSet) {
	flags.IntVar(&f.Levels, "subdivide", 0, fmt.Sprintf("`times` that each triangle becomes four, by Loop's scheme, 0 to %d; the last time while it is drawn", applications.MaxLevels))
}

// Check refuses numbers out of range, and frames that draw only stored meshes. raw says
// that the graphics pipeline alone draws.
func (f *SubdivideFlags) Check(raw bool, shader renderer.VertexShader) error {
	switch {
	case f.Levels < 0 || f.Levels > applications.MaxLevels:
		return Usagef("--subdivide %d: must be 0 to %d", f.Levels, applications.MaxLevels)
	case f.Levels > 0 && raw:
		return Usagef("--strategy %s draws stored meshes: it excludes --subdivide", renderer.HardwareStrategy)
	case f.Levels > 0 && shader != renderer.Transform:
		return Usagef("--load %s moves vertices of stored meshes: it excludes --subdivide", shader)
	}
	return nil
}

// Apply subdivides a scene as the flags say, until it is interrupted.
func (f *SubdivideFlags) Apply(stderr io.Writer, s *geometry.Scene) (out *geometry.Scene, err error) {
	if f.Levels == 0 {
		return s, nil
	}
	return out, WithProgress(stderr, "subdividing", func(ctx context.Context) error {
		out, err = f.Subdivide(ctx, s)
		return err
	})
}

// Subdivide subdivides a scene so many times, at least once.
func (f *SubdivideFlags) Subdivide(ctx context.Context, s *geometry.Scene) (*geometry.Scene, error) {
	if err := applications.FitsDrawn(s, f.Levels); err != nil {
		return nil, err
	}
	return subdivide.NewScene(ctx, s, f.Levels)
}
