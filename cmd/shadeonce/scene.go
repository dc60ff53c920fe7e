package main

import (
	"strings"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
)

// openScene opens a file, or makes a built-in scene for asset:NAME. The scene's
// name is safe to print.
func openScene(path string) (*geometry.Scene, error) {
	if path == "" {
		return nil, usagef("a file name is empty")
	}
	if name, ok := strings.CutPrefix(path, "asset:"); ok {
		return assets.Make(name)
	}
	s, err := format.Open(path)
	if err != nil {
		return nil, err
	}
	s.Name = printable(s.Name)
	return s, nil
}

func assetNames() string {
	names := make([]string, len(assets.All))
	for i, a := range assets.All {
		names[i] = a.Name
	}
	return strings.Join(names, ", ")
}
