package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/capture"
	"github.com/shadeonce/shadeonce/geometry/format"
	"github.com/shadeonce/shadeonce/internal/names"
)

// AssetPrefix is what the name of a built-in scene begins with.
const AssetPrefix = "asset:"

// OpenScene opens a file, or makes the built-in scene for asset:NAME. The
// scene's name is safe to print.
func OpenScene(ctx context.Context, path string) (*geometry.Scene, error) {
	return openAs(ctx, path, capture.Readers())
}

func openAs(ctx context.Context, path string, formats format.Formats) (*geometry.Scene, error) {
	if path == "" {
		return nil, Usagef("a file name is empty")
	}
	if name, ok := strings.CutPrefix(path, AssetPrefix); ok {
		return assets.Make(name)
	}
	s, err := formats.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	s.Name = names.Printable(s.Name)
	return s, nil
}

// OpenUntilInterrupted is OpenScene under UntilInterrupted: a reader may have
// temporary files to remove.
func OpenUntilInterrupted(path string) (s *geometry.Scene, err error) {
	return openUntilInterrupted(path, capture.Readers())
}

func openUntilInterrupted(path string, formats format.Formats) (s *geometry.Scene, err error) {
	err = UntilInterrupted(func(ctx context.Context) (err error) {
		s, err = openAs(ctx, path, formats)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Guard does work that reads a scene of a file: see geometry.Scene.Guard.
func Guard(path string, s *geometry.Scene, work func() error) error {
	err := s.Guard(work)
	if errors.Is(err, geometry.ErrLost) || errors.Is(err, geometry.ErrChanged) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// AssetNames lists the built-in scenes.
func AssetNames() string {
	names := make([]string, len(assets.All))
	for i, a := range assets.All {
		names[i] = a.Name
	}
	return strings.Join(names, ", ")
}
