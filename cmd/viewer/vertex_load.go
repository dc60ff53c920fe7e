package main

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/shadeonce/shadeonce/internal/names"
	"github.com/shadeonce/shadeonce/renderer"
)

// simpleLoad is the load of a vertex shader that only transforms.
const simpleLoad = "simple"

// loadNames are the loads to step through: simple, the paper's cycles, and the
// real vertex shaders.
func loadNames() []string {
	return append([]string{simpleLoad, "256", "512", "1024", "4096"}, renderer.VertexShaderNames[renderer.Transform+1:]...)
}

// parseLoad reads what a shaded vertex costs: a vertex shader by name, or cycles
// beside transforming. Empty is simple.
func parseLoad(text string) (renderer.VertexShader, int, error) {
	if text == "" || text == simpleLoad {
		return renderer.Transform, 0, nil
	}
	if at := slices.Index(renderer.VertexShaderNames, text); at > int(renderer.Transform) {
		return renderer.VertexShader(at), 0, nil
	}
	n, err := strconv.Atoi(text)
	if err == nil && (n < 0 || n > renderer.MaxLoad) {
		return 0, 0, fmt.Errorf("load of %d cycles: must be 0 to %d", n, renderer.MaxLoad)
	}
	if err != nil {
		return 0, 0, names.Unknown("load", text, loadNames())
	}
	return renderer.Transform, n, nil
}
