package main

import (
	"strings"

	"github.com/shadeonce/shadeonce/assets"
	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/geometry/format"
)

// openScene opens a file, or makes a built-in scene for asset:NAME.
func openScene(path string) (*geometry.Scene, error) {
	if name, ok := strings.CutPrefix(path, "asset:"); ok {
		return assets.Make(name)
	}
	return format.Open(path)
}

func assetNames() string {
	names := make([]string, len(assets.All))
	for i, a := range assets.All {
		names[i] = a.Name
	}
	return strings.Join(names, ", ")
}
