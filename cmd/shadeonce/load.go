package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shadeonce/shadeonce/renderer"
)

// simpleLoad is the load of a vertex shader that only transforms.
const simpleLoad = "simple"

// loadNames are the loads that have a name: simple, and the real vertex shaders.
func loadNames() []string {
	return append([]string{simpleLoad}, renderer.VertexShaderNames[renderer.Transform+1:]...)
}

// loadHelp says what --load takes, for help texts.
func loadHelp() string {
	return fmt.Sprintf("%s, or 0 to %d cycles", strings.Join(loadNames(), ", "), renderer.MaxLoad)
}

// loadText is the value of --load that leads to the frame.
func loadText(f *renderer.Frame) string {
	if f.VertexShader == renderer.Transform && f.Load > 0 {
		return strconv.Itoa(f.Load)
	}
	return loadNames()[f.VertexShader]
}

// parseLoad reads what a shaded vertex costs: a vertex shader by name, or
// cycles beside transforming.
func parseLoad(text string) (renderer.VertexShader, int, error) {
	if at := slices.Index(loadNames(), text); at >= 0 {
		return renderer.VertexShader(at), 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > renderer.MaxLoad {
		return 0, 0, usagef("--load %q:%s want %s", text, didYouMean(text, loadNames()...), loadHelp())
	}
	return renderer.Transform, n, nil
}
